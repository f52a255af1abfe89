// SPDX-License-Identifier: Apache-2.0
#include "core/layout/hierarchy.h"

#include "core/layout/repeated_blocks.h"
#include "tests/core/layout/graph_builder.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

/// A training graph whose nodes carry no names, and the parameter names of its weights.
struct Named {
    LayoutGraph graph;
    HierarchyHints hints;
};

Named parameterNamed(std::uint32_t blocks) {
    Named named{trainingGraph(blocks), {}};
    named.hints.parameterNames.resize(named.graph.nodes.size());
    for (std::uint32_t i = 0; i < blocks; ++i) {
        named.hints.parameterNames[1 + i * 6] = "b." + std::to_string(i) + ".fc.weight";
        named.hints.parameterNames[1 + i * 6 + 5] = "b." + std::to_string(i) + ".fc.weight.grad";
    }
    return named;
}

const Group& rootOf(const Hierarchy& hierarchy, std::uint32_t group) {
    while (hierarchy.groups[group].parent != kNoIndex)
        group = hierarchy.groups[group].parent;
    return hierarchy.groups[group];
}

TEST(Hierarchy, parameterNamesGiveBlocksThatHoldTheirGradientsToo) {
    Named named = parameterNamed(12);
    const Hierarchy hierarchy = buildHierarchy(named.graph, named.hints);
    EXPECT_EQ(hierarchy.source, HierarchySource::parameterNames);
    std::uint32_t inBlocks = 0;
    for (std::uint32_t i = 0; i < 12; ++i) {
        for (std::uint32_t k = 0; k < 6; ++k) {
            const std::uint32_t group = named.graph.nodes[1 + i * 6 + k].group;
            ASSERT_NE(group, kNoIndex);
            inBlocks += rootOf(hierarchy, group).name == "b." + std::to_string(i) ? 1U : 0U;
        }
    }
    EXPECT_EQ(inBlocks, 72U);
}

TEST(Hierarchy, nodeNamesComeFirst) {
    Named named = parameterNamed(6);
    for (std::uint32_t n = 0; n < named.graph.nodes.size(); ++n) {
        named.hints.nodeNames.push_back("/layers." + std::to_string(n / 6) + "/Op_" + std::to_string(n));
    }
    const Hierarchy hierarchy = buildHierarchy(named.graph, named.hints);
    EXPECT_EQ(hierarchy.source, HierarchySource::nodeNames);
    EXPECT_EQ(hierarchy.groups.front().title, "layers.0");
}

TEST(Hierarchy, aSourceOfMostlySingleNodesIsRejected) {
    LayoutGraph graph = trainingGraph(30);
    HierarchyHints hints;
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        hints.nodeNames.push_back("/scope_" + std::to_string(n) + "/Op");
    }
    EXPECT_NE(buildHierarchy(graph, hints).source, HierarchySource::nodeNames);
}

TEST(Hierarchy, repeatedBlocksAreFoundWithoutAnyName) {
    GraphBuilder b;
    std::uint32_t before = b.node("Conv");
    const char* const kBlock[] = {"Conv", "BatchNormalization", "Relu", "Conv", "Relu", "Add", "Clip"};
    for (int i = 0; i < 10; ++i) {
        for (const char* title : kBlock) {
            const std::uint32_t next = b.node(title);
            b.edge(before, next);
            before = next;
        }
    }
    LayoutGraph graph = b.build();
    const Hierarchy hierarchy = buildHierarchy(graph, {});
    EXPECT_EQ(hierarchy.source, HierarchySource::repeatedBlocks);
    EXPECT_EQ(hierarchy.roots.size(), 10U);
    EXPECT_EQ(hierarchy.groups[hierarchy.roots[1]].nodeCount, 7U);
}

TEST(Hierarchy, withoutAnyStructureGroupsHoldAtMostFourHundredNodes) {
    GraphBuilder b;
    for (int i = 0; i < 1000; ++i)
        b.node("Op" + std::to_string(i * 7919 % 1000));
    LayoutGraph graph = b.build();
    const Hierarchy hierarchy = buildHierarchy(graph, {});
    EXPECT_EQ(hierarchy.source, HierarchySource::artificial);
    ASSERT_EQ(hierarchy.groups.size(), 3U);
    for (const Group& group : hierarchy.groups)
        EXPECT_LE(group.nodeCount, 400U);
}

TEST(Hierarchy, smallGraphsAreShownOpenAndLargeOnesAsBlobs) {
    Named small = parameterNamed(10);
    const Hierarchy a = buildHierarchy(small.graph, small.hints);
    EXPECT_TRUE(initialExpandState(small.graph, a).isOpen(0));
    Named large = parameterNamed(600);
    const Hierarchy b = buildHierarchy(large.graph, large.hints);
    const ExpandState closed = initialExpandState(large.graph, b);
    EXPECT_FALSE(closed.isOpen(0));
    const Layout layout = layoutGraph(large.graph, b, closed);
    EXPECT_LT(layout.items.size(), 2000U);
    EXPECT_EQ(firstOverlap(large.graph, layout), "");
}

TEST(Hierarchy, aClosedGroupIsOneBlobInEachColumnAndOpensByItself) {
    Named named = parameterNamed(20);
    const Hierarchy hierarchy = buildHierarchy(named.graph, named.hints);
    ExpandState state;
    state.open.assign(hierarchy.groups.size(), false);
    const Layout closed = layoutGraph(named.graph, hierarchy, state);
    std::array<int, 3> blobs{};
    for (const PlacedItem& item : closed.items) {
        if (item.group != kNoIndex) ++blobs[item.column];
    }
    EXPECT_EQ(blobs[0], 20);
    EXPECT_EQ(blobs[1], 20);
    // Forward and backward halves of a block share a rank.
    for (const PlacedItem& a : closed.items) {
        for (const PlacedItem& b : closed.items) {
            const bool areHalves = a.group != kNoIndex && a.group == b.group && a.column < 2 && b.column < 2;
            EXPECT_TRUE(!areHalves || a.rank == b.rank);
        }
    }
    const std::uint32_t group = hierarchy.roots[3];
    EXPECT_NE(closed.itemOfGroup[group], kNoIndex);
    state.open[group] = true;
    const Layout open = layoutGraph(named.graph, hierarchy, state);
    EXPECT_GT(open.items.size(), closed.items.size());
    EXPECT_EQ(open.itemOfGroup[group], kNoIndex);
    EXPECT_FALSE(open.frames.empty());
    EXPECT_EQ(firstOverlap(named.graph, open), "");
}

TEST(Hierarchy, blocksThatReadEachOtherBothWaysStillStandInOrder) {
    Named named = parameterNamed(30);
    const auto addShared = [&](NodeRole role, const char* parameter, std::uint32_t readers) {
        LayoutNode node;
        node.key = node.order = static_cast<std::uint32_t>(named.graph.nodes.size());
        node.role = role;
        for (std::uint32_t i = 0; i < 30; ++i) {
            LayoutEdge e;
            e.from = node.key;
            e.to = 1 + i * 6 + readers;
            e.toSlot = 3;
            e.fromSlot = static_cast<std::uint16_t>(i / 5); // few readers each: no portals
            named.graph.edges.push_back(e);
        }
        named.graph.nodes.push_back(node);
        named.hints.parameterNames.emplace_back(parameter);
    };
    // A shape that stands in the last block is read by all, and so is a constant of the first block's
    // gradients.
    addShared(NodeRole::forward, "b.29.fc.weight", 1);
    addShared(NodeRole::backward, "b.0.fc.weight", 3);
    const Hierarchy hierarchy = buildHierarchy(named.graph, named.hints);
    ExpandState closed;
    closed.open.assign(hierarchy.groups.size(), false);
    const Layout layout = layoutGraph(named.graph, hierarchy, closed);
    std::vector<std::uint32_t> inRank(layout.rankTop.size(), 0);
    for (const PlacedItem& item : layout.items)
        ++inRank[item.rank];
    for (const std::uint32_t count : inRank)
        EXPECT_LE(count, 6U) << "three halves of a block, and what stands in no block";
}

TEST(RepeatedBlocks, irregularSequencesHaveNone) {
    const std::vector<std::string_view> types{"A", "B", "C", "D", "E", "F", "G", "H", "A", "C", "B", "D",
                                              "H", "F", "E", "G", "B", "A", "D", "C", "F", "E", "H", "G"};
    for (const std::uint32_t block : findRepeatedBlocks(types))
        EXPECT_EQ(block, kNoIndex);
}

} // namespace
} // namespace secateur
