// SPDX-License-Identifier: Apache-2.0
#include "ui/app_state/reason_table.h"

namespace secateur {

ReasonTable::ReasonTable(const History& history) {
    for (const Step& step : history.steps())
        for (const RewriteRecord& record : step.records) {
            if (record.isSkipped) continue;
            // Later entries win: what a step made and a later one removed says why it went, and the reason of
            // its own stands before the general one of its rewrite.
            for (const NodeId node : record.created)
                put(m_ofNode, node.index, record.reason);
            for (const NodeId node : record.erased)
                put(m_ofNode, node.index, record.reason);
            for (const auto& [node, reason] : record.nodeReasons)
                put(m_ofNode, node.index, reason);
            for (const ValueId value : record.erasedValues)
                put(m_ofValue, value.index, record.reason);
            for (const auto& [value, reason] : record.valueReasons)
                put(m_ofValue, value.index, reason);
        }
}

void ReasonTable::put(Reasons& reasons, std::uint32_t index, const Reason& reason) {
    if (index >= reasons.size()) reasons.resize(index + 1, nullptr);
    reasons[index] = &reason;
}

} // namespace secateur
