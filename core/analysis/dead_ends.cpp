// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/dead_ends.h"

#include "core/ir/walk.h"

namespace secateur {
namespace {

bool hasReader(const Model& model, NodeId node) {
    bool isRead = false;
    for (const ValueId value : model.outputs(node)) {
        if (value.isNone()) continue;
        for (const Use use : model.uses(value)) {
            const Node& reader = model.node(use.node);
            // An output of the main graph ends the way, whoever else reads the value.
            if (reader.kind == NodeKind::exit && model.graph(reader.graph).parentNode.isNone()) return false;
            isRead = true;
        }
    }
    return isRead;
}

} // namespace

DeadEnds::DeadEnds(const Model& model) : m_next(model.nodeIdCount()), m_distance(model.nodeIdCount(), 0) {
    std::vector<NodeId> queue;
    std::vector<bool> isSeen(model.nodeIdCount(), false);
    const auto reach = [&](ValueId value, NodeId from) {
        if (value.isNone()) return;
        const NodeId producer = model.producer(value);
        if (producer.isNone() || isSeen[producer.index] || model.node(producer).kind != NodeKind::operation)
            return;
        isSeen[producer.index] = true;
        m_next[producer.index] = from;
        m_distance[producer.index] = m_distance[from.index] + 1;
        queue.push_back(producer);
    };
    for (const GraphId graph : allGraphs(model)) {
        for (const NodeId node : model.nodes(graph)) {
            if (hasReader(model, node)) continue;
            isSeen[node.index] = true;
            queue.push_back(node);
        }
    }
    for (std::size_t at = 0; at < queue.size(); ++at) {
        const NodeId node = queue[at];
        for (const ValueId value : model.inputs(node))
            reach(value, node);
        if (!model.node(node).attributes) continue;
        for (const GraphId body : model.subgraphs(node)) {
            for (const ValueId value : model.graphOutputs(body))
                reach(value, node);
        }
    }
}

std::vector<NodeId> DeadEnds::path(NodeId node) const {
    std::vector<NodeId> path{node};
    while (!m_next[path.back().index].isNone())
        path.push_back(m_next[path.back().index]);
    return path;
}

} // namespace secateur
