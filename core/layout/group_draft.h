// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/hierarchy.h"
#include "core/layout/layout_graph.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

/// A group tree that is being made. Groups are numbered in the order in which they are first met, parents
/// first.
struct GroupDraft {
    struct Entry {
        std::string name;
        std::uint32_t parent = kNoIndex;
        bool isSeries = false; ///< of groups that are like each other, see foldLongSeries()
    };
    std::vector<Entry> groups;
    std::vector<std::uint32_t> groupOf; ///< by node: its innermost group

    explicit GroupDraft(std::size_t nodes) : groupOf(nodes, kNoIndex) {}

    /// The group below `parent` (kNoIndex: a root) with this name, made when it is new.
    std::uint32_t childOf(std::uint32_t parent, const std::string& name);
    /// Nodes in each group and all that is below it.
    [[nodiscard]] std::vector<std::uint32_t> countNodes() const;

  private:
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> m_children;
};

/// Leaves out groups that explain nothing: those of fewer than 4 nodes, those that hold nearly all of what is
/// around them, and those below the fourth level (their nodes go to the group around them), so that four
/// double-clicks reach every node.
[[nodiscard]] GroupDraft simplified(const GroupDraft& draft);

/// Splits the nodes that stand directly in a group (or in none) into runs of at most 400, along the forward
/// half; what works for a forward node stays with it.
void splitLargeGroups(const LayoutGraph& graph, const std::vector<std::uint32_t>& homes, GroupDraft& draft);

/// Puts an artificial level above more than 64 groups side by side that differ by a number alone (`b.0` to
/// `b.199`, runs of nodes): some two dozen groups of neighbours (`b.0–b.8`). Where four levels hold them.
[[nodiscard]] GroupDraft foldLongSeries(const GroupDraft& draft);

/// Takes inputs and outputs of the graph in the forward column out of all groups, so that a picture of closed
/// groups begins and ends somewhere: the first 32 of each (models of many caches have hundreds), and none
/// that is all that its group holds.
void freeEnds(const LayoutGraph& graph, GroupDraft& draft);

/// The finished tree; sets LayoutNode::group.
[[nodiscard]] Hierarchy finishHierarchy(LayoutGraph& graph, const GroupDraft& draft, HierarchySource source);

} // namespace secateur
