// SPDX-License-Identifier: Apache-2.0
#include "core/session/training_mode.h"

#include "core/messages/sentences.h"
#include "core/support/text.h"

#include <algorithm>
#include <map>

namespace secateur {

std::vector<OperatorCount> countTrainingMode(const Original& original) {
    std::map<std::string, std::uint64_t> byOperator;
    for (const NodeId node : original.roles->inTrainingMode)
        ++byOperator[std::string(original.file.model.op(node))];
    std::vector<OperatorCount> counts;
    for (const auto& [op, nodes] : byOperator)
        counts.push_back({op, nodes});
    std::stable_sort(counts.begin(), counts.end(),
                     [](const OperatorCount& a, const OperatorCount& b) { return a.nodes > b.nodes; });
    return counts;
}

std::string joinCounts(const std::vector<OperatorCount>& counts) {
    std::string text;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::string one = formatCount(counts[i].nodes) + " " + counts[i].op;
        if (i == 0)
            text = one;
        else
            text = i + 1 == counts.size() ? formatMessage("text.and", {text, one}) : text + ", " + one;
    }
    return text;
}

} // namespace secateur
