// SPDX-License-Identifier: Apache-2.0
//
// The group trees of real models: blocks with the model's own names, all nodes within four double-clicks.
#include "core/layout/layered.h"
#include "core/picture/union_graph.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

struct Grouped {
    UnionGraph united;
    Hierarchy hierarchy;
    ExpandState first; ///< as the window opens it

    explicit Grouped(const std::filesystem::path& path) {
        const auto original = openOriginal(path);
        EXPECT_TRUE(original.ok()) << path;
        if (!original.ok()) return;
        united = buildUnionGraph(**original, nullptr);
        hierarchy = buildHierarchy(united.graph, united.hints);
        first = initialExpandState(united.graph, hierarchy);
    }

    /// Closed groups around a node: the double-clicks that it takes to see it.
    [[nodiscard]] std::uint32_t clicksTo(const LayoutNode& node) const {
        std::uint32_t clicks = 0;
        for (std::uint32_t g = node.group; g != kNoIndex; g = hierarchy.groups[g].parent)
            clicks += first.isOpen(g) ? 0U : 1U;
        return clicks;
    }
    /// Groups whose names show at first: closed ones with no closed one around them.
    [[nodiscard]] std::size_t shownNames() const {
        std::size_t shown = 0;
        for (std::uint32_t g = 0; g < hierarchy.groups.size(); ++g) {
            const std::uint32_t parent = hierarchy.groups[g].parent;
            shown += !first.isOpen(g) && (parent == kNoIndex || first.isOpen(parent)) ? 1U : 0U;
        }
        return shown;
    }
};

class BlocksOfATransformer : public ::testing::TestWithParam<const char*> {};

TEST_P(BlocksOfATransformer, carryModelNamesAndHoldFourFifthsOfAllNodes) {
    const auto path = testing::trainingModel(GetParam());
    if (path.empty()) GTEST_SKIP() << "no models beside the sources";
    const Grouped grouped(path);
    const LayoutGraph& graph = grouped.united.graph;
    std::vector<std::uint64_t> inGroup(grouped.hierarchy.groups.size(), 0);
    std::uint64_t all = 0;
    for (const LayoutNode& node : graph.nodes) {
        const bool isOperator = (node.key & (kInputKeyBit | kOutputKeyBit)) == 0;
        const std::uint64_t count = (isOperator ? 1 : 0) + node.folded;
        all += count;
        std::uint32_t g = node.group;
        while (g != kNoIndex && grouped.hierarchy.groups[g].parent != kNoIndex)
            g = grouped.hierarchy.groups[g].parent;
        if (g != kNoIndex) inGroup[g] += count;
    }
    std::uint64_t inBlocks = 0;
    for (int i = 0; i < 48; ++i) {
        const std::string name = "b." + std::to_string(i);
        const auto& groups = grouped.hierarchy.groups;
        const auto at = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
            return group.title == name && group.parent == kNoIndex;
        });
        ASSERT_NE(at, groups.end()) << name;
        inBlocks += inGroup[static_cast<std::size_t>(at - groups.begin())];
    }
    EXPECT_GE(inBlocks * 10, all * 8) << inBlocks << " of " << all;
    const bool isLarge = graph.nodes.size() > 3000;
    EXPECT_TRUE(!isLarge || grouped.shownNames() >= 20) << grouped.shownNames();
}

INSTANTIATE_TEST_SUITE_P(Models, BlocksOfATransformer,
                         ::testing::Values("transformer48", "transformer48.adamw.step",
                                           "transformer48.exported"));

TEST(ModelHierarchy, fourDoubleClicksReachEveryNodeAndNoGroupIsCrowded) {
    const auto folder = testing::modelsFolder();
    if (folder.empty()) GTEST_SKIP() << "no models beside the sources";
    for (const auto& path : testing::filesBelow(folder, ".onnx")) {
        const Grouped grouped(path);
        std::vector<std::uint32_t> direct(grouped.hierarchy.groups.size(), 0);
        for (const LayoutNode& node : grouped.united.graph.nodes) {
            EXPECT_LE(grouped.clicksTo(node), 4U) << path;
            if (node.group != kNoIndex) ++direct[node.group];
        }
        for (std::uint32_t g = 0; g < direct.size(); ++g)
            EXPECT_LE(direct[g], 400U) << path << " " << grouped.hierarchy.groups[g].title;
    }
}

/// Seen whole in a pane of 640 pixels no picture with groups is a hair: names of groups can be read, or cards
/// be told apart.
TEST(ModelHierarchy, picturesOpenSoThatTheWholeTellsSomething) {
    const auto folder = testing::modelsFolder();
    if (folder.empty()) GTEST_SKIP() << "no models beside the sources";
    for (const auto& path : testing::filesBelow(folder, ".onnx")) {
        const Grouped grouped(path);
        if (grouped.hierarchy.groups.empty()) continue; // nothing can be closed
        const Layout layout = layoutGraph(grouped.united.graph, grouped.hierarchy, grouped.first);
        const std::size_t names = grouped.shownNames();
        EXPECT_GT(640 / layout.bounds.height, 0.04) << path;
        EXPECT_TRUE(names == 0 || 640 / layout.bounds.height > 0.12) << path;
    }
    for (const char* name : {"transformer48", "transformer48.adamw.step", "transformer48.exported",
                             "transformer200", "mobilenet.adamw.step", "resnet.sgd.step"})
        EXPECT_GE(Grouped(testing::trainingModel(name)).shownNames(), 20U) << name;
    EXPECT_GE(Grouped(folder / "inference" / "light_densenet121" / "model.onnx").shownNames(), 20U);
}

TEST(ModelHierarchy, recordedModulesAreUsedWhereTheyTellBlocks) {
    const auto path = testing::trainingModel("transformer.exported.dynamo");
    if (path.empty()) GTEST_SKIP() << "no models beside the sources";
    const Grouped grouped(path);
    EXPECT_EQ(grouped.hierarchy.source, HierarchySource::scopes);
    const auto& groups = grouped.hierarchy.groups;
    for (const char* title : {"b.0", "b.0/a", "b.1", "b.1/a"})
        EXPECT_TRUE(std::any_of(groups.begin(), groups.end(), [&](const Group& g) {
            return g.title == title;
        })) << title;
}

} // namespace
} // namespace secateur
