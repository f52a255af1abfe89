// SPDX-License-Identifier: Apache-2.0
#include "core/layout/container_ranks.h"

#include "core/layout/flow_cycles.h"
#include "core/layout/ranking.h"
#include "tests/core/layout/graph_builder.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

TEST(FlowCycles, nodesThatReachEachOtherShareANumber) {
    // 0 -> 1 -> 2 -> 1, 2 -> 3, 4 alone, 5 -> 5, 6 <-> 7.
    const std::vector<std::uint32_t> cycle =
        flowCycles(8, {{0, 1}, {1, 2}, {2, 1}, {2, 3}, {5, 5}, {6, 7}, {7, 6}});
    ASSERT_EQ(cycle.size(), 8U);
    for (std::uint32_t a = 0; a < 8; ++a)
        for (std::uint32_t b = 0; b < a; ++b) {
            const bool areTogether = (a == 2 && b == 1) || (a == 7 && b == 6);
            EXPECT_EQ(cycle[a] == cycle[b], areTogether) << a << " " << b;
        }
}

TEST(FlowCycles, aLongChainAndALongRing) {
    constexpr std::uint32_t kLength = 100000;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::uint32_t i = 0; i + 1 < kLength; ++i)
        edges.emplace_back(i, i + 1);
    std::vector<std::uint32_t> cycle = flowCycles(kLength, edges);
    EXPECT_NE(cycle.front(), cycle.back());
    edges.emplace_back(kLength - 1, 0);
    cycle = flowCycles(kLength, edges);
    EXPECT_EQ(std::count(cycle.begin(), cycle.end(), cycle.front()), kLength);
}

TEST(ContainerRanks, aBlockThatOnlyReadsAnotherStandsBelowItHoweverFarThatGoesOn) {
    // A long block, and a branch of twenty nodes that leaves it early: in the mean the branch lies higher.
    GraphBuilder b;
    HierarchyHints hints;
    constexpr std::uint32_t kLong = 120, kBranch = 20, kEarly = 30;
    std::uint32_t before = b.node("x");
    std::vector<std::uint32_t> trunk;
    for (std::uint32_t i = 0; i < kLong; ++i) {
        trunk.push_back(b.node("Conv"));
        b.edge(before, trunk.back());
        before = trunk.back();
    }
    hints.nodeNames.assign(1 + kLong, "/trunk/op");
    before = trunk[kEarly];
    std::uint32_t first = kNoIndex;
    for (std::uint32_t i = 0; i < kBranch; ++i) {
        const std::uint32_t n = b.node("Relu");
        if (i == 0) first = n;
        b.edge(before, n);
        before = n;
    }
    hints.nodeNames.resize(1 + kLong + kBranch, "/branch/op");
    LayoutGraph graph = b.build();
    const Hierarchy hierarchy = buildHierarchy(graph, hints);
    ASSERT_EQ(hierarchy.groups.size(), 2U);
    ExpandState open;
    open.open.assign(2, true);
    const Layout layout = layoutGraph(graph, hierarchy, open);
    EXPECT_GT(layout.items[layout.itemOfNode[first]].rect.y,
              layout.items[layout.itemOfNode[trunk.back()]].rect.y);
}

TEST(Ranking, aFreeGradientStandsBetweenThePartsOfGroupsThatItTies) {
    // Three forward groups in a row with parts in the middle column; a gradient leads from the part of the
    // last to that of the first.
    RankInput input;
    for (std::uint32_t i = 0; i < 3; ++i)
        input.units.push_back({NodeRole::forward, 0, false, kNoIndex, kNoIndex});
    for (std::uint32_t i = 0; i < 3; ++i)
        input.units.push_back({NodeRole::backward, 1, false, kNoIndex, i});
    input.units.push_back({NodeRole::backward, 1, false, kNoIndex, kNoIndex});
    input.edges = {{0, 1, false, false}, {1, 2, false, false}, {5, 6, false, false}, {6, 3, false, false}};
    const Ranking ranking = rankUnits(input);
    EXPECT_EQ(ranking.rank[5], ranking.rank[2]);
    EXPECT_EQ(ranking.rank[6] + 1, ranking.rank[5]) << "right above what it reads";
    EXPECT_GT(ranking.rank[6], ranking.rank[3]);
}

} // namespace
} // namespace secateur
