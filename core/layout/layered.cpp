// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layered.h"

#include "core/layout/container_layout.h"
#include "core/layout/container_ranks.h"
#include "core/layout/containers.h"
#include "core/layout/edge_labels.h"
#include "core/layout/edge_paths.h"
#include "core/layout/group_frames.h"
#include "core/layout/layout_index.h"
#include "core/layout/portals.h"
#include "core/layout/ways.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

using namespace layout_plan;

class LayeredLayout {
  public:
    LayeredLayout(const LayoutGraph& graph, const Hierarchy& hierarchy, const ExpandState& expanded,
                  const LayoutOptions& options)
        : m_plan(graph, hierarchy, expanded, options) {}

    Layout run() {
        makeContainers(m_plan);
        if (m_plan.isCancelled()) return cancelled();
        rankContainers(m_plan);
        if (m_plan.isCancelled()) return cancelled();
        chooseWays(m_plan);
        if (m_plan.isCancelled()) return cancelled();
        collectPortals(m_plan, m_layout);
        if (m_plan.isCancelled()) return cancelled();
        layoutContainers(m_plan);
        if (m_plan.isCancelled()) return cancelled();
        takeItems();
        takeEdges();
        if (m_plan.isCancelled()) return cancelled();
        drawEdges(m_plan, m_layout);
        if (m_plan.isCancelled()) return cancelled();
        placePortals(m_layout);
        if (m_plan.isCancelled()) return cancelled();
        indexLayout(m_layout);
        if (m_plan.isCancelled()) return cancelled();
        placeLabels(m_plan.graph, m_layout, [this](std::size_t step) { return m_plan.isCancelledAt(step); });
        if (m_plan.isCancelled()) return cancelled();
        placeFrames(m_plan, m_layout);
        measure();
        return std::move(m_layout);
    }

  private:
    static Layout cancelled() {
        Layout layout;
        layout.cancelled = true;
        return layout;
    }

    void takeItems() {
        const VisibleGraph& visible = m_plan.visible;
        const std::vector<std::uint32_t> firstRow = numberRows();
        for (std::uint32_t i = 0; i < visible.items.size(); ++i) {
            const VisibleItem& v = visible.items[i];
            const Unit& unit = m_plan.units[i];
            PlacedItem item;
            item.node = v.node;
            item.group = v.group;
            item.nodeCount = v.nodeCount;
            item.role = v.role;
            item.column = v.column;
            if (unit.container != kNoIndex) {
                item.rank = firstRow[unit.container] + unit.rank;
                item.rect = {unit.x - unit.left, unit.y, v.width, v.height};
            }
            m_layout.items.push_back(item);
        }
        m_layout.itemOfNode = visible.itemOfNode;
        m_layout.edgeList = visible.edgeList;
        m_layout.counters = m_plan.counters;
        m_layout.counters.itemsPlaced = m_layout.items.size();
        m_layout.counters.legs = m_plan.legs.size();
        placeReplacing();
        m_layout.rankTop = m_plan.containers.front().rowTop;
    }

    /// Number of the first row of each container, with rows of child containers counted in between.
    std::vector<std::uint32_t> numberRows() const {
        const std::size_t n = m_plan.containers.size();
        std::vector<std::uint32_t> rows(n, 0); // rows of each container with all that is in it
        std::vector<std::vector<std::uint32_t>> deep(n);
        for (std::size_t c = n; c-- > 0;) {
            const Container& container = m_plan.containers[c];
            deep[c].assign(container.rankCount, 1);
            for (const std::uint32_t child : container.children)
                for (const Part& part : m_plan.containers[child].parts)
                    if (part.isUsed) {
                        std::uint32_t& rowsHere = deep[c][m_plan.units[part.unit].rank];
                        rowsHere = std::max(rowsHere, rows[child]);
                    }
            for (const std::uint32_t r : deep[c])
                rows[c] += r;
        }
        std::vector<std::uint32_t> first(n, 0);
        for (std::size_t c = 1; c < n; ++c) {
            const Container& container = m_plan.containers[c];
            first[c] = first[container.parent];
            for (const Part& part : container.parts) {
                if (!part.isUsed || m_plan.units[part.unit].rank == kNoIndex) continue;
                for (std::uint32_t r = 0; r < m_plan.units[part.unit].rank; ++r)
                    first[c] += deep[container.parent][r];
                break;
            }
        }
        return first;
    }

    /// New nodes stand in the middle of those that they replace.
    void placeReplacing() {
        for (std::uint32_t i = 0; i < m_layout.items.size(); ++i) {
            if (!m_plan.visible.isReplacing(i) || m_plan.visible.items[i].isHidden) continue;
            PlacedItem& item = m_layout.items[i];
            double x = 0, y = 0, count = 0;
            for (const std::uint32_t node : m_plan.visible.standsFor[i]) {
                if (node >= m_layout.itemOfNode.size() || m_layout.itemOfNode[node] == i) continue;
                const PlacedItem& old = m_layout.items[m_layout.itemOfNode[node]];
                if (old.rect.isEmpty()) continue;
                x += old.rect.centerX();
                y += old.rect.centerY();
                item.rank = count == 0 ? old.rank : std::min(item.rank, old.rank);
                item.column = old.column;
                ++count;
            }
            const VisibleItem& v = m_plan.visible.items[i];
            if (count > 0)
                item.rect = {std::round(x / count - v.width / 2), std::round(y / count - v.height / 2),
                             v.width, v.height};
        }
    }

    void takeEdges() {
        for (std::uint32_t k = 0; k < m_plan.visible.edges.size(); ++k) {
            const VisibleEdge& v = m_plan.visible.edges[k];
            PlacedEdge e;
            e.from = v.from;
            e.to = v.to;
            e.firstEdge = v.firstEdge;
            e.count = v.count;
            e.edge = m_plan.visible.edgeList[v.firstEdge];
            e.edgeClass = v.edgeClass;
            e.isPortal = m_plan.fates[k] == Fate::portal;
            m_layout.edges.push_back(e);
        }
        const std::size_t n = m_layout.items.size();
        std::vector<std::uint32_t>& start = m_layout.edgesOfItemStart;
        start.assign(n + 1, 0);
        const auto eachEnd = [&](auto visit) {
            for (std::uint32_t k = 0; k < m_layout.edges.size(); ++k) {
                visit(m_layout.edges[k].from, k);
                if (m_layout.edges[k].to != m_layout.edges[k].from) visit(m_layout.edges[k].to, k);
            }
        };
        eachEnd([&](std::uint32_t item, std::uint32_t) { ++start[item + 1]; });
        for (std::size_t i = 1; i <= n; ++i)
            start[i] += start[i - 1];
        m_layout.edgesOfItem.resize(start.back());
        std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
        eachEnd([&](std::uint32_t item, std::uint32_t edge) { m_layout.edgesOfItem[next[item]++] = edge; });
    }

    void measure() {
        for (const PlacedItem& item : m_layout.items) {
            m_layout.bounds = m_layout.bounds.united(item.rect);
            m_layout.columns[item.column] = m_layout.columns[item.column].united(item.rect);
        }
        for (const Portal& portal : m_layout.portals)
            m_layout.bounds = m_layout.bounds.united(portal.rect);
        for (const GroupFrame& frame : m_layout.frames)
            m_layout.bounds = m_layout.bounds.united(frame.rect);
        for (const PlacedEdge& edge : m_layout.edges)
            if (!edge.isPortal) growBy(edge);
    }

    /// Edges run around boxes at the rim. What only bends them lies inside their corners.
    void growBy(const PlacedEdge& edge) {
        for (std::uint32_t k = 0; k < edge.pointCount; ++k) {
            const Point& p = m_layout.points[edge.firstPoint + k];
            const Rect& now = m_layout.bounds;
            const double left = std::min(now.x, p.x), top = std::min(now.y, p.y);
            m_layout.bounds = {left, top, std::max(now.right(), p.x) - left,
                               std::max(now.bottom(), p.y) - top};
        }
    }

    Plan m_plan;
    Layout m_layout;
};

} // namespace

Layout layoutGraph(const LayoutGraph& graph, const Hierarchy& hierarchy, const ExpandState& expanded,
                   const LayoutOptions& options) {
    return LayeredLayout(graph, hierarchy, expanded, options).run();
}

Layout layoutGraph(const LayoutGraph& graph, const LayoutOptions& options) {
    const Hierarchy flat;
    const ExpandState open;
    // Nodes may carry groups of a hierarchy that is not wanted here: an index past the end means none.
    return LayeredLayout(graph, flat, open, options).run();
}

} // namespace secateur
