// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layered.h"

#include "tests/core/layout/graph_builder.h"

#include <gtest/gtest.h>

#include <random>

namespace secateur {
namespace {

std::uint32_t rankOf(const Layout& layout, std::uint32_t node) {
    return layout.items[layout.itemOfNode[node]].rank;
}
const Rect& rectOf(const Layout& layout, std::uint32_t node) {
    return layout.items[layout.itemOfNode[node]].rect;
}

/// A graph without structure: every node reads up to three earlier ones; a third of the nodes is backward.
LayoutGraph randomGraph(std::uint32_t nodes, std::uint32_t seed) {
    std::mt19937 engine(seed);
    const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
    GraphBuilder b;
    for (std::uint32_t n = 0; n < nodes; ++n) {
        const bool isBackward = n > nodes * 2 / 3;
        b.node("Op" + std::to_string(random() % 1000000), isBackward ? NodeRole::backward : NodeRole::forward,
               isBackward && random() % 2 == 0 ? random() % (nodes / 2) : kNoIndex);
        if (random() % 3 == 0) b.at(n).rows.push_back({LayoutRow::Kind::attribute, "axis", "1", kNoIndex});
        const std::uint32_t reads = n == 0 ? 0 : random() % 4;
        for (std::uint32_t r = 0; r < reads; ++r) {
            const std::uint32_t from = n - 1 - random() % std::min(n, 40U);
            const bool toBackward = isBackward && from <= nodes * 2 / 3;
            b.edge(from, n,
                   toBackward   ? EdgeClass::stash
                   : isBackward ? EdgeClass::gradient
                                : EdgeClass::data,
                   static_cast<std::uint16_t>(r));
        }
    }
    return b.build();
}

TEST(Layered, emptyGraphHasNoItems) {
    const Layout layout = layoutGraph(LayoutGraph());
    EXPECT_TRUE(layout.items.empty());
    EXPECT_TRUE(layout.bounds.isEmpty());
}

TEST(Layered, oneNodeStandsAtTheOrigin) {
    GraphBuilder b;
    b.node("Relu");
    const LayoutGraph graph = b.build();
    const Layout layout = layoutGraph(graph);
    ASSERT_EQ(layout.items.size(), 1U);
    EXPECT_EQ(layout.items[0].rect, (Rect{0, 0, 120, 22}));
}

TEST(Layered, edgesOfAForwardChainRunStraightDown) {
    GraphBuilder b;
    for (int i = 0; i < 10; ++i)
        b.node(i % 2 == 0 ? "Conv" : "A much longer operator name");
    for (std::uint32_t i = 1; i < 10; ++i)
        b.edge(i - 1, i);
    const Layout layout = layoutGraph(b.build());
    for (std::uint32_t i = 1; i < 10; ++i) {
        EXPECT_EQ(rectOf(layout, i).centerX(), rectOf(layout, 0).centerX());
        EXPECT_EQ(rectOf(layout, i).y - rectOf(layout, i - 1).bottom(), 28);
    }
    for (const PlacedEdge& e : layout.edges)
        EXPECT_EQ(e.pointCount, 4U);
}

TEST(Layered, gradientNodesTakeTheRankOfTheirForwardTwin) {
    const LayoutGraph graph = trainingGraph(40);
    const Layout layout = layoutGraph(graph);
    EXPECT_EQ(layout.counters.unfolded, 0U);
    int twins = 0;
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        if (graph.nodes[n].twin == kNoIndex) continue;
        ++twins;
        EXPECT_EQ(rankOf(layout, n), rankOf(layout, graph.nodes[n].twin)) << graph.nodes[n].title << n;
    }
    EXPECT_EQ(twins, 40 * 3 + 1);
}

TEST(Layered, columnsStandSideBySideWithTheirGap) {
    const LayoutGraph graph = trainingGraph(5);
    const Layout layout = layoutGraph(graph);
    EXPECT_EQ(layout.columns[1].x - layout.columns[0].right(), 48);
    EXPECT_GE(layout.columns[2].x - layout.columns[1].right(), 48);
    EXPECT_LE(layout.columns[2].x - layout.columns[1].right(), 84);
    for (const PlacedItem& item : layout.items) {
        EXPECT_GE(item.rect.x, layout.columns[item.column].x);
        EXPECT_LE(item.rect.right(), layout.columns[item.column].right());
    }
}

TEST(Layered, lossStandsBelowTheForwardHalfAndStashesCrossOneGap) {
    const LayoutGraph graph = trainingGraph(6);
    const Layout layout = layoutGraph(graph);
    const auto loss = static_cast<std::uint32_t>(graph.nodes.size() - 2);
    for (std::uint32_t n = 0; n < loss; ++n)
        EXPECT_LT(rankOf(layout, n), rankOf(layout, loss));
    for (const PlacedEdge& e : layout.edges) {
        if (e.edgeClass != EdgeClass::stash) continue;
        const int span =
            static_cast<int>(layout.items[e.from].rank) - static_cast<int>(layout.items[e.to].rank);
        EXPECT_LE(std::abs(span), 1);
        EXPECT_FALSE(e.isPortal);
    }
}

TEST(Layered, nodesNeverOverlap) {
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
        const LayoutGraph graph = randomGraph(400, seed);
        EXPECT_EQ(firstOverlap(graph, layoutGraph(graph)), "") << seed;
    }
    const LayoutGraph training = trainingGraph(60);
    EXPECT_EQ(firstOverlap(training, layoutGraph(training)), "");
}

TEST(Layered, neighboursInARankKeepTheirGap) {
    const LayoutGraph graph = randomGraph(600, 77);
    const Layout layout = layoutGraph(graph);
    for (std::size_t a = 0; a < layout.items.size(); ++a) {
        for (std::size_t b = a + 1; b < layout.items.size(); ++b) {
            if (layout.items[a].rank != layout.items[b].rank) continue;
            EXPECT_FALSE(layout.items[a].rect.inflated(7.9).intersects(layout.items[b].rect.inflated(7.9)));
        }
    }
}

TEST(Layered, sameInputGivesTheSameCoordinates) {
    const LayoutGraph graph = randomGraph(500, 3);
    const Layout a = layoutGraph(graph);
    const Layout b = layoutGraph(graph);
    ASSERT_EQ(a.items.size(), b.items.size());
    for (std::size_t i = 0; i < a.items.size(); ++i)
        EXPECT_EQ(a.items[i].rect, b.items[i].rect);
    EXPECT_EQ(a.points, b.points);
}

TEST(Layered, sixtyInputsFitAboveTheirSink) {
    GraphBuilder b;
    const std::uint32_t sink = b.node("Concat");
    for (std::uint16_t i = 0; i < 60; ++i)
        b.edge(b.node("In"), sink, EdgeClass::data, i);
    const LayoutGraph graph = b.build();
    const Layout layout = layoutGraph(graph);
    EXPECT_EQ(firstOverlap(graph, layout), "");
    for (std::uint32_t n = 1; n <= 60; ++n)
        EXPECT_EQ(rankOf(layout, n) + 1, rankOf(layout, sink));
    // The sink stands below the middle of its fan.
    EXPECT_NEAR(rectOf(layout, sink).centerX(), layout.bounds.centerX(), layout.bounds.width / 4);
}

TEST(Layered, cyclesAreTolerated) {
    GraphBuilder b;
    for (int i = 0; i < 6; ++i)
        b.node("N");
    for (std::uint32_t i = 0; i < 6; ++i)
        b.edge(i, (i + 1) % 6);
    b.edge(3, 3);
    b.edge(2, 0);
    const LayoutGraph graph = b.build();
    const Layout layout = layoutGraph(graph);
    EXPECT_EQ(layout.items.size(), 6U);
    EXPECT_EQ(firstOverlap(graph, layout), "");
    for (const PlacedEdge& e : layout.edges)
        EXPECT_GE(e.pointCount, 4U);
}

TEST(Layered, sourcesStandJustAboveTheirReaders) {
    GraphBuilder b;
    std::uint32_t before = b.node("x");
    for (int i = 0; i < 20; ++i) {
        const std::uint32_t next = b.node("Add");
        b.edge(before, next);
        before = next;
    }
    const std::uint32_t bias = b.node("Transpose");
    const std::uint32_t cast = b.node("Cast");
    b.edge(bias, cast);
    b.edge(cast, before, EdgeClass::data, 1);
    const LayoutGraph graph = b.build();
    const Layout layout = layoutGraph(graph);
    EXPECT_EQ(rankOf(layout, cast) + 1, rankOf(layout, before));
    EXPECT_EQ(rankOf(layout, bias) + 2, rankOf(layout, before));
}

TEST(Layered, manyReadersBecomePortals) {
    GraphBuilder b;
    const std::uint32_t mask = b.node("Mask");
    std::uint32_t before = b.node("x");
    for (int i = 0; i < 50; ++i) {
        const std::uint32_t next = b.node("Mul");
        b.edge(before, next);
        b.edge(mask, next, EdgeClass::data, 1);
        before = next;
    }
    const LayoutGraph graph = b.build();
    const Layout layout = layoutGraph(graph);
    ASSERT_EQ(layout.portals.size(), 51U);
    EXPECT_TRUE(layout.portals[0].isSource);
    EXPECT_EQ(layout.portals[0].count, 50U);
    EXPECT_EQ(layout.portals[0].text, "50");
    EXPECT_EQ(layout.portals[1].text, "Mask");
    EXPECT_EQ(layout.counters.virtualNodes, 0U);
    for (const Portal& portal : layout.portals) {
        std::vector<std::uint32_t> under;
        layout.itemIndex.query(portal.rect, under);
        EXPECT_TRUE(under.empty());
    }
}

TEST(Layered, aTagWithoutEdgesBesideItHasTheWholeSideAndElseItsNameIsCutAtItsEnd) {
    GraphBuilder b;
    const std::uint32_t mask = b.node("AttentionMask"), other = b.node("Relu");
    for (int i = 0; i < 40; ++i) {
        const std::uint32_t reader = b.node("Add");
        b.edge(mask, reader);
        if (i == 0) b.edge(other, reader, EdgeClass::data, 1);
    }
    const LayoutGraph graph = b.build();
    const Layout layout = layoutGraph(graph);
    std::uint32_t whole = 0, cut = 0;
    for (const Portal& portal : layout.portals) {
        EXPECT_LE(portal.rect.right(), layout.items[portal.item].rect.right());
        whole += portal.text == "AttentionMask" ? 1U : 0U;
        cut += portal.text.rfind("Att", 0) == 0 && portal.text.ends_with("…") ? 1U : 0U;
    }
    EXPECT_EQ(whole, 39U);
    EXPECT_EQ(cut, 1U);
}

TEST(Layered, replacingNodesStandAtTheBarycentreOfWhatTheyReplace) {
    GraphBuilder b;
    for (const char* title : {"x", "MatMul", "Gelu", "y"})
        b.node(title);
    for (std::uint32_t i = 1; i < 4; ++i)
        b.edge(i - 1, i);
    const Layout before = layoutGraph(GraphBuilder(b).build());
    const std::uint32_t fused = b.node("MatMul + Gelu");
    b.at(fused).replaces = {1, 2};
    b.edge(0, fused);
    b.edge(fused, 3);
    const Layout after = layoutGraph(b.build());
    for (std::uint32_t n = 0; n < 4; ++n)
        EXPECT_EQ(rectOf(before, n), rectOf(after, n)) << "kept nodes stay";
    EXPECT_NEAR(rectOf(after, fused).centerX(), rectOf(after, 1).centerX(), 1);
    EXPECT_NEAR(rectOf(after, fused).centerY(), (rectOf(after, 1).centerY() + rectOf(after, 2).centerY()) / 2,
                1);
}

TEST(Layered, nodesWithoutEdgesFillASquareAndNotOneLine) {
    GraphBuilder b;
    for (int i = 0; i < 100; ++i)
        b.node("Free");
    const LayoutGraph graph = b.build();
    const Layout layout = layoutGraph(graph);
    EXPECT_EQ(layout.rankTop.size(), 10U);
    EXPECT_EQ(layout.bounds.width, 10 * 120 + 9 * 16);
    EXPECT_EQ(firstOverlap(graph, layout), "");
}

TEST(Layered, theSpineRunsThroughTheOriginalNodes) {
    GraphBuilder b;
    for (const char* title : {"x", "Gelu", "y"})
        b.node(title);
    b.edge(0, 1);
    b.edge(1, 2);
    std::uint32_t before = 0;
    for (const char* title : {"Div", "Erf", "Add", "Mul"}) { // what a step puts in the place of Gelu
        const std::uint32_t next = b.node(title);
        b.at(next).replaces = {1};
        b.edge(before, next);
        before = next;
    }
    b.edge(before, 2);
    const Layout layout = layoutGraph(b.build());
    EXPECT_EQ(rectOf(layout, 0).centerX(), rectOf(layout, 1).centerX());
    EXPECT_EQ(rectOf(layout, 2).centerX(), rectOf(layout, 1).centerX());
}

TEST(Layered, severalReplacingNodesShareThePlacesAndMoreThanTheOldOnesAreRanked) {
    GraphBuilder b;
    for (const char* title : {"x", "A", "B", "C", "D", "y"})
        b.node(title);
    for (std::uint32_t i = 1; i < 6; ++i)
        b.edge(i - 1, i);
    const std::uint32_t first = b.node("AB");
    const std::uint32_t second = b.node("CD");
    for (const std::uint32_t n : {first, second})
        b.at(n).replaces = {4, 3, 2, 1};
    const std::uint32_t transpose = b.node("Transpose");
    const std::uint32_t matmul = b.node("MatMul");
    for (const std::uint32_t n : {transpose, matmul})
        b.at(n).replaces = {5};
    b.edge(4, transpose);
    b.edge(transpose, matmul);
    const LayoutGraph graph = b.build();
    const Layout layout = layoutGraph(graph);
    EXPECT_NEAR(rectOf(layout, first).centerY(),
                (rectOf(layout, 1).centerY() + rectOf(layout, 2).centerY()) / 2, 1);
    EXPECT_NEAR(rectOf(layout, second).centerY(),
                (rectOf(layout, 3).centerY() + rectOf(layout, 4).centerY()) / 2, 1);
    EXPECT_FALSE(rectOf(layout, transpose).intersects(rectOf(layout, 5)));
    EXPECT_FALSE(rectOf(layout, matmul).intersects(rectOf(layout, 5)));
    EXPECT_EQ(rankOf(layout, transpose) + 1, rankOf(layout, matmul));
}

TEST(Layered, aChainOfAHundredThousandNodesIsLaidOut) {
    GraphBuilder b;
    constexpr std::uint32_t kNodes = 100000;
    for (std::uint32_t i = 0; i < kNodes; ++i)
        b.node("N");
    for (std::uint32_t i = 1; i < kNodes; ++i)
        b.edge(i - 1, i);
    const Layout layout = layoutGraph(b.build());
    EXPECT_EQ(layout.rankTop.size(), kNodes);
    EXPECT_EQ(layout.bounds.width, 120);
    EXPECT_EQ(layout.counters.virtualNodes, 0U);
}

/// The training graph in blocks of 20 layers, all open.
Layout layoutInBlocks(std::uint32_t layers) {
    LayoutGraph graph = trainingGraph(layers);
    HierarchyHints hints;
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
        hints.nodeNames.push_back("/block." + std::to_string(n / 120) + "/node");
    const Hierarchy hierarchy = buildHierarchy(graph, hints);
    ExpandState open;
    open.open.assign(hierarchy.groups.size(), true);
    return layoutGraph(graph, hierarchy, open);
}

void expectLinear(const LayoutCounters& small, const LayoutCounters& large, double factor) {
    const auto grows = [factor](std::uint64_t a, std::uint64_t b) {
        return static_cast<double>(b) <= factor * static_cast<double>(a) + 100;
    };
    EXPECT_PRED2(grows, small.itemsPlaced, large.itemsPlaced);
    EXPECT_PRED2(grows, small.virtualNodes, large.virtualNodes);
    EXPECT_PRED2(grows, small.legs, large.legs);
    EXPECT_PRED2(grows, small.rankVisits, large.rankVisits);
    EXPECT_PRED2(grows, small.sweepVisits, large.sweepVisits);
    EXPECT_PRED2(grows, small.placementVisits, large.placementVisits);
}

TEST(Layered, workGrowsLinearly) {
    const Layout small = layoutGraph(trainingGraph(160)); // about 1,000 nodes
    const Layout large = layoutGraph(trainingGraph(16000));
    expectLinear(small.counters, large.counters, 105);
    EXPECT_LT(large.counters.virtualNodes, 2 * large.counters.itemsPlaced);
    EXPECT_LT(large.counters.sweepVisits, 20 * (large.counters.itemsPlaced + large.counters.virtualNodes));
    // Equal blocks are ordered once: against a graph that has many of them.
    expectLinear(layoutInBlocks(1600).counters, layoutInBlocks(16000).counters, 11);
}

TEST(Layered, edgesDrawnByLotCostLittleMoreThanSweeps) {
    GraphBuilder b;
    std::mt19937 random(3);
    constexpr std::uint32_t kWide = 30, kRows = 10, kInputs = 8;
    for (std::uint32_t i = 0; i < kWide * kRows; ++i)
        b.node("Add");
    for (std::uint32_t i = kWide; i < kWide * kRows; ++i)
        for (std::uint16_t k = 0; k < kInputs; ++k)
            b.edge(i / kWide * kWide - kWide + static_cast<std::uint32_t>(random() % kWide), i,
                   EdgeClass::data, k);
    const LayoutGraph graph = b.build();
    LayoutOptions options;
    options.portalFanOut = 1000;
    const Layout layout = layoutGraph(graph, Hierarchy{}, ExpandState{}, options);
    EXPECT_GT(layout.counters.crossings, 10'000U) << "no order helps";
    EXPECT_LT(layout.counters.sweepVisits, 1'500'000U);
}

TEST(Layered, longEdgesOfALargeGraphBecomePortalsInsteadOfVirtualNodes) {
    GraphBuilder b;
    constexpr std::uint32_t kNodes = 20000;
    for (std::uint32_t i = 0; i < kNodes; ++i)
        b.node("N");
    for (std::uint32_t i = 1; i < kNodes; ++i)
        b.edge(i - 1, i);
    for (std::uint32_t i = 0; i + 1000 < kNodes; i += 10)
        b.edge(i, i + 1000, EdgeClass::data, 1);
    const Layout layout = layoutGraph(b.build());
    EXPECT_LE(layout.counters.virtualNodes, kNodes * 3 / 2 + 512);
    EXPECT_GT(layout.counters.portals, 3000U);
}

TEST(Layered, cancellingGivesAnEmptyLayout) {
    LayoutOptions options;
    options.isCancelled = [] { return true; };
    const Layout layout = layoutGraph(trainingGraph(10), options);
    EXPECT_TRUE(layout.cancelled);
    EXPECT_TRUE(layout.items.empty());
}

} // namespace
} // namespace secateur
