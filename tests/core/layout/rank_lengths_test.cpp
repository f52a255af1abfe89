// SPDX-License-Identifier: Apache-2.0
//
// Ranks of gradients without a twin: where their edges are shortest in all.
#include "core/layout/rank_lengths.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <random>

namespace secateur {
namespace {

std::uint32_t addUnit(RankInput& input, NodeRole role, std::uint8_t column, std::uint32_t twin = kNoIndex) {
    RankInput::Unit u;
    u.role = role;
    u.column = column;
    u.twin = twin;
    input.units.push_back(u);
    return static_cast<std::uint32_t>(input.units.size() - 1);
}

std::int64_t lengthOf(const RankInput& input, const std::vector<std::uint32_t>& rank) {
    std::int64_t sum = 0;
    for (const RankInput::Edge& e : input.edges)
        sum += std::abs(std::int64_t{rank[e.from]} - std::int64_t{rank[e.to]});
    return sum;
}

/// Every edge runs the way that it ran.
bool keepsDirections(const RankInput& input, const std::vector<std::uint32_t>& before,
                     const std::vector<std::uint32_t>& after) {
    for (const RankInput::Edge& e : input.edges) {
        if (before[e.from] < before[e.to] && after[e.from] >= after[e.to]) return false;
        if (before[e.from] > before[e.to] && after[e.from] <= after[e.to]) return false;
    }
    return true;
}

/// The least length with all free units in ranks 0 .. `ranks` - 1, by trying.
std::int64_t leastByTrying(const RankInput& input, const std::vector<bool>& isFree,
                           const std::vector<std::uint32_t>& before, std::uint32_t ranks) {
    std::vector<std::uint32_t> rank = before;
    for (std::uint32_t u = 0; u < rank.size(); ++u)
        if (isFree[u]) rank[u] = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (;;) {
        if (keepsDirections(input, before, rank)) least = std::min(least, lengthOf(input, rank));
        std::uint32_t u = 0;
        for (; u < rank.size(); ++u) {
            if (!isFree[u]) continue;
            if (++rank[u] < ranks) break;
            rank[u] = 0;
        }
        if (u == rank.size()) return least;
    }
}

TEST(RankLengths, areTheLeastThatThereAre) {
    std::mt19937 random(7);
    const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    constexpr std::uint32_t kUnits = 7, kRanks = 6;
    int shortened = 0;
    for (int graph = 0; graph < 60; ++graph) {
        RankInput input;
        Ranking ranking;
        std::vector<bool> isFree;
        for (std::uint32_t u = 0; u < kUnits; ++u) {
            addUnit(input, NodeRole::backward, 1);
            isFree.push_back(u >= 2); // two stand in the first and the last rank
            ranking.rank.push_back(u == 0 ? 0 : u == 1 ? kRanks - 1 : 1 + below(kRanks - 2));
        }
        for (std::uint32_t u = 2; u < kUnits; ++u) { // inside, so that the bounds hold for all
            input.edges.push_back({0, u});
            input.edges.push_back({u, 1});
        }
        for (int k = 0; k < 6; ++k) {
            const std::uint32_t a = below(kUnits), b = below(kUnits);
            if (ranking.rank[a] != ranking.rank[b]) input.edges.push_back({a, b});
        }
        const std::vector<std::uint32_t> before = ranking.rank;
        shortenEdges(input, isFree, ranking);
        ASSERT_TRUE(keepsDirections(input, before, ranking.rank)) << graph;
        EXPECT_EQ(ranking.rank[0], before[0]);
        EXPECT_EQ(ranking.rank[1], before[1]);
        EXPECT_EQ(lengthOf(input, ranking.rank), leastByTrying(input, isFree, before, kRanks)) << graph;
        shortened += lengthOf(input, ranking.rank) < lengthOf(input, before) ? 1 : 0;
    }
    EXPECT_GT(shortened, 20) << "or there was nothing to do";
}

TEST(RankLengths, allRanksMoveDownWhenAGradientGoesAboveTheFirst) {
    RankInput input;
    const std::uint32_t forward = addUnit(input, NodeRole::forward, 0),
                        reader = addUnit(input, NodeRole::forward, 0);
    const std::uint32_t top = addUnit(input, NodeRole::backward, 1),
                        free = addUnit(input, NodeRole::backward, 1);
    input.edges = {{forward, reader}, {free, top}, {top, free}};
    Ranking ranking;
    ranking.rank = {0, 1, 0, 4};
    input.edges.push_back({reader, free});
    input.edges.push_back({reader, free});
    input.edges.push_back({reader, free});
    shortenEdges(input, {false, false, true, true}, ranking);
    EXPECT_EQ(ranking.rank[reader], ranking.rank[forward] + 1);
    EXPECT_EQ(ranking.rank[free], ranking.rank[reader]) << "an edge to another column may run along a rank";
    EXPECT_EQ(ranking.rank[top] + 1, ranking.rank[free]);
}

TEST(RankLengths, whatIsComputedAgainStandsRightAboveTheGradientThatReadsIt) {
    RankInput input;
    const std::uint32_t forward = addUnit(input, NodeRole::forward, 0);
    const std::uint32_t next = addUnit(input, NodeRole::forward, 0);
    const std::uint32_t again = addUnit(input, NodeRole::recompute, 1, forward);
    const std::uint32_t end = addUnit(input, NodeRole::recompute, 1, next); // read by the loss alone
    input.edges = {{forward, next}, {again, end}};
    std::uint32_t gradient = addUnit(input, NodeRole::backward, 1);
    const std::uint32_t last = gradient;
    for (int i = 0; i < 6; ++i) { // gradients flow up
        const std::uint32_t before = addUnit(input, NodeRole::backward, 1);
        input.edges.push_back({before, gradient});
        gradient = before;
    }
    input.edges.push_back({again, gradient});
    const Ranking ranking = rankUnits(input);
    EXPECT_EQ(ranking.rank[last], 0U);
    EXPECT_EQ(ranking.rank[gradient], 6U);
    EXPECT_EQ(ranking.rank[again], 5U);
    EXPECT_EQ(ranking.rank[end], 6U) << "its end follows";
}

TEST(RankLengths, parallelEdgesCostNoMoreThanOne) {
    RankInput input;
    Ranking ranking;
    const std::uint32_t anchor = addUnit(input, NodeRole::forward, 0);
    ranking.rank.push_back(0);
    std::vector<bool> isFree{false};
    for (std::uint32_t u = 1; u <= kMostFreeUnits; ++u) {
        addUnit(input, NodeRole::backward, 1);
        ranking.rank.push_back(3 * u);
        isFree.push_back(true);
        if (u > 1) input.edges.push_back({u - 1, u});
    }
    for (std::uint32_t k = 0; k < 50'000; ++k)
        input.edges.push_back({anchor, 1 + k % static_cast<std::uint32_t>(kMostFreeUnits)});
    shortenEdges(input, isFree, ranking);
    EXPECT_LT(ranking.visits, 2'000'000U);
    EXPECT_EQ(ranking.rank[1], ranking.rank[anchor]) << "an edge to another column may run along a rank";
    EXPECT_EQ(ranking.rank[kMostFreeUnits], kMostFreeUnits - 1) << "and all others right below each other";
}

TEST(RankLengths, manyEdgesAreBoundedToo) {
    RankInput input;
    Ranking ranking;
    std::mt19937 random(11);
    const auto count = static_cast<std::uint32_t>(kMostFreeUnits);
    for (std::uint32_t u = 0; u < count; ++u) {
        addUnit(input, NodeRole::backward, 1);
        ranking.rank.push_back(static_cast<std::uint32_t>(random() % 400));
    }
    for (std::uint32_t a = 0; a < count; ++a)
        for (std::uint32_t b = a + 1; b < count; ++b)
            if (ranking.rank[a] != ranking.rank[b] && random() % 2 == 0) input.edges.push_back({a, b});
    const std::vector<std::uint32_t> before = ranking.rank;
    shortenEdges(input, std::vector<bool>(count, true), ranking);
    EXPECT_LT(ranking.visits, 2 * kMostRankVisits);
    EXPECT_TRUE(keepsDirections(input, before, ranking.rank));
    EXPECT_LE(lengthOf(input, ranking.rank), lengthOf(input, before));
}

TEST(RankLengths, tooManyUnitsStayWhereTheyAre) {
    RankInput input;
    Ranking ranking;
    const auto count = static_cast<std::uint32_t>(kMostFreeUnits + 1);
    for (std::uint32_t u = 0; u < count; ++u) {
        addUnit(input, NodeRole::backward, 1);
        ranking.rank.push_back(2 * u);
        if (u > 0) input.edges.push_back({u - 1, u});
    }
    const std::vector<std::uint32_t> before = ranking.rank;
    shortenEdges(input, std::vector<bool>(count, true), ranking);
    EXPECT_EQ(ranking.rank, before);
    EXPECT_EQ(ranking.visits, 0U);
}

} // namespace
} // namespace secateur
