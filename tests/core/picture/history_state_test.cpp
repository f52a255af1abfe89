// SPDX-License-Identifier: Apache-2.0
#include "core/picture/history_state.h"

#include "core/picture/compose.h"
#include "core/picture/dot_writer.h"
#include "tests/core/picture/history_fixture.h"

#include <gmock/gmock.h>

namespace secateur {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// The union of a model and its conversion, at any step of it.
class HistoryStateTest : public ::testing::Test {
  protected:
    void SetUp() override {
        original = testing::twoEqualWeights();
        history = std::make_unique<History>(testing::convertTo(original, {"down.0"}));
        united = buildUnionGraph(*original, history.get());
        step = stepOf("drop-training-state");
    }
    std::uint32_t indexOf(std::string_view name) const {
        for (std::uint32_t i = 0; i < united.graph.nodes.size(); ++i)
            if (united.graph.nodes[i].name == name) return i;
        throw std::runtime_error("no node " + std::string(name));
    }
    PictureState stateAt(std::size_t cursor, StateRequest request = {}) {
        history->moveCursor(cursor);
        return pictureStateOf(united, *original, history.get(), request);
    }
    PictureState atEnd() { return stateAt(history->steps().size()); }
    std::size_t stepOf(std::string_view pass) const {
        for (std::size_t i = 0; i < history->steps().size(); ++i)
            if (history->steps()[i].pass == pass) return i;
        throw std::runtime_error("no step " + std::string(pass));
    }
    /// All texts of the picture of a pane.
    std::string wordsOf(const PictureState& given, Pane pane) {
        PictureState state = given;
        const Layout layout = layoutGraph(united.graph);
        state.tally(united.graph, layout);
        const Hierarchy none;
        ViewRequest request;
        request.viewport = layout.bounds.inflated(20);
        request.pane = pane;
        DisplayList list;
        compose({&united.graph, &layout, &none, &state}, request, list);
        std::string words;
        for (const DrawItem& item : list.items)
            if (item.op == DrawOp::text) words += std::string(list.textOf(item)) + '\n';
        return words;
    }

    std::shared_ptr<const Original> original;
    std::unique_ptr<History> history;
    UnionGraph united;
    std::size_t step = 0; ///< the one that changes `down`
};

constexpr const char* kOldRow = "second [64,64]\n";
constexpr const char* kNewRow = "first [64,64]\n";

/// How often a part occurs.
std::size_t countOf(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

TEST_F(HistoryStateTest, afterShowsANodeAsTheStepLeftIt) {
    const PictureState state = atEnd();
    const std::uint32_t node = indexOf("down");
    ASSERT_NE(state.faceOf(node, Pane::after), nullptr);
    EXPECT_EQ(state.faceOf(node, Pane::after)->rows.front().value, "first [64,64]");
    EXPECT_EQ(state.faceOf(node, Pane::before), nullptr);
    EXPECT_EQ(state.nodes[node].diff, DiffState::changed);
    EXPECT_EQ(countOf(wordsOf(state, Pane::after), kNewRow), 2U);
    EXPECT_EQ(countOf(wordsOf(state, Pane::after), kOldRow), 0U);
    EXPECT_EQ(countOf(wordsOf(state, Pane::before), kNewRow), 1U);
    EXPECT_EQ(countOf(wordsOf(state, Pane::before), kOldRow), 1U);
}

TEST_F(HistoryStateTest, theRowsThatDifferAreMarkedInBothPanes) {
    const PictureState state = atEnd();
    EXPECT_EQ(state.nodes[indexOf("down")].changedRows, 1U);
    EXPECT_EQ(state.nodes[indexOf("down")].changedRowsAfter, 1U);
    EXPECT_EQ(state.nodes[indexOf("up")].changedRows, 0U);
}

TEST_F(HistoryStateTest, beforeTheStepBothPanesShowTheOldRow) {
    EXPECT_EQ(countOf(wordsOf(stateAt(step), Pane::after), kOldRow), 1U);
    EXPECT_EQ(countOf(wordsOf(stateAt(step + 1), Pane::after), kOldRow), 0U);
    EXPECT_EQ(stateAt(step).nodes[indexOf("down")].diff, DiffState::kept);
}

TEST_F(HistoryStateTest, theStepThatChangesANodeRingsIt) {
    StateRequest request;
    request.selectedStep = step;
    EXPECT_TRUE(stateAt(step + 1, request).nodes[indexOf("down")].isInSelectedStep);
    EXPECT_FALSE(stateAt(step + 1, request).nodes[indexOf("up")].isInSelectedStep);
    request.selectedStep = step - 1;
    EXPECT_FALSE(stateAt(step, request).nodes[indexOf("down")].isInSelectedStep);
}

TEST_F(HistoryStateTest, againstThePreviousStepOnlyItsOwnChangesCount) {
    ASSERT_GT(history->steps().size(), step + 1);
    StateRequest request;
    request.isBeforePreviousStep = true;
    request.selectedStep = step + 1;
    const PictureState later = stateAt(step + 2, request);
    EXPECT_EQ(later.nodes[indexOf("down")].diff, DiffState::kept);
    EXPECT_EQ(countOf(wordsOf(later, Pane::before), kOldRow), 0U) << "Before is the step before";
    request.selectedStep = step;
    EXPECT_EQ(stateAt(step + 1, request).nodes[indexOf("down")].diff, DiffState::changed);
}

TEST_F(HistoryStateTest, dotWritesTheFaceOfItsPane) {
    const PictureState state = atEnd();
    EXPECT_THAT(writeDot(united.graph, state, {"m", Pane::after, ThemeKind::light}),
                Not(HasSubstr("second [64,64]")));
    EXPECT_THAT(writeDot(united.graph, state, {"m", Pane::before, ThemeKind::light}),
                HasSubstr("second [64,64]"));
}

TEST_F(HistoryStateTest, aCardHasRoomForAllThatItSays) {
    for (const NodeMoment& moment : united.moments) {
        if (moment.face == kNoIndex) continue;
        const NodeFace& face = united.faces[moment.face];
        const CardSize size = measureCard(face.title, face.rows, face.kind);
        EXPECT_GE(united.graph.nodes[moment.node].width, size.width);
        EXPECT_GE(united.graph.nodes[moment.node].height, size.height);
    }
}

/// With types that were found before every moment says what it says without them.
TEST_F(HistoryStateTest, typesFoundOnceChangeNothing) {
    history->moveCursor(1);
    const MomentTypes types(*original, *history);
    EXPECT_EQ(history->cursor(), 1U);
    for (std::size_t cursor = 0; cursor <= history->steps().size(); ++cursor) {
        const PictureState inferred = stateAt(cursor);
        StateRequest request;
        request.types = &types;
        const PictureState known = stateAt(cursor, request);
        for (std::uint32_t i = 0; i < inferred.nodes.size(); ++i)
            EXPECT_EQ(known.nodes[i].diff, inferred.nodes[i].diff) << cursor;
        EXPECT_EQ(known.edges, inferred.edges);
        EXPECT_EQ(wordsOf(known, Pane::after), wordsOf(inferred, Pane::after));
    }
}

TEST(EdgeSizes, ofANamedDimensionAreBytesForOne) {
    const auto original = testing::originalFromText(R"(
<ir_version: 8, opset_import: ["": 17]>
g (float[batch,64] x, float[?,64] z) => (float[batch,64] y, float[?,64] u) { y = Relu (x) u = Neg (z) })");
    const UnionGraph united = buildUnionGraph(*original, nullptr);
    ASSERT_FALSE(united.graph.edges.empty());
    for (const LayoutEdge& edge : united.graph.edges) {
        EXPECT_LT(edge.bytes, 0) << "not known as a number";
        if (edge.label != "float[batch,64]") {
            EXPECT_EQ(edge.label, "float[?,64]") << "names that inference makes up are not shown";
            EXPECT_LT(edge.bytesForOne, 0);
            continue;
        }
        EXPECT_EQ(edge.factor, "batch");
        EXPECT_EQ(edge.bytesForOne, 4 * 64);
    }
}

TEST(MissingWeights, markTheNodesThatReadThem) {
    testing::BuiltModel b;
    Tensor elsewhere;
    elsewhere.type = ElementType::float32;
    elsewhere.dims = {4, 4};
    elsewhere.encoding = Tensor::Encoding::external;
    const ValueId x = b.input("x", {4, 4});
    const ValueId missing = b.initializer("missing", std::make_shared<Tensor>(elsewhere));
    const ValueId there = b.initializer("there", makeFloatTensor({4, 4}, std::vector<float>(16, 1.0F)));
    b.output(b.node("second", "MatMul", {b.node("first", "MatMul", {x, missing}), there}));
    const auto original = b.open();
    const UnionGraph united = buildUnionGraph(*original, nullptr);
    StateRequest request;
    request.problems = nodesWithProblems(*original, nullptr);
    const PictureState state = pictureStateOf(united, *original, nullptr, request);
    std::vector<std::string> marked;
    for (std::uint32_t n = 0; n < united.graph.nodes.size(); ++n)
        if (state.stateOf(n).finding == Finding::problem) marked.push_back(united.graph.nodes[n].name);
    EXPECT_EQ(marked, std::vector<std::string>{"first"});
}

} // namespace
} // namespace secateur
