// SPDX-License-Identifier: Apache-2.0
//
// Named groups of nodes (the blocks of a network), so that a graph too large to read node by node is first
// shown as a few blobs. A group may hold nodes of all three columns; the layout draws one blob for each
// column it has.
#pragma once

#include "core/layout/layout_graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace secateur {

struct Group {
    std::string name;  ///< last part, `0` of `b.0` is shown as `b.0` (see title)
    std::string title; ///< what the blob says
    std::uint32_t parent = kNoIndex;
    std::vector<std::uint32_t> children;
    std::uint32_t nodeCount = 0; ///< nodes in the whole subtree, folded ones not counted
    std::uint32_t depth = 0;
    bool isSeries = false; ///< neighbours of a long series, which the titles of what is inside do not mention
};

enum class HierarchySource : std::uint8_t {
    none,
    scopes,
    nodeNames,
    parameterNames,
    repeatedBlocks,
    artificial
};

/// The group tree. Parents come before their children.
struct Hierarchy {
    HierarchySource source = HierarchySource::none;
    std::vector<Group> groups;
    std::vector<std::uint32_t> roots;
};

/// What may carry a hierarchy. All lists run parallel to LayoutGraph::nodes and may be empty.
struct HierarchyHints {
    std::vector<std::string> scopes;         ///< modules that an exporter recorded, see group_paths.h
    std::vector<std::string> nodeNames;      ///< `/b.0/a/q/Gemm`
    std::vector<std::string> parameterNames; ///< a weight that the node reads, `b.0.a.q.weight`, or empty
    /// The forward node that a node works for (whose gradient it computes, whose weight it updates, whose
    /// place it takes): it belongs to the same group. kNoIndex where there is none.
    std::vector<std::uint32_t> homes;
};

/// Chooses the first source that works, in the order of HierarchySource, and sets LayoutNode::group. A source
/// is rejected when over a third of its groups hold one node (one-node modules inside others not counted), or
/// when it covers less than half of the nodes. Groups of very few nodes are left out, no node lies deeper
/// than four groups, and no group holds more than 400 nodes directly. Groups of a long series stand in an
/// artificial group a few of them together. Inputs and outputs of the graph stand in no group (see freeEnds).
/// Linear in nodes and edges.
Hierarchy buildHierarchy(LayoutGraph& graph, const HierarchyHints& hints);

/// Which groups are open. A group shows its content when it and all its ancestors are open.
struct ExpandState {
    std::vector<bool> open; ///< by group index

    bool isOpen(std::uint32_t group) const { return group < open.size() && open[group]; }
};

/// Everything open when the graph has at most `visibleLimit` nodes and its picture, seen whole, would not
/// shrink to a hair; else the largest groups are opened until 20 names show, as long as the picture stays
/// within the limit and so small that they can be read when all of it is seen. Linear.
ExpandState initialExpandState(const LayoutGraph& graph, const Hierarchy& hierarchy,
                               std::uint32_t visibleLimit = 3000);

} // namespace secateur
