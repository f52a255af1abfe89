// SPDX-License-Identifier: Apache-2.0
#include "core/layout/routing.h"

#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

constexpr double kLabelInset = 5; ///< between an edge and its label
constexpr double kMaxLabelWidth = 220;
constexpr double kMinLabelWidth = 36;
constexpr double kStashLabelWidth = 84; ///< the gap between the columns and a little over
constexpr double kBusInset = 14; ///< from a box's corner to where an edge leaves for the gap between ranks
constexpr double kBusOffset = 9; ///< of such an edge from the boxes
constexpr double kTagHeight = 13;
constexpr double kTagPadding = 5;
constexpr double kTagArrow = 8;
constexpr double kMinTagWidth = 22;

/// Grows a path of cubic Beziers.
class PathBuilder {
  public:
    explicit PathBuilder(std::vector<Point>& points) : m_points(points) {}

    void start(Point p) {
        m_points.push_back(p);
        m_at = p;
    }
    /// A straight piece, written as a cubic.
    void lineTo(Point p) {
        if (p == m_at) return;
        m_points.push_back({m_at.x + (p.x - m_at.x) / 3, m_at.y + (p.y - m_at.y) / 3});
        m_points.push_back({m_at.x + (p.x - m_at.x) * 2 / 3, m_at.y + (p.y - m_at.y) * 2 / 3});
        m_points.push_back(p);
        m_at = p;
    }
    /// An S that leaves and arrives vertically.
    void verticalTo(Point p) {
        if (p.x == m_at.x) return lineTo(p);
        const double middle = (m_at.y + p.y) / 2;
        m_points.push_back({m_at.x, middle});
        m_points.push_back({p.x, middle});
        m_points.push_back(p);
        m_at = p;
    }
    /// An S that leaves and arrives horizontally; `reach` is how far it runs straight on at both ends.
    void horizontalTo(Point p, double reach) {
        m_points.push_back({m_at.x + reach, m_at.y});
        m_points.push_back({p.x - reach, p.y});
        m_points.push_back(p);
        m_at = p;
    }

    /// A quarter turn from vertical to horizontal.
    Point bendTo(Point p) {
        m_points.push_back({m_at.x, p.y});
        m_points.push_back({m_at.x, p.y});
        m_points.push_back(p);
        m_at = p;
        return p;
    }
    /// A quarter turn from horizontal to vertical.
    void bendDown(Point p) {
        m_points.push_back({p.x, m_at.y});
        m_points.push_back({p.x, m_at.y});
        m_points.push_back(p);
        m_at = p;
    }

  private:
    std::vector<Point>& m_points;
    Point m_at;
};

class Router {
  public:
    Router(const RoutingInput& input, const LayoutGraph& graph, Layout& layout)
        : m_input(input), m_graph(graph), m_layout(layout), m_isFirstOfValue(graph.edges.size(), false),
          m_roomRight(layout.items.size(), 0), m_isBlockedLeft(layout.items.size(), false),
          m_isBlockedRight(layout.items.size(), false) {
        markFirstUses();
        measureRoom();
    }

    void run() {
        for (std::uint32_t i = 0; i < m_layout.edges.size(); ++i)
            route(i);
    }

  private:
    /// One label for a value, at its first use.
    void markFirstUses() {
        std::vector<std::uint32_t> lastFrom(m_graph.nodes.size(), kNoIndex);
        std::vector<bool> isSecond(m_layout.items.size(), false);
        for (const PlacedEdge& e : m_layout.edges) {
            if (e.isPortal || isSecond[e.from] || e.edgeClass == EdgeClass::stash) continue;
            m_isFirstOfValue[e.edge] = true;
            isSecond[e.from] = true;
        }
    }

    /// How far the space below each box reaches to the right of its middle before the next box's middle, and
    /// which boxes are the outermost of their rank and column.
    void measureRoom() {
        std::vector<std::uint32_t> order(m_layout.items.size());
        for (std::uint32_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            const PlacedItem& x = m_layout.items[a];
            const PlacedItem& y = m_layout.items[b];
            if (x.rank != y.rank) return x.rank < y.rank;
            if (x.rect.x != y.rect.x) return x.rect.x < y.rect.x;
            return a < b;
        });
        for (std::size_t k = 0; k < order.size(); ++k) {
            const PlacedItem& item = m_layout.items[order[k]];
            double room = kMaxLabelWidth;
            const bool hasRight = k + 1 < order.size() && m_layout.items[order[k + 1]].rank == item.rank;
            if (hasRight && m_layout.items[order[k + 1]].column == item.column) {
                m_isBlockedRight[order[k]] = true;
                m_isBlockedLeft[order[k + 1]] = true;
            }
            if (hasRight) {
                room = m_layout.items[order[k + 1]].rect.centerX() - item.rect.centerX() - 2 * kLabelInset;
            }
            m_roomRight[order[k]] = std::min(room, kMaxLabelWidth);
        }
    }

    void route(std::uint32_t index) {
        PlacedEdge& e = m_layout.edges[index];
        const PlacedItem& from = m_layout.items[e.from];
        const PlacedItem& to = m_layout.items[e.to];
        e.firstPoint = static_cast<std::uint32_t>(m_layout.points.size());
        PathBuilder path(m_layout.points);
        if (e.from == e.to) {
            routeLoop(path, from.rect);
        } else if (m_input.visible.isReplacing(e.from) || m_input.visible.isReplacing(e.to)) {
            routeFree(path, from.rect, to.rect);
        } else if (from.column != to.column || from.rank == to.rank) {
            routeSideways(path, e, from, to);
        } else if (from.rank < to.rank) {
            routeDown(path, index, from, to);
        } else {
            routeUp(path, index, from, to);
        }
        e.pointCount = static_cast<std::uint32_t>(m_layout.points.size()) - e.firstPoint;
        placeLabel(e, from, to);
    }

    void routeLoop(PathBuilder& path, const Rect& box) {
        path.start({box.right() - 12, box.bottom()});
        m_layout.points.push_back({box.right() - 12, box.bottom() + 20});
        m_layout.points.push_back({box.right() + 20, box.bottom() + 12});
        m_layout.points.push_back({box.right(), box.bottom() - 8});
    }

    /// Of a node that stands between the ranks: as the boxes lie.
    void routeFree(PathBuilder& path, const Rect& from, const Rect& to) {
        if (from.bottom() <= to.y) {
            path.start({from.centerX(), from.bottom()});
            path.verticalTo({to.centerX(), to.y});
        } else if (to.bottom() <= from.y) {
            path.start({from.centerX(), from.y});
            path.verticalTo({to.centerX(), to.bottom()});
        } else {
            const bool toRight = to.centerX() >= from.centerX();
            path.start({toRight ? from.right() : from.x, from.centerY()});
            path.horizontalTo({toRight ? to.x : to.right(), to.centerY()}, toRight ? 24 : -24);
        }
    }

    /// Between columns, or within a rank. Behind a neighbour the edge runs in the gap between the ranks.
    void routeSideways(PathBuilder& path, const PlacedEdge& e, const PlacedItem& from, const PlacedItem& to) {
        const bool toRight = to.rect.centerX() >= from.rect.centerX();
        const double titleMiddle = node_metrics::kTitleHeight / 2;
        if (toRight && from.column < to.column) {
            routeAcross(path, e, from, to);
            return;
        }
        const double sign = toRight ? 1 : -1;
        const Point start{toRight ? from.rect.right() : from.rect.x, from.rect.y + titleMiddle};
        const Point end{toRight ? to.rect.x : to.rect.right(), to.rect.y + titleMiddle};
        path.start(start);
        path.horizontalTo(end, sign * std::clamp(std::abs(end.x - start.x) / 2, 16.0, 120.0));
    }

    /// Level to the gap between the columns, over it in an S, and level again: edges side by side stay apart.
    void routeAcross(PathBuilder& path, const PlacedEdge& e, const PlacedItem& from, const PlacedItem& to) {
        const double titleMiddle = node_metrics::kTitleHeight / 2;
        const double gapLeft = m_layout.columns[from.column].right();
        const double gapRight = std::max(gapLeft, m_layout.columns[to.column].x);
        Point at{from.rect.right(), from.rect.y + titleMiddle};
        if (m_isBlockedRight[e.from]) {
            const bool leavesBelow = from.column == 0;
            at.x = from.rect.right() - kBusInset;
            at.y = leavesBelow ? from.rect.bottom() : from.rect.y;
            path.start(at);
            const double bus =
                leavesBelow ? m_input.rankBottom[from.rank] + kBusOffset : from.rect.y - kBusOffset;
            if (leavesBelow) path.lineTo({at.x, m_input.rankBottom[from.rank]});
            at = path.bendTo({at.x + kBusInset, bus});
        } else {
            path.start(at);
        }
        const bool entersAbove = m_isBlockedLeft[e.to];
        const double endY = entersAbove ? to.rect.y - kBusOffset : to.rect.y + titleMiddle;
        path.lineTo({std::max(at.x, gapLeft), at.y});
        path.horizontalTo({gapRight, endY}, (gapRight - gapLeft) * 0.6);
        if (entersAbove) {
            path.lineTo({std::max(gapRight, to.rect.x), endY});
            path.bendDown({to.rect.x + kBusInset, to.rect.y});
        } else {
            path.lineTo({to.rect.x, endY});
        }
    }

    void routeDown(PathBuilder& path, std::uint32_t index, const PlacedItem& from, const PlacedItem& to) {
        const std::vector<double>& bottom = m_input.rankBottom;
        path.start({from.rect.centerX(), from.rect.bottom()});
        Lane lane = laneOf(index);
        double x = from.rect.centerX();
        std::uint32_t rank = from.rank;
        for (; lane.next != lane.end; ++lane.next) {
            const double next = m_input.laneX[lane.next];
            ++rank;
            if (next == x) continue;
            path.lineTo({x, bottom[rank - 1]});
            path.verticalTo({next, m_layout.rankTop[rank]});
            x = next;
        }
        if (to.rect.centerX() != x) path.lineTo({x, bottom[to.rank - 1]});
        path.verticalTo({to.rect.centerX(), to.rect.y});
    }

    void routeUp(PathBuilder& path, std::uint32_t index, const PlacedItem& from, const PlacedItem& to) {
        const std::vector<double>& bottom = m_input.rankBottom;
        path.start({from.rect.centerX(), from.rect.y});
        Lane lane = laneOf(index);
        double x = from.rect.centerX();
        std::uint32_t rank = from.rank;
        for (; lane.next != lane.end; --lane.end) {
            const double next = m_input.laneX[lane.end - 1];
            --rank;
            if (next == x) continue;
            path.lineTo({x, m_layout.rankTop[rank + 1]});
            path.verticalTo({next, bottom[rank]});
            x = next;
        }
        if (to.rect.centerX() != x) {
            path.lineTo({x, m_layout.rankTop[to.rank + 1]});
            path.verticalTo({to.rect.centerX(), bottom[to.rank]});
        }
        path.lineTo({to.rect.centerX(), to.rect.bottom()});
    }

    struct Lane {
        std::uint32_t next;
        std::uint32_t end;
    };
    Lane laneOf(std::uint32_t edge) const { return {m_input.laneStart[edge], m_input.laneStart[edge + 1]}; }

    void placeLabel(PlacedEdge& e, const PlacedItem& from, const PlacedItem& to) {
        const Point* p = &m_layout.points[e.firstPoint];
        if (e.edgeClass == EdgeClass::stash && from.column != to.column) {
            // Centred on the crossing-over piece.
            const double gap = (m_layout.columns[from.column].right() + m_layout.columns[to.column].x) / 2;
            for (std::uint32_t k = 0; k + 3 < e.pointCount; k += 3) {
                const bool crosses = (p[k].x <= gap) != (p[k + 3].x <= gap);
                if (crosses) e.labelAt = {(p[k].x + p[k + 3].x) / 2, (p[k].y + p[k + 3].y) / 2};
            }
            e.labelWidth = kStashLabelWidth;
            return;
        }
        if (!m_isFirstOfValue[e.edge] || from.column != to.column) return;
        const double gapMiddle = from.rank < to.rank ? m_input.rankBottom[from.rank] + 14 : from.rect.y - 14;
        const double room = m_roomRight[e.from];
        if (from.rank == to.rank || room < kMinLabelWidth) return;
        e.labelAt = {from.rect.centerX() + kLabelInset, gapMiddle};
        e.labelWidth = room;
    }

    const RoutingInput& m_input;
    const LayoutGraph& m_graph;
    Layout& m_layout;
    std::vector<bool> m_isFirstOfValue;
    std::vector<double> m_roomRight;
    std::vector<bool> m_isBlockedLeft;
    std::vector<bool> m_isBlockedRight;
};

std::string titleOf(const LayoutGraph& graph, const Hierarchy& hierarchy, const PlacedItem& item) {
    if (item.node != kNoIndex) return graph.nodes[item.node].title;
    return item.group < hierarchy.groups.size() ? hierarchy.groups[item.group].title : std::string();
}

} // namespace

void routeEdges(const RoutingInput& input, const LayoutGraph& graph, Layout& layout) {
    Router(input, graph, layout).run();
}

void placePortals(const LayoutGraph& graph, const Hierarchy& hierarchy, Layout& layout) {
    std::vector<std::uint32_t> sinkOf(layout.items.size(), kNoIndex);
    std::vector<std::uint32_t> sourceOf(layout.items.size(), kNoIndex);
    const auto meet = [&](std::vector<std::uint32_t>& table, std::uint32_t item, std::uint32_t edge,
                          bool isSource) {
        const PlacedEdge& e = layout.edges[edge];
        if (table[item] == kNoIndex) {
            table[item] = static_cast<std::uint32_t>(layout.portals.size());
            layout.portals.push_back({item, edge, isSource, 0, e.edgeClass, {}, {}});
        }
        layout.portals[table[item]].count += e.count;
    };
    for (std::uint32_t i = 0; i < layout.edges.size(); ++i) {
        if (!layout.edges[i].isPortal) continue;
        meet(sourceOf, layout.edges[i].from, i, true);
        meet(sinkOf, layout.edges[i].to, i, false);
    }
    for (Portal& portal : layout.portals) {
        const PlacedItem& item = layout.items[portal.item];
        const PlacedEdge& e = layout.edges[portal.edge];
        const double room = item.rect.width / 2 - 6;
        const double used = kTagArrow + 2 * kTagPadding;
        portal.text = portal.count == 1
                          ? titleOf(graph, hierarchy, layout.items[portal.isSource ? e.to : e.from])
                          : std::to_string(portal.count);
        portal.text =
            elideMiddleToWidth(portal.text, FontFace::SansRegular, node_metrics::kLabelPx, room - used);
        const double text = textWidth(portal.text, FontFace::SansRegular, node_metrics::kLabelPx);
        const double width = std::clamp(std::ceil(text + used), kMinTagWidth, std::max(kMinTagWidth, room));
        const double y = portal.isSource ? item.rect.bottom() + 1 : item.rect.y - 1 - kTagHeight;
        portal.rect = {item.rect.x + 2, y, width, kTagHeight};
    }
    layout.counters.portals = layout.portals.size();
}

} // namespace secateur
