// SPDX-License-Identifier: Apache-2.0
#include "core/layout/edge_paths.h"

#include "core/layout/node_metrics.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

using namespace layout_plan;

constexpr double kCornerRadius = 6;

/// Grows a path of cubic Beziers out of the corners of a polyline.
class PathWriter {
  public:
    explicit PathWriter(std::vector<Point>& points) : m_points(points) {}

    void add(Point p) {
        if (!m_corners.empty()) {
            const Point& last = m_corners.back();
            if (std::abs(last.x - p.x) < 0.5 && std::abs(last.y - p.y) < 0.5) return;
            if (m_corners.size() > 1 && isStraight(m_corners[m_corners.size() - 2], last, p))
                m_corners.pop_back();
        }
        m_corners.push_back(p);
    }

    /// Writes the path: straight pieces with rounded corners.
    void finish() {
        if (m_corners.size() < 2) {
            m_corners.clear();
            return;
        }
        m_points.push_back(m_corners.front());
        m_at = m_corners.front();
        for (std::size_t i = 1; i + 1 < m_corners.size(); ++i)
            bend(m_corners[i - 1], m_corners[i], m_corners[i + 1]);
        lineTo(m_corners.back());
        m_corners.clear();
    }

    void curve(Point start, Point a, Point b, Point end) {
        m_points.insert(m_points.end(), {start, a, b, end});
    }

  private:
    static bool isStraight(Point a, Point b, Point c) {
        return (a.x == b.x && b.x == c.x && (b.y - a.y) * (c.y - b.y) >= 0) ||
               (a.y == b.y && b.y == c.y && (b.x - a.x) * (c.x - b.x) >= 0);
    }
    static Point toward(Point from, Point to, double distance) {
        const double length = std::hypot(to.x - from.x, to.y - from.y);
        if (length == 0) return from;
        return {from.x + (to.x - from.x) * distance / length, from.y + (to.y - from.y) * distance / length};
    }
    void lineTo(Point p) {
        if (p == m_at) return;
        m_points.push_back({m_at.x + (p.x - m_at.x) / 3, m_at.y + (p.y - m_at.y) / 3});
        m_points.push_back({m_at.x + (p.x - m_at.x) * 2 / 3, m_at.y + (p.y - m_at.y) * 2 / 3});
        m_points.push_back(p);
        m_at = p;
    }
    void bend(Point before, Point corner, Point after) {
        const double in = std::hypot(corner.x - before.x, corner.y - before.y);
        const double out = std::hypot(after.x - corner.x, after.y - corner.y);
        const double radius = std::min({kCornerRadius, in / 2, out / 2});
        lineTo(toward(corner, before, radius));
        const Point end = toward(corner, after, radius);
        m_points.push_back(toward(corner, before, radius * 0.45));
        m_points.push_back(toward(corner, after, radius * 0.45));
        m_points.push_back(end);
        m_at = end;
    }

    std::vector<Point>& m_points;
    std::vector<Point> m_corners;
    Point m_at;
};

class EdgeDrawer {
  public:
    EdgeDrawer(const Plan& plan, Layout& layout) : m_plan(plan), m_layout(layout), m_path(layout.points) {}

    void run() {
        for (std::uint32_t e = 0; e < m_layout.edges.size(); ++e) {
            if (m_plan.isCancelledAt(e)) return;
            PlacedEdge& edge = m_layout.edges[e];
            edge.firstPoint = static_cast<std::uint32_t>(m_layout.points.size());
            const Rect& from = m_layout.items[edge.from].rect;
            const Rect& to = m_layout.items[edge.to].rect;
            if (!from.isEmpty() && !to.isEmpty()) draw(e, from, to);
            edge.pointCount = static_cast<std::uint32_t>(m_layout.points.size()) - edge.firstPoint;
        }
    }

  private:
    void draw(std::uint32_t e, const Rect& from, const Rect& to) {
        switch (m_plan.fates[e]) {
        case Fate::loop:
            m_path.curve({from.right() - 12, from.bottom()}, {from.right() - 12, from.bottom() + 20},
                         {from.right() + 20, from.bottom() + 12}, {from.right(), from.bottom() - 8});
            break;
        case Fate::free:
        case Fate::portal: drawFree(from, to); break;
        case Fate::ways:
            for (std::uint32_t k = m_plan.legStart[e]; k < m_plan.legStart[e + 1]; ++k)
                drawLeg(k, k + 1 < m_plan.legStart[e + 1]);
            m_path.finish();
            break;
        }
    }

    /// As the boxes lie: of a node that stands between the ranks, or of an edge that is drawn whole only now
    /// and then.
    void drawFree(const Rect& from, const Rect& to) {
        Point a, b;
        if (from.bottom() <= to.y || to.bottom() <= from.y) {
            const bool isDown = from.bottom() <= to.y;
            a = {from.centerX(), isDown ? from.bottom() : from.y};
            b = {to.centerX(), isDown ? to.y : to.bottom()};
            const double middle = (a.y + b.y) / 2;
            m_path.curve(a, {a.x, middle}, {b.x, middle}, b);
            return;
        }
        const bool toRight = to.centerX() >= from.centerX();
        a = {toRight ? from.right() : from.x, from.centerY()};
        b = {toRight ? to.x : to.right(), to.centerY()};
        const double reach = toRight ? 24 : -24;
        m_path.curve(a, {a.x + reach, a.y}, {b.x - reach, b.y}, b);
    }

    const Container& containerAt(std::uint32_t index) const { return m_plan.containers[index]; }

    /// Height of the top or bottom of what an end is.
    double borderOf(const Container& container, const End& end, bool atTop) const {
        if (end.unit == kNoIndex)
            return container.baseY + (m_plan.ports[end.port].isTop ? 0 : container.height);
        const Unit& unit = m_plan.units[end.unit];
        return unit.y + (atTop ? 0 : unit.height);
    }

    void drawLeg(std::uint32_t index, bool hasNext) {
        const Leg& leg = m_plan.legs[index];
        switch (leg.kind) {
        case Leg::Kind::trunk: drawTrunk(m_plan.trunks[leg.index], leg.target); break;
        case Leg::Kind::hop: drawHop(m_plan.hops[leg.index]); break;
        case Leg::Kind::side: {
            const Side& side = m_plan.sides[leg.index];
            drawSide(side, side.to[leg.target], hasNext ? &m_plan.legs[index + 1] : nullptr);
            break;
        }
        }
    }

    void drawTrunk(const Trunk& trunk, std::uint32_t target) {
        if (trunk.isDirect) return;
        const Container& container = containerAt(trunk.container);
        const std::uint32_t start = m_plan.layerOf(container, trunk.from);
        const std::uint32_t end = m_plan.layerOf(container, trunk.to[target]);
        const std::uint32_t distance = trunk.isDown ? end - start : start - end;
        double x = trunk.exitX;
        m_path.add({x, borderOf(container, trunk.from, !trunk.isDown)});
        for (std::uint32_t d = 0; d < distance; ++d) {
            const double next = d + 1 < distance ? m_plan.laneX[trunk.firstLane + d] : trunk.entryX[target];
            if (std::abs(next - x) >= 1 && trunk.tracks[d] != kNoIndex) {
                const Gap& gap = container.gaps[trunk.isDown ? start + d : start - d - 1];
                m_path.add({x, gap.trackY(trunk.tracks[d])});
                m_path.add({next, gap.trackY(trunk.tracks[d])});
            }
            x = next;
        }
        m_path.add({x, borderOf(container, trunk.to[target], trunk.isDown)});
    }

    void drawHop(const Hop& hop) {
        const Container& container = containerAt(hop.container);
        m_path.add({hop.exitX, borderOf(container, hop.from, !hop.isDown)});
        if (hop.track != kNoIndex) {
            const double y = container.gaps[hop.gap].trackY(hop.track);
            m_path.add({hop.exitX, y});
            m_path.add({hop.entryX, y});
        }
        m_path.add({hop.entryX, borderOf(container, hop.to, hop.isDown)});
    }

    void drawSide(const Side& side, const Side::Target& target, const Leg* next) {
        const Container& container = containerAt(side.container);
        const Unit& from = m_plan.units[side.from];
        double y = from.y + side.exit;
        if (side.leavesBelow) {
            y = container.gaps[from.rank + 1].trackY(side.exitTrack);
            m_path.add({side.exit, from.y + from.height});
            m_path.add({side.exit, y});
        } else {
            m_path.add({from.x + from.right, y});
        }
        const Unit& to = m_plan.units[target.unit];
        double end = to.y + target.entry;
        if (target.entersAbove)
            end = target.port != kNoIndex ? to.y - target.rise : container.gaps[to.rank].trackY(target.track);
        if (std::abs(end - y) < 1) end = y;
        if (end != y) {
            m_path.add({side.channelX, y});
            m_path.add({side.channelX, end});
        }
        if (target.entersAbove) {
            m_path.add({target.entry, end});
            m_path.add({target.entry, to.y});
            return;
        }
        // Into a piece of updates the next leg leads; entered from the side it has nothing left to draw.
        const Unit& box = next != nullptr && m_plan.trunks[next->index].isDirect
                              ? m_plan.units[m_plan.trunks[next->index].to.front().unit]
                              : to;
        m_path.add({box.x - box.left, end});
    }

    const Plan& m_plan;
    Layout& m_layout;
    PathWriter m_path;
};

} // namespace

void drawEdges(const Plan& plan, Layout& layout) {
    EdgeDrawer(plan, layout).run();
}

} // namespace secateur
