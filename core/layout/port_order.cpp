// SPDX-License-Identifier: Apache-2.0
#include "core/layout/port_order.h"

#include <algorithm>

namespace secateur {
namespace {

using namespace layout_plan;

constexpr int kMostRounds = 3;

/// The blocks of one column.
class PortAgreement {
  public:
    PortAgreement(Plan& plan, std::vector<ContainerColumns>& columns, std::uint8_t column, OrderMemo& memo)
        : m_plan(plan), m_columns(columns), m_column(column), m_memo(memo), m_position(columns.size()),
          m_top(columns.size()), m_bottom(columns.size()) {}

    void run() {
        for (std::uint32_t c = 0; c < m_columns.size(); ++c) {
            number(c);
            collectLinks(c);
        }
        for (int round = 0; round < kMostRounds; ++round) {
            bool isBetter = false;
            for (std::uint32_t c = 0; c < m_columns.size(); ++c) // parents before children
                isBetter = sweepChildren(c) || isBetter;
            if (!isBetter || m_plan.isCancelled()) break;
        }
    }

  private:
    /// A link of the parent to (or from) a port of a child.
    struct Passage {
        std::uint64_t outside = 0; ///< where its other end stands in the layer next to the child
        std::uint32_t place = 0;   ///< of the port, in the child
    };

    ColumnGraph& graphOf(std::uint32_t container) { return m_columns[container][m_column]; }

    void number(std::uint32_t container) {
        const LayerGraph& layers = graphOf(container).layers;
        std::vector<std::uint32_t>& position = m_position[container];
        position.resize(layers.places.size());
        for (const std::vector<std::uint32_t>& layer : layers.layers)
            for (std::uint32_t i = 0; i < layer.size(); ++i)
                position[layer[i]] = i;
    }

    void collectLinks(std::uint32_t container) {
        const std::vector<ColumnGraph::LinkPorts>& ports = graphOf(container).linkPorts;
        for (std::uint32_t l = 0; l < ports.size(); ++l) {
            if (ports[l].lower != kNoIndex) m_top[m_plan.ports[ports[l].lower].container].push_back(l);
            if (ports[l].upper != kNoIndex) m_bottom[m_plan.ports[ports[l].upper].container].push_back(l);
        }
    }

    /// Down the ranks of a container and, where that changed anything, up again.
    bool sweepChildren(std::uint32_t container) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> children; // by rank
        for (const std::uint32_t child : m_plan.containers[container].children)
            if (const Part& part = m_plan.containers[child].parts[m_column]; part.isUsed)
                children.emplace_back(m_plan.units[part.unit].rank, child);
        std::sort(children.begin(), children.end());
        bool isBetter = false;
        for (const auto& [rank, child] : children)
            isBetter = order(child) || isBetter;
        for (std::size_t i = children.size(); isBetter && i-- > 0;)
            isBetter = order(children[i].second) || isBetter;
        return isBetter;
    }

    std::uint32_t placeOfPort(std::uint32_t port) {
        return graphOf(m_plan.ports[port].container).placeOf({kNoIndex, port});
    }

    /// Where an end of a link stands: ends at one child follow its ports.
    std::uint64_t standOf(std::uint32_t container, std::uint32_t place, std::uint32_t port) {
        std::uint64_t inside = 0;
        if (port != kNoIndex) inside = m_position[m_plan.ports[port].container][placeOfPort(port)];
        return (std::uint64_t{m_position[container][place]} << 32U) | inside;
    }

    /// The passages of one side of a child, from left to right outside.
    std::vector<Passage> passages(std::uint32_t child, bool isTop) {
        const std::uint32_t parent = m_plan.containers[child].parent;
        const ColumnGraph& around = graphOf(parent);
        std::vector<Passage> list;
        for (const std::uint32_t l : isTop ? m_top[child] : m_bottom[child]) {
            const LayerGraph::Link& link = around.layers.links[l];
            const ColumnGraph::LinkPorts& ports = around.linkPorts[l];
            list.push_back(isTop
                               ? Passage{standOf(parent, link.upper, ports.upper), placeOfPort(ports.lower)}
                               : Passage{standOf(parent, link.lower, ports.lower), placeOfPort(ports.upper)});
        }
        std::sort(list.begin(), list.end(), [&](const Passage& a, const Passage& b) {
            return std::pair(a.outside, a.place) < std::pair(b.outside, b.place);
        });
        return list;
    }

    [[nodiscard]] bool hasCrossing(std::uint32_t child, const std::vector<Passage>& list) const {
        const std::vector<std::uint32_t>& position = m_position[child];
        std::uint32_t rightmost = 0; // of the passages whose other end stands further left
        for (std::size_t i = 0, end = 0; i < list.size(); i = end) {
            for (end = i; end < list.size() && list[end].outside == list[i].outside; ++end)
                if (position[list[end].place] < rightmost) return true;
            for (std::size_t k = i; k < end; ++k)
                rightmost = std::max(rightmost, position[list[k].place]);
        }
        return false;
    }

    /// Whether a better order between the block's surroundings was found.
    bool order(std::uint32_t child) {
        const std::vector<Passage> top = passages(child, true), bottom = passages(child, false);
        if (!hasCrossing(child, top) && !hasCrossing(child, bottom)) return false;
        LayerGraph& own = graphOf(child).layers;
        LayerGraph block = surrounded(own, top, bottom);
        const std::uint64_t before = countCrossings(block);
        const OrderingResult result = m_memo.order(block, m_plan.options.sweeps, m_plan.options.isCancelled);
        m_plan.counters.sweepVisits += result.visits;
        if (result.crossings >= before) return false;
        for (std::size_t l = 0; l < own.layers.size(); ++l)
            own.layers[l] = std::move(block.layers[l + 1]);
        number(child);
        return true;
    }

    /// The block between a layer of what stands above it and one of what stands below it.
    static LayerGraph surrounded(const LayerGraph& own, const std::vector<Passage>& top,
                                 const std::vector<Passage>& bottom) {
        LayerGraph block;
        block.places = own.places;
        for (LayerGraph::Place& place : block.places)
            ++place.layer;
        block.links = own.links;
        block.holdsFirst = block.holdsLast = true;
        block.layers.emplace_back();
        block.layers.insert(block.layers.end(), own.layers.begin(), own.layers.end());
        block.layers.emplace_back();
        const auto surround = [&](const std::vector<Passage>& list, std::uint32_t layer) {
            std::uint32_t outside = 0;
            for (std::size_t i = 0; i < list.size(); ++i) {
                if (i == 0 || list[i].outside != list[i - 1].outside) {
                    outside = static_cast<std::uint32_t>(block.places.size());
                    LayerGraph::Place place;
                    place.layer = layer;
                    block.places.push_back(place);
                    block.layers[layer].push_back(outside);
                }
                block.links.push_back(layer == 0 ? LayerGraph::Link{outside, list[i].place}
                                                 : LayerGraph::Link{list[i].place, outside});
            }
        };
        surround(top, 0);
        surround(bottom, static_cast<std::uint32_t>(block.layers.size() - 1));
        block.connect();
        return block;
    }

    Plan& m_plan;
    std::vector<ContainerColumns>& m_columns;
    std::uint8_t m_column;
    OrderMemo& m_memo;
    std::vector<std::vector<std::uint32_t>> m_position;      ///< by container and place
    std::vector<std::vector<std::uint32_t>> m_top, m_bottom; ///< by child: links of its parent
};

} // namespace

void agreeOnPorts(Plan& plan, std::vector<ContainerColumns>& columns, OrderMemo& memo) {
    const bool hasGroups = std::any_of(plan.containers.begin(), plan.containers.end(),
                                       [](const Container& c) { return !c.children.empty(); });
    if (!hasGroups) return;
    for (std::uint8_t k = 0; k < kColumnCount; ++k)
        PortAgreement(plan, columns, k, memo).run();
}

} // namespace secateur
