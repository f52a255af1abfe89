// SPDX-License-Identifier: Apache-2.0
#include "core/layout/hierarchy.h"

#include "core/layout/group_paths.h"
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

TEST(GroupPaths, modulesAreReadFromWhatExportersRecord) {
    const GroupPath q{"b.0", "a", "q"};
    EXPECT_EQ(pathOfScopes("['', 'b.0', 'b.0.a', 'b.0.a.q', 'linear_2']"), q);
    EXPECT_EQ(pathOfScopes("['', 'b', 'b.0', 'b.0.a', 'b.0.a.q', 'linear_2']"), q)
        << "a number belongs to its list";
    EXPECT_EQ(pathOfScopes(": __main__.T/b.0: Blk/b.0.a: Attn/b.0.a.q: torch.Linear/linear_2: aten.linear"),
              q);
    EXPECT_TRUE(pathOfScopes("['', 'view_812']").empty()) << "the last entry is the operator";
    EXPECT_TRUE(pathOfScopes("").empty());
    EXPECT_TRUE(pathOfScopes("['").empty());
}

TEST(GroupPaths, namesOfNodesAndParametersArePaths) {
    EXPECT_EQ(pathOfNodeName("/b.0/a/q/Gemm_Grad/MatMul_1"), (GroupPath{"b.0", "a", "q"}));
    EXPECT_EQ(pathOfNodeName("model/layers/3/attn/MatMul;model/other/Add"),
              (GroupPath{"model", "layers.3", "attn"}));
    EXPECT_EQ(pathOfNodeName("AccumulateGrad_/b.0/Add_output_0_grad"), (GroupPath{"b.0"}));
    EXPECT_TRUE(pathOfNodeName("MatMul_17").empty());
    EXPECT_EQ(pathOfParameter("b.0.a.q.weight"), (GroupPath{"b.0", "a", "q"}));
    EXPECT_EQ(pathOfParameter("conv2_1/x1/bn_scale_0"), (GroupPath{"conv2_1", "x1"}));
    EXPECT_TRUE(pathOfParameter("weight").empty());
    EXPECT_EQ(pathOfParameter("\u6A21\u578B.0.\U0001F600.w"), (GroupPath{"\u6A21\u578B.0", "\U0001F600"}));
}

TEST(Hierarchy, recordedModulesComeBeforeAllNames) {
    Named named = parameterNamed(6);
    for (std::uint32_t n = 0; n < named.graph.nodes.size(); ++n) {
        const std::string block = std::to_string(n / 6);
        named.hints.nodeNames.push_back("/layers." + block + "/Op_" + std::to_string(n));
        named.hints.scopes.push_back("['', 'encoder', 'encoder." + block + "', 'op_" + std::to_string(n) +
                                     "']");
    }
    const Hierarchy hierarchy = buildHierarchy(named.graph, named.hints);
    EXPECT_EQ(hierarchy.source, HierarchySource::scopes);
    EXPECT_EQ(hierarchy.groups.front().title, "encoder.0");
}

TEST(Hierarchy, aSourceThatNamesEveryOperatorIsPassedOver) {
    Named named = parameterNamed(20);
    for (std::uint32_t n = 0; n < named.graph.nodes.size(); ++n)
        named.hints.scopes.push_back("['', 'op_" + std::to_string(n) + "', 'call']");
    EXPECT_EQ(buildHierarchy(named.graph, named.hints).source, HierarchySource::parameterNames);
}

TEST(Hierarchy, whatWorksForANodeBelongsToItsGroup) {
    Named named = parameterNamed(8);
    named.hints.homes.assign(named.graph.nodes.size(), kNoIndex);
    // An update that stands alone: no edge ties it to its block, its home does.
    LayoutNode update;
    update.key = update.order = static_cast<std::uint32_t>(named.graph.nodes.size());
    update.role = NodeRole::optimizer;
    named.graph.nodes.push_back(update);
    named.hints.homes.push_back(1 + 3 * 6);
    const Hierarchy hierarchy = buildHierarchy(named.graph, named.hints);
    ASSERT_NE(named.graph.nodes.back().group, kNoIndex);
    EXPECT_EQ(rootOf(hierarchy, named.graph.nodes.back().group).name, "b.3");
}

TEST(Hierarchy, noNodeLiesDeeperThanFourGroupsAndSmallGroupsAreLeftOut) {
    GraphBuilder b;
    HierarchyHints hints;
    for (int i = 0; i < 600; ++i) {
        b.node("Op");
        std::string name = "/all/s" + std::to_string(i / 200);
        for (const int size : {100, 50, 25, 12, 6, 3})
            name += "/l" + std::to_string(i / size);
        hints.nodeNames.push_back(name + "/Op");
    }
    LayoutGraph graph = b.build();
    const Hierarchy hierarchy = buildHierarchy(graph, hints);
    EXPECT_EQ(hierarchy.source, HierarchySource::nodeNames);
    EXPECT_EQ(hierarchy.roots.size(), 3U) << "what holds everything is no group";
    EXPECT_EQ(hierarchy.groups.front().title, "s0");
    for (const Group& group : hierarchy.groups) {
        EXPECT_LT(group.depth, 4U);
        EXPECT_GE(group.nodeCount, 4U);
    }
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

TEST(Hierarchy, modulesOfOneNodeInsideBlocksSayNothingAgainstTheirSource) {
    GraphBuilder b;
    HierarchyHints hints;
    for (int i = 0; i < 60; ++i) { // each Conv and each Relu is a module of its own
        b.node(i % 2 == 0 ? "Conv" : "Relu");
        hints.nodeNames.push_back("/net/stage." + std::to_string(i / 12) + "/m" + std::to_string(i) + "/Op");
    }
    LayoutGraph graph = b.build();
    const Hierarchy hierarchy = buildHierarchy(graph, hints);
    EXPECT_EQ(hierarchy.source, HierarchySource::nodeNames);
    EXPECT_EQ(hierarchy.groups.size(), 5U);
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

TEST(Hierarchy, aRunWithoutStructureKeepsGradientsWithTheirForwardNodes) {
    LayoutGraph graph = trainingGraph(300);
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
        graph.nodes[n].title = "Op" + std::to_string(n * 7919 % 2000); // nothing repeats
    const Hierarchy hierarchy = buildHierarchy(graph, {});
    EXPECT_EQ(hierarchy.source, HierarchySource::artificial);
    EXPECT_GE(hierarchy.groups.size(), 5U);
    for (const LayoutNode& node : graph.nodes) {
        if (node.twin == kNoIndex) continue;
        EXPECT_EQ(node.group, graph.nodes[node.twin].group);
    }
}

/// inputs -> `size` operators in blocks of eight -> outputs, all named as parts of the first or last block.
LayoutGraph chainWithEnds(std::uint32_t ends, std::uint32_t size, HierarchyHints& hints) {
    GraphBuilder b;
    const auto add = [&](const char* title, std::uint32_t block) {
        hints.nodeNames.push_back("/b." + std::to_string(block) + "/op");
        return b.node(title);
    };
    std::vector<std::uint32_t> inputs;
    for (std::uint32_t i = 0; i < ends; ++i)
        inputs.push_back(add("x", 0));
    std::uint32_t last = inputs.front();
    for (std::uint32_t i = 0; i < size; ++i) {
        const std::uint32_t next = add("Conv", i / 8);
        b.edge(last, next);
        last = next;
    }
    for (const std::uint32_t input : inputs) {
        b.at(input).key |= kInputKeyBit;
        const std::uint32_t output = add("y", (size - 1) / 8);
        b.at(output).key |= kOutputKeyBit;
        b.edge(last, output);
    }
    return b.build();
}

TEST(Hierarchy, inputsAndOutputsStandInNoGroupSoThatAClosedPictureHasEnds) {
    for (const std::uint32_t size : {32U, 2000U})
        for (const bool isNamed : {true, false}) {
            HierarchyHints hints;
            LayoutGraph graph = chainWithEnds(2, size, hints);
            if (!isNamed) hints.nodeNames.clear();
            const Hierarchy hierarchy = buildHierarchy(graph, hints);
            if (hierarchy.groups.empty()) continue; // a small graph without names
            for (const LayoutNode& node : graph.nodes) {
                const bool isEnd = (node.key & (kInputKeyBit | kOutputKeyBit)) != 0;
                EXPECT_EQ(node.group == kNoIndex, isEnd) << node.title << " of " << size;
            }
            const Layout closed = layoutGraph(graph, hierarchy, {});
            EXPECT_EQ(firstOverlap(graph, closed), "");
            EXPECT_NE(closed.items[closed.itemOfNode[0]].node, kNoIndex);
        }
}

TEST(Hierarchy, ofHundredsOfInputsOnlyTheFirstStandInNoGroup) {
    HierarchyHints hints;
    LayoutGraph graph = chainWithEnds(200, 64, hints);
    const Hierarchy hierarchy = buildHierarchy(graph, hints);
    ASSERT_FALSE(hierarchy.groups.empty());
    EXPECT_EQ(graph.nodes[0].group, kNoIndex);
    EXPECT_EQ(std::count_if(graph.nodes.begin(), graph.nodes.end(),
                            [](const LayoutNode& node) { return node.group == kNoIndex; }),
              64);
}

TEST(Hierarchy, aLongSeriesOfBlocksIsPutTogetherByNeighbours) {
    for (const std::uint32_t blocks : {64U, 200U}) {
        GraphBuilder b;
        HierarchyHints hints;
        for (std::uint32_t i = 0; i < blocks * 12; ++i) {
            b.node("Op");
            b.at(i).order = 100000 - i; // numbers count, whatever comes first
            hints.nodeNames.push_back("/b." + std::to_string(i / 12) + (i % 2 == 0 ? "/a/Op" : "/f/Op"));
            if (i > 0) b.edge(i - 1, i);
        }
        for (std::uint32_t i = 0; i < 8; ++i) {
            b.node("Op");
            hints.nodeNames.push_back("/head/Op");
        }
        LayoutGraph graph = b.build();
        const Hierarchy hierarchy = buildHierarchy(graph, hints);
        if (blocks == 64U) {
            EXPECT_EQ(hierarchy.roots.size(), 65U) << "so many can be seen side by side";
            continue;
        }
        ASSERT_EQ(hierarchy.roots.size(), 24U) << "23 of up to nine blocks, and the head";
        const auto titled = [&](const std::string& title) -> const Group& {
            const auto at = std::find_if(hierarchy.groups.begin(), hierarchy.groups.end(),
                                         [&](const Group& group) { return group.title == title; });
            EXPECT_NE(at, hierarchy.groups.end()) << title;
            return at != hierarchy.groups.end() ? *at : hierarchy.groups.front();
        };
        const Group& first = titled("b.0\u2013b.8");
        EXPECT_TRUE(first.isSeries);
        EXPECT_EQ(first.parent, kNoIndex);
        EXPECT_EQ(first.children.size(), 9U);
        EXPECT_TRUE(titled("b.198\u2013b.199").isSeries);
        EXPECT_EQ(titled("b.3").depth, 1U) << "a block keeps its own name";
        EXPECT_EQ(titled("b.3/a").depth, 2U);
        EXPECT_EQ(titled("head").depth, 0U);
        std::uint32_t nodes = 0;
        for (const std::uint32_t root : hierarchy.roots)
            nodes += hierarchy.groups[root].nodeCount;
        EXPECT_EQ(nodes, graph.nodes.size());
        for (const LayoutNode& node : graph.nodes)
            EXPECT_LT(hierarchy.groups[node.group].depth, 4U);
    }
}

TEST(Hierarchy, aLargeGraphOpensUntilTwentyNamesShow) {
    GraphBuilder b;
    HierarchyHints hints;
    for (int i = 0; i < 8000; ++i) {
        b.node("Op");
        hints.nodeNames.push_back("/half" + std::to_string(i / 4000) + "/part" + std::to_string(i / 250) +
                                  "/Op");
    }
    LayoutGraph graph = b.build();
    const Hierarchy hierarchy = buildHierarchy(graph, hints);
    ASSERT_EQ(hierarchy.roots.size(), 2U);
    const ExpandState state = initialExpandState(graph, hierarchy);
    EXPECT_TRUE(state.isOpen(hierarchy.roots[0]));
    EXPECT_TRUE(state.isOpen(hierarchy.roots[1]));
    for (const std::uint32_t part : hierarchy.groups[hierarchy.roots[0]].children)
        EXPECT_FALSE(state.isOpen(part));
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

/// `blocks` modules of a chain, each of `size` operators.
LayoutGraph chainOfBlocks(int blocks, int size, HierarchyHints& hints) {
    GraphBuilder b;
    for (int i = 0; i < blocks * size; ++i) {
        b.node("Conv");
        hints.nodeNames.push_back("/stage." + std::to_string(i / size / 8) + "/layer." +
                                  std::to_string(i / size) + "/Conv");
        if (i > 0) b.edge(static_cast<std::uint32_t>(i - 1), static_cast<std::uint32_t>(i));
    }
    return b.build();
}

TEST(Hierarchy, aLongChainOpensAsItsBlocksAndNotAsAHair) {
    HierarchyHints hints;
    LayoutGraph deep = chainOfBlocks(32, 20, hints);
    const Hierarchy hierarchy = buildHierarchy(deep, hints);
    const ExpandState state = initialExpandState(deep, hierarchy);
    std::size_t names = 0;
    for (std::uint32_t g = 0; g < hierarchy.groups.size(); ++g) {
        const std::uint32_t parent = hierarchy.groups[g].parent;
        names += !state.isOpen(g) && (parent == kNoIndex || state.isOpen(parent)) ? 1U : 0U;
    }
    EXPECT_GE(names, 20U);
    const Layout layout = layoutGraph(deep, hierarchy, state);
    EXPECT_LT(layout.bounds.height, 4500) << "blocks can be read when all of them are seen";
    HierarchyHints fewHints;
    LayoutGraph shallow = chainOfBlocks(8, 10, fewHints);
    const Hierarchy few = buildHierarchy(shallow, fewHints);
    for (std::uint32_t g = 0; g < few.groups.size(); ++g)
        EXPECT_TRUE(initialExpandState(shallow, few).isOpen(g)) << "a picture of readable height stays whole";
}

/// One input, `count` operators that read it side by side, and an output of each.
LayoutGraph wideGraph(std::uint32_t count) {
    GraphBuilder b;
    const std::uint32_t input = b.node("x");
    b.at(input).kind = OperatorKind::input;
    std::vector<std::uint32_t> relus;
    for (std::uint32_t i = 0; i < count; ++i) {
        relus.push_back(b.node("Relu"));
        b.edge(input, relus.back());
    }
    for (const std::uint32_t relu : relus) {
        const std::uint32_t output = b.node("a");
        b.at(output).kind = OperatorKind::output;
        b.edge(relu, output);
    }
    return b.build();
}

TEST(Hierarchy, aVeryWideGraphOpensAsItsGroupsAndNotAsAHair) {
    for (const std::uint32_t count : {250U, 1000U}) {
        LayoutGraph wide = wideGraph(count);
        const Hierarchy hierarchy = buildHierarchy(wide, {});
        ASSERT_GT(hierarchy.groups.size(), 1U);
        const ExpandState state = initialExpandState(wide, hierarchy);
        for (std::uint32_t g = 0; g < hierarchy.groups.size(); ++g)
            EXPECT_FALSE(state.isOpen(g));
        EXPECT_LT(layoutGraph(wide, hierarchy, state).bounds.width, 4000);
    }
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
