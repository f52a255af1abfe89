// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <string>
#include <vector>

namespace secateur {

/// One step of the way from the main graph into a body.
struct Crumb {
    GraphId graph;
    NodeId holder;    ///< the node whose body it is; none for the main graph and for functions
    std::string text; ///< "main graph", "If `If_0`: then_branch", "function my.ops.Gelu"
};

/// The way to a graph, the main graph first, the graph itself last. A function is reached from the main
/// graph: it has as many callers as there are.
[[nodiscard]] std::vector<Crumb> breadcrumbsOf(const Model& model, GraphId graph);

/// A graph that a node can be opened into.
struct Body {
    GraphId graph;
    std::string attribute; ///< "then_branch"; "" for a function
    std::string text;      ///< "then_branch, 113 nodes"
};

/// The bodies of a node in the order of its attributes, or the function that it calls; empty for most nodes.
[[nodiscard]] std::vector<Body> bodiesOf(const Model& model, NodeId node);

} // namespace secateur
