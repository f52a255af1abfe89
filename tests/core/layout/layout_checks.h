// SPDX-License-Identifier: Apache-2.0
//
// What must hold of every layout. Each check returns the first fault in words, or nothing.
#pragma once

#include "core/layout/layered.h"

#include <algorithm>
#include <string>
#include <vector>

namespace secateur {

inline std::string nameOfItem(const LayoutGraph& graph, const Layout& layout, std::uint32_t item) {
    const std::uint32_t node = layout.items[item].node;
    return node == kNoIndex ? "group " + std::to_string(layout.items[item].group)
                            : graph.nodes[node].title + " " + std::to_string(node);
}

/// A new node stands on purpose where those stand that it replaces.
inline bool isReplacing(const LayoutGraph& graph, const Layout& layout, std::uint32_t item) {
    const std::uint32_t node = layout.items[item].node;
    return node != kNoIndex && !graph.nodes[node].replaces.empty();
}

/// Two boxes that overlap.
inline std::string firstOverlap(const LayoutGraph& graph, const Layout& layout) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < layout.items.size(); ++i) {
        if (isReplacing(graph, layout, i)) continue;
        found.clear();
        layout.itemIndex.query(layout.items[i].rect, found);
        for (const std::uint32_t other : found) {
            if (other == i || isReplacing(graph, layout, other)) continue;
            return nameOfItem(graph, layout, i) + " and " + nameOfItem(graph, layout, other);
        }
    }
    return {};
}

/// An edge that passes under a box that is none of its ends.
inline std::string firstEdgeUnderBox(const LayoutGraph& graph, const Layout& layout) {
    std::vector<std::uint32_t> found;
    for (const PlacedEdge& edge : layout.edges) {
        if (edge.isPortal || edge.from == edge.to || isReplacing(graph, layout, edge.from) ||
            isReplacing(graph, layout, edge.to))
            continue;
        for (std::uint32_t k = 0; k + 3 < edge.pointCount; k += 3) {
            const Point a = layout.points[edge.firstPoint + k], b = layout.points[edge.firstPoint + k + 3];
            const Rect piece{std::min(a.x, b.x) - 0.01, std::min(a.y, b.y) - 0.01, std::abs(a.x - b.x) + 0.02,
                             std::abs(a.y - b.y) + 0.02};
            found.clear();
            layout.itemIndex.query(piece, found);
            for (const std::uint32_t i : found) {
                if (i == edge.from || i == edge.to || isReplacing(graph, layout, i)) continue;
                if (!layout.items[i].rect.inflated(-1).intersects(piece)) continue;
                return nameOfItem(graph, layout, edge.from) + " to " + nameOfItem(graph, layout, edge.to) +
                       " under " + nameOfItem(graph, layout, i);
            }
        }
    }
    return {};
}

/// The room of an edge's label.
inline Rect labelRect(const Layout& layout, const PlacedEdge& edge) {
    if (edge.labelWidth <= 0) return {};
    const bool isCentred =
        edge.edgeClass == EdgeClass::stash && layout.items[edge.from].column != layout.items[edge.to].column;
    return {edge.labelAt.x - (isCentred ? edge.labelWidth / 2 : 0), edge.labelAt.y - 6, edge.labelWidth, 12};
}

/// A label that covers a box, a tag or another label.
inline std::string firstCoveringLabel(const LayoutGraph& graph, const Layout& layout) {
    std::vector<Rect> labels;
    for (const PlacedEdge& edge : layout.edges)
        labels.push_back(labelRect(layout, edge));
    const SpatialIndex index(labels);
    std::vector<std::uint32_t> found;
    for (std::uint32_t e = 0; e < labels.size(); ++e) {
        if (labels[e].isEmpty()) continue;
        found.clear();
        index.query(labels[e], found);
        if (found.size() > 1)
            return "two labels, edges " + std::to_string(found[0]) + " and " + std::to_string(found[1]);
        found.clear();
        layout.itemIndex.query(labels[e], found);
        if (!found.empty()) return "a label and " + nameOfItem(graph, layout, found.front());
        layout.portalIndex.query(labels[e], found);
        if (!found.empty()) return "a label and tag " + std::to_string(found.front());
    }
    return {};
}

/// A tag that covers a box that is not its own.
inline std::string firstCoveringTag(const LayoutGraph& graph, const Layout& layout) {
    std::vector<std::uint32_t> found;
    for (const Portal& portal : layout.portals) {
        if (portal.rect.isEmpty() || isReplacing(graph, layout, portal.item)) continue;
        found.clear();
        layout.itemIndex.query(portal.rect, found);
        for (const std::uint32_t i : found)
            if (!isReplacing(graph, layout, i)) return "a tag and " + nameOfItem(graph, layout, i);
    }
    return {};
}

/// The first of all these faults.
inline std::string firstFault(const LayoutGraph& graph, const Layout& layout) {
    for (const auto check : {firstOverlap, firstEdgeUnderBox, firstCoveringLabel, firstCoveringTag})
        if (std::string fault = check(graph, layout); !fault.empty()) return fault;
    return {};
}

} // namespace secateur
