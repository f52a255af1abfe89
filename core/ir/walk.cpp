// SPDX-License-Identifier: Apache-2.0
#include "core/ir/walk.h"

#include "core/ir/domains.h"

#include <unordered_set>

namespace secateur {

std::vector<GraphId> graphsWithin(const Model& model, GraphId graph) {
    std::vector<GraphId> out{graph};
    for (std::size_t i = 0; i < out.size(); ++i) {
        for (const NodeId node : model.nodes(out[i])) {
            if (!model.node(node).attributes) continue;
            const auto bodies = model.subgraphs(node);
            out.insert(out.end(), bodies.begin(), bodies.end());
        }
    }
    return out;
}

std::vector<GraphId> allGraphs(const Model& model) {
    std::vector<GraphId> out;
    const auto add = [&](GraphId root) {
        if (root.isNone()) return;
        const auto within = graphsWithin(model, root);
        out.insert(out.end(), within.begin(), within.end());
    };
    add(model.mainGraph());
    for (const GraphId function : model.header().functions)
        add(function);
    for (const TrainingInfo& info : model.header().trainingInfos) {
        add(info.initialization);
        add(info.algorithm);
    }
    return out;
}

std::vector<NodeId> nodesWithin(const Model& model, GraphId graph) {
    std::vector<NodeId> out;
    std::vector<NodeId> resume{model.graph(graph).head}; // per open graph, the node to go on with
    while (!resume.empty()) {
        const NodeId at = resume.back();
        if (at.isNone()) {
            resume.pop_back();
            continue;
        }
        out.push_back(at);
        resume.back() = model.node(at).next;
        if (!model.node(at).attributes) continue;
        const auto bodies = model.subgraphs(at);
        for (auto body = bodies.rbegin(); body != bodies.rend(); ++body)
            resume.push_back(model.graph(*body).head);
    }
    return out;
}

GraphId calledFunction(const Model& model, NodeId node) {
    // For one node a look at each function is less than a table of them.
    for (const GraphId id : model.header().functions) {
        const GraphHeader& header = *model.graph(id).header;
        if (header.name == model.op(node) && plainDomain(header.domain) == plainDomain(model.domain(node)) &&
            header.overload == model.text(model.node(node).overload))
            return id;
    }
    return {};
}

std::vector<ValueId> capturesOf(const Model& model, NodeId node) {
    std::vector<ValueId> out;
    std::unordered_set<std::uint32_t> seen;
    for (const GraphId body : model.subgraphs(node)) {
        const auto visit = [&](NodeId reader) {
            for (const ValueId value : model.inputs(reader)) {
                if (value.isNone() || model.isInside(model.value(value).graph, body)) continue;
                if (seen.insert(value.index).second) out.push_back(value);
            }
        };
        for (const GraphId graph : graphsWithin(model, body)) {
            for (const NodeId inner : model.nodes(graph))
                visit(inner);
            visit(model.graph(graph).exit);
        }
    }
    return out;
}

} // namespace secateur
