// SPDX-License-Identifier: Apache-2.0
#include "core/layout/coordinates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace secateur {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

/// Links that give way to a strong one that they cross or meet: by entry of LayerGraph::up and ::down.
struct LinkCuts {
    std::vector<bool> up;
    std::vector<bool> down;
};

/// One of the four placements. `isMirrored` works from right to left, `isUpward` aligns with the layer below.
class Alignment {
  public:
    Alignment(const LayerGraph& graph, double gap, const LinkCuts& cuts, bool isUpward, bool isMirrored)
        : m_graph(graph), m_gap(gap), m_cuts(cuts), m_isUpward(isUpward), m_isMirrored(isMirrored),
          m_position(graph.places.size()), m_root(graph.places.size()), m_next(graph.places.size()) {
        for (const std::vector<std::uint32_t>& layer : graph.layers) {
            const auto n = static_cast<std::uint32_t>(layer.size());
            for (std::uint32_t i = 0; i < n; ++i)
                m_position[layer[i]] = isMirrored ? n - 1 - i : i;
        }
        for (std::uint32_t p = 0; p < m_root.size(); ++p)
            m_root[p] = m_next[p] = p;
    }

    std::vector<double> run() {
        const std::size_t n = m_graph.layers.size();
        for (std::size_t i = 1; i < n; ++i)
            alignLayer(m_graph.layers[m_isUpward ? n - 1 - i : i]);
        std::vector<double> x = compact();
        if (m_isMirrored) {
            for (double& value : x)
                value = -value;
        }
        return x;
    }

    std::uint64_t visits() const { return m_visits; }

  private:
    template <typename Function>
    void eachFromLeft(const std::vector<std::uint32_t>& layer, Function visit) const {
        if (m_isMirrored) {
            std::for_each(layer.rbegin(), layer.rend(), visit);
        } else {
            std::for_each(layer.begin(), layer.end(), visit);
        }
    }

    /// Joins each place to a median neighbour in the layer before, as long as joins do not cross.
    void alignLayer(const std::vector<std::uint32_t>& layer) {
        std::int64_t limit = -1;
        const std::vector<std::uint32_t>& start = m_isUpward ? m_graph.downStart : m_graph.upStart;
        const std::vector<std::uint32_t>& list = m_isUpward ? m_graph.down : m_graph.up;
        const std::vector<bool>& isCut = m_isUpward ? m_cuts.down : m_cuts.up;
        std::vector<std::uint32_t>& neighbours = m_neighbours;
        eachFromLeft(layer, [&](std::uint32_t place) {
            neighbours.clear();
            for (std::uint32_t k = start[place]; k < start[place + 1]; ++k) {
                if (!isCut[k]) neighbours.push_back(list[k]); // what must not be straight is out
            }
            m_visits += start[place + 1] - start[place] + 1;
            if (neighbours.empty()) return;
            std::sort(neighbours.begin(), neighbours.end(),
                      [&](std::uint32_t a, std::uint32_t b) { return m_position[a] < m_position[b]; });
            const std::size_t last = neighbours.size() - 1;
            for (std::size_t m = last / 2; m <= (last + 1) / 2; ++m) {
                const std::uint32_t other = neighbours[m];
                if (m_next[place] != place || m_position[other] <= limit) continue;
                m_next[other] = place;
                m_root[place] = m_root[other];
                m_next[place] = m_root[place];
                limit = m_position[other];
            }
        });
    }

    double separation(std::uint32_t left, std::uint32_t right) const {
        const double gapLeft = m_graph.isVirtual(left) ? m_gap / 2 : m_gap;
        const double gapRight = m_graph.isVirtual(right) ? m_gap / 2 : m_gap;
        // What is called left stands at the right in a mirrored run.
        const double sides = m_isMirrored ? m_graph.places[left].left + m_graph.places[right].right
                                          : m_graph.places[left].right + m_graph.places[right].left;
        return sides + (gapLeft + gapRight) / 2;
    }

    /// Longest paths in the graph of runs, then every run is pulled toward its right neighbours.
    std::vector<double> compact() {
        const std::size_t n = m_root.size();
        struct Arc {
            std::uint32_t from;
            std::uint32_t to;
            double length;
        };
        std::vector<Arc> arcs;
        arcs.reserve(n);
        for (const std::vector<std::uint32_t>& layer : m_graph.layers) {
            std::uint32_t before = kNowhere;
            eachFromLeft(layer, [&](std::uint32_t place) {
                if (before != kNowhere) {
                    arcs.push_back({m_root[before], m_root[place], separation(before, place)});
                }
                before = place;
            });
        }
        std::vector<std::uint32_t> start(n + 1, 0);
        std::vector<std::uint32_t> pending(n, 0);
        for (const Arc& arc : arcs) {
            ++start[arc.from + 1];
            ++pending[arc.to];
        }
        for (std::size_t i = 1; i <= n; ++i)
            start[i] += start[i - 1];
        std::vector<std::uint32_t> out(arcs.size());
        std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
        for (std::uint32_t a = 0; a < arcs.size(); ++a)
            out[next[arcs[a].from]++] = a;

        std::vector<std::uint32_t> order;
        order.reserve(n);
        std::vector<double> x(n, 0);
        for (std::uint32_t p = 0; p < n; ++p) {
            if (m_root[p] == p && pending[p] == 0) order.push_back(p);
        }
        for (std::size_t head = 0; head < order.size(); ++head) {
            const std::uint32_t run = order[head];
            for (std::uint32_t k = start[run]; k < start[run + 1]; ++k) {
                const Arc& arc = arcs[out[k]];
                ++m_visits;
                x[arc.to] = std::max(x[arc.to], x[run] + arc.length);
                if (--pending[arc.to] == 0) order.push_back(arc.to);
            }
        }
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            double limit = std::numeric_limits<double>::infinity();
            for (std::uint32_t k = start[*it]; k < start[*it + 1]; ++k) {
                const Arc& arc = arcs[out[k]];
                limit = std::min(limit, x[arc.to] - arc.length);
            }
            if (std::isfinite(limit)) x[*it] = std::max(x[*it], limit);
        }
        for (std::uint32_t p = 0; p < n; ++p)
            x[p] = x[m_root[p]];
        return x;
    }

    const LayerGraph& m_graph;
    double m_gap;
    const LinkCuts& m_cuts;
    bool m_isUpward;
    bool m_isMirrored;
    std::vector<std::uint32_t> m_position;
    std::vector<std::uint32_t> m_root;
    std::vector<std::uint32_t> m_next;
    std::vector<std::uint32_t> m_neighbours; ///< of the place at hand
    std::uint64_t m_visits = 0;
};

/// Links that are to be straight: those between two virtual places of a long edge, and the spine, where each
/// end is the other's neighbour with the longest chain behind it.
class StrongLinks {
  public:
    explicit StrongLinks(const LayerGraph& graph)
        : m_graph(graph), m_position(graph.places.size()), m_isStrong(graph.up.size(), false),
          m_hasStrongBelow(graph.places.size(), false), m_hasStrongAbove(graph.places.size(), false) {
        for (const std::vector<std::uint32_t>& layer : graph.layers) {
            for (std::uint32_t i = 0; i < layer.size(); ++i)
                m_position[layer[i]] = i;
        }
        const std::size_t n = graph.places.size();
        m_bestAbove.resize(n);
        m_bestBelow.resize(n);
        for (std::uint32_t p = 0; p < n; ++p) {
            m_bestAbove[p] = best(graph.up, graph.upStart[p], graph.upStart[p + 1], graph.reachUp);
            m_bestBelow[p] = best(graph.down, graph.downStart[p], graph.downStart[p + 1], graph.reachDown);
        }
        for (std::uint32_t p = 0; p < n; ++p)
            markAbove(p);
    }

    LinkCuts findCuts() {
        LinkCuts cuts;
        cuts.up.assign(m_graph.up.size(), false);
        for (const std::vector<std::uint32_t>& layer : m_graph.layers)
            cutLayer(layer, cuts.up);
        // The same seen from above: entries of both lists stand in the order of the links.
        cuts.down.resize(m_graph.down.size());
        std::vector<std::uint32_t> nextUp(m_graph.upStart.begin(), m_graph.upStart.end() - 1);
        std::vector<std::uint32_t> nextDown(m_graph.downStart.begin(), m_graph.downStart.end() - 1);
        for (const LayerGraph::Link& link : m_graph.links) {
            cuts.down[nextDown[link.upper]++] = cuts.up[nextUp[link.lower]++];
        }
        return cuts;
    }

  private:
    void markAbove(std::uint32_t place) {
        for (std::uint32_t k = m_graph.upStart[place]; k < m_graph.upStart[place + 1]; ++k) {
            const std::uint32_t upper = m_graph.up[k];
            // Where an edge leaves a lane on the way, the more important one of the two goes straight on.
            const bool isOnlyOne = m_graph.downStart[upper + 1] - m_graph.downStart[upper] == 1 &&
                                   m_graph.upStart[place + 1] - m_graph.upStart[place] == 1;
            const bool isInner = isOnlyOne && m_graph.isVirtual(place) && m_graph.isVirtual(upper);
            if (!isInner && (m_bestAbove[place] != upper || m_bestBelow[upper] != place)) continue;
            m_isStrong[k] = true;
            m_hasStrongAbove[place] = true;
            m_hasStrongBelow[upper] = true;
        }
    }

    /// The neighbour with the longest reach; of several the one in their middle, so that fans stay symmetric.
    std::uint32_t best(const std::vector<std::uint32_t>& list, std::uint32_t begin, std::uint32_t end,
                       const std::vector<std::uint32_t>& reach) {
        if (begin == end) return kNowhere;
        std::uint32_t longest = 0;
        for (std::uint32_t k = begin; k < end; ++k)
            longest = std::max(longest, reach[list[k]]);
        std::vector<std::uint32_t>& equal = m_equal;
        equal.clear();
        for (std::uint32_t k = begin; k < end; ++k) {
            if (reach[list[k]] == longest) equal.push_back(list[k]);
        }
        const auto middle = equal.begin() + static_cast<std::ptrdiff_t>((equal.size() - 1) / 2);
        std::nth_element(equal.begin(), middle, equal.end(), [&](std::uint32_t a, std::uint32_t b) {
            return m_position[a] != m_position[b] ? m_position[a] < m_position[b] : a < b;
        });
        return *middle;
    }

    /// A weak link is crossed when a strong one to its left ends further right above, or the other way round.
    void cutLayer(const std::vector<std::uint32_t>& layer, std::vector<bool>& isCut) {
        const std::size_t n = layer.size();
        std::vector<std::int64_t>& lowestToRight = m_lowestToRight;
        lowestToRight.assign(n + 1, std::numeric_limits<std::int64_t>::max());
        for (std::size_t i = n; i-- > 0;) {
            lowestToRight[i] = lowestToRight[i + 1];
            eachStrongAbove(layer[i],
                            [&](std::int64_t at) { lowestToRight[i] = std::min(lowestToRight[i], at); });
        }
        std::int64_t highestToLeft = -1;
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t place = layer[i];
            for (std::uint32_t k = m_graph.upStart[place]; k < m_graph.upStart[place + 1]; ++k) {
                if (m_isStrong[k]) continue;
                const std::int64_t at = m_position[m_graph.up[k]];
                isCut[k] = m_hasStrongAbove[place] || m_hasStrongBelow[m_graph.up[k]] || highestToLeft > at ||
                           lowestToRight[i + 1] < at;
            }
            eachStrongAbove(place, [&](std::int64_t at) { highestToLeft = std::max(highestToLeft, at); });
        }
    }

    template <typename Function> void eachStrongAbove(std::uint32_t place, Function visit) const {
        for (std::uint32_t k = m_graph.upStart[place]; k < m_graph.upStart[place + 1]; ++k) {
            if (m_isStrong[k]) visit(std::int64_t{m_position[m_graph.up[k]]});
        }
    }

    const LayerGraph& m_graph;
    std::vector<std::uint32_t> m_position;
    std::vector<std::uint32_t> m_bestAbove;
    std::vector<std::uint32_t> m_bestBelow;
    std::vector<bool> m_isStrong;
    std::vector<bool> m_hasStrongBelow;
    std::vector<bool> m_hasStrongAbove;
    std::vector<std::uint32_t> m_equal;        ///< of the neighbours at hand
    std::vector<std::int64_t> m_lowestToRight; ///< in the layer at hand
};

struct Extent {
    double left = std::numeric_limits<double>::infinity();
    double right = -std::numeric_limits<double>::infinity();
};

Extent extentOf(const LayerGraph& graph, const std::vector<double>& x) {
    Extent extent;
    for (std::size_t p = 0; p < x.size(); ++p) {
        extent.left = std::min(extent.left, x[p] - graph.places[p].left);
        extent.right = std::max(extent.right, x[p] + graph.places[p].right);
    }
    return extent;
}

} // namespace

Coordinates placeLayers(const LayerGraph& graph, double gap, Packing packing) {
    Coordinates result;
    const std::size_t n = graph.places.size();
    result.center.assign(n, 0);
    if (n == 0) return result;
    const LinkCuts cuts = StrongLinks(graph).findCuts();
    std::array<std::vector<double>, 4> runs;
    std::array<Extent, 4> extents;
    std::size_t narrowest = 0;
    for (std::size_t r = 0; r < 4; ++r) {
        Alignment alignment(graph, gap, cuts, (r & 1) != 0, (r & 2) != 0);
        runs[r] = alignment.run();
        result.visits += alignment.visits();
        extents[r] = extentOf(graph, runs[r]);
        const auto widthOf = [&](std::size_t i) { return extents[i].right - extents[i].left; };
        if (widthOf(r) < widthOf(narrowest)) narrowest = r;
    }
    for (std::size_t r = 0; r < 4; ++r) {
        const bool isMirrored = (r & 2) != 0;
        const double shift = isMirrored ? extents[narrowest].right - extents[r].right
                                        : extents[narrowest].left - extents[r].left;
        for (double& x : runs[r])
            x += shift;
    }
    for (std::size_t p = 0; p < n; ++p) {
        std::array<double, 4> values{runs[0][p], runs[1][p], runs[2][p], runs[3][p]};
        if (packing == Packing::middle) {
            std::sort(values.begin(), values.end());
        } else {
            std::swap(values[0], values[2]); // the runs from the left to the middle
        }
        result.center[p] = std::round((values[1] + values[2]) / 2);
    }
    const Extent extent = extentOf(graph, result.center);
    result.left = extent.left;
    result.right = extent.right;
    return result;
}

} // namespace secateur
