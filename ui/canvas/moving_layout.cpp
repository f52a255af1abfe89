// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/moving_layout.h"

#include "core/layout/layout_index.h"
#include "core/layout/layout_moves.h"

#include <algorithm>

namespace secateur {

namespace {

class Mover {
  public:
    Mover(const Layout& from, const Layout& to, double part)
        : m_to(to), m_moves(from, to), m_part(part), m_out(to) {}

    Layout run() {
        for (std::uint32_t i = 0; i < m_out.items.size(); ++i)
            m_out.items[i].rect = m_moves.rectAt(i, m_part);
        for (const PlacedEdge& edge : m_out.edges)
            movePoints(edge);
        for (Portal& portal : m_out.portals) {
            const Point by = shift(portal.item);
            portal.rect.x += by.x;
            portal.rect.y += by.y;
        }
        // What they frame is on its way.
        m_out.frames.clear();
        m_out.innerFrame.clear();
        m_out.bounds = m_moves.boundsAt(m_part);
        indexLayout(m_out);
        return std::move(m_out);
    }

  private:
    /// How far a box is from where it will stand.
    [[nodiscard]] Point shift(std::uint32_t item) const {
        const Rect &end = m_to.items[item].rect, &now = m_out.items[item].rect;
        if (end.isEmpty()) return {};
        return {now.centerX() - end.centerX(), now.centerY() - end.centerY()};
    }

    void movePoints(PlacedEdge edge) {
        const Point first = shift(edge.from), last = shift(edge.to);
        for (std::uint32_t i = 0; i < edge.pointCount; ++i) {
            const double share = edge.pointCount < 2 ? 0 : static_cast<double>(i) / (edge.pointCount - 1);
            Point& point = m_out.points[edge.firstPoint + i];
            point.x += first.x + (last.x - first.x) * share;
            point.y += first.y + (last.y - first.y) * share;
        }
    }

    const Layout& m_to;
    LayoutMoves m_moves;
    double m_part;
    Layout m_out;
};

} // namespace

Layout movingLayout(const Layout& from, const Layout& to, double part) {
    return Mover(from, to, part).run();
}

} // namespace secateur
