// SPDX-License-Identifier: Apache-2.0
#include "core/picture/equal_values.h"

#include <numeric>

namespace secateur {

EqualValues::EqualValues(const History& history) : m_parent(history.model().valueIdCount()) {
    std::iota(m_parent.begin(), m_parent.end(), 0U);
    const Model& model = history.model();
    for (const Step& step : history.steps())
        for (const RewriteRecord& record : step.records)
            for (const auto& [old, now] : record.equalValues) {
                if (old.index >= m_parent.size() || now.index >= m_parent.size()) continue;
                const NodeId producer = model.producer(old);
                const bool isMade = !producer.isNone() && model.node(producer).kind == NodeKind::operation;
                const std::uint32_t from = of(old).index, to = of(now).index;
                if (isMade && from != to) m_parent[from] = to;
            }
    for (std::uint32_t value = 0; value < m_parent.size(); ++value)
        m_parent[value] = of(ValueId(value)).index; // one look from now on
}

} // namespace secateur
