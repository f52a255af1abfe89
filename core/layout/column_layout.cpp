// SPDX-License-Identifier: Apache-2.0
#include "core/layout/column_layout.h"

#include "core/layout/coordinates.h"

#include <algorithm>

namespace secateur {
namespace {

using namespace layout_plan;

/// Builds a column's layers.
class ColumnBuilder {
  public:
    ColumnBuilder(Plan& plan, std::uint32_t container, std::uint8_t column)
        : m_plan(plan), m_container(plan.containers[container]), m_column(column) {}

    ColumnGraph run() {
        addPlaces();
        if (m_graph.layers.places.empty()) return std::move(m_graph);
        addTrunks();
        m_graph.layers.connect();
        return std::move(m_graph);
    }

  private:
    std::uint32_t addPlace(std::uint32_t item, std::uint32_t layer, std::uint32_t weight) {
        const auto place = static_cast<std::uint32_t>(m_graph.layers.places.size());
        LayerGraph::Place p;
        p.item = item;
        p.layer = layer;
        p.weight = weight;
        m_graph.layers.places.push_back(p);
        m_graph.layers.layers[layer].push_back(place);
        return place;
    }

    /// Program order of a unit: that of its first node.
    std::uint32_t orderOf(std::uint32_t unit) const {
        const Unit& u = m_plan.units[unit];
        if (u.item != kNoIndex) return m_plan.visible.items[u.item].order;
        std::uint32_t first = kNoIndex;
        for (const std::uint32_t inner : m_plan.containers[u.child].units)
            if (m_plan.units[inner].item != kNoIndex)
                first = std::min(first, m_plan.visible.items[m_plan.units[inner].item].order);
        return first;
    }

    /// The spine runs through nodes of the original, past those that steps put in their place.
    std::uint32_t weightOf(const Unit& unit) const {
        if (unit.child != kNoIndex) return m_plan.containers[unit.child].rankCount;
        const std::uint32_t node = m_plan.visible.items[unit.item].node;
        return node != kNoIndex && !m_plan.graph.nodes[node].replaces.empty() ? 0 : 1;
    }

    void addPlaces() {
        m_graph.layers.layers.resize(m_container.rankCount + std::size_t{2});
        std::vector<std::pair<std::uint32_t, std::uint32_t>> units; // by program order
        for (const std::uint32_t u : m_container.units)
            if (m_plan.units[u].column == m_column) units.push_back({orderOf(u), u});
        std::stable_sort(units.begin(), units.end());
        for (const auto& [order, u] : units) {
            const Unit& unit = m_plan.units[u];
            const std::uint32_t place = addPlace(u, unit.rank + 1, weightOf(unit));
            m_graph.placeOfUnit.emplace_back(u, place);
            m_graph.layers.places[place].left = unit.left;
            m_graph.layers.places[place].right = unit.right;
        }
        std::sort(m_graph.placeOfUnit.begin(), m_graph.placeOfUnit.end());
        for (const std::uint32_t p : m_container.ports) {
            const Port& port = m_plan.ports[p];
            if (port.column != m_column) continue;
            const std::uint32_t layer = port.isTop ? 0 : m_container.rankCount + 1;
            m_graph.placeOfPort.emplace_back(p, addPlace(kNoIndex, layer, 0));
        }
        std::sort(m_graph.placeOfPort.begin(), m_graph.placeOfPort.end());
    }

    /// `fromPort`, `toPort`: of the child containers where it ends, if any.
    void link(std::uint32_t from, std::uint32_t fromPort, std::uint32_t to, std::uint32_t toPort,
              bool isDown) {
        m_graph.layers.links.push_back({isDown ? from : to, isDown ? to : from});
        m_graph.linkPorts.push_back({isDown ? fromPort : toPort, isDown ? toPort : fromPort});
    }
    static std::uint32_t childPort(const End& end) { return end.unit != kNoIndex ? end.port : kNoIndex; }

    /// A trunk takes one lane from its source to just before its last target; targets leave it on the way.
    void addTrunks() {
        for (const std::uint32_t t : m_container.trunks) {
            Trunk& trunk = m_plan.trunks[t];
            if (trunk.column != m_column) continue;
            const std::uint32_t start = m_plan.layerOf(m_container, trunk.from);
            const auto distanceTo = [&](const End& end) {
                const std::uint32_t layer = m_plan.layerOf(m_container, end);
                return trunk.isDown ? layer - start : start - layer;
            };
            std::uint32_t longest = 0;
            for (const End& end : trunk.to)
                longest = std::max(longest, distanceTo(end));
            std::vector<std::uint32_t> way{m_graph.placeOf(trunk.from)};
            const auto portAt = [&](std::uint32_t d) { return d == 0 ? childPort(trunk.from) : kNoIndex; };
            for (std::uint32_t d = 1; d < longest; ++d) {
                const std::uint32_t layer = trunk.isDown ? start + d : start - d;
                way.push_back(addPlace(kNoIndex, layer, 0));
                link(way[d - 1], portAt(d - 1), way[d], kNoIndex, trunk.isDown);
            }
            for (const End& end : trunk.to) {
                const std::uint32_t d = distanceTo(end) - 1;
                link(way[d], portAt(d), m_graph.placeOf(end), childPort(end), trunk.isDown);
            }
            trunk.laneCount = longest - 1;
            m_graph.lanes.push_back({t, way.size() > 1 ? way[1] : 0});
            m_plan.counters.virtualNodes += trunk.laneCount;
        }
    }

    Plan& m_plan;
    Container& m_container;
    std::uint8_t m_column;
    ColumnGraph m_graph;
};

/// Orders and places a column.
class ColumnLayout {
  public:
    ColumnLayout(Plan& plan, std::uint32_t container, std::uint8_t column, ColumnGraph& graph)
        : m_plan(plan), m_container(plan.containers[container]), m_column(column), m_graph(graph),
          m_layers(graph.layers) {}

    void order(OrderMemo& memo) {
        if (m_plan.options.orderFrom != nullptr) {
            orderAsBefore();
            return;
        }
        const OrderingResult result = orderLayersBest(m_layers, m_plan.options, memo);
        m_plan.counters.sweepVisits += result.visits;
        m_plan.counters.sweeps = std::max(m_plan.counters.sweeps, result.sweeps);
        m_plan.counters.crossings += result.crossings;
    }

    void place() {
        for (const auto& [unit, place] : m_graph.placeOfUnit) { // child containers have their sizes by now
            m_layers.places[place].left = m_plan.units[unit].left;
            m_layers.places[place].right = m_plan.units[unit].right;
        }
        const Packing packing = m_column == 0 ? Packing::middle : Packing::left;
        const Coordinates at = placeLayers(m_layers, m_plan.options.nodeGap, packing);
        m_plan.counters.placementVisits += at.visits;
        write(at);
    }

  private:
    /// Everything keeps the order from left to right that it has in another layout of the same boxes.
    void orderAsBefore() {
        std::vector<double> before(m_layers.places.size(), 0);
        for (const auto& [unit, place] : m_graph.placeOfUnit)
            before[place] = xBefore(unit);
        const auto xOfItem = [&](std::uint32_t item) {
            return m_plan.options.orderFrom->items[item].rect.centerX();
        };
        for (const auto& [port, place] : m_graph.placeOfPort)
            before[place] = xOfItem(m_plan.ports[port].source);
        for (const ColumnGraph::Lane& lane : m_graph.lanes) {
            const Trunk& trunk = m_plan.trunks[lane.trunk];
            const double from = before[m_graph.placeOf(trunk.from)],
                         to = before[m_graph.placeOf(trunk.to.back())];
            for (std::uint32_t k = 0; k < trunk.laneCount; ++k)
                before[lane.firstPlace + k] = from + (to - from) * (k + 1) / (trunk.laneCount + 1);
        }
        for (std::vector<std::uint32_t>& layer : m_layers.layers)
            std::stable_sort(layer.begin(), layer.end(),
                             [&](std::uint32_t a, std::uint32_t b) { return before[a] < before[b]; });
    }

    double xBefore(std::uint32_t unit) const {
        const Unit& u = m_plan.units[unit];
        if (u.item != kNoIndex) return m_plan.options.orderFrom->items[u.item].rect.centerX();
        double sum = 0;
        double count = 0;
        for (const std::uint32_t inner : m_plan.containers[u.child].units) {
            const Unit& v = m_plan.units[inner];
            if (v.item == kNoIndex || v.column != m_column) continue;
            sum += m_plan.options.orderFrom->items[v.item].rect.centerX();
            ++count;
        }
        return count > 0 ? sum / count : 0;
    }

    void write(const Coordinates& at) {
        for (const auto& [unit, place] : m_graph.placeOfUnit)
            m_plan.units[unit].x = at.center[place];
        for (const auto& [port, place] : m_graph.placeOfPort)
            m_plan.ports[port].x = at.center[place];
        for (const ColumnGraph::Lane& lane : m_graph.lanes) {
            Trunk& trunk = m_plan.trunks[lane.trunk];
            trunk.firstLane = static_cast<std::uint32_t>(m_plan.laneX.size());
            for (std::uint32_t k = 0; k < trunk.laneCount; ++k)
                m_plan.laneX.push_back(at.center[lane.firstPlace + k]);
        }
        m_container.parts[m_column].spine = spine();
    }

    /// The box where the longest chain begins: what stands above and below the container aligns with it.
    std::uint32_t spine() const {
        std::uint32_t best = kNoIndex, bestPlace = 0;
        const auto reachOf = [&](std::uint32_t p) { return m_layers.reachDown[p] + m_layers.reachUp[p]; };
        for (const auto& [unit, place] : m_graph.placeOfUnit) {
            const bool isLonger = best != kNoIndex && reachOf(place) > reachOf(bestPlace);
            const bool isFurtherUp = best != kNoIndex && reachOf(place) == reachOf(bestPlace) &&
                                     m_layers.places[place].layer < m_layers.places[bestPlace].layer;
            if (best != kNoIndex && !isLonger && !isFurtherUp) continue;
            best = unit;
            bestPlace = place;
        }
        return best;
    }

    Plan& m_plan;
    Container& m_container;
    std::uint8_t m_column;
    ColumnGraph& m_graph;
    LayerGraph& m_layers;
};

} // namespace

std::uint32_t ColumnGraph::placeOf(const End& end) const {
    const auto& table = end.unit != kNoIndex ? placeOfUnit : placeOfPort;
    const std::uint32_t key = end.unit != kNoIndex ? end.unit : end.port;
    return std::lower_bound(table.begin(), table.end(), std::pair(key, 0U))->second;
}

ColumnGraph orderColumn(Plan& plan, std::uint32_t container, std::uint8_t column, OrderMemo& memo) {
    ColumnGraph graph = ColumnBuilder(plan, container, column).run();
    if (!graph.layers.places.empty()) ColumnLayout(plan, container, column, graph).order(memo);
    return graph;
}

void placeColumn(Plan& plan, std::uint32_t container, std::uint8_t column, ColumnGraph& graph) {
    if (!graph.layers.places.empty()) ColumnLayout(plan, container, column, graph).place();
}

} // namespace secateur
