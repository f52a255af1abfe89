// SPDX-License-Identifier: Apache-2.0
#include "core/layout/rank_lengths.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace secateur {
namespace {

/// Ranks of least total length under "at least so far below". One vertex, the anchor, stands for all that
/// does not move.
class Simplex {
  public:
    struct Edge {
        std::uint32_t upper = 0;
        std::uint32_t lower = 0;
        std::int64_t least = 1;  ///< ranks between the two
        std::int64_t weight = 1; ///< edges that it stands for
    };

    Simplex(std::vector<Edge> edges, std::vector<std::int64_t> rank)
        : m_edges(std::move(edges)), m_rank(std::move(rank)), m_incident(m_rank.size()),
          m_isInTree(m_edges.size(), false), m_treeEdge(m_rank.size(), kNoIndex),
          m_part(m_rank.size(), false), m_net(m_rank.size(), 0), m_root(m_rank.size(), kNoIndex),
          m_old(m_rank) {
        for (std::uint32_t e = 0; e < m_edges.size(); ++e) {
            m_incident[m_edges[e].upper].push_back(e);
            m_incident[m_edges[e].lower].push_back(e);
        }
        for (std::uint32_t v = 0; v < m_rank.size(); ++v)
            if (m_root[v] == kNoIndex) growTree(v);
    }

    /// Exchanges edges of the tree as long as that shortens and the work stays bounded: any tree gives ranks
    /// that hold, only longer ones.
    void run() {
        const std::uint64_t start = m_visits;
        while (m_visits - start < kMostRankVisits) {
            const std::uint32_t leaving = findLeaving();
            if (leaving == kNoIndex) return;
            exchange(leaving);
        }
    }

    /// The anchor, or of what does not hang on it the first vertex, stands where it stood.
    [[nodiscard]] std::int64_t rankOf(std::uint32_t v) const {
        return m_rank[v] - m_rank[m_root[v]] + m_old[m_root[v]];
    }
    [[nodiscard]] std::uint64_t visits() const { return m_visits; }

  private:
    [[nodiscard]] std::int64_t slack(std::uint32_t e) const {
        return m_rank[m_edges[e].lower] - m_rank[m_edges[e].upper] - m_edges[e].least;
    }
    [[nodiscard]] std::uint32_t otherEnd(std::uint32_t e, std::uint32_t v) const {
        return m_edges[e].upper == v ? m_edges[e].lower : m_edges[e].upper;
    }

    /// A tree of edges without slack over all that hangs together with `root`; parts are moved up to each
    /// other where none is left.
    void growTree(std::uint32_t root) {
        std::vector<std::uint32_t> tree{root};
        m_root[root] = root;
        for (std::size_t next = 0;;) {
            for (; next < tree.size(); ++next) {
                for (const std::uint32_t e : m_incident[tree[next]]) {
                    const std::uint32_t v = otherEnd(e, tree[next]);
                    if (m_root[v] != kNoIndex || slack(e) != 0) continue;
                    m_root[v] = root;
                    m_isInTree[e] = true;
                    tree.push_back(v);
                }
            }
            std::uint32_t nearest = kNoIndex;
            for (const std::uint32_t v : tree)
                for (const std::uint32_t e : m_incident[v])
                    if (m_root[otherEnd(e, v)] == kNoIndex &&
                        (nearest == kNoIndex || slack(e) < slack(nearest)))
                        nearest = e;
            m_visits += tree.size();
            if (nearest == kNoIndex) return;
            const std::int64_t by =
                m_root[m_edges[nearest].upper] != kNoIndex ? slack(nearest) : -slack(nearest);
            for (const std::uint32_t v : tree)
                m_rank[v] += by;
            next = 0;
        }
    }

    /// Orders the tree from its roots and sums up, for what hangs on each vertex, edges that leave it
    /// downward less those that leave it upward.
    void measureTree() {
        m_order.clear();
        m_treeEdge.assign(m_rank.size(), kNoIndex);
        std::vector<bool> seen(m_rank.size(), false);
        for (std::uint32_t root = 0; root < m_rank.size(); ++root) {
            if (seen[root]) continue;
            seen[root] = true;
            m_order.push_back(root);
            for (std::size_t k = m_order.size() - 1; k < m_order.size(); ++k) {
                for (const std::uint32_t e : m_incident[m_order[k]]) {
                    const std::uint32_t v = otherEnd(e, m_order[k]);
                    if (!m_isInTree[e] || seen[v]) continue;
                    seen[v] = true;
                    m_treeEdge[v] = e;
                    m_order.push_back(v);
                }
            }
        }
        m_net.assign(m_rank.size(), 0);
        for (const Edge& e : m_edges) {
            m_net[e.upper] += e.weight;
            m_net[e.lower] -= e.weight;
        }
        for (std::size_t k = m_order.size(); k-- > 0;) {
            const std::uint32_t v = m_order[k];
            if (m_treeEdge[v] != kNoIndex) m_net[otherEnd(m_treeEdge[v], v)] += m_net[v];
        }
        m_visits += m_order.size() + m_edges.size();
    }

    /// The vertex above which the tree is cut: lengthening its edge shortens most others.
    std::uint32_t findLeaving() {
        measureTree();
        std::uint32_t best = kNoIndex;
        std::int64_t least = 0;
        for (const std::uint32_t v : m_order) {
            const std::uint32_t e = m_treeEdge[v];
            if (e == kNoIndex) continue;
            const std::int64_t value = m_edges[e].upper == v ? m_net[v] : -m_net[v];
            if (value >= least) continue;
            least = value;
            best = v;
        }
        return best;
    }

    void exchange(std::uint32_t cut) {
        const std::uint32_t leaving = m_treeEdge[cut];
        m_part.assign(m_rank.size(), false); // what hangs on `cut`
        m_part[cut] = true;
        for (const std::uint32_t v : m_order)
            if (m_treeEdge[v] != kNoIndex && v != cut && m_part[otherEnd(m_treeEdge[v], v)]) m_part[v] = true;
        const bool isPartAbove = m_edges[leaving].upper == cut;
        std::uint32_t entering = kNoIndex;
        for (std::uint32_t e = 0; e < m_edges.size(); ++e) {
            const bool entersPart = !m_part[m_edges[e].upper] && m_part[m_edges[e].lower];
            const bool leavesPart = m_part[m_edges[e].upper] && !m_part[m_edges[e].lower];
            if (!(isPartAbove ? entersPart : leavesPart)) continue;
            if (entering == kNoIndex || slack(e) < slack(entering)) entering = e;
        }
        m_visits += m_edges.size();
        m_isInTree[leaving] = false;
        m_isInTree[entering] = true;
        const std::int64_t by = isPartAbove ? -slack(entering) : slack(entering);
        for (std::uint32_t v = 0; v < m_rank.size(); ++v)
            if (m_part[v]) m_rank[v] += by;
    }

    std::vector<Edge> m_edges;
    std::vector<std::int64_t> m_rank;
    std::vector<std::vector<std::uint32_t>> m_incident; ///< edges by vertex
    std::vector<bool> m_isInTree;
    std::vector<std::uint32_t> m_order;    ///< vertices, parents in the tree first
    std::vector<std::uint32_t> m_treeEdge; ///< by vertex: to its parent
    std::vector<bool> m_part;
    std::vector<std::int64_t> m_net;
    std::vector<std::uint32_t> m_root; ///< by vertex: the first that it hangs together with
    std::vector<std::int64_t> m_old;
    std::uint64_t m_visits = 0;
};

/// The free units as vertices, from 1 on; 0 is the anchor.
class Shortener {
  public:
    Shortener(const RankInput& input, const std::vector<bool>& isFree, Ranking& ranking)
        : m_input(input), m_ranking(ranking), m_vertex(input.units.size(), 0) {
        for (std::uint32_t u = 0; u < input.units.size(); ++u) {
            if (!isFree[u]) continue;
            m_vertex[u] = static_cast<std::uint32_t>(m_rank.size());
            m_rank.push_back(ranking.rank[u]);
        }
    }

    void run() {
        if (m_rank.size() == 1 || m_rank.size() > kMostFreeUnits + 1) return;
        Simplex simplex(collectEdges(), m_rank);
        simplex.run();
        m_ranking.visits += simplex.visits();
        std::int64_t top = 0;
        for (std::uint32_t v = 1; v < m_rank.size(); ++v) {
            m_rank[v] = simplex.rankOf(v);
            top = std::min(top, m_rank[v]);
        }
        for (std::uint32_t u = 0; u < m_vertex.size(); ++u)
            m_ranking.rank[u] = static_cast<std::uint32_t>(rankOf(u) - top);
    }

  private:
    [[nodiscard]] std::int64_t rankOf(std::uint32_t unit) const {
        return m_vertex[unit] == 0 ? std::int64_t{m_ranking.rank[unit]} : m_rank[m_vertex[unit]];
    }

    [[nodiscard]] std::vector<Simplex::Edge> collectEdges() const {
        std::vector<Simplex::Edge> edges;
        for (const RankInput::Edge& e : m_input.edges) {
            const RankInput::Unit &from = m_input.units[e.from], &to = m_input.units[e.to];
            if (e.isPortal || from.isLeftOut || to.isLeftOut) continue;
            if (m_vertex[e.from] == m_vertex[e.to]) continue; // neither end moves
            const bool isInColumn = from.column == to.column;
            const bool isDown = rankOf(e.from) <= rankOf(e.to);
            if (isInColumn && rankOf(e.from) == rankOf(e.to)) continue;
            const std::uint32_t upper = isDown ? e.from : e.to, lower = isDown ? e.to : e.from;
            // To another column an edge may also run along a rank.
            Simplex::Edge edge{m_vertex[upper], m_vertex[lower], isInColumn ? 1 : 0};
            if (edge.upper == 0) edge.least += m_ranking.rank[upper];
            if (edge.lower == 0) edge.least -= m_ranking.rank[lower];
            edges.push_back(edge);
        }
        mergeParallel(edges);
        return edges;
    }

    /// Edges between the same two ends become one that weighs as much and is as long as the longest must be:
    /// moving an end makes each of them longer or shorter by the same.
    static void mergeParallel(std::vector<Simplex::Edge>& edges) {
        std::stable_sort(edges.begin(), edges.end(), [](const Simplex::Edge& a, const Simplex::Edge& b) {
            return std::tie(a.upper, a.lower, b.least) < std::tie(b.upper, b.lower, a.least);
        });
        std::size_t kept = 0;
        for (std::size_t e = 0; e < edges.size(); ++e) {
            Simplex::Edge& last = edges[kept > 0 ? kept - 1 : 0];
            if (kept > 0 && last.upper == edges[e].upper && last.lower == edges[e].lower)
                last.weight += edges[e].weight;
            else
                edges[kept++] = edges[e];
        }
        edges.resize(kept);
    }

    const RankInput& m_input;
    Ranking& m_ranking;
    std::vector<std::uint32_t> m_vertex; ///< by unit: 0 when it does not move
    std::vector<std::int64_t> m_rank{0}; ///< by vertex
};

} // namespace

void shortenEdges(const RankInput& input, const std::vector<bool>& isFree, Ranking& ranking) {
    Shortener(input, isFree, ranking).run();
}

} // namespace secateur
