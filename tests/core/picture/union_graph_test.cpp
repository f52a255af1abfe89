// SPDX-License-Identifier: Apache-2.0
#include "core/picture/union_graph.h"

#include "core/picture/history_state.h"
#include "core/session/recipe.h"
#include "tests/core/layout/graph_builder.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

/// A small training graph, with all its conversion steps run.
class UnionGraphTest : public ::testing::Test {
  protected:
    void SetUp() override {
        auto opened = openOriginal(std::string(SECATEUR_TEST_DATA) + "/mlp_gelu_dropout.training.onnx");
        ASSERT_TRUE(opened.ok()) << opened.error().message;
        original = std::move(opened).take();
        auto run = History::run(original, conversionRecipe());
        ASSERT_TRUE(run.ok()) << run.error().message;
        history = std::make_unique<History>(std::move(run).take());
    }

    std::shared_ptr<const Original> original;
    std::unique_ptr<History> history;
};

TEST_F(UnionGraphTest, everyNodeOfTheOriginalIsDrawnOrFolded) {
    const UnionGraph united = buildUnionGraph(*original, nullptr);
    const Model& model = original->file.model;
    for (const NodeId id : model.nodes(model.mainGraph()))
        EXPECT_NE(united.graph.find(id.index), kNoIndex) << model.name(id);
    EXPECT_EQ(firstOverlap(united.graph, layoutGraph(united.graph)), "");
}

TEST_F(UnionGraphTest, keptNodesStandWhereTheyStandAtEveryStep) {
    const UnionGraph united = buildUnionGraph(*original, history.get());
    const Layout layout = layoutGraph(united.graph);
    history->moveCursor(0);
    const UnionGraph again = buildUnionGraph(*original, history.get());
    const Layout second = layoutGraph(again.graph);
    ASSERT_EQ(united.graph.nodes.size(), again.graph.nodes.size())
        << "the union does not depend on the cursor";
    for (std::uint32_t n = 0; n < united.graph.nodes.size(); ++n) {
        EXPECT_EQ(layout.items[layout.itemOfNode[n]].rect, second.items[second.itemOfNode[n]].rect);
    }
}

TEST_F(UnionGraphTest, inputsThatStepsLeaveUnreadAreNoNewNodes) {
    const UnionGraph alone = buildUnionGraph(*original, nullptr);
    const UnionGraph united = buildUnionGraph(*original, history.get());
    const auto inputs = [](const UnionGraph& graph) {
        std::size_t count = 0;
        for (const LayoutNode& node : graph.graph.nodes)
            count += (node.key & kInputKeyBit) != 0 ? 1 : 0;
        return count;
    };
    EXPECT_EQ(inputs(united), inputs(alone));
}

TEST_F(UnionGraphTest, gradientsStandBesideWhatTheyDifferentiate) {
    const UnionGraph united = buildUnionGraph(*original, nullptr);
    const Layout layout = layoutGraph(united.graph);
    const auto rankOf = [&](std::uint32_t n) { return layout.items[layout.itemOfNode[n]].rank; };
    int together = 0;
    int twins = 0;
    for (std::uint32_t n = 0; n < united.graph.nodes.size(); ++n) {
        const std::uint32_t twin = united.graph.nodes[n].twin;
        if (twin == kNoIndex) continue;
        ++twins;
        together += rankOf(n) == rankOf(twin) ? 1 : 0;
    }
    EXPECT_GT(twins, 2);
    EXPECT_GE(together * 2, twins) << "chains of gradients of one node can have only one of them at its rank";
}

} // namespace
} // namespace secateur
