// SPDX-License-Identifier: Apache-2.0
#include "core/layout/ordering.h"

#include "core/layout/layer_band.h"
#include "core/layout/path_insertion.h"

#include <algorithm>
#include <set>

namespace secateur {
namespace {

class Sweeper {
  public:
    explicit Sweeper(LayerGraph& graph) : m_graph(graph), m_position(graph.places.size()) {
        for (std::uint32_t l = 0; l < graph.layers.size(); ++l)
            number(l);
    }

    /// Places take the order in which a walk down from the first place of the topmost layers meets them,
    /// along the longest chain first: the spine of a network comes to stand at the left, its side branches
    /// beside it.
    /// `isDown` false: from below upward.
    void orderDepthFirst(bool isDown) {
        const std::vector<std::uint32_t>& start = isDown ? m_graph.downStart : m_graph.upStart;
        const std::vector<std::uint32_t>& list = isDown ? m_graph.down : m_graph.up;
        const std::vector<std::uint32_t>& reach = isDown ? m_graph.reachDown : m_graph.reachUp;
        const auto isLonger = [&](std::uint32_t a, std::uint32_t b) { return reach[a] > reach[b]; };
        std::vector<bool> seen(m_graph.places.size(), false);
        std::vector<std::vector<std::uint32_t>> fresh(m_graph.layers.size());
        std::vector<std::uint32_t> stack;
        std::vector<std::uint32_t> roots;
        for (std::size_t l = 0; l < m_graph.layers.size(); ++l) {
            roots = m_graph.layers[isDown ? l : m_graph.layers.size() - 1 - l];
            std::stable_sort(roots.begin(), roots.end(), isLonger);
            for (const std::uint32_t root : roots) {
                if (seen[root]) continue;
                stack.push_back(root);
                while (!stack.empty()) {
                    const std::uint32_t place = stack.back();
                    stack.pop_back();
                    if (seen[place]) continue;
                    seen[place] = true;
                    fresh[m_graph.places[place].layer].push_back(place);
                    m_scratch.assign(list.begin() + start[place], list.begin() + start[place + 1]);
                    std::stable_sort(m_scratch.begin(), m_scratch.end(), isLonger);
                    stack.insert(stack.end(), m_scratch.rbegin(), m_scratch.rend());
                }
            }
        }
        for (std::size_t l = 0; l < fresh.size(); ++l)
            if (m_graph.isHeld(l)) fresh[l] = m_graph.layers[l];
        take(fresh);
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
            if (m_graph.isHeld(l)) continue;
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
        return crossingsTo(left, right, m_graph.upStart, m_graph.up, m_graph.upWeight) +
               crossingsTo(left, right, m_graph.downStart, m_graph.down, m_graph.downWeight);
    }

    std::uint64_t crossingsTo(std::uint32_t left, std::uint32_t right,
                              const std::vector<std::uint32_t>& start, const std::vector<std::uint32_t>& list,
                              const std::vector<std::uint32_t>& weight) {
        if (start[left] == start[left + 1] || start[right] == start[right + 1]) return 0;
        const auto ends = [&](std::uint32_t place, std::vector<End>& out) {
            out.clear();
            for (std::uint32_t k = start[place]; k < start[place + 1]; ++k)
                out.push_back({m_position[list[k]], weight[k]});
            std::sort(out.begin(), out.end(), [](const End& a, const End& b) { return a.at < b.at; });
            m_visits += out.size();
        };
        ends(left, m_leftEnds);
        ends(right, m_rightEnds);
        std::uint64_t count = 0, before = 0;
        std::size_t next = 0; // of `right`'s ends, those left of the present end of `left`
        for (const End& end : m_leftEnds) {
            for (; next < m_rightEnds.size() && m_rightEnds[next].at < end.at; ++next)
                before += m_rightEnds[next].weight;
            count += before * end.weight;
        }
        return count;
    }

    void number(std::uint32_t layer) {
        const std::vector<std::uint32_t>& places = m_graph.layers[layer];
        for (std::uint32_t i = 0; i < places.size(); ++i)
            m_position[places[i]] = i;
    }

    /// The median of the neighbours' positions, in which an even number of them leans to the denser side;
    /// below 0 without neighbours.
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
        if (m_graph.isHeld(layer)) return;
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

    struct End {
        std::uint32_t at = 0;
        std::uint32_t weight = 0;
    };
    struct Movable {
        double median;
        std::uint32_t place;
    };
    LayerGraph& m_graph;
    std::vector<std::uint32_t> m_position;
    std::vector<std::uint32_t> m_scratch;
    std::vector<End> m_leftEnds, m_rightEnds;
    std::vector<Movable> m_movable;
    std::vector<bool> m_fixed;
    std::uint64_t m_visits = 0;
};

constexpr std::size_t kSmallGraph = 3000;     ///< places of a graph that more time is spent on
constexpr std::uint32_t kSmallFactor = 4;     ///< times as many sweeps
constexpr std::uint32_t kPatience = 8;        ///< sweeps without a gain before giving up
constexpr int kMostExchanges = 4;             ///< rounds of exchanges after a sweep
constexpr std::uint32_t kPolishPatience = 6;  ///< rounds without a gain before giving up
constexpr std::uint64_t kPolishBudget = 2000; ///< visits by polish() for a place of a small graph

constexpr std::uint64_t kHopelessCrossings = 8; ///< of each edge, after sweeps
constexpr std::uint32_t kHopelessSweeps = 3;    ///< by then it shows; a few more are made
constexpr std::uint64_t kHopelessPart = 8;      ///< of the budget is spent then

constexpr int kStarts = 2;         ///< of a small graph after the first
constexpr int kShuffledStarts = 4; ///< of a band after these
constexpr std::size_t kBandLayers = 12;
constexpr std::uint64_t kBandBudget = 1000; ///< as kPolishBudget, from each start of a band

/// The same numbers everywhere (splitmix64).
class Dice {
  public:
    explicit Dice(std::uint64_t seed) : m_state(seed) {}
    std::size_t below(std::size_t count) {
        std::uint64_t z = m_state += 0x9E3779B97F4A7C15U;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return static_cast<std::size_t>((z ^ (z >> 31U)) % count);
    }

  private:
    std::uint64_t m_state;
};

/// Orders one graph from several starts and keeps the best.
class Orderer {
  public:
    Orderer(LayerGraph& graph, std::uint32_t sweeps, const std::function<bool()>& isCancelled,
            bool isBand = false)
        : m_graph(graph), m_sweeper(graph), m_sweeps(sweeps), m_isCancelled(isCancelled),
          m_given(graph.layers), m_isSmall(graph.places.size() <= kSmallGraph), m_isBand(isBand) {
        refill();
    }

    OrderingResult run() {
        if (!startsAsGiven()) m_sweeper.orderDepthFirst(true);
        m_result.crossings = countCrossings(m_graph);
        m_best = m_graph.layers;
        improve();
        if (isHopeless()) {
            m_budget /= kHopelessPart;
            polish();
            return finish();
        }
        polish();
        const int starts = m_isBand ? kStarts + kShuffledStarts : m_isSmall ? kStarts : 0;
        for (int start = 0; start < starts && m_result.crossings > 0 && !mustStop(); ++start) {
            if (m_isBand) refill();
            tryFrom(start);
        }
        if (m_isSmall && !m_isBand) refineBands();
        return finish();
    }

  private:
    OrderingResult finish() {
        m_graph.layers.swap(m_best);
        m_result.visits = m_sweeper.visits() + m_polished;
        m_result.sweeps = m_swept;
        return m_result;
    }

    /// Where every edge crosses many others, as among edges drawn by lot, no order can be read, and all
    /// the work that orders of networks are worth would gain a few hundredths.
    [[nodiscard]] bool isHopeless() const {
        return m_result.crossings > kHopelessCrossings * m_graph.down.size();
    }

    [[nodiscard]] bool mustStop() const { return m_isCancelled && m_isCancelled(); }

    /// Sweeps from the order at hand, as long as it gets better.
    void improve() {
        const std::uint32_t most = 2 * m_sweeps * (m_isSmall ? kSmallFactor : 1);
        const int exchanges = m_isSmall ? 2 * kMostExchanges : kMostExchanges;
        std::uint32_t sinceBetter = 0;
        for (std::uint32_t s = 0; s < most && m_result.crossings > 0 && sinceBetter < kPatience; ++s) {
            if (mustStop()) break;
            const bool isSpent = s >= kHopelessSweeps && isHopeless();
            if (isSpent && s >= 2 * kHopelessSweeps) break;
            ++m_swept;
            const bool turnsTies = s % 4 >= 2;
            s % 2 == 0 ? m_sweeper.sweepDown(turnsTies) : m_sweeper.sweepUp(turnsTies);
            for (int round = 0; round < (isSpent ? 1 : exchanges) && !mustStop(); ++round)
                if (!m_sweeper.exchangeNeighbours(turnsTies)) break;
            const std::uint64_t crossings = countCrossings(m_graph);
            ++sinceBetter;
            if (crossings >= m_result.crossings) continue;
            m_result.crossings = crossings;
            m_best = m_graph.layers;
            sinceBetter = 0;
        }
    }

    /// A block among others starts as it stands.
    [[nodiscard]] bool startsAsGiven() const { return m_isBand || m_graph.holdsFirst || m_graph.holdsLast; }

    void refill() {
        m_budget = (m_isBand ? kBandBudget : kPolishBudget) * std::min(m_graph.places.size(), kSmallGraph);
    }

    /// What is left to cross does so in few places: there some layers are ordered anew, between those around
    /// them, from more starts than the whole could be.
    void refineBands() {
        m_graph.layers = m_best;
        std::vector<std::uint32_t> scratch;
        std::set<std::uint64_t> hopeless;
        for (std::size_t first = 0; first + 1 < m_best.size(); first += kBandLayers / 2) {
            if (m_result.crossings == 0 || mustStop()) break;
            LayerBand band =
                bandOf(m_graph, first, std::min(first + kBandLayers, m_best.size() - 1), scratch);
            const std::uint64_t before = countCrossings(band.graph);
            if (before == 0) continue;
            const std::uint64_t hash = hashOf(band);
            if (hopeless.count(hash) > 0) continue; // layers of a network are like each other
            const OrderingResult result = Orderer(band.graph, m_sweeps, m_isCancelled, true).run();
            m_polished += result.visits;
            if (result.crossings >= before) {
                hopeless.insert(hash);
                continue;
            }
            m_result.crossings -= before - result.crossings;
            for (std::size_t l = 0; l < band.graph.layers.size(); ++l)
                for (std::size_t i = 0; i < band.graph.layers[l].size(); ++i)
                    m_graph.layers[first + l][i] = band.whole[band.graph.layers[l][i]];
        }
        m_best = m_graph.layers;
    }

    void shuffle(int start) {
        Dice dice(static_cast<std::uint64_t>(start));
        std::vector<std::vector<std::uint32_t>> layers = m_given;
        for (std::size_t l = 0; l < layers.size(); ++l)
            for (std::size_t i = layers[l].size(); i > 1 && !m_graph.isHeld(l); --i)
                std::swap(layers[l][i - 1], layers[l][dice.below(i)]);
        m_sweeper.take(layers);
    }

    /// From the given order (or, where that was the first, from a walk from above), from a walk from below,
    /// and from shuffled ones.
    void tryFrom(int start) {
        OrderingResult best = m_result;
        std::vector<std::vector<std::uint32_t>> layers = m_best;
        m_sweeper.take(m_given);
        if (start >= kStarts)
            shuffle(start);
        else if (start == 1 || startsAsGiven())
            m_sweeper.orderDepthFirst(start == 0);
        m_result.crossings = countCrossings(m_graph);
        m_best = m_graph.layers;
        improve();
        polish();
        if (m_result.crossings < best.crossings) return;
        m_result = best;
        m_best.swap(layers);
    }

    /// Puts paths elsewhere, also where that is no worse, as long as it gets better.
    void polish() {
        const std::uint64_t allowed = m_budget;
        m_graph.layers = m_best;
        for (std::uint32_t round = 0, sinceBetter = 0; sinceBetter < kPolishPatience;
             ++round, ++sinceBetter) {
            if (m_result.crossings == 0 || m_budget == 0 || mustStop()) break;
            constexpr PathTies kTies[] = {PathTies::stay, PathTies::left, PathTies::stay, PathTies::right};
            const std::uint64_t saved = reinsertPaths(m_graph, kTies[round % 4], m_budget, m_isCancelled);
            if (saved == 0) continue;
            m_result.crossings -= saved;
            m_best = m_graph.layers;
            sinceBetter = 0;
        }
        m_sweeper.take(m_best);
        m_polished += allowed - m_budget;
    }

    LayerGraph& m_graph;
    Sweeper m_sweeper;
    std::uint32_t m_sweeps;
    const std::function<bool()>& m_isCancelled;
    std::vector<std::vector<std::uint32_t>> m_given, m_best;
    OrderingResult m_result;
    bool m_isSmall;
    bool m_isBand;                ///< of a larger graph
    std::uint64_t m_budget = 0;   ///< for polish()
    std::uint64_t m_polished = 0; ///< visits by it
    std::uint32_t m_swept = 0;
};

} // namespace

OrderingResult orderLayers(LayerGraph& graph, std::uint32_t sweeps,
                           const std::function<bool()>& isCancelled) {
    return Orderer(graph, sweeps, isCancelled).run();
}

} // namespace secateur
