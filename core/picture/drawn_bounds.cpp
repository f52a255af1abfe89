// SPDX-License-Identifier: Apache-2.0
#include "core/picture/drawn_bounds.h"

#include "core/picture/edge_labels.h"
#include "core/picture/edges.h"
#include "core/picture/frames.h"

#include <algorithm>

namespace secateur {
namespace {

constexpr double kLabelReach = 260; ///< of a label beside its line, in world units

/// Smallest rectangle around the points of an edge, those that only bend it among them.
Rect boxOf(const Layout& layout, const PlacedEdge& edge) {
    const Point* const p = &layout.points[edge.firstPoint];
    Point low = p[0], high = p[0];
    for (std::uint32_t k = 1; k < edge.pointCount; ++k) {
        low = {std::min(low.x, p[k].x), std::min(low.y, p[k].y)};
        high = {std::max(high.x, p[k].x), std::max(high.y, p[k].y)};
    }
    // A straight line has a width, too, else it counts as nothing.
    return Rect{low.x, low.y, high.x - low.x, high.y - low.y}.inflated(1);
}

bool holds(const Rect& outer, const Rect& inner) {
    return inner.x >= outer.x && inner.y >= outer.y && inner.right() <= outer.right() &&
           inner.bottom() <= outer.bottom();
}

} // namespace

Rect drawnBounds(const Scene& scene, Pane pane) {
    const Layout& layout = *scene.layout;
    Rect bounds = visibleBounds(layout, *scene.state, pane);
    if (bounds.isEmpty()) return bounds;
    ViewRequest request;
    request.pane = pane;
    for (std::uint32_t f = 0; f < layout.frames.size(); ++f)
        if (isFrameDrawn(scene, request, f)) bounds = bounds.united(layout.frames[f].rect);
    for (const Portal& portal : layout.portals)
        if (!holds(bounds, portal.rect) && edgeLookOf(scene, request, layout.edges[portal.edge]).isVisible)
            bounds = bounds.united(portal.rect);
    for (const PlacedEdge& edge : layout.edges) {
        if (edge.pointCount < 2 || edge.isPortal) continue;
        const Rect box = boxOf(layout, edge);
        if (!holds(bounds, box) && edgeLookOf(scene, request, edge).isVisible) bounds = bounds.united(box);
    }
    return bounds;
}

Rect drawnBoundsWithLabels(const Scene& scene, Pane pane, double zoom) {
    const Rect drawn = drawnBounds(scene, pane);
    if (drawn.isEmpty()) return drawn;
    ViewRequest request;
    request.pane = pane;
    request.zoom = zoom;
    request.viewport = drawn.inflated(kLabelReach);
    DisplayList labels;
    drawEdgeLabels(scene, request, labels);
    Rect bounds = drawn;
    for (const DrawItem& item : labels.items) {
        if (item.op != DrawOp::text || item.rect.width <= 0) continue;
        const Point corner = toWorld(request, {item.rect.x, item.baselineY - item.textPx});
        bounds = bounds.united({corner.x, corner.y, item.rect.width / zoom, 1.3 * item.textPx / zoom});
    }
    return bounds;
}

} // namespace secateur
