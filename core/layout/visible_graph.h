// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/hierarchy.h"
#include "core/layout/layout_graph.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// A box to place: a node, or the nodes of a closed group that share a column.
struct VisibleItem {
    std::uint32_t node = kNoIndex;
    std::uint32_t group = kNoIndex;
    std::uint32_t nodeCount = 0;
    bool isHidden = true; ///< takes no room: all that it stands for is left out of this picture
    NodeRole role = NodeRole::forward;
    std::uint8_t column = 0;
    double width = 0;
    double height = 0;
    std::uint32_t order = kNoIndex; ///< smallest program order inside
    std::uint32_t twin = kNoIndex;  ///< item index of the forward twin
    std::uint32_t row = kNoIndex; ///< item index of its group's part in the first column, whose rank it takes
};

/// All graph edges of one class between two boxes.
struct VisibleEdge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    EdgeClass edgeClass = EdgeClass::data;
    std::uint16_t fromSlot = 0; ///< of the first edge
    bool isPortal = false;
    std::uint32_t firstEdge = 0; ///< into VisibleGraph::edgeList
    std::uint32_t count = 0;
};

/// The part of a LayoutGraph that a picture with some groups closed consists of.
struct VisibleGraph {
    std::vector<VisibleItem> items;
    std::vector<VisibleEdge> edges; ///< by `from`, then by first graph edge
    std::vector<std::uint32_t> edgeList;
    std::vector<std::uint32_t> itemOfNode;
    /// By item: the nodes at whose barycentre a new node is placed; empty for all that is ranked.
    std::vector<std::vector<std::uint32_t>> standsFor;

    bool isReplacing(std::uint32_t item) const { return !standsFor[item].empty(); }
};

constexpr double kBlobWidth = 240;
constexpr double kBlobHeight = 44;

/// Linear in nodes and edges.
VisibleGraph buildVisibleGraph(const LayoutGraph& graph, const Hierarchy& hierarchy,
                               const ExpandState& expanded, std::uint32_t portalFanOut,
                               const LeftOut& leftOut);

} // namespace secateur
