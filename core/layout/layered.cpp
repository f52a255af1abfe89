// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layered.h"

#include "core/layout/coordinates.h"
#include "core/layout/ordering.h"
#include "core/layout/ranking.h"
#include "core/layout/routing.h"
#include "core/layout/visible_graph.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

constexpr std::uint8_t kColumns = 3;
constexpr std::uint32_t kMaxSidewaysSpan = 12; ///< an edge between columns over more ranks becomes a portal
constexpr double kFramePadding = 8;

class LayeredLayout {
  public:
    LayeredLayout(const LayoutGraph& graph, const Hierarchy& hierarchy, const ExpandState& expanded,
                  const LayoutOptions& options)
        : m_graph(graph), m_hierarchy(hierarchy), m_expanded(expanded), m_options(options) {}

    Layout run() {
        m_visible = buildVisibleGraph(m_graph, m_hierarchy, m_expanded, m_options.portalFanOut);
        if (isCancelled()) return cancelled();
        m_ranking = rankItems(m_visible);
        takeItems();
        choosePortals();
        placeRanks();
        if (isCancelled()) return cancelled();
        for (std::uint8_t column = 0; column < kColumns; ++column) {
            buildLayers(column);
            const OrderingResult order = orderLayers(m_layers, m_options.sweeps);
            m_layout.counters.sweepVisits += order.visits;
            m_layout.counters.crossings += order.crossings;
            if (isCancelled()) return cancelled();
            placeColumn(column);
            if (isCancelled()) return cancelled();
        }
        placeReplacing();
        finish();
        return std::move(m_layout);
    }

  private:
    bool isCancelled() const { return m_options.isCancelled && m_options.isCancelled(); }
    static Layout cancelled() {
        Layout layout;
        layout.cancelled = true;
        return layout;
    }

    void takeItems() {
        m_layout.items.reserve(m_visible.items.size());
        for (std::uint32_t i = 0; i < m_visible.items.size(); ++i) {
            const VisibleItem& v = m_visible.items[i];
            PlacedItem item;
            item.node = v.node;
            item.group = v.group;
            item.nodeCount = v.nodeCount;
            item.role = v.role;
            item.column = v.column;
            item.rank = m_ranking.rank[i];
            item.rect = {0, 0, v.width, v.height};
            m_layout.items.push_back(item);
        }
        m_layout.itemOfNode = m_visible.itemOfNode;
        m_layout.edgeList = m_visible.edgeList;
        m_layout.counters.itemsPlaced = m_layout.items.size();
        m_layout.counters.rankVisits = m_ranking.visits;
        m_layout.counters.unfolded = m_ranking.unfolded;
    }

    bool isSideways(const VisibleEdge& e) const {
        return m_visible.items[e.from].column != m_visible.items[e.to].column ||
               m_visible.isReplacing(e.from) || m_visible.isReplacing(e.to);
    }
    std::uint32_t spanOf(const VisibleEdge& e) const {
        const std::uint32_t a = m_ranking.rank[e.from];
        const std::uint32_t b = m_ranking.rank[e.to];
        return a < b ? b - a : a - b;
    }

    /// Edges over many ranks become portals; in a graph with few of them the limit is as large as is
    /// affordable.
    void choosePortals() {
        std::vector<std::uint32_t> spans(m_ranking.rankCount + 1, 0);
        for (const VisibleEdge& e : m_visible.edges) {
            if (!e.isPortal && !isSideways(e)) ++spans[spanOf(e)];
        }
        const std::uint64_t affordable = m_visible.items.size() * 3 / 2 + 512;
        std::uint64_t virtualNodes = 0;
        std::uint32_t limit = 1;
        for (std::uint32_t s = 1; s < spans.size(); ++s) {
            virtualNodes += std::uint64_t{spans[s]} * (s - 1);
            if (s > m_options.maxSpan && virtualNodes > affordable) break;
            limit = s;
        }
        for (VisibleEdge& e : m_visible.edges) {
            const bool replaces = m_visible.isReplacing(e.from) || m_visible.isReplacing(e.to);
            if (!replaces && spanOf(e) > (isSideways(e) ? kMaxSidewaysSpan : limit)) e.isPortal = true;
        }
    }

    void placeRanks() {
        std::vector<double> height(m_ranking.rankCount, 0);
        std::vector<bool> hasNode(m_ranking.rankCount, false); // ranks of blobs alone stand closer
        for (std::uint32_t i = 0; i < m_layout.items.size(); ++i) {
            if (m_visible.isReplacing(i)) continue;
            double& h = height[m_layout.items[i].rank];
            h = std::max(h, m_layout.items[i].rect.height);
            if (m_layout.items[i].node != kNoIndex) hasNode[m_layout.items[i].rank] = true;
        }
        double y = 0;
        for (std::uint32_t r = 0; r < height.size(); ++r) {
            m_layout.rankTop.push_back(y);
            m_rankBottom.push_back(y + height[r]);
            const bool isTight = r + 1 < height.size() && !hasNode[r] && !hasNode[r + 1];
            y += height[r] + (isTight ? m_options.blobGap : m_options.rankGap);
        }
        for (PlacedItem& item : m_layout.items)
            item.rect.y = m_layout.rankTop[item.rank];
    }

    /// The places and links of one column; lanes remember which places an edge runs through.
    void buildLayers(std::uint8_t column) {
        m_layers = LayerGraph();
        m_layers.layers.resize(m_ranking.rankCount);
        m_placeOf.assign(m_visible.items.size(), kNoIndex);
        m_lanes.clear();
        std::vector<std::uint32_t> inColumn;
        for (std::uint32_t i = 0; i < m_visible.items.size(); ++i) {
            if (m_visible.items[i].column == column && !m_visible.isReplacing(i)) inColumn.push_back(i);
        }
        std::stable_sort(inColumn.begin(), inColumn.end(), [&](std::uint32_t a, std::uint32_t b) {
            return m_visible.items[a].order < m_visible.items[b].order;
        });
        for (const std::uint32_t i : inColumn)
            m_placeOf[i] = addPlace(i, m_ranking.rank[i], m_visible.items[i].width, weightOf(i));
        for (std::uint32_t k = 0; k < m_visible.edges.size(); ++k) {
            const VisibleEdge& e = m_visible.edges[k];
            if (e.isPortal || isSideways(e) || m_visible.items[e.from].column != column || spanOf(e) == 0)
                continue;
            addLane(k, e);
        }
        m_layers.connect();
        m_layout.counters.virtualNodes += m_layers.places.size() - inColumn.size();
    }

    /// The spine runs through nodes of the original, past those that steps put in their place.
    std::uint32_t weightOf(std::uint32_t item) const {
        const std::uint32_t node = m_visible.items[item].node;
        return node != kNoIndex && !m_graph.nodes[node].replaces.empty() ? 0 : 1;
    }

    std::uint32_t addPlace(std::uint32_t item, std::uint32_t rank, double width, std::uint32_t weight) {
        const auto place = static_cast<std::uint32_t>(m_layers.places.size());
        m_layers.places.push_back({item, rank, width, weight});
        m_layers.layers[rank].push_back(place);
        return place;
    }

    void addLane(std::uint32_t index, const VisibleEdge& e) {
        const bool isDown = m_ranking.rank[e.from] < m_ranking.rank[e.to];
        const std::uint32_t top = isDown ? e.from : e.to;
        const std::uint32_t bottom = isDown ? e.to : e.from;
        std::uint32_t before = m_placeOf[top];
        const auto first = static_cast<std::uint32_t>(m_layers.places.size());
        for (std::uint32_t r = m_ranking.rank[top] + 1; r < m_ranking.rank[bottom]; ++r) {
            const std::uint32_t place = addPlace(kNoIndex, r, 0, 0);
            m_layers.links.push_back({before, place});
            before = place;
        }
        m_layers.links.push_back({before, m_placeOf[bottom]});
        m_lanes.push_back({index, first, static_cast<std::uint32_t>(m_layers.places.size()) - first});
    }

    void placeColumn(std::uint8_t column) {
        if (m_layers.places.empty()) return;
        const Coordinates at =
            placeLayers(m_layers, m_options.nodeGap, column == 0 ? Packing::middle : Packing::left);
        m_layout.counters.placementVisits += at.visits;
        const double left = m_hasColumn ? m_right + m_options.columnGap : 0;
        const double shift = left - at.left;
        for (std::uint32_t p = 0; p < m_layers.places.size(); ++p) {
            if (m_layers.isVirtual(p)) continue;
            PlacedItem& item = m_layout.items[m_layers.places[p].item];
            item.rect.x = at.center[p] + shift - item.rect.width / 2;
        }
        for (const Lane& lane : m_lanes) {
            std::vector<double>& xs = m_laneOfEdge[lane.edge];
            for (std::uint32_t p = lane.first; p < lane.first + lane.count; ++p)
                xs.push_back(at.center[p] + shift);
        }
        m_right = at.right + shift;
        m_hasColumn = true;
        m_layout.columns[column] = {left, 0, m_right - left, m_rankBottom.back()};
    }

    void placeReplacing() {
        for (std::uint32_t i = 0; i < m_layout.items.size(); ++i) {
            if (!m_visible.isReplacing(i)) continue;
            PlacedItem& item = m_layout.items[i];
            double x = 0;
            double y = 0;
            double count = 0;
            std::uint32_t rank = 0;
            for (const std::uint32_t node : m_visible.standsFor[i]) {
                if (node >= m_layout.itemOfNode.size() || m_layout.itemOfNode[node] == i) continue;
                const PlacedItem& old = m_layout.items[m_layout.itemOfNode[node]];
                x += old.rect.centerX();
                y += old.rect.centerY();
                rank = count == 0 ? old.rank : std::min(rank, old.rank);
                item.column = old.column;
                ++count;
            }
            if (count == 0) continue;
            item.rank = rank;
            item.rect.x = std::round(x / count - item.rect.width / 2);
            item.rect.y = std::round(y / count - item.rect.height / 2);
        }
    }

    void finish() {
        for (const PlacedItem& item : m_layout.items)
            m_layout.bounds = m_layout.bounds.united(item.rect);
        takeEdges();
        std::vector<std::uint32_t> laneStart(m_visible.edges.size() + 1, 0);
        std::vector<double> laneX;
        for (std::uint32_t k = 0; k < m_visible.edges.size(); ++k) {
            const auto it = m_laneOfEdge.find(k);
            if (it != m_laneOfEdge.end()) laneX.insert(laneX.end(), it->second.begin(), it->second.end());
            laneStart[k + 1] = static_cast<std::uint32_t>(laneX.size());
        }
        routeEdges({m_visible, m_rankBottom, laneStart, laneX}, m_graph, m_layout);
        placePortals(m_graph, m_hierarchy, m_layout);
        collectFrames();
        indexAll();
    }

    void takeEdges() {
        m_layout.edges.reserve(m_visible.edges.size());
        for (const VisibleEdge& v : m_visible.edges) {
            PlacedEdge e;
            e.from = v.from;
            e.to = v.to;
            e.firstEdge = v.firstEdge;
            e.count = v.count;
            e.edge = m_visible.edgeList[v.firstEdge];
            e.edgeClass = v.edgeClass;
            e.isPortal = v.isPortal;
            m_layout.edges.push_back(e);
        }
        const std::size_t n = m_layout.items.size();
        m_layout.edgesOfItemStart.assign(n + 1, 0);
        const auto eachEnd = [&](auto visit) {
            for (std::uint32_t k = 0; k < m_layout.edges.size(); ++k) {
                visit(m_layout.edges[k].from, k);
                if (m_layout.edges[k].to != m_layout.edges[k].from) visit(m_layout.edges[k].to, k);
            }
        };
        eachEnd([&](std::uint32_t item, std::uint32_t) { ++m_layout.edgesOfItemStart[item + 1]; });
        for (std::size_t i = 1; i <= n; ++i)
            m_layout.edgesOfItemStart[i] += m_layout.edgesOfItemStart[i - 1];
        m_layout.edgesOfItem.resize(m_layout.edgesOfItemStart.back());
        std::vector<std::uint32_t> next(m_layout.edgesOfItemStart.begin(),
                                        m_layout.edgesOfItemStart.end() - 1);
        eachEnd([&](std::uint32_t item, std::uint32_t edge) { m_layout.edgesOfItem[next[item]++] = edge; });
    }

    /// Hulls of the open groups, one a column; and where each group is drawn.
    void collectFrames() {
        const std::size_t groups = m_hierarchy.groups.size();
        std::vector<std::uint32_t> frameOf(groups * kColumns, kNoIndex);
        m_layout.itemOfGroup.assign(groups, kNoIndex);
        m_layout.outerFrame.assign(m_graph.nodes.size(), kNoIndex);
        for (std::uint32_t n = 0; n < m_graph.nodes.size(); ++n) {
            const std::uint32_t i = m_layout.itemOfNode[n];
            const PlacedItem& item = m_layout.items[i];
            std::uint32_t g = m_graph.nodes[n].group;
            for (; g < groups; g = m_hierarchy.groups[g].parent) {
                if (!m_expanded.isOpen(g) || item.group == g) {
                    std::uint32_t& at = m_layout.itemOfGroup[g];
                    if (at == kNoIndex || m_layout.items[at].column > item.column) at = i;
                    continue;
                }
                if (item.group != kNoIndex && isInside(g, item.group)) continue;
                std::uint32_t& frame = frameOf[g * kColumns + item.column];
                if (frame == kNoIndex) {
                    frame = static_cast<std::uint32_t>(m_layout.frames.size());
                    m_layout.frames.push_back({g, item.column, 0, {}});
                }
                m_layout.outerFrame[n] = frame; // the last one met is the outermost
                m_layout.frames[frame].nodeCount += 1 + m_graph.nodes[n].folded;
                m_layout.frames[frame].rect = m_layout.frames[frame].rect.united(item.rect);
            }
        }
        for (GroupFrame& frame : m_layout.frames)
            frame.rect = frame.rect.inflated(kFramePadding);
        sortFrames();
    }

    /// Outer frames first, so that inner ones are drawn and hit above them.
    void sortFrames() {
        std::vector<std::uint32_t> order(m_layout.frames.size());
        for (std::uint32_t f = 0; f < order.size(); ++f)
            order[f] = f;
        std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return m_hierarchy.groups[m_layout.frames[a].group].depth <
                   m_hierarchy.groups[m_layout.frames[b].group].depth;
        });
        std::vector<GroupFrame> sorted;
        std::vector<std::uint32_t> renamed(order.size());
        for (const std::uint32_t f : order) {
            renamed[f] = static_cast<std::uint32_t>(sorted.size());
            sorted.push_back(m_layout.frames[f]);
        }
        m_layout.frames.swap(sorted);
        for (std::uint32_t& f : m_layout.outerFrame)
            f = f == kNoIndex ? kNoIndex : renamed[f];
    }

    /// Whether group `g` lies inside (or is) `outer`.
    bool isInside(std::uint32_t g, std::uint32_t outer) const {
        for (; g < m_hierarchy.groups.size(); g = m_hierarchy.groups[g].parent) {
            if (g == outer) return true;
        }
        return false;
    }

    void indexAll() {
        std::vector<Rect> boxes;
        boxes.reserve(m_layout.items.size());
        for (const PlacedItem& item : m_layout.items)
            boxes.push_back(item.rect);
        m_layout.itemIndex = SpatialIndex(boxes);
        boxes.clear();
        for (const PlacedEdge& e : m_layout.edges)
            boxes.push_back(e.isPortal ? Rect() : hullOf(e));
        m_layout.edgeIndex = SpatialIndex(boxes);
        boxes.clear();
        for (const Portal& portal : m_layout.portals) {
            boxes.push_back(portal.rect);
            m_layout.bounds = m_layout.bounds.united(portal.rect);
        }
        m_layout.portalIndex = SpatialIndex(boxes);
        for (const GroupFrame& frame : m_layout.frames)
            m_layout.bounds = m_layout.bounds.united(frame.rect);
    }

    Rect hullOf(const PlacedEdge& e) const {
        Point low = m_layout.points[e.firstPoint];
        Point high = low;
        for (std::uint32_t k = 1; k < e.pointCount; ++k) {
            const Point p = m_layout.points[e.firstPoint + k];
            low = {std::min(low.x, p.x), std::min(low.y, p.y)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y)};
        }
        return Rect{low.x, low.y, high.x - low.x, high.y - low.y}.inflated(4);
    }

    struct Lane {
        std::uint32_t edge = 0;
        std::uint32_t first = 0;
        std::uint32_t count = 0;
    };

    const LayoutGraph& m_graph;
    const Hierarchy& m_hierarchy;
    const ExpandState& m_expanded;
    const LayoutOptions& m_options;
    VisibleGraph m_visible;
    Ranking m_ranking;
    Layout m_layout;
    std::vector<double> m_rankBottom;
    LayerGraph m_layers;
    std::vector<std::uint32_t> m_placeOf;
    std::vector<Lane> m_lanes;
    std::unordered_map<std::uint32_t, std::vector<double>> m_laneOfEdge;
    double m_right = 0;
    bool m_hasColumn = false;
};

} // namespace

Layout layoutGraph(const LayoutGraph& graph, const Hierarchy& hierarchy, const ExpandState& expanded,
                   const LayoutOptions& options) {
    return LayeredLayout(graph, hierarchy, expanded, options).run();
}

Layout layoutGraph(const LayoutGraph& graph, const LayoutOptions& options) {
    const Hierarchy flat;
    // Nodes may carry groups of a hierarchy that is not wanted here: an index past the end means none.
    return LayeredLayout(graph, flat, ExpandState(), options).run();
}

} // namespace secateur
