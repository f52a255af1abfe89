// SPDX-License-Identifier: Apache-2.0
// What pictures say of nodes that a step put another one in the place of, of their readers, and of the
// readers of nodes that were bypassed.
#include "core/picture/compose.h"
#include "core/picture/history_state.h"
#include "core/picture/path_boxes.h"
#include "core/session/recipe.h"
#include "tests/core/picture/history_fixture.h"
#include "tests/support/built_model.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

using testing::BuiltModel;
using testing::nodeCalled;

/// x, x -> ConcatTraining -> Relu -> Dropout -> Exp -> BatchNormalization (training) -> y
class ReplacedNodes : public ::testing::Test {
  protected:
    void SetUp() override {
        BuiltModel b;
        const ValueId x = b.input("x", {2, 3, 4, 4});
        const ValueId joined = b.node("join", "ConcatTraining", {x, x}, 2,
                                      {Attribute::of("axis", std::int64_t{1})}, "com.microsoft");
        const ValueId positive = b.node("relu", "Relu", {joined});
        const ValueId ratio = b.initializer("ratio", makeFloatTensor({}, {0.5F}));
        const ValueId mode = b.initializer("mode", makeTensor(ElementType::boolean, {}, {std::byte{1}}));
        const ValueId dropped = b.node("drop", "Dropout", {positive, ratio, mode});
        const ValueId grown = b.node("exp", "Exp", {dropped});
        std::vector<ValueId> inputs{grown};
        for (const float fill : {1.0F, 0.0F, 0.25F, 4.0F})
            inputs.push_back(b.initializer("p" + std::to_string(inputs.size()),
                                           makeFloatTensor({6}, std::vector<float>(6, fill))));
        b.output(b.node("norm", "BatchNormalization", inputs, 3,
                        {Attribute::of("training_mode", std::int64_t{1})}));
        original = b.open();
        Recipe recipe = conversionRecipe();
        recipe.targets = {"norm.0"};
        auto run = History::run(original, recipe);
        ASSERT_TRUE(run.ok()) << run.error().toString();
        history = std::make_unique<History>(std::move(run).take());
        united = buildUnionGraph(*original, history.get());
        state = pictureStateOf(united, *original, history.get(), {});
    }

    [[nodiscard]] std::uint32_t indexOf(NodeId node) const { return united.graph.find(node.index); }
    [[nodiscard]] std::uint32_t was(std::string_view name) const {
        return indexOf(nodeCalled(original->file.model, name));
    }
    [[nodiscard]] std::uint32_t now(std::string_view name) const {
        return indexOf(nodeCalled(history->model(), name));
    }
    [[nodiscard]] DiffState diffOf(std::uint32_t index) const { return state.stateOf(index).diff; }
    /// Bits of the edges between two nodes, in one.
    [[nodiscard]] unsigned edgeBits(std::uint32_t from, std::uint32_t to) const {
        unsigned bits = 0;
        for (std::uint32_t i = 0; i < united.graph.edges.size(); ++i)
            if (united.graph.edges[i].from == from && united.graph.edges[i].to == to)
                bits |= state.edgeBits(i);
        return bits;
    }

    std::shared_ptr<const Original> original;
    std::unique_ptr<History> history;
    UnionGraph united;
    PictureState state;
};

TEST_F(ReplacedNodes, whatLiesUnderTheNewCardHasNoTextThatLooksOut) {
    const Hierarchy hierarchy;
    const Layout layout = layoutGraph(united.graph);
    state.tally(united.graph, layout);
    const Scene scene{&united.graph, &layout, &hierarchy, &state};
    DisplayList list;
    const auto texts = [&](Pane pane) {
        compose(scene, wholePicture(scene, pane), list);
        return list.strings;
    };
    EXPECT_NE(texts(Pane::before).find("ConcatTraining"), std::string::npos);
    EXPECT_NE(texts(Pane::overlay).find("Concat"), std::string::npos) << "the new one";
    EXPECT_NE(texts(Pane::overlay).find("Dropout"), std::string::npos) << "nothing lies over it";
}

TEST_F(ReplacedNodes, theNewCardSaysBelowItWhatItWas) {
    const Hierarchy hierarchy;
    const Layout layout = layoutGraph(united.graph);
    state.tally(united.graph, layout);
    const Scene scene{&united.graph, &layout, &hierarchy, &state};
    DisplayList list;
    const ViewRequest request = wholePicture(scene, Pane::overlay);
    compose(scene, request, list);
    std::vector<std::pair<std::string, Rect>> texts;
    for (const DrawItem& item : list.items)
        if (item.op == DrawOp::text) texts.emplace_back(list.textOf(item), item.rect);
    std::vector<std::string> names;
    for (const auto& [text, rect] : texts) {
        if (text.find("ConcatTraining") == std::string::npos) continue;
        names.push_back(text);
        const Rect& card = layout.items[layout.itemOfNode[now("join")]].rect;
        EXPECT_GT(rect.y, toView(request, {card.x, card.bottom()}).y);
        for (const auto& [other, box] : texts)
            EXPECT_TRUE(other == text || !box.intersects(rect)) << other;
    }
    EXPECT_EQ(names, std::vector<std::string>{"was ConcatTraining"});
    // One sign at the corner, not two on each other.
    std::vector<Rect> signs;
    for (const DrawItem& item : list.items)
        if (item.op == DrawOp::ellipse) signs.push_back(item.rect);
    for (std::size_t a = 0; a < signs.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            EXPECT_FALSE(signs[a].intersects(signs[b]));
    compose(scene, wholePicture(scene, Pane::after), list);
    EXPECT_EQ(list.strings.find("ConcatTraining"), std::string::npos);
}

TEST_F(ReplacedNodes, anotherOperatorIsAnotherCardInTheOthersPlace) {
    ASSERT_NE(now("join"), kNoIndex);
    ASSERT_NE(now("join"), was("join"));
    EXPECT_EQ(united.graph.nodes[was("join")].title, "ConcatTraining");
    EXPECT_EQ(united.graph.nodes[now("join")].title, "Concat");
    EXPECT_EQ(diffOf(was("join")), DiffState::replaced);
    EXPECT_EQ(diffOf(now("join")), DiffState::added);
    EXPECT_EQ(united.graph.nodes[now("join")].replaces, std::vector{was("join")});
    EXPECT_FALSE(isPresent(diffOf(was("join")), Pane::after));
    EXPECT_FALSE(isPresent(diffOf(now("join")), Pane::before));
}

TEST_F(ReplacedNodes, eachOfTheTwoHasItsOwnEdges) {
    EXPECT_EQ(edgeBits(was("join"), was("relu")), kEdgeInBefore);
    EXPECT_EQ(edgeBits(now("join"), was("relu")), kEdgeInAfter);
}

TEST_F(ReplacedNodes, readersOfWhatWasReplacedOrBypassedAreNotChanged) {
    EXPECT_EQ(diffOf(was("relu")), DiffState::kept);
    EXPECT_EQ(diffOf(was("exp")), DiffState::kept);
    EXPECT_EQ(state.stateOf(was("exp")).changedRows, 0U);
    EXPECT_EQ(edgeBits(was("relu"), was("exp")), kEdgeInAfter) << "the edge that the bypass left";
}

TEST_F(ReplacedNodes, aBypassedNodeIsRemovedAndNotReplaced) {
    const DiffState diff = diffOf(was("drop"));
    EXPECT_TRUE(diff == DiffState::removedBySelectedStep || diff == DiffState::removedEarlier);
}

TEST_F(ReplacedNodes, anotherModeOfTheSameOperatorIsAChange) {
    EXPECT_EQ(diffOf(was("norm")), DiffState::changed);
    EXPECT_EQ(now("norm"), was("norm"));
}

TEST_F(ReplacedNodes, beforeTheStepNothingIsReplaced) {
    history->moveCursor(0);
    const PictureState first = pictureStateOf(united, *original, history.get(), {});
    EXPECT_EQ(first.stateOf(was("join")).diff, DiffState::kept);
    for (std::uint32_t i = 0; i < united.graph.nodes.size(); ++i) {
        if (united.createdBy[i] != 0) {
            EXPECT_EQ(first.stateOf(i).diff, DiffState::absent) << united.graph.nodes[i].title;
        }
    }
}

TEST_F(ReplacedNodes, aPathThroughANewNodeLeadsInBeforeThroughWhatItReplaced) {
    const Hierarchy hierarchy;
    const Layout layout = layoutGraph(united.graph);
    const Scene scene{&united.graph, &layout, &hierarchy, &state};
    ViewRequest request = wholePicture(scene, Pane::before);
    const std::uint32_t input = united.graph.edges.front().from;
    request.path.nodes = {input, now("join"), now("relu"), now("exp"), now("norm")};
    const auto boxesIn = [&](Pane pane) {
        request.pane = pane;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> boxes; // node and number
        for (const PathBox& box : pathBoxes(scene, request))
            boxes.emplace_back(layout.items[box.item].node, box.number);
        return boxes;
    };
    using Boxes = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    ASSERT_NE(was("join"), now("join"));
    EXPECT_EQ(boxesIn(Pane::before),
              (Boxes{{input, 1}, {was("join"), 2}, {was("relu"), 3}, {was("exp"), 4}, {was("norm"), 5}}));
    EXPECT_EQ(boxesIn(Pane::after),
              (Boxes{{input, 1}, {now("join"), 2}, {now("relu"), 3}, {now("exp"), 4}, {now("norm"), 5}}));
    // No line is drawn where there is no edge, but for the Dropout that was bypassed.
    request.pane = Pane::before;
    DisplayList list;
    compose(scene, request, list);
    const auto dashed = [](const DrawItem& item) {
        return item.op == DrawOp::polyline && item.dash == DashStyle::stash &&
               item.stroke.role == ThemeRole::accent;
    };
    EXPECT_EQ(std::count_if(list.items.begin(), list.items.end(), dashed), 1);
    request.path.nodes = {now("join"), now("relu")}; // begins with a new one
    EXPECT_EQ(boxesIn(Pane::before), (Boxes{{was("join"), 1}, {was("relu"), 2}}));
}

TEST_F(ReplacedNodes, aPathFindsItsWayThroughSeveralReplacedNodes) {
    const Hierarchy hierarchy;
    const Layout layout = layoutGraph(united.graph);
    // As if drop, exp and norm had been fused into one.
    united.graph.nodes[now("join")].replaces = {was("norm"), was("exp"), was("drop")};
    const Scene scene{&united.graph, &layout, &hierarchy, &state};
    ViewRequest request = wholePicture(scene, Pane::before);
    request.path.nodes = {was("relu"), now("join")};
    std::vector<std::uint32_t> nodes, numbers;
    for (const PathBox& box : pathBoxes(scene, request)) {
        nodes.push_back(layout.items[box.item].node);
        numbers.push_back(box.number);
    }
    EXPECT_EQ(nodes, (std::vector<std::uint32_t>{was("relu"), was("drop"), was("exp"), was("norm")}));
    EXPECT_EQ(numbers, (std::vector<std::uint32_t>{1, 2, 0, 0}));
}

TEST(ReplacedRows, countAsReplacedAndNotAsRemoved) {
    const auto original = testing::originalFromText(R"(
<ir_version: 8, opset_import: ["": 17, "com.microsoft": 1]>
g (float[batch,4,6] x) => (float[batch,24] y) <int64[1] rest = {24}, int64[1] first = {0}> {
  sizes = Shape (x)
  batch = Gather <axis: int = 0> (sizes, first)
  shape, lengths = com.microsoft.ConcatTraining <axis: int = 0> (batch, rest)
  flat = Reshape (x, shape)
  y = Relu (flat)
})");
    History history = testing::convertTo(original, {"y"});
    const UnionGraph united = buildUnionGraph(*original, &history);
    ASSERT_GE(united.graph.folded.size(), 3U) << "sizes are rows of the Reshape";
    const PictureState state = pictureStateOf(united, *original, &history, {});
    const GroupTally all = tallyAll(united.graph, state);
    EXPECT_EQ(all.replaced, 1U) << "ConcatTraining";
    EXPECT_EQ(all.removed, all.replaced);
}

} // namespace
} // namespace secateur
