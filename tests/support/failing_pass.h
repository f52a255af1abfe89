// SPDX-License-Identifier: Apache-2.0
//
// A pass that breaks down, for tests of what is left then.
#pragma once

#include "core/rewrite/pass.h"

#include <cstdlib>
#include <stdexcept>

namespace secateur::testing {

/// Throws, or takes the whole process with it.
class FailingPass final : public Pass {
  public:
    explicit FailingPass(bool endsProcess) : m_endsProcess(endsProcess) {
        m_info.id = "break-down";
        m_info.titleId = m_info.summaryId = m_info.beforeAfterId = "pass.drop-loss.title";
        m_info.gainId = m_info.costId = m_info.whenId = "pass.drop-loss.title";
        m_info.isConversion = false;
    }
    [[nodiscard]] const PassInfo& info() const override { return m_info; }

    Result<void> run(PassContext& /*context*/) const override {
        if (m_endsProcess) std::abort();
        throw std::runtime_error("broken on purpose");
    }

  private:
    PassInfo m_info;
    bool m_endsProcess;
};

} // namespace secateur::testing
