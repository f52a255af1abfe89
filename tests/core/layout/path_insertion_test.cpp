// SPDX-License-Identifier: Apache-2.0
#include "core/layout/path_insertion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace secateur {
namespace {

std::uint32_t addPlace(LayerGraph& graph, std::uint32_t layer, bool isVirtual = false) {
    LayerGraph::Place place;
    place.item = isVirtual ? 0xFFFFFFFFU : static_cast<std::uint32_t>(graph.places.size());
    place.layer = layer;
    place.weight = isVirtual ? 0 : 1;
    if (graph.layers.size() <= layer) graph.layers.resize(layer + std::size_t{1});
    graph.layers[layer].push_back(static_cast<std::uint32_t>(graph.places.size()));
    graph.places.push_back(place);
    return graph.layers[layer].back();
}

TEST(PathInsertion, aLongEdgeChangesSidesInAllItsLayersAtOnce) {
    // A long edge starts left of five chains and ends right of them; no exchange of neighbours helps at once.
    LayerGraph graph;
    constexpr std::uint32_t kLayers = 8, kChains = 5;
    std::vector<std::uint32_t> chains(kChains), chainsBefore;
    std::uint32_t before = 0;
    for (std::uint32_t l = 0; l < kLayers; ++l) {
        const bool endsRight = l + 1 == kLayers;
        const std::uint32_t first = endsRight ? 0 : addPlace(graph, l, l > 0);
        chainsBefore = chains;
        for (std::uint32_t& chain : chains)
            chain = addPlace(graph, l);
        const std::uint32_t edge = endsRight ? addPlace(graph, l) : first;
        for (std::uint32_t c = 0; l > 0 && c < kChains; ++c)
            graph.links.push_back({chainsBefore[c], chains[c]});
        if (l > 0) graph.links.push_back({before, edge});
        before = edge;
    }
    graph.connect();
    EXPECT_EQ(countCrossings(graph), kChains);
    std::uint64_t budget = 100000;
    EXPECT_EQ(reinsertPaths(graph, PathTies::stay, budget), kChains);
    EXPECT_EQ(countCrossings(graph), 0U);
    EXPECT_LT(budget, 100000U);
}

LayerGraph randomLayers(std::mt19937& engine, std::uint32_t most) {
    LayerGraph graph;
    const auto random = [&](std::uint32_t below) { return static_cast<std::uint32_t>(engine() % below); };
    const std::uint32_t layers = 2 + random(6);
    for (std::uint32_t l = 0; l < layers; ++l)
        for (std::uint32_t i = 1 + random(most); i > 0; --i)
            addPlace(graph, l, random(2) == 0);
    for (std::uint32_t l = 0; l + 1 < layers; ++l)
        for (const std::uint32_t a : graph.layers[l])
            for (const std::uint32_t b : graph.layers[l + 1])
                if (random(4) == 0) graph.links.push_back({a, b});
    graph.connect();
    return graph;
}

TEST(PathInsertion, savesExactlyWhatItSaysAndNeverAddsCrossings) {
    std::mt19937 engine(7);
    for (int round = 0; round < 400; ++round) {
        LayerGraph graph = randomLayers(engine, round % 40 == 0 ? 60 : 8); // also wider than the window
        for (const PathTies ties : {PathTies::stay, PathTies::left, PathTies::right, PathTies::stay}) {
            const std::vector<std::vector<std::uint32_t>> given = graph.layers;
            const std::uint64_t before = countCrossings(graph);
            std::uint64_t budget = 3000000;
            const std::uint64_t saved = reinsertPaths(graph, ties, budget);
            ASSERT_EQ(countCrossings(graph) + saved, before) << round;
            for (std::size_t l = 0; l < given.size(); ++l)
                ASSERT_TRUE(std::is_permutation(given[l].begin(), given[l].end(), graph.layers[l].begin(),
                                                graph.layers[l].end()));
        }
    }
}

TEST(PathInsertion, stopsWhereItsBudgetEndsOrSomeoneCancels) {
    std::mt19937 engine(3);
    LayerGraph graph = randomLayers(engine, 8);
    const std::vector<std::vector<std::uint32_t>> given = graph.layers;
    std::uint64_t none = 0;
    EXPECT_EQ(reinsertPaths(graph, PathTies::left, none), 0U);
    std::uint64_t budget = 1000000;
    EXPECT_EQ(reinsertPaths(graph, PathTies::left, budget, [] { return true; }), 0U);
    EXPECT_EQ(graph.layers, given);
    EXPECT_EQ(budget, 1000000U);
}

/// Two hubs that each reach every place of the next layer, with one edge that would rather stand elsewhere.
TEST(PathInsertion, whatCostsMoreThanTheBudgetStaysAndTheRestGoesOn) {
    LayerGraph graph;
    constexpr std::uint32_t kWide = 3000;
    const std::uint32_t a = addPlace(graph, 0), b = addPlace(graph, 0);
    for (std::uint32_t i = 0; i < kWide; ++i) {
        const std::uint32_t place = addPlace(graph, 1);
        graph.links.push_back({a, place});
        graph.links.push_back({b, place});
    }
    // Apart from them, a crossing that costs little to take away.
    const std::uint32_t c = addPlace(graph, 2), d = addPlace(graph, 2);
    const std::uint32_t e = addPlace(graph, 3), f = addPlace(graph, 3);
    graph.links.push_back({c, f});
    graph.links.push_back({d, e});
    graph.connect();
    std::uint64_t budget = 15000; // a hub costs 18 million, each place that they reach 18,000
    EXPECT_EQ(reinsertPaths(graph, PathTies::stay, budget), 1U);
    EXPECT_EQ(graph.layers[0], (std::vector<std::uint32_t>{a, b}));
    EXPECT_GT(budget, 10000U) << "what is not done costs nothing";
}

TEST(PathInsertion, crossingsTooManyToCountMoveNothing) {
    LayerGraph graph = [] {
        LayerGraph wide; // 40,000 edges lie on each link of two lanes that cross
        const std::uint32_t a = addPlace(wide, 0), b = addPlace(wide, 0);
        const std::uint32_t left = addPlace(wide, 1, true), right = addPlace(wide, 1, true);
        wide.links = {{a, right}, {b, left}};
        for (std::uint32_t i = 0; i < 40000; ++i) {
            const std::uint32_t end = addPlace(wide, 2);
            wide.links.push_back({i < 20000 ? left : right, end});
        }
        wide.connect();
        return wide;
    }();
    const std::uint64_t before = countCrossings(graph);
    ASSERT_GE(before, std::uint64_t{1} << 28U);
    std::uint64_t budget = std::uint64_t{1} << 40U;
    // The lanes come first; of the ends a few are enough.
    const std::uint64_t saved =
        reinsertPaths(graph, PathTies::stay, budget, [asked = 0]() mutable { return ++asked > 3; });
    EXPECT_EQ(countCrossings(graph) + saved, before);
    EXPECT_EQ(saved, 0U);
}

TEST(LayerGraph, aLinkOfASharedLaneCountsForEachEdgeThatGoesOnBehindIt) {
    LayerGraph graph; // a -> lane -> {c, lane -> {e, f}}, crossed by b -> d at its first link
    const std::uint32_t a = addPlace(graph, 0), b = addPlace(graph, 0);
    const std::uint32_t d = addPlace(graph, 1), lane = addPlace(graph, 1, true);
    const std::uint32_t c = addPlace(graph, 2), lane2 = addPlace(graph, 2, true);
    const std::uint32_t e = addPlace(graph, 3), f = addPlace(graph, 3);
    graph.links = {{a, lane}, {b, d}, {lane, c}, {lane, lane2}, {lane2, e}, {lane2, f}};
    graph.connect();
    EXPECT_EQ(graph.downWeight[graph.downStart[a]], 3U);
    EXPECT_EQ(graph.upWeight[graph.upStart[lane2]], 2U);
    EXPECT_EQ(graph.upWeight[graph.upStart[f]], 1U);
    EXPECT_EQ(countCrossings(graph), 3U);
}

TEST(LayerGraph, lanesThatJoinOnTheWayDownCountToo) {
    LayerGraph graph; // edges that run up: {a, b} above, their lane below them, from c
    const std::uint32_t a = addPlace(graph, 0), b = addPlace(graph, 0), x = addPlace(graph, 1);
    const std::uint32_t lane = addPlace(graph, 1, true);
    const std::uint32_t c = addPlace(graph, 2), y = addPlace(graph, 2);
    graph.links = {{a, lane}, {b, lane}, {lane, c}, {x, y}};
    graph.connect();
    EXPECT_EQ(graph.downWeight[graph.downStart[lane]], 2U);
    EXPECT_EQ(countCrossings(graph), 2U);
}

} // namespace
} // namespace secateur
