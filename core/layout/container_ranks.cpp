// SPDX-License-Identifier: Apache-2.0
#include "core/layout/container_ranks.h"

#include "core/layout/containers.h"
#include "core/layout/flow_cycles.h"
#include "core/layout/flow_depth.h"
#include "core/layout/ranking.h"

#include <algorithm>
#include <numeric>

namespace secateur {
namespace {

using namespace layout_plan;

class ContainerRanker {
  public:
    explicit ContainerRanker(Plan& plan)
        : m_plan(plan), m_inputs(plan.containers.size()), m_offset(plan.containers.size(), kNoIndex) {}

    void run() {
        measureDepths();
        collectUnits();
        collectEdges();
        for (std::uint32_t c = 0; c < m_plan.containers.size(); ++c) {
            Container& container = m_plan.containers[c];
            keepClearFlows(m_inputs[c]);
            Ranking ranking = rankUnits(m_inputs[c]);
            separateBlocks(container, ranking);
            separateEnds(container, m_inputs[c], ranking);
            container.rankCount = ranking.rankCount;
            for (std::uint32_t k = 0; k < container.units.size(); ++k)
                m_plan.units[container.units[k]].rank = ranking.rank[k];
            m_plan.counters.rankVisits += ranking.visits;
            m_plan.counters.unfolded += ranking.unfolded;
        }
    }

  private:
    bool isGroup(std::uint32_t unit) const {
        const Unit& u = m_plan.units[unit];
        return u.child != kNoIndex || m_plan.visible.items[u.item].node == kNoIndex;
    }

    /// How far from the inputs each unit lies: of a group the upper quartile of its nodes, which neither
    /// sources inside it nor a few late nodes change.
    void measureDepths() {
        m_depth.assign(m_plan.units.size(), 0);
        bool hasGroup = m_plan.units.size() > m_plan.visible.items.size();
        for (const VisibleItem& item : m_plan.visible.items)
            hasGroup = hasGroup || item.node == kNoIndex;
        if (!hasGroup) return;
        const std::vector<std::uint32_t> depths = flowDepths(m_plan.graph);
        std::vector<std::vector<std::uint32_t>> inside(m_plan.units.size());
        for (std::uint32_t n = 0; n < depths.size(); ++n) {
            const std::uint32_t item = m_plan.visible.itemOfNode[n];
            const std::uint8_t column = m_plan.units[item].column;
            if (m_plan.visible.items[item].node == n)
                m_depth[item] = depths[n];
            else
                inside[item].push_back(depths[n]);
            for (std::uint32_t c = m_plan.units[item].container; c != kNoIndex;
                 c = m_plan.containers[c].parent)
                if (const std::uint32_t unit = m_plan.containers[c].parts[column].unit; unit != kNoIndex)
                    inside[unit].push_back(depths[n]);
        }
        for (std::size_t u = 0; u < inside.size(); ++u) {
            if (inside[u].empty()) continue;
            const auto quartile = inside[u].begin() + static_cast<std::ptrdiff_t>(inside[u].size() * 3 / 4);
            std::nth_element(inside[u].begin(), quartile, inside[u].end());
            m_depth[u] = *quartile;
        }
    }

    void collectUnits() {
        m_local.assign(m_plan.units.size(), kNoIndex);
        for (const Container& container : m_plan.containers)
            for (std::uint32_t k = 0; k < container.units.size(); ++k)
                m_local[container.units[k]] = k;
        for (std::uint32_t c = 0; c < m_plan.containers.size(); ++c)
            for (const std::uint32_t u : m_plan.containers[c].units)
                m_inputs[c].units.push_back(unitOf(u));
    }

    RankInput::Unit unitOf(std::uint32_t index) const {
        constexpr NodeRole kRoles[] = {NodeRole::forward, NodeRole::backward, NodeRole::optimizer};
        const Unit& u = m_plan.units[index];
        RankInput::Unit unit;
        unit.column = u.column;
        if (u.child != kNoIndex) {
            unit.role = kRoles[u.column];
            for (const Part& part : m_plan.containers[u.child].parts) {
                if (!part.isUsed) continue;
                if (part.unit != index) unit.row = m_local[part.unit];
                break;
            }
            return unit;
        }
        const VisibleItem& item = m_plan.visible.items[u.item];
        unit.role = item.role;
        if (item.row != kNoIndex) unit.row = m_local[item.row];
        if (item.twin != kNoIndex && item.row == kNoIndex) {
            const std::uint32_t twin = unitAround(m_plan, u.container, item.twin);
            if (twin != kNoIndex) unit.twin = m_local[twin];
        }
        return unit;
    }

    void collectEdges() {
        for (const VisibleEdge& e : m_plan.visible.edges) {
            const std::uint32_t a = m_plan.units[e.from].container, b = m_plan.units[e.to].container;
            if (a == kNoIndex || b == kNoIndex) continue;
            const std::uint32_t common = commonContainer(m_plan, a, b);
            const std::uint32_t from = unitAround(m_plan, common, e.from);
            const std::uint32_t to = unitAround(m_plan, common, e.to);
            if (m_local[from] == kNoIndex || m_local[to] == kNoIndex) continue; // a piece of updates
            // Blocks that share a few values read each other both ways: the general flow decides.
            const bool isAgainst = (isGroup(from) || isGroup(to)) && m_depth[from] >= m_depth[to];
            m_inputs[common].edges.push_back({m_local[from], m_local[to], e.isPortal, isAgainst});
        }
    }

    /// What seems to run against the flow does so only between blocks that read each other, maybe by way of
    /// others: a block that only reads another stands below it, however far down the other goes on.
    static void keepClearFlows(RankInput& input) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
        bool isDoubtful = false;
        for (const RankInput::Edge& e : input.edges) {
            if (!isInOneColumn(input, e)) continue;
            edges.emplace_back(e.from, e.to);
            isDoubtful = isDoubtful || e.isAgainstFlow;
        }
        if (!isDoubtful) return;
        const std::vector<std::uint32_t> cycle = flowCycles(input.units.size(), edges);
        for (RankInput::Edge& e : input.edges)
            if (isInOneColumn(input, e) && cycle[e.from] != cycle[e.to]) e.isAgainstFlow = false;
    }
    static bool isInOneColumn(const RankInput& input, const RankInput::Edge& e) {
        return input.units[e.from].column == input.units[e.to].column;
    }

    /// A block with parts in several columns gets ranks of its own: nothing stands between its parts, where
    /// its edges run.
    void separateBlocks(const Container& container, Ranking& ranking) {
        if (container.children.empty()) return;
        const auto isBlock = [&](std::uint32_t child) {
            if (child == kNoIndex) return false;
            const auto& parts = m_plan.containers[child].parts;
            return std::count_if(parts.begin(), parts.end(), [](const Part& p) { return p.isUsed; }) > 1;
        };
        // What is no block stands first in its old rank, then one block after the other.
        std::vector<std::uint32_t> used(ranking.rankCount, 0); // ranks that an old one takes
        for (std::uint32_t k = 0; k < container.units.size(); ++k)
            if (!isBlock(m_plan.units[container.units[k]].child)) used[ranking.rank[k]] = 1;
        for (std::uint32_t k = 0; k < container.units.size(); ++k) {
            const std::uint32_t child = m_plan.units[container.units[k]].child;
            if (isBlock(child) && m_offset[child] == kNoIndex) m_offset[child] = used[ranking.rank[k]]++;
        }
        std::vector<std::uint32_t> first(ranking.rankCount + std::size_t{1}, 0);
        std::partial_sum(used.begin(), used.end(), first.begin() + 1);
        for (std::uint32_t k = 0; k < container.units.size(); ++k) {
            const std::uint32_t child = m_plan.units[container.units[k]].child;
            ranking.rank[k] = first[ranking.rank[k]] + (isBlock(child) ? m_offset[child] : 0);
        }
        ranking.rankCount = first.back();
    }

    /// -1: an output of the graph, 1: an input, in the column of the forward half; 0: all else.
    int endKind(std::uint32_t unit) const {
        const Unit& u = m_plan.units[unit];
        if (u.child != kNoIndex || u.column != 0) return 0;
        const std::uint32_t node = m_plan.visible.items[u.item].node;
        if (node == kNoIndex) return 0;
        const OperatorKind kind = m_plan.graph.nodes[node].kind;
        return kind == OperatorKind::input ? 1 : kind == OperatorKind::output ? -1 : 0;
    }

    /// An input or output beside a group would move the group's other parts, and with them a whole column,
    /// away from it: it gets a rank between that group and what it leads to or comes from.
    void separateEnds(const Container& container, const RankInput& input, Ranking& ranking) const {
        struct Shares {
            bool hasParts = false, hasOutputs = false, hasInputs = false;
        };
        std::vector<Shares> shares(ranking.rankCount);
        for (std::uint32_t k = 0; k < container.units.size(); ++k) {
            Shares& share = shares[ranking.rank[k]];
            share.hasParts = share.hasParts || input.units[k].row != kNoIndex;
            share.hasOutputs = share.hasOutputs || endKind(container.units[k]) < 0;
            share.hasInputs = share.hasInputs || endKind(container.units[k]) > 0;
        }
        std::vector<std::uint32_t> middle(ranking.rankCount, 0); // the new rank of what stays
        std::uint32_t next = 0;
        for (std::uint32_t r = 0; r < ranking.rankCount; ++r) {
            middle[r] = next + (shares[r].hasParts && shares[r].hasOutputs ? 1 : 0);
            next = middle[r] + (shares[r].hasParts && shares[r].hasInputs ? 2 : 1);
        }
        for (std::uint32_t k = 0; k < container.units.size(); ++k) {
            const std::uint32_t old = ranking.rank[k];
            const int kind = shares[old].hasParts ? endKind(container.units[k]) : 0;
            ranking.rank[k] = static_cast<std::uint32_t>(static_cast<std::int64_t>(middle[old]) + kind);
        }
        ranking.rankCount = next;
    }

    Plan& m_plan;
    std::vector<RankInput> m_inputs;     ///< by container
    std::vector<std::uint32_t> m_depth;  ///< by unit
    std::vector<std::uint32_t> m_offset; ///< by container: its rank among those that its old one becomes
    std::vector<std::uint32_t> m_local;  ///< by unit: its number in its container
};

} // namespace

void rankContainers(Plan& plan) {
    ContainerRanker(plan).run();
}

} // namespace secateur
