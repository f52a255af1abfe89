// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layout_index.h"

#include <algorithm>
#include <vector>

namespace secateur {
namespace {

/// What an edge takes with the width of its line; nothing for one that is a portal or has no path.
Rect hullOf(const Layout& layout, const PlacedEdge& edge) {
    constexpr double kLine = 4;
    if (edge.isPortal || edge.pointCount == 0) return {};
    Point low = layout.points[edge.firstPoint], high = low;
    for (std::uint32_t i = 1; i < edge.pointCount; ++i) {
        const Point p = layout.points[edge.firstPoint + i];
        low = {std::min(low.x, p.x), std::min(low.y, p.y)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    return Rect{low.x, low.y, high.x - low.x, high.y - low.y}.inflated(kLine);
}

} // namespace

void indexLayout(Layout& layout) {
    std::vector<Rect> boxes;
    for (const PlacedItem& item : layout.items)
        boxes.push_back(item.rect);
    layout.itemIndex = SpatialIndex(boxes);
    boxes.clear();
    for (const Portal& portal : layout.portals)
        boxes.push_back(portal.rect);
    layout.portalIndex = SpatialIndex(boxes);
    boxes.clear();
    for (const PlacedEdge& edge : layout.edges)
        boxes.push_back(hullOf(layout, edge));
    layout.edgeIndex = SpatialIndex(boxes);
}

} // namespace secateur
