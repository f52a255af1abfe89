// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// `graph` and all graphs nested in it, each before those that its nodes hold. Iterative.
[[nodiscard]] std::vector<GraphId> graphsWithin(const Model& model, GraphId graph);
/// Every living graph of the model: the main graph, functions, training graphs, and all bodies.
[[nodiscard]] std::vector<GraphId> allGraphs(const Model& model);
/// The operations of `graph` and of all graphs nested in it; a body follows the node that holds it.
[[nodiscard]] std::vector<NodeId> nodesWithin(const Model& model, GraphId graph);
/// The function that `node` calls; none when it calls none. Looks at every function: for many nodes make a
/// FunctionTable.
[[nodiscard]] GraphId calledFunction(const Model& model, NodeId node);
/// Nodes of the main graph and all its bodies; a model-local function's body counts once per call site, so
/// that outlining lowers no count; up to 10^18, however deep calls are nested.
[[nodiscard]] std::uint64_t countNodes(const Model& model);
/// Values of outer graphs that the bodies of `node` read, each once, in the order in which they are first
/// read.
[[nodiscard]] std::vector<ValueId> capturesOf(const Model& model, NodeId node);

} // namespace secateur
