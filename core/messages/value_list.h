// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/support/text.h"

#include <span>
#include <string>

namespace secateur {

/// Values as a sentence lists them: "`a`, `b` and 19,998 more". Takes no longer for those that it only
/// counts.
[[nodiscard]] std::string valueList(const Model& model, std::span<const ValueId> values,
                                    std::size_t most = kMostListed);
/// The same of nodes: "MatMul `m1`, Add `a1` and 5 more".
[[nodiscard]] std::string nodeList(const Model& model, std::span<const NodeId> nodes,
                                   std::size_t most = kMostListed);

} // namespace secateur
