// SPDX-License-Identifier: Apache-2.0
#include "core/exec/run_limits.h"

#include "core/messages/sentences.h"
#include "core/support/text.h"

namespace secateur {

LoopBudget::Running::Running(LoopBudget& budget) : m_budget(budget) {
    if (m_budget.m_depth++ == 0) m_budget.m_start = Clock::now();
}

LoopBudget::Running::~Running() {
    if (--m_budget.m_depth == 0)
        m_budget.m_spent += std::chrono::duration<double>(Clock::now() - m_budget.m_start).count();
}

Result<void> LoopBudget::take() {
    if (m_left == 0) return missingHere(formatMessage("exec.iteration-limit", {formatCount(m_limit)}));
    --m_left;
    if (m_seconds <= 0) return {};
    const std::chrono::duration<double> running = Clock::now() - m_start;
    if (m_spent + (m_depth > 0 ? running.count() : 0) <= m_seconds) return {};
    return missingHere(
        formatMessage("exec.loop-time", {formatSeconds(m_seconds), formatCount(m_limit - m_left)}));
}

} // namespace secateur
