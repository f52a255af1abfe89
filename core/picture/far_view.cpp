// SPDX-License-Identifier: Apache-2.0
#include "core/picture/far_view.h"

#include "core/picture/card.h"
#include "core/picture/edges.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace secateur {
namespace {

constexpr double kSmallestSide = 3; ///< of a rectangle on screen: a hollow one needs as much

/// Rectangles or lines by colour, drawn colour by colour.
template <typename T> class Batches {
  public:
    std::vector<T>& of(ColorRef color) {
        return m_lists[static_cast<std::size_t>(color.role) * kShadeCount +
                       static_cast<std::size_t>(color.shade)];
    }
    template <typename Emit> void flush(Emit emit) {
        for (std::size_t i = 0; i < m_lists.size(); ++i) {
            if (m_lists[i].empty()) continue;
            emit(m_lists[i],
                 ColorRef{static_cast<ThemeRole>(i / kShadeCount), static_cast<Shade>(i % kShadeCount)});
            m_lists[i].clear();
        }
    }

  private:
    std::array<std::vector<T>, static_cast<std::size_t>(kThemeRoleCount) * kShadeCount> m_lists;
};

Rect farBox(const ViewRequest& request, const Rect& world) {
    const Point corner = toView(request, {world.x, world.y});
    return {std::floor(corner.x), std::floor(corner.y),
            std::max(kSmallestSide, std::floor(world.width * request.zoom)),
            std::max(kSmallestSide, std::floor(world.height * request.zoom))};
}

/// A dotted outline, as holes have it nearer by: one that is drawn through looks like a box.
void addDots(const Rect& box, std::vector<Rect>& out) {
    constexpr double kPitch = 4, kDot = 1;
    const double right = box.right() - kDot, bottom = box.bottom() - kDot;
    for (double x = box.x; x <= right; x += kPitch) {
        out.push_back({x, box.y, kDot, kDot});
        if (box.height > kPitch) out.push_back({x, bottom, kDot, kDot});
    }
    for (double y = box.y + kPitch; y + kPitch <= bottom; y += kPitch) {
        out.push_back({box.x, y, kDot, kDot});
        if (box.width > kPitch) out.push_back({right, y, kDot, kDot});
    }
}

Shade hairlineOf(const EdgeLook& look) {
    return look.color.shade == Shade::faded ? Shade::faded : Shade::hairline;
}

} // namespace

void drawFarEdges(const Scene& scene, const ViewRequest& request, const std::vector<std::uint32_t>& edges,
                  DisplayList& out) {
    Batches<Point> lines;
    for (const std::uint32_t index : edges) {
        const PlacedEdge& edge = scene.layout->edges[index];
        const EdgeLook look = edgeLookOf(scene, request, edge);
        if (!look.isVisible || edge.pointCount < 4) continue;
        std::vector<Point>& batch = lines.of({look.color.role, hairlineOf(look)});
        Point before = toView(request, scene.layout->points[edge.firstPoint]);
        for (std::uint32_t k = 3; k < edge.pointCount; k += 3) {
            const Point next = toView(request, scene.layout->points[edge.firstPoint + k]);
            batch.push_back(before);
            batch.push_back(next);
            before = next;
        }
    }
    lines.flush([&](const std::vector<Point>& batch, ColorRef color) { out.addLineBatch(batch, color); });
}

void drawFarNodes(const Scene& scene, const ViewRequest& request, const std::vector<std::uint32_t>& items,
                  DisplayList& out) {
    Batches<Rect> under;  // rings
    Batches<Rect> middle; // fills, and the outer side of hollow boxes
    Batches<Rect> over;   // the inner side of hollow boxes
    const ColorRef canvas{ThemeRole::canvas, Shade::solid};
    const auto hollow = [&](const Rect& box, ColorRef color) {
        middle.of(color).push_back(box);
        if (box.width > 2 && box.height > 2) over.of(canvas).push_back(box.inflated(-1));
    };
    for (const std::uint32_t index : items) {
        const PlacedItem& item = scene.layout->items[index];
        if (item.node == kNoIndex) continue;
        const CardInput card = cardOf(scene, request, item.node);
        const Rect box = farBox(request, item.rect);
        const ThemeRole role = themeRoleOf(item.role);
        // Kinds cannot be told apart at this size, roles can.
        const bool isRoleBetter = scene.state->showRoles && item.role != NodeRole::forward &&
                                  request.colorMode == ColorMode::kind && request.walk == nullptr;
        ColorRef fill{isRoleBetter ? role : card.fill.role, Shade::solid};
        if (fill.role == ThemeRole::card) fill = {ThemeRole::outline, Shade::faded}; // blank, but seen
        const auto ring = [&](ThemeRole color) {
            under.of({color, Shade::solid}).push_back(box.inflated(2));
            middle.of(canvas).push_back(box.inflated(1));
        };
        if (card.state.isSelected) {
            under.of({ThemeRole::accent, Shade::solid}).push_back(box.inflated(4));
        }
        switch (card.look) {
        case Look::nothing: break;
        case Look::card: middle.of(fill).push_back(box); break;
        case Look::removed: hollow(box, {role, Shade::solid}); break;
        case Look::removedFaded: hollow(box, {role, Shade::faded}); break;
        case Look::hole: addDots(box, middle.of({ThemeRole::outline, Shade::faded})); break;
        case Look::unlit: hollow(box, {ThemeRole::outline, Shade::faded}); break;
        case Look::front: middle.of({ThemeRole::accent, Shade::solid}).push_back(box.inflated(1)); break;
        case Look::willGo:
            ring(ThemeRole::text);
            over.of(fill).push_back(box);
            break;
        case Look::replaced:
        case Look::changed:
        case Look::added:
            ring(ThemeRole::accent);
            over.of(fill).push_back(box);
            break;
        }
    }
    const auto emit = [&](const std::vector<Rect>& batch, ColorRef color) { out.addRectBatch(batch, color); };
    under.flush(emit);
    middle.flush(emit);
    over.flush(emit);
}

} // namespace secateur
