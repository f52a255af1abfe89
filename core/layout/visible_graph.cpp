// SPDX-License-Identifier: Apache-2.0
#include "core/layout/visible_graph.h"

#include "core/support/number_table.h"

#include <algorithm>
#include <array>
#include <map>

namespace secateur {
namespace {

constexpr int kColumns = 3;

/// For every group the outermost closed group on its path to the root, or kNoIndex when all are open.
std::vector<std::uint32_t> closedAncestors(const Hierarchy& hierarchy, const ExpandState& expanded) {
    std::vector<std::uint32_t> closed(hierarchy.groups.size(), kNoIndex);
    for (std::uint32_t g = 0; g < hierarchy.groups.size(); ++g) {
        const std::uint32_t parent = hierarchy.groups[g].parent;
        if (parent != kNoIndex && closed[parent] != kNoIndex) {
            closed[g] = closed[parent];
        } else if (!expanded.isOpen(g)) {
            closed[g] = g;
        }
    }
    return closed;
}

void addNodeItem(VisibleGraph& visible, const LayoutNode& node, std::uint32_t index) {
    VisibleItem item;
    item.node = index;
    item.role = node.role;
    item.column = static_cast<std::uint8_t>(columnOf(node.role));
    item.width = node.width;
    item.height = node.height;
    item.order = node.order;
    visible.items.push_back(item);
}

std::uint32_t addBlob(VisibleGraph& visible, std::uint32_t group, const LayoutNode& node) {
    VisibleItem item;
    item.group = group;
    item.role = node.role;
    item.column = static_cast<std::uint8_t>(columnOf(node.role));
    item.width = kBlobWidth;
    item.height = kBlobHeight;
    visible.items.push_back(item);
    return static_cast<std::uint32_t>(visible.items.size() - 1);
}

void collectItems(VisibleGraph& visible, const LayoutGraph& graph, const std::vector<std::uint32_t>& closed,
                  const LeftOut& leftOut) {
    std::vector<std::array<std::uint32_t, kColumns>> blobOf(closed.size(), {kNoIndex, kNoIndex, kNoIndex});
    visible.itemOfNode.resize(graph.nodes.size());
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        const LayoutNode& node = graph.nodes[n];
        const std::uint32_t group = node.group < closed.size() ? closed[node.group] : kNoIndex;
        if (group == kNoIndex) {
            visible.itemOfNode[n] = static_cast<std::uint32_t>(visible.items.size());
            addNodeItem(visible, node, n);
        } else {
            std::uint32_t& blob = blobOf[group][static_cast<std::size_t>(columnOf(node.role))];
            if (blob == kNoIndex) blob = addBlob(visible, group, node);
            visible.itemOfNode[n] = blob;
        }
        VisibleItem& item = visible.items[visible.itemOfNode[n]];
        item.nodeCount += 1 + node.folded;
        if (!leftOut.hasNode(n)) item.isHidden = false;
        item.order = std::min(item.order, node.order);
    }
}

/// The parts of a closed group share the row of the one in its first column.
void linkRows(VisibleGraph& visible, std::size_t groupCount) {
    std::vector<std::uint32_t> first(groupCount, kNoIndex);
    const auto isFree = [](const VisibleItem& item) { return item.group != kNoIndex && !item.isHidden; };
    for (std::uint32_t i = 0; i < visible.items.size(); ++i) {
        const VisibleItem& item = visible.items[i];
        if (!isFree(item)) continue;
        std::uint32_t& at = first[item.group];
        if (at == kNoIndex || item.column < visible.items[at].column) at = i;
    }
    for (std::uint32_t i = 0; i < visible.items.size(); ++i) {
        VisibleItem& item = visible.items[i];
        if (isFree(item) && first[item.group] != i) item.row = first[item.group];
    }
}

void linkTwins(VisibleGraph& visible, const LayoutGraph& graph) {
    for (VisibleItem& item : visible.items) {
        const std::uint32_t twinNode = item.node == kNoIndex ? kNoIndex : graph.nodes[item.node].twin;
        if (item.column == 0 || twinNode >= graph.nodes.size()) continue;
        const std::uint32_t twin = visible.itemOfNode[twinNode];
        if (visible.items[twin].column == 0 && !visible.items[twin].isHidden) item.twin = twin;
    }
}

/// Values with so many readers that drawing them would hide the rest.
std::vector<bool> findPortalEdges(const LayoutGraph& graph, std::uint32_t portalFanOut) {
    NumberTable readers;
    readers.reserve(graph.edges.size());
    const auto keyOf = [](const LayoutEdge& e) { return (std::uint64_t{e.from} << 16) | e.fromSlot; };
    for (const LayoutEdge& e : graph.edges)
        ++*readers.tryEmplace(keyOf(e), 0).first;
    std::vector<bool> result(graph.edges.size());
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
        result[i] = readers.find(keyOf(graph.edges[i])) > portalFanOut;
    }
    return result;
}

/// Graph edge indices bucketed by the box they start at.
std::vector<std::uint32_t> sortByStart(const VisibleGraph& visible, const LayoutGraph& graph) {
    std::vector<std::uint32_t> start(visible.items.size() + 1, 0);
    for (const LayoutEdge& e : graph.edges)
        ++start[visible.itemOfNode[e.from] + 1];
    for (std::size_t i = 1; i < start.size(); ++i)
        start[i] += start[i - 1];
    std::vector<std::uint32_t> sorted(graph.edges.size());
    for (std::uint32_t i = 0; i < graph.edges.size(); ++i) {
        sorted[start[visible.itemOfNode[graph.edges[i].from]]++] = i;
    }
    return sorted;
}

void collectEdges(VisibleGraph& visible, const LayoutGraph& graph, std::uint32_t portalFanOut,
                  const LeftOut& leftOut) {
    const std::vector<bool> isPortal = findPortalEdges(graph, portalFanOut);
    const std::vector<std::uint32_t> sorted = sortByStart(visible, graph);
    // slot[to * 2 + portal]: the edge under construction from the current box, valid when stamped with it.
    std::vector<std::uint32_t> slot(visible.items.size() * 2, kNoIndex);
    std::vector<std::uint32_t> edgeOf(graph.edges.size(), kNoIndex);
    for (const std::uint32_t i : sorted) {
        const LayoutEdge& e = graph.edges[i];
        const std::uint32_t from = visible.itemOfNode[e.from];
        const std::uint32_t to = visible.itemOfNode[e.to];
        if (from == to && visible.items[from].node == kNoIndex) continue;
        if (leftOut.hasEdge(i) || leftOut.hasNode(e.from) || leftOut.hasNode(e.to)) continue;
        std::uint32_t& open = slot[to * 2 + (isPortal[i] ? 1 : 0)];
        if (open == kNoIndex || visible.edges[open].from != from ||
            visible.edges[open].edgeClass != e.edgeClass) {
            open = static_cast<std::uint32_t>(visible.edges.size());
            visible.edges.push_back({from, to, e.edgeClass, e.fromSlot, isPortal[i], 0, 0});
        }
        edgeOf[i] = open;
        ++visible.edges[open].count;
    }
    std::uint32_t total = 0;
    for (VisibleEdge& e : visible.edges) {
        e.firstEdge = total;
        total += e.count;
        e.count = 0;
    }
    visible.edgeList.resize(total);
    for (const std::uint32_t i : sorted) {
        if (edgeOf[i] == kNoIndex) continue;
        VisibleEdge& e = visible.edges[edgeOf[i]];
        visible.edgeList[e.firstEdge + e.count++] = i;
    }
}

/// New nodes take the place of the old ones that they stand for: one that of all of them, several each that
/// of a run of them in program order. More new nodes than old ones are ranked like all others.
void placeReplacing(VisibleGraph& visible, const LayoutGraph& graph, const LeftOut& leftOut) {
    visible.standsFor.resize(visible.items.size());
    std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> created; // by what is replaced
    for (std::uint32_t i = 0; i < visible.items.size(); ++i) {
        const std::uint32_t node = visible.items[i].node;
        if (node != kNoIndex && !graph.nodes[node].replaces.empty())
            created[graph.nodes[node].replaces].push_back(i);
    }
    for (const auto& [replaced, items] : created) {
        std::vector<std::uint32_t> old = replaced;
        std::erase_if(old, [&](std::uint32_t n) { return n >= graph.nodes.size() || leftOut.hasNode(n); });
        if (old.empty()) continue; // nothing of them is left: the new ones are ranked like all others
        std::stable_sort(old.begin(), old.end(), [&](std::uint32_t a, std::uint32_t b) {
            return graph.nodes[a].order < graph.nodes[b].order;
        });
        if (items.size() > old.size()) continue;
        for (std::size_t k = 0; k < items.size(); ++k) {
            const auto begin = old.begin() + static_cast<std::ptrdiff_t>(old.size() * k / items.size());
            const auto end = old.begin() + static_cast<std::ptrdiff_t>(old.size() * (k + 1) / items.size());
            visible.standsFor[items[k]].assign(begin, end);
        }
    }
}

} // namespace

VisibleGraph buildVisibleGraph(const LayoutGraph& graph, const Hierarchy& hierarchy,
                               const ExpandState& expanded, std::uint32_t portalFanOut,
                               const LeftOut& leftOut) {
    VisibleGraph visible;
    collectItems(visible, graph, closedAncestors(hierarchy, expanded), leftOut);
    linkRows(visible, hierarchy.groups.size());
    linkTwins(visible, graph);
    collectEdges(visible, graph, portalFanOut, leftOut);
    placeReplacing(visible, graph, leftOut);
    return visible;
}

} // namespace secateur
