// SPDX-License-Identifier: Apache-2.0
#include "core/picture/edges.h"

#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"
#include "core/picture/card.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace secateur {
namespace {

constexpr double kArrowLength = 6;
constexpr double kArrowHalf = 3;
constexpr double kSmallestArrowZoom = 0.4;
constexpr double kSmallestLabelZoom = 0.6; ///< below it a label is taller than half of the gap between ranks

bool isFadedEnd(const Scene& scene, std::uint32_t item) {
    const std::uint32_t node = scene.layout->items[item].node;
    return node != kNoIndex && scene.state->stateOf(node).diff == DiffState::removedEarlier;
}

bool isHoleEnd(const Scene& scene, std::uint32_t item, Pane pane) {
    const PlacedItem& placed = scene.layout->items[item];
    if (placed.node != kNoIndex) return !isPresent(scene.state->stateOf(placed.node).diff, pane);
    if (item >= scene.state->items.size() || pane != Pane::after) return false;
    const GroupTally& tally = scene.state->items[item];
    return tally.total > 0 && tally.removed == tally.total && tally.added == 0;
}

bool isInPane(const Scene& scene, const PlacedEdge& edge, Pane pane) {
    const std::uint8_t wanted = pane == Pane::before  ? kEdgeInBefore
                                : pane == Pane::after ? kEdgeInAfter
                                                      : std::uint8_t{kEdgeInBefore | kEdgeInAfter};
    for (std::uint32_t k = 0; k < edge.count; ++k) {
        if ((scene.state->edgeBits(scene.layout->edgeList[edge.firstEdge + k]) & wanted) != 0) return true;
    }
    return false;
}

/// The colour of what flows: the role of its producer on the training side.
ThemeRole flowColor(const PlacedItem& from) {
    return from.role == NodeRole::forward ? ThemeRole::roleBackward : themeRoleOf(from.role);
}

double distanceToSegment(Point p, Point a, Point b) {
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    const double length = dx * dx + dy * dy;
    const double t = length == 0 ? 0 : std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0);
    return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

Point onCubic(const Point* p, double t) {
    const double s = 1 - t;
    const double a = s * s * s;
    const double b = 3 * s * s * t;
    const double c = 3 * s * t * t;
    const double d = t * t * t;
    return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
            a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

void drawArrow(Point tip, Point from, double scale, ColorRef color, DisplayList& out) {
    const double length = std::hypot(tip.x - from.x, tip.y - from.y);
    if (length == 0) return;
    const double ux = (tip.x - from.x) / length;
    const double uy = (tip.y - from.y) / length;
    const Point base{tip.x - ux * kArrowLength * scale, tip.y - uy * kArrowLength * scale};
    const double half = kArrowHalf * scale;
    const std::array<Point, 4> head{tip, Point{base.x - uy * half, base.y + ux * half},
                                    Point{base.x + uy * half, base.y - ux * half}, tip};
    filled(out.addPolyline(head.data(), head.size()), color);
}

} // namespace

EdgeLook edgeLookOf(const Scene& scene, const ViewRequest& request, const PlacedEdge& edge) {
    EdgeLook look;
    if (!isInPane(scene, edge, request.pane) || isHoleEnd(scene, edge.from, request.pane) ||
        isHoleEnd(scene, edge.to, request.pane)) {
        look.isVisible = false;
        return look;
    }
    const bool isFaded = isFadedEnd(scene, edge.from) || isFadedEnd(scene, edge.to);
    const Shade shade = isFaded ? Shade::faded : Shade::solid;
    switch (edge.edgeClass) {
    case EdgeClass::data: look.color = {ThemeRole::muted, shade}; break;
    case EdgeClass::stash:
        look.color = {ThemeRole::roleBackward, shade};
        look.dash = DashStyle::stash;
        break;
    case EdgeClass::gradient: look.color = {flowColor(scene.layout->items[edge.from]), shade}; break;
    case EdgeClass::capture:
    case EdgeClass::control:
        look.color = {ThemeRole::muted, shade};
        look.dash = DashStyle::dotted;
        break;
    }
    look.width = static_cast<float>(1.2 * std::clamp(request.zoom, 0.75, 2.0));
    return look;
}

void drawEdge(const Scene& scene, const ViewRequest& request, const PlacedEdge& edge, const EdgeLook& look,
              DisplayList& out) {
    std::vector<Point>& points = out.points;
    const std::size_t first = points.size();
    for (std::uint32_t k = 0; k < edge.pointCount; ++k) {
        points.push_back(toView(request, scene.layout->points[edge.firstPoint + k]));
    }
    if (edge.pointCount < 4) return;
    const Point tip = points.back();
    Point before = points[points.size() - 2];
    if (before == tip) before = points[points.size() - 3];
    DrawItem& item = out.items.emplace_back();
    item.op = DrawOp::path;
    item.first = static_cast<std::uint32_t>(first);
    item.count = edge.pointCount;
    stroked(item, look.color, look.width, look.dash);
    if (request.zoom >= kSmallestArrowZoom) {
        drawArrow(tip, before, std::clamp(request.zoom, 0.7, 1.6), look.color, out);
    }
}

void drawEdgeLabel(const Scene& scene, const ViewRequest& request, const PlacedEdge& edge, DisplayList& out) {
    const double px = std::max(kSmallestTextPx, node_metrics::kLabelPx * request.zoom);
    if (request.zoom < kSmallestLabelZoom || edge.labelWidth <= 0) return;
    const LayoutEdge& source = scene.graph->edges[edge.edge];
    const bool isStash = edge.edgeClass == EdgeClass::stash;
    std::string text;
    if (isStash && edge.count > 1) {
        double bytes = 0;
        for (std::uint32_t k = 0; k < edge.count; ++k) {
            bytes += std::max(0.0, scene.graph->edges[scene.layout->edgeList[edge.firstEdge + k]].bytes);
        }
        if (bytes > 0) text = formatBytes(static_cast<std::uint64_t>(bytes));
    } else if (isStash) {
        text = source.bytes >= 0 ? formatBytes(static_cast<std::uint64_t>(source.bytes)) : source.label;
    } else {
        text = source.label;
    }
    const FontFace face = isStash ? FontFace::SansRegular : FontFace::MonoRegular;
    text = elideMiddleToWidth(text, face, px, edge.labelWidth * request.zoom);
    if (text.empty()) return;
    const double width = textWidth(text, face, px);
    Point at = toView(request, edge.labelAt);
    if (isStash) at.x -= width / 2;
    filled(out.addRect({at.x - 2, at.y - px * 0.68, width + 4, px * 1.36}, 2),
           {ThemeRole::canvas, Shade::solid});
    drawText(text, at, width + 1, face, px,
             isStash ? ColorRef{ThemeRole::roleBackward, Shade::solid}
                     : ColorRef{ThemeRole::muted, Shade::solid},
             out);
}

void drawPortal(const Scene& scene, const ViewRequest& request, const Portal& portal, bool isHovered,
                DisplayList& out) {
    if (isHoleEnd(scene, portal.item, request.pane)) return;
    const bool isFaded = isFadedEnd(scene, portal.item);
    ColorRef color{ThemeRole::muted, isFaded ? Shade::faded : Shade::solid};
    if (portal.edgeClass == EdgeClass::stash) color.role = ThemeRole::roleBackward;
    if (portal.edgeClass == EdgeClass::gradient) color.role = flowColor(scene.layout->items[portal.item]);
    const Point corner = toView(request, {portal.rect.x, portal.rect.y});
    const Rect box{corner.x, corner.y, portal.rect.width * request.zoom, portal.rect.height * request.zoom};
    stroked(filled(out.addRect(box, static_cast<float>(box.height / 2)), {ThemeRole::panel, Shade::solid}),
            isHovered ? ColorRef{ThemeRole::accent, Shade::solid} : color, isHovered ? 1.5F : 1.0F,
            portal.edgeClass == EdgeClass::stash ? DashStyle::dashed : DashStyle::solid);
    // The arrow points into the box it belongs to, or out of it.
    const double s = 3 * request.zoom;
    const Point c{box.x + 8 * request.zoom, box.centerY()};
    const std::array<Point, 3> head{Point{c.x - s, c.y - s * 0.6}, Point{c.x, c.y + s * 0.7},
                                    Point{c.x + s, c.y - s * 0.6}};
    stroked(out.addPolyline(head.data(), head.size()), color, 1.3F);
    const double px = node_metrics::kLabelPx * request.zoom;
    drawText(portal.text, {box.x + 14 * request.zoom, box.centerY()}, box.width - 15 * request.zoom,
             FontFace::SansRegular, std::max(px * 0.92, px < kSmallestTextPx ? 0.0 : kSmallestTextPx),
             {ThemeRole::muted, color.shade}, out);
}

double distanceToEdge(const Layout& layout, const PlacedEdge& edge, Point world) {
    constexpr int kPieces = 16;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::uint32_t k = 0; k + 3 < edge.pointCount; k += 3) {
        const Point* p = &layout.points[edge.firstPoint + k];
        Point before = p[0];
        for (int i = 1; i <= kPieces; ++i) {
            const Point next = onCubic(p, static_cast<double>(i) / kPieces);
            nearest = std::min(nearest, distanceToSegment(world, before, next));
            before = next;
        }
    }
    return nearest;
}

} // namespace secateur
