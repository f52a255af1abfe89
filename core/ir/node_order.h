// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"
#include "core/ir/model.h"

#include <cstdint>
#include <map>
#include <vector>

namespace secateur {

/// In which order the nodes of each graph can be visited.
struct GraphOrders {
    /// Graphs whose program order reads a value before it is made, with an order that does not; nodes on
    /// cycles are left out. A graph that is not listed is visited in program order.
    std::map<std::uint32_t, std::vector<NodeId>> unsorted; // by GraphId
    std::vector<NodeId> onCycles;
};

/// Linear in nodes and uses for graphs in order; what bodies read counts as read by the node that holds them.
[[nodiscard]] GraphOrders findOrders(const Model& model);

/// One of the cycles among nodes of one graph that are on cycles (GraphOrders::onCycles), in the direction of
/// the data; its first node stands at the end again.
[[nodiscard]] std::vector<NodeId> cycleAmong(const Model& model, const std::vector<NodeId>& members);

/// Sorts the nodes of all graphs that are not sorted, and leaves the order as it is wherever it may. Graphs
/// with a cycle stay as they are. Gives the number of graphs that it sorted.
std::size_t sortNodes(Editor& editor);

/// Does `node`, or a body it holds, read a value of its graph that is made later (or by itself)?
[[nodiscard]] bool readsAhead(const Model& model, NodeId node);

} // namespace secateur
