// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rewrite/record.h"

namespace secateur {

class Model;

/// Hears of every rewrite as it is made: for looking over the shoulder of passes.
class RewriteTrace {
  public:
    virtual ~RewriteTrace() = default;
    /// About to be made; what it matched is still there. It may yet be refused, and then nothing more is
    /// heard of it.
    virtual void before(const Model& model, const RewriteRecord& request) = 0;
    /// Made, with what was created and erased.
    virtual void after(const Model& model, const RewriteRecord& record) = 0;
};

} // namespace secateur
