// SPDX-License-Identifier: Apache-2.0
#include "core/layout/group_propagation.h"

#include "core/layout/flow_depth.h"
#include "core/support/number_table.h"

#include <algorithm>

namespace secateur {
namespace {

constexpr int kMostHops = 8; ///< homes of homes that are followed

/// Gives nodes without a group one of their neighbours'. A gradient asks what it reads from the forward half;
/// all others ask their latest producer, and what is left asks its earliest reader. For the forward half, and
/// for what nothing else ties to a group.
class Propagation {
  public:
    Propagation(const LayoutGraph& graph, const GroupDraft& draft, std::vector<std::uint32_t>& groupOf)
        : m_graph(graph), m_draft(draft), m_groupOf(groupOf), m_depth(flowDepths(graph)),
          m_order(programOrder(graph)), m_isOwn(graph.nodes.size()) {
        std::stable_sort(m_order.begin(), m_order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return m_depth[a] < m_depth[b]; });
        for (std::size_t n = 0; n < groupOf.size(); ++n)
            m_isOwn[n] = groupOf[n] != kNoIndex;
        m_inStart.assign(graph.nodes.size() + 1, 0);
        for (const LayoutEdge& e : graph.edges)
            ++m_inStart[e.to + 1];
        for (std::size_t i = 1; i < m_inStart.size(); ++i)
            m_inStart[i] += m_inStart[i - 1];
        m_in.resize(graph.edges.size());
        std::vector<std::uint32_t> next(m_inStart.begin(), m_inStart.end() - 1);
        for (const LayoutEdge& e : graph.edges)
            m_in[next[e.to]++] = e.from;
    }

    void run() {
        for (int column = 0; column < 3; ++column) {
            if (column == 2) {
                fromProducersIn(column, true);
                fromReaders(2, true);
            }
            fromProducersIn(column, false);
            if (column == 0) fromReaders(0, false);
        }
        fromReaders(kNoIndex, false);
    }

  private:
    /// What a node without weights of its own inherits: the module around its neighbour's.
    std::uint32_t around(std::uint32_t node) const {
        const std::uint32_t g = m_groupOf[node];
        if (!m_isOwn[node] || g == kNoIndex || m_draft.groups[g].parent == kNoIndex) return g;
        return m_draft.groups[g].parent;
    }

    void fromProducersIn(int column, bool onlySameColumn) {
        for (const std::uint32_t n : m_order) {
            if (columnOf(m_graph.nodes[n].role) == column && m_groupOf[n] == kNoIndex)
                fromProducers(n, onlySameColumn);
        }
    }

    void fromProducers(std::uint32_t n, bool onlySameColumn) {
        const int column = columnOf(m_graph.nodes[n].role);
        std::uint32_t best = kNoIndex;
        bool bestIsStash = false;
        for (std::uint32_t k = m_inStart[n]; k < m_inStart[n + 1]; ++k) {
            const std::uint32_t from = m_in[k];
            if (m_groupOf[from] == kNoIndex || from == n) continue;
            if (onlySameColumn && columnOf(m_graph.nodes[from].role) != column) continue;
            const bool isStash = column == 1 && columnOf(m_graph.nodes[from].role) == 0;
            const bool isLater = best == kNoIndex || m_depth[from] > m_depth[best];
            if (best == kNoIndex || (isStash && !bestIsStash) || (isStash == bestIsStash && isLater)) {
                best = from;
                bestIsStash = isStash;
            }
        }
        if (best != kNoIndex) m_groupOf[n] = around(best);
    }

    void fromReaders(std::uint32_t onlyColumn, bool onlySameColumn) {
        std::vector<std::uint32_t> outStart(m_graph.nodes.size() + 1, 0);
        for (const LayoutEdge& e : m_graph.edges)
            ++outStart[e.from + 1];
        for (std::size_t i = 1; i < outStart.size(); ++i)
            outStart[i] += outStart[i - 1];
        std::vector<std::uint32_t> out(m_graph.edges.size());
        std::vector<std::uint32_t> next(outStart.begin(), outStart.end() - 1);
        for (const LayoutEdge& e : m_graph.edges)
            out[next[e.from]++] = e.to;
        for (auto it = m_order.rbegin(); it != m_order.rend(); ++it) {
            const bool isWanted =
                onlyColumn == kNoIndex || columnOf(m_graph.nodes[*it].role) == static_cast<int>(onlyColumn);
            if (!isWanted || m_groupOf[*it] != kNoIndex) continue;
            std::uint32_t best = kNoIndex;
            for (std::uint32_t k = outStart[*it]; k < outStart[*it + 1]; ++k) {
                if (m_groupOf[out[k]] == kNoIndex) continue;
                const int column = columnOf(m_graph.nodes[out[k]].role);
                if (onlySameColumn && column != static_cast<int>(onlyColumn)) continue;
                if (best == kNoIndex || m_depth[out[k]] < m_depth[best]) best = out[k];
            }
            if (best != kNoIndex) m_groupOf[*it] = around(best);
        }
    }

    const LayoutGraph& m_graph;
    const GroupDraft& m_draft;
    std::vector<std::uint32_t>& m_groupOf;
    std::vector<std::uint32_t> m_depth;
    std::vector<std::uint32_t> m_order; ///< along the flow
    std::vector<bool> m_isOwn;
    std::vector<std::uint32_t> m_inStart;
    std::vector<std::uint32_t> m_in;
};

/// The group of a node's home; of the home's home where that has none yet.
std::uint32_t groupOfHome(const LayoutGraph& graph, const std::vector<std::uint32_t>& homes,
                          std::uint32_t node, const std::vector<std::uint32_t>& groupOf) {
    for (int hop = 0; hop < kMostHops; ++hop) {
        node = homeOf(graph, homes, node);
        if (node >= groupOf.size()) return kNoIndex;
        if (groupOf[node] != kNoIndex) return groupOf[node];
    }
    return kNoIndex;
}

/// Spreads the groups of the training half from nodes that are known to belong somewhere to those between
/// them: each takes the nearest. Values that very many read tie nothing together.
class Spreading {
  public:
    Spreading(const LayoutGraph& graph, std::vector<std::uint32_t>& groupOf)
        : m_graph(graph), m_groupOf(groupOf) {
        NumberTable readers;
        readers.reserve(graph.edges.size());
        const auto valueOf = [](const LayoutEdge& e) { return std::uint64_t{e.from} << 16U | e.fromSlot; };
        for (const LayoutEdge& e : graph.edges)
            ++*readers.tryEmplace(valueOf(e), 0).first;
        for (const LayoutEdge& e : graph.edges)
            m_readers.push_back(readers.find(valueOf(e)));
    }

    void run() {
        takeFromStashes();
        const std::size_t n = m_graph.nodes.size();
        std::vector<std::uint32_t> start(n + 1, 0);
        eachTie([&](std::uint32_t a, std::uint32_t) { ++start[a + 1]; });
        for (std::size_t i = 1; i <= n; ++i)
            start[i] += start[i - 1];
        std::vector<std::uint32_t> list(start.back());
        std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
        eachTie([&](std::uint32_t a, std::uint32_t b) { list[next[a]++] = b; });
        std::vector<std::uint32_t> queue;
        for (const std::uint32_t node : programOrder(m_graph))
            if (isTraining(node) && m_groupOf[node] != kNoIndex) queue.push_back(node);
        for (std::size_t head = 0; head < queue.size(); ++head) {
            for (std::uint32_t k = start[queue[head]]; k < start[queue[head] + 1]; ++k) {
                if (m_groupOf[list[k]] != kNoIndex) continue;
                m_groupOf[list[k]] = m_groupOf[queue[head]];
                queue.push_back(list[k]);
            }
        }
    }

  private:
    static constexpr std::uint32_t kManyReaders = 12;
    static constexpr std::uint32_t kFewReaders = 6; ///< of a stash that tells where its reader belongs

    bool isTraining(std::uint32_t node) const { return columnOf(m_graph.nodes[node].role) != 0; }

    template <typename Visit> void eachTie(Visit visit) const {
        for (std::size_t e = 0; e < m_graph.edges.size(); ++e) {
            const LayoutEdge& edge = m_graph.edges[e];
            if (m_readers[e] > kManyReaders || !isTraining(edge.from) || !isTraining(edge.to)) continue;
            visit(edge.from, edge.to);
            visit(edge.to, edge.from);
        }
    }

    /// A gradient belongs to the layer whose values it reads: of several, those that fewest others read.
    void takeFromStashes() {
        std::vector<std::uint32_t> best(m_graph.nodes.size(), kNoIndex); // edge
        for (std::uint32_t e = 0; e < m_graph.edges.size(); ++e) {
            const LayoutEdge& edge = m_graph.edges[e];
            if (columnOf(m_graph.nodes[edge.to].role) != 1 || isTraining(edge.from)) continue;
            if (m_groupOf[edge.to] != kNoIndex || m_groupOf[edge.from] == kNoIndex) continue;
            if (m_readers[e] > kFewReaders) continue;
            std::uint32_t& at = best[edge.to];
            if (at == kNoIndex || m_readers[e] < m_readers[at]) at = e;
        }
        for (std::uint32_t n = 0; n < best.size(); ++n)
            if (best[n] != kNoIndex) m_groupOf[n] = m_groupOf[m_graph.edges[best[n]].from];
    }

    const LayoutGraph& m_graph;
    std::vector<std::uint32_t>& m_groupOf;
    std::vector<std::uint32_t> m_readers; ///< by edge: readers of its value
};

} // namespace

std::vector<std::uint32_t> programOrder(const LayoutGraph& graph) {
    std::vector<std::uint32_t> order(graph.nodes.size());
    for (std::uint32_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return graph.nodes[a].order < graph.nodes[b].order;
    });
    return order;
}

void propagateGroups(const LayoutGraph& graph, const std::vector<std::uint32_t>& homes, GroupDraft& draft) {
    // The forward half first: what works for it follows its home rather than its neighbours.
    std::vector<std::uint32_t> forward = draft.groupOf;
    Propagation(graph, draft, forward).run();
    for (std::uint32_t n = 0; n < forward.size(); ++n)
        if (draft.groupOf[n] == kNoIndex && columnOf(graph.nodes[n].role) == 0) draft.groupOf[n] = forward[n];
    for (std::uint32_t n = 0; n < draft.groupOf.size(); ++n)
        if (draft.groupOf[n] == kNoIndex) draft.groupOf[n] = groupOfHome(graph, homes, n, draft.groupOf);
    Spreading(graph, draft.groupOf).run();
    Propagation(graph, draft, draft.groupOf).run();
}

} // namespace secateur
