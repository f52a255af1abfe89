// SPDX-License-Identifier: Apache-2.0
//
// What stands above an exported picture: it can be read alone.
#include "core/picture/blob_text.h"
#include "core/picture/picture_head.h"

#include "core/picture/export_picture.h"
#include "tests/core/picture/scene_fixture.h"

#include <gmock/gmock.h>

namespace secateur {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

class Head : public SceneFixture {
  protected:
    void prune() {
        for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
            if (graph.nodes[n].role != NodeRole::forward) state.nodes[n].diff = DiffState::removedEarlier;
        state.nodes[1].diff = DiffState::added;
        state.tally(graph, layout);
    }
    std::vector<std::string> wordsOf(Pane pane) {
        request.pane = pane;
        std::vector<std::string> words;
        for (const PictureHead::Sign& sign : headOf(scene, request, "m").signs)
            words.push_back(sign.words);
        return words;
    }
    DisplayList exported(ExportOptions options) {
        const ExpandState expanded;
        return exportList({graph, hierarchy, expanded, layout, state}, options);
    }
};

TEST_F(Head, saysWhatOccursAndNothingElse) {
    open(trainingGraph(2));
    EXPECT_THAT(wordsOf(Pane::before),
                AllOf(Contains("Forward"), Contains("Backward"), Contains("Accumulator"), Contains("Loss"),
                      Not(Contains("Optimizer")), Not(Contains("removed")), Not(Contains("new")),
                      Contains(HasSubstr("kept for the backward half")), Contains("gradient")));
    prune();
    EXPECT_THAT(wordsOf(Pane::overlay), AllOf(Contains("removed"), Contains("new"), Contains("Backward")));
    EXPECT_THAT(wordsOf(Pane::after), AllOf(Contains("new"), Not(Contains("removed")),
                                            Not(Contains("Backward")), Not(Contains("gradient"))));
}

TEST_F(Head, countsNodesAndNotInputsOrBoxes) {
    open(trainingGraph(2));
    std::uint32_t nodes = 0;
    for (LayoutNode& node : graph.nodes) {
        if (node.kind == OperatorKind::input) node.key |= kInputKeyBit;
        nodes += node.kind == OperatorKind::input ? 0U : 1U;
    }
    graph.folded.push_back({1000, 1, kNoIndex});
    ++nodes;
    EXPECT_EQ(countsText(graph, state, Pane::before), std::to_string(nodes) + " nodes");
    state.nodes[2].diff = DiffState::removedEarlier;
    state.nodes[3].diff = DiffState::added;
    const std::string before = std::to_string(nodes - 1), after = std::to_string(nodes - 1);
    EXPECT_EQ(countsText(graph, state, Pane::before), "Before: " + before + " nodes");
    EXPECT_EQ(countsText(graph, state, Pane::after), "After: " + after + " nodes, " + before + " before");
    EXPECT_EQ(countsText(graph, state, Pane::overlay),
              "Before and after: " + before + " nodes, 1 go, " + after + " are there after");
    state.nodes[2].isReplaced = true;
    EXPECT_EQ(countsText(graph, state, Pane::overlay),
              "Before and after: " + before + " nodes, 0 go, 1 is replaced, " + after + " are there after");
}

TEST(BlobText, outputsThatStayFillTheirGroup) {
    GroupTally outputs;
    outputs.ends = 3;
    EXPECT_EQ(blobShare(outputs, Pane::after), 1);
    EXPECT_EQ(blobShare(outputs, Pane::before), 1);
    EXPECT_EQ(blobShare(GroupTally(), Pane::after), 0) << "nothing of it is there";
}

TEST_F(Head, standsAboveThePictureAndIsNotCutAtAnyWidthAndZoom) {
    open(trainingGraph(3));
    prune();
    for (const double zoom : {1.0, 0.3, 0.05})
        for (const Pane pane : {Pane::before, Pane::after, Pane::overlay}) {
            ExportOptions options;
            options.pane = pane;
            options.zoom = zoom;
            options.title = "a folder with a name/and a model with a rather long one.onnx";
            const DisplayList drawn = exported(options);
            EXPECT_THAT(drawn.strings, HasSubstr(options.title));
            std::vector<Rect> texts;
            double headBottom = 0, pictureTop = drawn.height;
            for (const DrawItem& item : drawn.items) {
                if (item.op != DrawOp::text) continue;
                const std::string_view said = drawn.textOf(item);
                EXPECT_LE(item.rect.right(), drawn.width) << said;
                EXPECT_GE(item.textPx, kSmallestTextPx) << said;
                if (said == "Accumulator" || said == "new")
                    headBottom = std::max(headBottom, item.rect.bottom());
                if (said == "x" || said == "MatMul") pictureTop = std::min(pictureTop, item.rect.y);
                for (const Rect& other : texts)
                    EXPECT_FALSE(other.intersects(item.rect)) << said << " lies on another text";
                texts.push_back(item.rect);
            }
            EXPECT_LT(headBottom, pictureTop);
        }
}

TEST_F(Head, isThereWhereTheModelIsNamed) {
    open(trainingGraph(1));
    ExportOptions options;
    const DisplayList plain = exported(options);
    EXPECT_THAT(plain.strings, Not(HasSubstr("gradient")));
    options.title = "model";
    EXPECT_GT(exported(options).height, plain.height + 60);
}

} // namespace
} // namespace secateur
