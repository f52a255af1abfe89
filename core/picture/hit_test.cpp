// SPDX-License-Identifier: Apache-2.0
#include "core/layout/node_metrics.h"
#include "core/picture/card.h"
#include "core/picture/compose.h"
#include "core/picture/edges.h"
#include "core/picture/frames.h"

#include <cmath>

namespace secateur {
namespace {

constexpr double kEdgeReach = 5;   ///< pixels
constexpr double kFrameTitle = 16; ///< pixels above a frame in which its name stands

int rowAt(const Scene& scene, const ViewRequest& request, const PlacedItem& item, Point world) {
    namespace nm = node_metrics;
    const double inside = world.y - item.rect.y - nm::kTitleHeight - nm::kBodyPadding / 2;
    if (item.node == kNoIndex || inside < 0) return -1;
    const int row = static_cast<int>(inside / nm::kRowHeight);
    return row < static_cast<int>(cardOf(scene, request, item.node).rows.size()) ? row : -1;
}

Hit itemHit(const Scene& scene, std::uint32_t index) {
    const PlacedItem& item = scene.layout->items[index];
    Hit hit;
    hit.kind = item.node != kNoIndex ? Hit::Kind::node : Hit::Kind::group;
    hit.index = index;
    hit.node = item.node;
    hit.group = item.group;
    return hit;
}

Hit hitItem(const Scene& scene, const ViewRequest& request, Point world) {
    // Small boxes are easier to hit than they are large.
    const double reach = 2 / request.zoom;
    std::vector<std::uint32_t> found;
    scene.layout->itemIndex.query({world.x - reach, world.y - reach, 2 * reach, 2 * reach}, found);
    Hit hit;
    for (const std::uint32_t i : found) {
        const PlacedItem& item = scene.layout->items[i];
        if (!isItemDrawn(scene, request.pane, i) || blobAround(scene, request, i) != kNoIndex) continue;
        const bool isOnTop = item.node != kNoIndex && !scene.graph->nodes[item.node].replaces.empty();
        if (hit.kind != Hit::Kind::none && !isOnTop && !item.rect.contains(world)) continue;
        const bool beforeOnTop = hit.node != kNoIndex && !scene.graph->nodes[hit.node].replaces.empty();
        if (beforeOnTop && !isOnTop) continue;
        hit = itemHit(scene, i);
        hit.row = rowAt(scene, request, item, world);
    }
    return hit;
}

Hit hitPortal(const Scene& scene, const ViewRequest& request, Point world) {
    Hit hit;
    if (request.zoom < kCardZoom) return hit;
    std::vector<std::uint32_t> found;
    scene.layout->portalIndex.query({world.x - 0.5, world.y - 0.5, 1, 1}, found);
    for (const std::uint32_t p : found) {
        if (!isItemDrawn(scene, request.pane, scene.layout->portals[p].item)) continue;
        hit.kind = Hit::Kind::portal;
        hit.index = p;
    }
    return hit;
}

Hit hitEdge(const Scene& scene, const ViewRequest& request, Point world) {
    Hit hit;
    if (request.zoom < kCardZoom) return hit;
    const double reach = kEdgeReach / request.zoom;
    std::vector<std::uint32_t> found;
    scene.layout->edgeIndex.query({world.x - reach, world.y - reach, 2 * reach, 2 * reach}, found);
    double nearest = reach;
    for (const std::uint32_t e : found) {
        const PlacedEdge& edge = scene.layout->edges[e];
        if (!edgeLookOf(scene, request, edge).isVisible) continue;
        const double distance = distanceToEdge(*scene.layout, edge, world);
        if (distance > nearest) continue;
        nearest = distance;
        hit.kind = Hit::Kind::edge;
        hit.index = e;
    }
    return hit;
}

Hit hitFrame(const Scene& scene, const ViewRequest& request, Point world) {
    Hit hit;
    for (std::uint32_t f = 0; f < scene.layout->frames.size(); ++f) {
        const GroupFrame& frame = scene.layout->frames[f];
        Rect box = frame.rect;
        const double title = kFrameTitle / request.zoom;
        box.y -= title;
        box.height += title;
        if (!box.contains(world)) continue;
        hit.kind = Hit::Kind::frame;
        hit.index = f;
        hit.group = frame.group;
        if (isFrameBlob(scene, request, f)) break; // those in it are not drawn
    }
    return hit;
}

} // namespace

Hit hitTest(const Scene& scene, const ViewRequest& request, Point viewPoint) {
    const Point world = toWorld(request, viewPoint);
    if (const Hit hit = hitItem(scene, request, world); hit.kind != Hit::Kind::none) return hit;
    if (const Hit hit = hitPortal(scene, request, world); hit.kind != Hit::Kind::none) return hit;
    if (const Hit hit = hitEdge(scene, request, world); hit.kind != Hit::Kind::none) return hit;
    return hitFrame(scene, request, world);
}

std::vector<Hit> hitTestArea(const Scene& scene, const ViewRequest& request, const Rect& viewArea) {
    const Point corner = toWorld(request, {viewArea.x, viewArea.y});
    std::vector<std::uint32_t> found;
    scene.layout->itemIndex.query(
        {corner.x, corner.y, viewArea.width / request.zoom, viewArea.height / request.zoom}, found);
    std::vector<Hit> hits;
    for (const std::uint32_t i : found) {
        if (isItemDrawn(scene, request.pane, i)) hits.push_back(itemHit(scene, i));
    }
    return hits;
}

} // namespace secateur
