// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layered.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// A box to place: a node, or the nodes of a closed group that share a column.
struct VisibleItem {
    std::uint32_t node = kNoIndex;
    std::uint32_t group = kNoIndex;
    std::uint32_t nodeCount = 0;
    NodeRole role = NodeRole::forward;
    std::uint8_t column = 0;
    double width = 0;
    double height = 0;
    std::uint32_t order = kNoIndex; ///< smallest program order inside
    /// Distance from the inputs: the upper quartile of a blob's nodes, which neither sources inside it nor a
    /// few late nodes change. Zero when no group is closed.
    std::uint32_t flowDepth = 0;
    std::uint32_t twin = kNoIndex; ///< item index of the forward twin
    std::uint32_t row =
        kNoIndex; ///< of a blob beside the forward column: its group's blob there, whose rank it takes
};

/// All graph edges of one class between two boxes.
struct VisibleEdge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    EdgeClass edgeClass = EdgeClass::data;
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
    /// Whether an edge at a blob runs against the general flow: blocks that share a few values read each
    /// other both ways, and such an edge must not decide which stands above.
    bool isAgainstFlow(const VisibleEdge& edge) const {
        const bool isNodeEdge = items[edge.from].node != kNoIndex && items[edge.to].node != kNoIndex;
        return !isNodeEdge && items[edge.from].flowDepth >= items[edge.to].flowDepth;
    }
};

constexpr double kBlobWidth = 400;
constexpr double kBlobHeight = 56;

/// Linear in nodes and edges.
VisibleGraph buildVisibleGraph(const LayoutGraph& graph, const Hierarchy& hierarchy,
                               const ExpandState& expanded, std::uint32_t portalFanOut);

} // namespace secateur
