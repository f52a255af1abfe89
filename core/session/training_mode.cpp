// SPDX-License-Identifier: Apache-2.0
#include "core/session/training_mode.h"

#include "core/analysis/operator_mode.h"
#include "core/ir/node_count.h"
#include "core/ir/walk.h"
#include "core/messages/sentences.h"
#include "core/support/most_counted.h"
#include "core/support/text.h"

#include <algorithm>
#include <map>
#include <set>

namespace secateur {

namespace {

/// In a body or a function, where no roles are told: does its operator train by what stands at the node?
bool trains(const Model& model, NodeId node) {
    if (takesBatchStatistics(model, node)) return true;
    const auto form = dropoutForm(model, node);
    if (!form) return false;
    const DropoutMode mode = dropoutMode(model, node, *form);
    return mode == DropoutMode::training || mode == DropoutMode::computed;
}

/// Operators that train in bodies and functions of the model.
std::set<std::string> innerOperators(const Model& model) {
    std::set<std::string> ops;
    for (const GraphId graph : allGraphs(model)) {
        if (graph == model.mainGraph()) continue;
        for (const NodeId node : model.nodes(graph))
            if (trains(model, node)) ops.emplace(model.op(node));
    }
    return ops;
}

} // namespace

std::vector<OperatorCount> countTrainingMode(const Original& original) {
    std::map<std::string, std::uint64_t> byOperator;
    const Model& model = original.file.model;
    for (const NodeId node : original.roles->inTrainingMode)
        ++byOperator[std::string(model.op(node))];
    std::vector<NodeId> main;
    for (const NodeId node : model.nodes(model.mainGraph()))
        main.push_back(node);
    for (const std::string& op : innerOperators(model)) {
        NodeCounter counter(model, [&](NodeId node) {
            return model.node(node).graph != model.mainGraph() && model.op(node) == op && trains(model, node);
        });
        // A function that nothing calls trains nothing.
        if (const std::uint64_t inner = counter.of(main); inner > 0)
            byOperator[op] = addCounts(byOperator[op], inner);
    }
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
