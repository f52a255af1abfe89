// SPDX-License-Identifier: Apache-2.0
#include "core/picture/edges.h"

#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"
#include "core/picture/card.h"
#include "core/picture/model_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace secateur {
namespace {

constexpr double kArrowLength = 6;
constexpr double kArrowHalf = 3;
constexpr double kSmallestArrowZoom = 0.4;

bool isFadedEnd(const Scene& scene, std::uint32_t item) {
    const std::uint32_t node = scene.layout->items[item].node;
    return node != kNoIndex && scene.state->stateOf(node).diff == DiffState::removedEarlier;
}

bool isHoleEnd(const Scene& scene, std::uint32_t item, Pane pane) {
    const PlacedItem& placed = scene.layout->items[item];
    if (placed.node != kNoIndex) return !isPresent(scene.state->stateOf(placed.node).diff, pane);
    if (item >= scene.state->items.size() || pane != Pane::after) return false;
    const GroupTally& tally = scene.state->items[item];
    return tally.total > 0 && tally.now() == 0;
}

bool isInPane(const Scene& scene, const PlacedEdge& edge, Pane pane) {
    for (std::uint32_t k = 0; k < edge.count; ++k)
        if (isEdgeInPane(scene.state->edgeBits(scene.layout->edgeList[edge.firstEdge + k]), pane))
            return true;
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

TensorSize sizeOf(const EdgeText& text) {
    return {text.factor.empty() ? text.bytes : text.bytesForOne, text.factor};
}

/// In a walk an edge is lit when the walk has gone along it, and stands out when it has just done so.
void setWalkLook(const Scene& scene, const ViewRequest& request, const PlacedEdge& edge, EdgeLook& look) {
    const LayoutEdge& source = scene.graph->edges[edge.edge];
    const bool isLit = request.walk->isReached(source.from, request.waveLimit) &&
                       request.walk->isReached(source.to, request.waveLimit);
    if (!isLit) {
        look.color = {ThemeRole::outline, Shade::faded};
        return;
    }
    const bool isFront = request.walk->waveOf[source.from] == request.waveLimit;
    if (!isFront) return;
    look.color = {ThemeRole::accent, Shade::solid};
    look.width *= 1.6F;
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

bool isItemDrawn(const Scene& scene, Pane pane, std::uint32_t item) {
    const PlacedItem& placed = scene.layout->items[item];
    return placed.node == kNoIndex || lookOf(scene.state->stateOf(placed.node).diff, pane) != Look::nothing;
}

bool isEdgeInPane(std::uint8_t bits, Pane pane) {
    const std::uint8_t wanted = pane == Pane::before  ? kEdgeInBefore
                                : pane == Pane::after ? kEdgeInAfter
                                                      : std::uint8_t{kEdgeInBefore | kEdgeInAfter};
    return (bits & wanted) != 0;
}

Point pointOnCubic(const Point* p, double t) {
    const double s = 1 - t;
    const double a = s * s * s;
    const double b = 3 * s * s * t;
    const double c = 3 * s * t * t;
    const double d = t * t * t;
    return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
            a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

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
    if (request.walk != nullptr) setWalkLook(scene, request, edge, look);
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

EdgeText edgeTextOf(const LayoutGraph& graph, const PictureState& state, Pane pane, std::uint32_t edge) {
    const EdgeText* other = pane == Pane::before ? nullptr : state.edgeTextsAfter.find(edge);
    if (other) return *other;
    const LayoutEdge& own = graph.edges[edge];
    return {own.label, own.bytes, own.bytesForOne, own.factor};
}

std::string edgeText(const LayoutGraph& graph, const PictureState& state, Pane pane, std::uint32_t edge) {
    const EdgeText text = edgeTextOf(graph, state, pane, edge);
    if (graph.edges[edge].edgeClass != EdgeClass::stash) return text.label;
    const std::string size = sizeText(sizeOf(text));
    return size.empty() ? text.label : size;
}

std::string edgeText(const Scene& scene, Pane pane, const PlacedEdge& edge) {
    if (edge.edgeClass != EdgeClass::stash || edge.count == 1)
        return edgeText(*scene.graph, *scene.state, pane, edge.edge);
    // Sums for each product of named dimensions, in order of first appearance.
    std::vector<TensorSize> sums;
    for (std::uint32_t k = 0; k < edge.count; ++k) {
        const std::uint32_t index = scene.layout->edgeList[edge.firstEdge + k];
        const TensorSize size = sizeOf(edgeTextOf(*scene.graph, *scene.state, pane, index));
        if (size.bytes < 0) continue;
        const auto at = std::find_if(sums.begin(), sums.end(),
                                     [&](const TensorSize& sum) { return sum.factor == size.factor; });
        if (at == sums.end())
            sums.push_back(size);
        else
            at->bytes += size.bytes;
    }
    std::string text;
    for (const TensorSize& sum : sums)
        text += (text.empty() ? "" : " + ") + sizeText(sum);
    return text;
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
            const Point next = pointOnCubic(p, static_cast<double>(i) / kPieces);
            nearest = std::min(nearest, distanceToSegment(world, before, next));
            before = next;
        }
    }
    return nearest;
}

} // namespace secateur
