// SPDX-License-Identifier: Apache-2.0
#include "core/layout/column_layout.h"

#include "core/layout/coordinates.h"

#include <algorithm>

namespace secateur {
namespace {

using namespace layout_plan;

class ColumnLayout {
  public:
    ColumnLayout(Plan& plan, std::uint32_t container, std::uint8_t column, OrderMemo& memo)
        : m_plan(plan), m_memo(memo), m_container(plan.containers[container]), m_index(container),
          m_column(column) {}

    void run() {
        addPlaces();
        if (m_layers.places.empty()) return;
        addTrunks();
        m_layers.connect();
        order();
        const Packing packing = m_column == 0 ? Packing::middle : Packing::left;
        const Coordinates at = placeLayers(m_layers, m_plan.options.nodeGap, packing);
        m_plan.counters.placementVisits += at.visits;
        write(at);
    }

  private:
    std::uint32_t addPlace(std::uint32_t item, std::uint32_t layer, double left, double right,
                           std::uint32_t weight) {
        const auto place = static_cast<std::uint32_t>(m_layers.places.size());
        LayerGraph::Place p;
        p.item = item;
        p.layer = layer;
        p.left = left;
        p.right = right;
        p.weight = weight;
        m_layers.places.push_back(p);
        m_layers.layers[layer].push_back(place);
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
        m_layers.layers.resize(m_container.rankCount + std::size_t{2});
        std::vector<std::pair<std::uint32_t, std::uint32_t>> units; // by program order
        for (const std::uint32_t u : m_container.units)
            if (m_plan.units[u].column == m_column) units.push_back({orderOf(u), u});
        std::stable_sort(units.begin(), units.end());
        for (const auto& [order, u] : units) {
            const Unit& unit = m_plan.units[u];
            m_placeOfUnit.emplace_back(u, addPlace(u, unit.rank + 1, unit.left, unit.right, weightOf(unit)));
        }
        std::sort(m_placeOfUnit.begin(), m_placeOfUnit.end());
        for (const std::uint32_t p : m_container.ports) {
            const Port& port = m_plan.ports[p];
            if (port.column != m_column) continue;
            const std::uint32_t layer = port.isTop ? 0 : m_container.rankCount + 1;
            m_placeOfPort.emplace_back(p, addPlace(kNoIndex, layer, 0, 0, 0));
        }
        std::sort(m_placeOfPort.begin(), m_placeOfPort.end());
    }

    std::uint32_t placeOf(const End& end) const {
        const auto& table = end.unit != kNoIndex ? m_placeOfUnit : m_placeOfPort;
        const std::uint32_t key = end.unit != kNoIndex ? end.unit : end.port;
        return std::lower_bound(table.begin(), table.end(), std::pair(key, 0U))->second;
    }

    void link(std::uint32_t from, std::uint32_t to, bool isDown) {
        m_layers.links.push_back({isDown ? from : to, isDown ? to : from});
    }

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
            std::vector<std::uint32_t> way{placeOf(trunk.from)};
            for (std::uint32_t d = 1; d < longest; ++d) {
                const std::uint32_t layer = trunk.isDown ? start + d : start - d;
                way.push_back(addPlace(kNoIndex, layer, 0, 0, 0));
                link(way[d - 1], way[d], trunk.isDown);
            }
            for (const End& end : trunk.to)
                link(way[distanceTo(end) - 1], placeOf(end), trunk.isDown);
            trunk.laneCount = longest - 1;
            m_lanes.push_back({t, way.size() > 1 ? way[1] : 0});
            m_plan.counters.virtualNodes += trunk.laneCount;
        }
    }

    void order() {
        if (m_plan.options.orderFrom != nullptr) {
            orderAsBefore();
            return;
        }
        const OrderingResult result = orderLayersBest(m_layers, m_plan.options, m_memo);
        m_plan.counters.sweepVisits += result.visits;
        m_plan.counters.sweeps = std::max(m_plan.counters.sweeps, result.sweeps);
        m_plan.counters.crossings += result.crossings;
    }

    /// Everything keeps the order from left to right that it has in another layout of the same boxes.
    void orderAsBefore() {
        std::vector<double> before(m_layers.places.size(), 0);
        for (const auto& [unit, place] : m_placeOfUnit)
            before[place] = xBefore(unit);
        const auto xOfItem = [&](std::uint32_t item) {
            return m_plan.options.orderFrom->items[item].rect.centerX();
        };
        for (const auto& [port, place] : m_placeOfPort)
            before[place] = xOfItem(m_plan.ports[port].source);
        for (const Lane& lane : m_lanes) {
            const Trunk& trunk = m_plan.trunks[lane.trunk];
            const double from = before[placeOf(trunk.from)], to = before[placeOf(trunk.to.back())];
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
        for (const auto& [unit, place] : m_placeOfUnit)
            m_plan.units[unit].x = at.center[place];
        for (const auto& [port, place] : m_placeOfPort)
            m_plan.ports[port].x = at.center[place];
        for (const Lane& lane : m_lanes) {
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
        for (const auto& [unit, place] : m_placeOfUnit) {
            const bool isLonger = best != kNoIndex && reachOf(place) > reachOf(bestPlace);
            const bool isFurtherUp = best != kNoIndex && reachOf(place) == reachOf(bestPlace) &&
                                     m_layers.places[place].layer < m_layers.places[bestPlace].layer;
            if (best != kNoIndex && !isLonger && !isFurtherUp) continue;
            best = unit;
            bestPlace = place;
        }
        return best;
    }

    struct Lane {
        std::uint32_t trunk = 0;
        std::uint32_t firstPlace = 0; ///< places of a trunk's lanes follow each other
    };

    Plan& m_plan;
    OrderMemo& m_memo;
    Container& m_container;
    std::uint32_t m_index;
    std::uint8_t m_column;
    LayerGraph m_layers;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_placeOfUnit, m_placeOfPort; ///< sorted
    std::vector<Lane> m_lanes;
};

} // namespace

void layoutColumn(Plan& plan, std::uint32_t container, std::uint8_t column, OrderMemo& memo) {
    ColumnLayout(plan, container, column, memo).run();
}

} // namespace secateur
