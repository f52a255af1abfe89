// SPDX-License-Identifier: Apache-2.0
#include "core/layout/ordering.h"

#include <algorithm>
#include <numeric>

namespace secateur {
namespace {

void fill(std::vector<std::uint32_t>& start, std::vector<std::uint32_t>& list, std::size_t count,
          const std::vector<LayerGraph::Link>& links, bool byUpper) {
    start.assign(count + 1, 0);
    for (const LayerGraph::Link& link : links)
        ++start[(byUpper ? link.upper : link.lower) + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    list.resize(links.size());
    std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
    for (const LayerGraph::Link& link : links) {
        list[next[byUpper ? link.upper : link.lower]++] = byUpper ? link.lower : link.upper;
    }
}

class Sweeper {
  public:
    explicit Sweeper(LayerGraph& graph) : m_graph(graph), m_position(graph.places.size()) {
        for (std::uint32_t l = 0; l < graph.layers.size(); ++l)
            number(l);
    }

    /// Places take the order in which a walk down from the first place of the topmost layers meets them,
    /// along the longest chain first: the spine of a network comes to stand at the left, its side branches
    /// beside it.
    void orderDepthFirst() {
        std::vector<bool> seen(m_graph.places.size(), false);
        std::vector<std::vector<std::uint32_t>> fresh(m_graph.layers.size());
        std::vector<std::uint32_t> stack;
        for (const std::vector<std::uint32_t>& layer : m_graph.layers) {
            for (const std::uint32_t root : layer) {
                if (seen[root]) continue;
                stack.push_back(root);
                while (!stack.empty()) {
                    const std::uint32_t place = stack.back();
                    stack.pop_back();
                    if (seen[place]) continue;
                    seen[place] = true;
                    fresh[m_graph.places[place].layer].push_back(place);
                    m_scratch.assign(m_graph.down.begin() + m_graph.downStart[place],
                                     m_graph.down.begin() + m_graph.downStart[place + 1]);
                    std::stable_sort(m_scratch.begin(), m_scratch.end(),
                                     [&](std::uint32_t a, std::uint32_t b) {
                                         return m_graph.reachDown[a] > m_graph.reachDown[b];
                                     });
                    stack.insert(stack.end(), m_scratch.rbegin(), m_scratch.rend());
                }
            }
        }
        m_graph.layers.swap(fresh);
        for (std::uint32_t l = 0; l < m_graph.layers.size(); ++l)
            number(l);
    }

    /// `turnsTies`: places that want to stand at one spot change their order.
    void sweepDown(bool turnsTies) {
        for (std::uint32_t l = 1; l < m_graph.layers.size(); ++l)
            sortLayer(l, m_graph.upStart, m_graph.up, turnsTies);
    }
    void sweepUp(bool turnsTies) {
        for (std::size_t l = m_graph.layers.size(); l-- > 1;) {
            sortLayer(static_cast<std::uint32_t>(l - 1), m_graph.downStart, m_graph.down, turnsTies);
        }
    }
    /// Exchanges neighbours in a layer where that saves crossings with the layers above and below, and where
    /// it costs none if `alsoEqual`. Returns whether any were saved.
    bool exchangeNeighbours(bool alsoEqual) {
        bool isBetter = false;
        for (std::uint32_t l = 0; l < m_graph.layers.size(); ++l) {
            std::vector<std::uint32_t>& places = m_graph.layers[l];
            for (std::size_t i = 1; i < places.size(); ++i) {
                const std::uint64_t now = crossings(places[i - 1], places[i]);
                if (now == 0) continue;
                const std::uint64_t then = crossings(places[i], places[i - 1]);
                if (then > now || (then == now && !alsoEqual)) continue;
                std::swap(places[i - 1], places[i]);
                m_position[places[i - 1]] = static_cast<std::uint32_t>(i - 1);
                m_position[places[i]] = static_cast<std::uint32_t>(i);
                isBetter = isBetter || then < now;
            }
        }
        return isBetter;
    }

    void take(const std::vector<std::vector<std::uint32_t>>& layers) {
        m_graph.layers = layers;
        for (std::uint32_t l = 0; l < m_graph.layers.size(); ++l)
            number(l);
    }
    std::uint64_t visits() const { return m_visits; }

  private:
    /// Crossings between the links of `left` and of `right` when they stand in this order.
    std::uint64_t crossings(std::uint32_t left, std::uint32_t right) {
        return crossingsTo(left, right, m_graph.upStart, m_graph.up) +
               crossingsTo(left, right, m_graph.downStart, m_graph.down);
    }

    std::uint64_t crossingsTo(std::uint32_t left, std::uint32_t right,
                              const std::vector<std::uint32_t>& start,
                              const std::vector<std::uint32_t>& list) {
        if (start[left] == start[left + 1] || start[right] == start[right + 1]) return 0;
        const auto positions = [&](std::uint32_t place, std::vector<std::uint32_t>& out) {
            out.clear();
            for (std::uint32_t k = start[place]; k < start[place + 1]; ++k)
                out.push_back(m_position[list[k]]);
            std::sort(out.begin(), out.end());
            m_visits += out.size();
        };
        positions(left, m_scratch);
        positions(right, m_other);
        std::uint64_t count = 0;
        std::size_t lower = 0; // of `right`'s ends, those left of the present end of `left`
        for (const std::uint32_t end : m_scratch) {
            while (lower < m_other.size() && m_other[lower] < end)
                ++lower;
            count += lower;
        }
        return count;
    }

    void number(std::uint32_t layer) {
        const std::vector<std::uint32_t>& places = m_graph.layers[layer];
        for (std::uint32_t i = 0; i < places.size(); ++i)
            m_position[places[i]] = i;
    }

    /// Twice the weighted median of the neighbours' positions; an even number of neighbours leans to the
    /// denser side.
    double medianOf(std::uint32_t place, const std::vector<std::uint32_t>& start,
                    const std::vector<std::uint32_t>& list) {
        m_scratch.clear();
        for (std::uint32_t k = start[place]; k < start[place + 1]; ++k)
            m_scratch.push_back(m_position[list[k]]);
        m_visits += m_scratch.size() + 1;
        if (m_scratch.empty()) return -1;
        std::sort(m_scratch.begin(), m_scratch.end());
        const std::size_t n = m_scratch.size();
        const std::size_t mid = n / 2;
        if (n % 2 == 1) return m_scratch[mid];
        if (n == 2) return (m_scratch[0] + m_scratch[1]) / 2.0;
        const double left = m_scratch[mid - 1] - m_scratch[0];
        const double right = m_scratch[n - 1] - m_scratch[mid];
        if (left + right == 0) return (m_scratch[mid - 1] + m_scratch[mid]) / 2.0;
        return (m_scratch[mid - 1] * right + m_scratch[mid] * left) / (left + right);
    }

    /// Sorts the places that have neighbours by their medians; the others keep their positions.
    void sortLayer(std::uint32_t layer, const std::vector<std::uint32_t>& start,
                   const std::vector<std::uint32_t>& list, bool turnsTies) {
        std::vector<std::uint32_t>& places = m_graph.layers[layer];
        m_movable.clear();
        m_fixed.assign(places.size(), false);
        for (std::uint32_t i = 0; i < places.size(); ++i) {
            const double median = medianOf(places[i], start, list);
            if (median < 0) {
                m_fixed[i] = true;
            } else {
                m_movable.push_back({median, places[i]});
            }
        }
        if (turnsTies) std::reverse(m_movable.begin(), m_movable.end());
        std::stable_sort(m_movable.begin(), m_movable.end(),
                         [](const Movable& a, const Movable& b) { return a.median < b.median; });
        std::size_t next = 0;
        for (std::uint32_t i = 0; i < places.size(); ++i) {
            if (!m_fixed[i]) places[i] = m_movable[next++].place;
        }
        number(layer);
    }

    struct Movable {
        double median;
        std::uint32_t place;
    };
    LayerGraph& m_graph;
    std::vector<std::uint32_t> m_position;
    std::vector<std::uint32_t> m_scratch, m_other;
    std::vector<Movable> m_movable;
    std::vector<bool> m_fixed;
    std::uint64_t m_visits = 0;
};

/// Inversions among the lower ends of links taken from left to right, counted with a Fenwick tree.
std::uint64_t crossingsBelow(const LayerGraph& graph, std::uint32_t layer,
                             const std::vector<std::uint32_t>& position, std::vector<std::uint32_t>& tree) {
    const std::size_t width = graph.layers[layer + 1].size();
    tree.assign(width + 1, 0);
    std::uint64_t crossings = 0;
    std::uint64_t added = 0;
    std::vector<std::uint32_t> ends;
    for (const std::uint32_t place : graph.layers[layer]) {
        ends.clear();
        for (std::uint32_t k = graph.downStart[place]; k < graph.downStart[place + 1]; ++k) {
            ends.push_back(position[graph.down[k]]);
        }
        for (const std::uint32_t end : ends) {
            std::uint64_t notRight = 0;
            for (std::uint32_t i = end + 1; i > 0; i -= i & (~i + 1))
                notRight += tree[i];
            crossings += added - notRight;
        }
        for (const std::uint32_t end : ends) {
            for (std::uint32_t i = end + 1; i <= width; i += i & (~i + 1))
                ++tree[i];
        }
        added += ends.size();
    }
    return crossings;
}

} // namespace

void LayerGraph::connect() {
    fill(downStart, down, places.size(), links, true);
    fill(upStart, up, places.size(), links, false);
    reachUp.assign(places.size(), 0);
    reachDown.assign(places.size(), 0);
    for (const std::vector<std::uint32_t>& layer : layers) {
        for (const std::uint32_t p : layer) {
            for (std::uint32_t k = upStart[p]; k < upStart[p + 1]; ++k) {
                reachUp[p] = std::max(reachUp[p], reachUp[up[k]]);
            }
            reachUp[p] += places[p].weight;
        }
    }
    for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
        for (const std::uint32_t p : *layer) {
            for (std::uint32_t k = downStart[p]; k < downStart[p + 1]; ++k) {
                reachDown[p] = std::max(reachDown[p], reachDown[down[k]]);
            }
            reachDown[p] += places[p].weight;
        }
    }
}

std::uint64_t countCrossings(const LayerGraph& graph) {
    std::vector<std::uint32_t> position(graph.places.size());
    for (const std::vector<std::uint32_t>& layer : graph.layers) {
        for (std::uint32_t i = 0; i < layer.size(); ++i)
            position[layer[i]] = i;
    }
    std::uint64_t crossings = 0;
    std::vector<std::uint32_t> tree;
    for (std::uint32_t l = 0; l + 1 < graph.layers.size(); ++l)
        crossings += crossingsBelow(graph, l, position, tree);
    return crossings;
}

namespace {

constexpr std::size_t kSmallGraph = 3000; ///< places of a graph that more time is spent on
constexpr std::uint32_t kSmallFactor = 4; ///< times as many sweeps
constexpr std::uint32_t kPatience = 8;    ///< sweeps without a gain before giving up
constexpr int kMostExchanges = 4;         ///< rounds of exchanges after a sweep

/// Sweeps from the order that `sweeper` has, as long as it gets better.
void improve(LayerGraph& graph, Sweeper& sweeper, std::uint32_t sweeps, OrderingResult& result,
             std::vector<std::vector<std::uint32_t>>& best) {
    const bool isSmall = graph.places.size() <= kSmallGraph;
    const std::uint32_t most = 2 * sweeps * (isSmall ? kSmallFactor : 1);
    const int exchanges = isSmall ? 2 * kMostExchanges : kMostExchanges;
    std::uint32_t sinceBetter = 0;
    for (std::uint32_t s = 0; s < most && result.crossings > 0 && sinceBetter < kPatience; ++s) {
        const bool turnsTies = s % 4 >= 2;
        s % 2 == 0 ? sweeper.sweepDown(turnsTies) : sweeper.sweepUp(turnsTies);
        for (int round = 0; round < exchanges && sweeper.exchangeNeighbours(turnsTies); ++round) {
        }
        const std::uint64_t crossings = countCrossings(graph);
        ++sinceBetter;
        if (crossings >= result.crossings) continue;
        result.crossings = crossings;
        best = graph.layers;
        sinceBetter = 0;
    }
}

} // namespace

OrderingResult orderLayers(LayerGraph& graph, std::uint32_t sweeps) {
    OrderingResult result;
    const std::vector<std::vector<std::uint32_t>> given = graph.layers;
    Sweeper sweeper(graph);
    sweeper.orderDepthFirst();
    result.crossings = countCrossings(graph);
    std::vector<std::vector<std::uint32_t>> best = graph.layers;
    improve(graph, sweeper, sweeps, result, best);
    if (result.crossings > 0 && graph.places.size() <= kSmallGraph) {
        sweeper.take(given);
        if (const std::uint64_t crossings = countCrossings(graph); crossings < result.crossings) {
            result.crossings = crossings;
            best = given;
        }
        improve(graph, sweeper, sweeps, result, best);
    }
    graph.layers.swap(best);
    result.visits = sweeper.visits();
    return result;
}

} // namespace secateur
