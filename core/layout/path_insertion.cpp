// SPDX-License-Identifier: Apache-2.0
#include "core/layout/path_insertion.h"

#include <algorithm>
#include <limits>

namespace secateur {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFU;
constexpr std::uint64_t kAskEvery = 100000; ///< visits: a few milliseconds
/// One crossing outweighs any preference among equal ways.
constexpr std::int64_t kCrossing = std::int64_t{1} << 32U;
constexpr double kMostCrossings =
    1U << 28U; ///< of a path: sums of a few of these stay below 2^63 / kCrossing

class PathInserter {
  public:
    PathInserter(LayerGraph& graph, PathTies ties, std::uint64_t& budget)
        : m_graph(graph), m_ties(ties), m_budget(budget), m_position(graph.places.size()),
          m_next(graph.places.size(), kNone), m_isHead(graph.places.size(), true) {
        for (std::uint32_t l = 0; l < graph.layers.size(); ++l)
            number(l);
        countLinks();
        joinPaths();
    }

    std::uint64_t run(const std::function<bool()>& isCancelled) {
        std::uint64_t saved = 0;
        std::uint64_t askAt = m_budget;
        for (std::uint32_t p = 0; p < m_next.size() && m_budget > 0; ++p) {
            if (!m_isHead[p] || m_graph.isHeld(layerOf(p))) continue;
            if (m_budget <= askAt) { // also at the first path
                if (isCancelled && isCancelled()) break;
                askAt = m_budget - std::min(m_budget, kAskEvery);
            }
            m_path.clear();
            for (std::uint32_t q = p; q != kNone; q = m_next[q])
                m_path.push_back(q);
            if (isAffordable()) saved += reinsert();
        }
        return saved;
    }

  private:
    /// Candidate positions of a path's place among the other places of its layer.
    struct Window {
        std::uint32_t first = 0;
        std::uint32_t count = 0;   ///< first .. first + count - 1
        std::uint32_t present = 0; ///< where it stands now, counted from `first`
    };
    struct Link {
        std::uint32_t upper = 0, lower = 0; ///< positions without the path's places
        std::int64_t weight = 0;
    };

    void number(std::uint32_t layer) {
        const std::vector<std::uint32_t>& places = m_graph.layers[layer];
        for (std::uint32_t i = 0; i < places.size(); ++i)
            m_position[places[i]] = i;
    }

    /// m_linksBelow, m_weightBelow: by layer, of the links to the next one.
    void countLinks() {
        m_linksBelow.assign(m_graph.layers.size() + 1, 0);
        m_weightBelow.assign(m_graph.layers.size() + 1, 0);
        for (std::uint32_t p = 0; p < m_graph.places.size(); ++p)
            for (std::uint32_t k = m_graph.downStart[p]; k < m_graph.downStart[p + 1]; ++k) {
                m_linksBelow[layerOf(p)] += 1;
                m_weightBelow[layerOf(p)] += m_graph.downWeight[k];
            }
    }

    /// Whether the path can be put elsewhere within the budget, and its crossings counted in the bits that
    /// there are for them. A hub of ten thousand edges among ten thousand others can not: it stays.
    bool isAffordable() {
        double visits = 0, crossings = 0;
        for (const std::uint32_t p : m_path) {
            const std::uint32_t layer = layerOf(p);
            const auto add = [&](const std::vector<std::uint32_t>& start,
                                 const std::vector<std::uint32_t>& weights, std::uint32_t gap) {
                double own = 0;
                for (std::uint32_t k = start[p]; k < start[p + 1]; ++k)
                    own += weights[k];
                visits += (1.0 + (start[p + 1] - start[p])) * m_linksBelow[gap];
                crossings += own * m_weightBelow[gap];
            };
            if (layer > 0) add(m_graph.upStart, m_graph.upWeight, layer - 1);
            add(m_graph.downStart, m_graph.downWeight, layer);
        }
        use(m_path.size());
        return visits <= static_cast<double>(m_budget) && crossings < kMostCrossings;
    }

    /// Every place goes on to one lower neighbour that no other path has: along a long edge if it can, else
    /// along the longest chain.
    void joinPaths() {
        for (const std::vector<std::uint32_t>& layer : m_graph.layers)
            for (const bool isVirtual : {true, false})
                for (const std::uint32_t p : layer)
                    if (m_graph.isVirtual(p) == isVirtual) join(p);
    }
    void join(std::uint32_t p) {
        if (m_graph.isHeld(layerOf(p))) return;
        std::uint32_t best = kNone;
        const auto isBetter = [&](std::uint32_t a, std::uint32_t b) {
            if (m_graph.isVirtual(a) != m_graph.isVirtual(b)) return m_graph.isVirtual(a);
            return m_graph.reachDown[a] > m_graph.reachDown[b];
        };
        for (std::uint32_t k = m_graph.downStart[p]; k < m_graph.downStart[p + 1]; ++k) {
            const std::uint32_t q = m_graph.down[k];
            if (m_isHead[q] && !m_graph.isHeld(layerOf(q)) && (best == kNone || isBetter(q, best))) best = q;
        }
        if (best == kNone) return;
        m_next[p] = best;
        m_isHead[best] = false;
    }

    [[nodiscard]] std::uint32_t layerOf(std::uint32_t place) const { return m_graph.places[place].layer; }
    /// The path's place in a layer, if any.
    [[nodiscard]] std::uint32_t pathAt(std::uint32_t layer) const {
        const std::uint32_t top = layerOf(m_path.front());
        return layer >= top && layer - top < m_path.size() ? m_path[layer - top] : kNone;
    }
    /// Position of a place when the path is taken out.
    [[nodiscard]] std::uint32_t without(std::uint32_t place) const {
        const std::uint32_t own = pathAt(layerOf(place));
        const std::uint32_t at = m_position[place];
        return own != kNone && m_position[own] < at ? at - 1 : at;
    }

    [[nodiscard]] Window windowOf(std::uint32_t place) const {
        const auto width = static_cast<std::uint32_t>(m_graph.layers[layerOf(place)].size());
        const std::uint32_t at = m_position[place];
        Window w;
        w.first = at > kPathWindow ? at - kPathWindow : 0;
        w.count = std::min(width - 1, at + kPathWindow) - w.first + 1;
        w.present = at - w.first;
        return w;
    }

    /// Links between a layer and the next that do not end at the path; `upperOwn`, `lowerOwn`: those that do,
    /// with the position of their other end. The path's own link is in none.
    void collectLinks(std::uint32_t upperLayer) {
        m_others.clear();
        m_upperOwn.clear();
        m_lowerOwn.clear();
        m_ownWeight = 0;
        const std::uint32_t up = pathAt(upperLayer), low = pathAt(upperLayer + 1);
        for (const std::uint32_t p : m_graph.layers[upperLayer]) {
            const std::uint32_t at = without(p);
            for (std::uint32_t k = m_graph.downStart[p]; k < m_graph.downStart[p + 1]; ++k) {
                const std::uint32_t q = m_graph.down[k];
                const Link link{at, without(q), m_graph.downWeight[k]};
                if (p == up && q == low) {
                    m_ownWeight += link.weight; // several edges between the same two boxes
                } else if (p == up) {
                    m_upperOwn.push_back(link);
                } else if (q == low) {
                    m_lowerOwn.push_back(link);
                } else {
                    m_others.push_back(link);
                }
            }
        }
        use(m_others.size() + m_upperOwn.size() + m_lowerOwn.size() + 1);
    }

    void use(std::uint64_t visits) { m_budget -= std::min(m_budget, visits); }

    /// Adds to `cost`, by candidate of the lower place, the crossings of its links with the others.
    void addLinksAbove(const Window& w, std::vector<std::int64_t>& cost) {
        for (const Link& own : m_lowerOwn)
            for (const Link& other : m_others)
                if (own.upper != other.upper)
                    addSide(w, cost, other.lower, other.upper < own.upper, own.weight * other.weight);
        use(m_lowerOwn.size() * m_others.size());
    }
    void addLinksBelow(const Window& w, std::vector<std::int64_t>& cost) {
        for (const Link& own : m_upperOwn)
            for (const Link& other : m_others)
                if (own.lower != other.lower)
                    addSide(w, cost, other.upper, other.lower < own.lower, own.weight * other.weight);
        use(m_upperOwn.size() * m_others.size());
    }
    /// A link whose near end stands at `at` is crossed by candidates up to it when its far end stands left of
    /// ours, else by those behind it. Differences: summed up later.
    static void addSide(const Window& w, std::vector<std::int64_t>& cost, std::uint32_t at, bool isLeft,
                        std::int64_t weight) {
        const std::uint32_t upTo = at < w.first ? 0 : std::min(at - w.first + 1, w.count); // candidates <= at
        if (isLeft) {
            cost[0] += weight;
            cost[upTo] -= weight;
        } else {
            cost[upTo] += weight;
        }
    }

    /// m_matrix: crossings between the two layers that depend on both places, for matrixAt().
    void fillMatrix(const Window& upper, const Window& lower) {
        const std::size_t rows = upper.count + std::size_t{1}, columns = lower.count + std::size_t{1};
        m_matrix.assign(rows * columns, 0);
        m_rowSum.assign(rows, 0);
        m_columnSum.assign(columns, 0);
        const auto bucket = [](const Window& w, std::uint32_t at) { // 0: left of every candidate
            return at < w.first ? 0 : std::min(at - w.first + 1, w.count);
        };
        const auto add = [&](std::uint32_t p, std::uint32_t q, std::int64_t weight) {
            const std::uint32_t r = bucket(upper, p), c = bucket(lower, q);
            m_matrix[r * columns + c] += weight;
            m_rowSum[r] += weight;
            m_columnSum[c] += weight;
        };
        for (const Link& link : m_others)
            add(link.upper, link.lower, link.weight * m_ownWeight);
        // A link of the upper and one of the lower place cross exactly where the path's link would not cross
        // a link between their other ends.
        for (const Link& a : m_upperOwn)
            for (const Link& b : m_lowerOwn)
                add(b.upper, a.lower, -a.weight * b.weight);
        use(m_matrix.size() + m_upperOwn.size() * m_lowerOwn.size());
        // Sums over all up to a row and column.
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < columns; ++c) {
                if (r > 0) m_matrix[r * columns + c] += m_matrix[(r - 1) * columns + c];
                if (c > 0) m_matrix[r * columns + c] += m_matrix[r * columns + c - 1];
                if (r > 0 && c > 0) m_matrix[r * columns + c] -= m_matrix[(r - 1) * columns + c - 1];
            }
        for (std::size_t r = 1; r < rows; ++r)
            m_rowSum[r] += m_rowSum[r - 1];
        for (std::size_t c = 1; c < columns; ++c)
            m_columnSum[c] += m_columnSum[c - 1];
    }
    [[nodiscard]] std::int64_t matrixAt(const Window& lower, std::uint32_t g, std::uint32_t h) const {
        // Candidate g has bucket 0 .. g on its left.
        return m_rowSum[g] + m_columnSum[h] - 2 * m_matrix[g * (lower.count + std::size_t{1}) + h];
    }

    /// What a candidate costs when crossings are equal.
    [[nodiscard]] std::int64_t preference(const Window& w, std::uint32_t candidate) const {
        switch (m_ties) {
        case PathTies::left: return candidate;
        case PathTies::right: return w.count - candidate;
        case PathTies::stay: break;
        }
        return candidate > w.present ? candidate - w.present : w.present - candidate;
    }

    /// Finds the best way of m_path and takes it. Returns the crossings saved.
    std::uint64_t reinsert() {
        const std::uint32_t top = layerOf(m_path.front());
        const std::size_t length = m_path.size();
        m_windows.clear();
        bool canMove = false;
        for (const std::uint32_t p : m_path) {
            m_windows.push_back(windowOf(p));
            canMove = canMove || m_windows.back().count > 1;
        }
        if (!canMove) return 0;
        m_from.resize(length);
        m_best.clear();
        std::int64_t now = 0; // crossings as it stands
        if (top > 0) collectLinks(top - 1);
        for (std::uint32_t i = 0; i < length; ++i) {
            const Window& w = m_windows[i];
            m_nodeCost.assign(w.count + std::size_t{1}, 0);
            m_fresh.assign(w.count, 0);
            if (top + i > 0) addLinksAbove(w, m_nodeCost);
            if (i > 0) now += step(i);
            if (top + i + 1 < m_graph.layers.size()) {
                collectLinks(top + i);
                addLinksBelow(w, m_nodeCost);
            }
            std::int64_t sum = 0;
            for (std::uint32_t g = 0; g < w.count; ++g) {
                sum += m_nodeCost[g];
                m_fresh[g] += sum * kCrossing + preference(w, g);
                if (g == w.present) now += sum;
            }
            m_best.swap(m_fresh);
        }
        return take(now);
    }

    /// From the place above to this one: m_fresh by candidate, m_from where it comes from. Returns what the
    /// present way costs here.
    std::int64_t step(std::uint32_t i) {
        const Window& w = m_windows[i];
        const Window& before = m_windows[i - 1];
        fillMatrix(before, w);
        m_from[i].assign(w.count, 0);
        for (std::uint32_t h = 0; h < w.count; ++h) {
            std::int64_t best = std::numeric_limits<std::int64_t>::max();
            for (std::uint32_t g = 0; g < before.count; ++g) {
                const std::int64_t cost = m_best[g] + matrixAt(w, g, h) * kCrossing;
                if (cost >= best) continue;
                best = cost;
                m_from[i][h] = g;
            }
            m_fresh[h] = best;
        }
        return matrixAt(w, before.present, w.present);
    }

    /// Moves the path to the best way. Returns the crossings saved.
    std::uint64_t take(std::int64_t now) {
        const auto end = std::min_element(m_best.begin(), m_best.end());
        const std::int64_t then = *end >> 32U; // rounded down: preferences are smaller than one crossing
        if (then > now || (then == now && m_ties == PathTies::stay)) return 0;
        auto candidate = static_cast<std::uint32_t>(end - m_best.begin());
        for (std::size_t i = m_path.size(); i-- > 0;) {
            const std::uint32_t layer = layerOf(m_path[i]);
            std::vector<std::uint32_t>& places = m_graph.layers[layer];
            const std::uint32_t to = m_windows[i].first + candidate, at = m_position[m_path[i]];
            if (to < at) std::rotate(places.begin() + to, places.begin() + at, places.begin() + at + 1);
            if (to > at) std::rotate(places.begin() + at, places.begin() + at + 1, places.begin() + to + 1);
            if (to != at) number(layer);
            if (i > 0) candidate = m_from[i][candidate];
        }
        return static_cast<std::uint64_t>(now - then);
    }

    LayerGraph& m_graph;
    PathTies m_ties;
    std::uint64_t& m_budget;
    std::vector<std::uint32_t> m_position;
    std::vector<std::uint32_t> m_next; ///< the place below on the same path
    std::vector<bool> m_isHead;
    std::vector<double> m_linksBelow, m_weightBelow;
    std::vector<std::uint32_t> m_path;
    std::vector<Window> m_windows;
    std::vector<std::vector<std::uint32_t>> m_from; ///< by place of the path and candidate
    std::vector<std::int64_t> m_best, m_fresh, m_nodeCost, m_matrix, m_rowSum, m_columnSum;
    std::vector<Link> m_others, m_upperOwn, m_lowerOwn;
    std::int64_t m_ownWeight = 0; ///< of the path's link between the layers in hand
};

} // namespace

std::uint64_t reinsertPaths(LayerGraph& graph, PathTies ties, std::uint64_t& budget,
                            const std::function<bool()>& isCancelled) {
    return PathInserter(graph, ties, budget).run(isCancelled);
}

} // namespace secateur
