// SPDX-License-Identifier: Apache-2.0
#include "core/picture/breadcrumbs.h"

#include "core/ir/node_count.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <algorithm>

namespace secateur {
namespace {

/// The attribute of a node that holds a graph.
std::string attributeOf(const Model& model, NodeId node, GraphId graph) {
    for (const Attribute& attribute : model.attributes(node)) {
        if (const auto* one = std::get_if<GraphId>(&attribute.value); one && *one == graph)
            return printable(attribute.name);
        const auto* many = std::get_if<std::vector<GraphId>>(&attribute.value);
        if (!many) continue;
        const auto at = std::find(many->begin(), many->end(), graph);
        if (at != many->end())
            return printable(attribute.name) + '[' + std::to_string(at - many->begin()) + ']';
    }
    return {};
}

std::string functionText(const Model& model, GraphId graph) {
    const GraphHeader& header = *model.graph(graph).header;
    return formatMessage(
        "picture.crumb-function",
        {printable(header.domain.empty() ? header.name : header.domain + '.' + header.name)});
}

Crumb crumbOf(const Model& model, GraphId id) {
    const Graph& graph = model.graph(id);
    switch (graph.kind) {
    case GraphKind::main: return {id, {}, std::string(message("picture.crumb-main"))};
    case GraphKind::function: return {id, {}, functionText(model, id)};
    case GraphKind::trainingInitialization:
        return {id, {}, std::string(message("picture.crumb-training-initialization"))};
    case GraphKind::trainingAlgorithm:
        return {id, {}, std::string(message("picture.crumb-training-algorithm"))};
    case GraphKind::subgraph: break;
    }
    return {id, graph.parentNode,
            formatMessage("picture.crumb-body",
                          {nodeText(model, graph.parentNode), attributeOf(model, graph.parentNode, id)})};
}

} // namespace

std::vector<Crumb> breadcrumbsOf(const Model& model, GraphId graph) {
    std::vector<Crumb> crumbs;
    for (GraphId at = graph; !at.isNone(); at = model.graph(at).parent)
        crumbs.push_back(crumbOf(model, at));
    if (crumbs.back().graph != model.mainGraph()) crumbs.push_back(crumbOf(model, model.mainGraph()));
    std::reverse(crumbs.begin(), crumbs.end());
    return crumbs;
}

std::vector<Body> bodiesOf(const Model& model, NodeId node) {
    std::vector<Body> bodies;
    const auto add = [&](GraphId graph, std::string attribute, const std::string& name) {
        std::vector<NodeId> nodes; // what lies in their bodies counts too
        for (const NodeId inner : model.nodes(graph))
            nodes.push_back(inner);
        const std::string count = formatCount(NodeCounter(model).of(nodes));
        bodies.push_back({graph, std::move(attribute), formatMessage("picture.body", {name, count})});
    };
    for (const GraphId graph : model.subgraphs(node)) {
        const std::string name = attributeOf(model, node, graph);
        add(graph, name, name);
    }
    if (const GraphId called = calledFunction(model, node); !called.isNone())
        add(called, "", functionText(model, called));
    return bodies;
}

} // namespace secateur
