// SPDX-License-Identifier: Apache-2.0
#include "core/picture/union_graph.h"

#include "core/onnx/text.h"
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

/// The union of a model in text form, without steps.
UnionGraph unionOfText(const char* text, std::uint32_t graph = 0) {
    auto loaded = parseModelText(text);
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
    return buildUnionGraph(*makeOriginal(std::move(loaded).take()), nullptr, GraphId(graph));
}

const LayoutNode& titled(const UnionGraph& united, std::string_view title) {
    for (const LayoutNode& node : united.graph.nodes)
        if (node.title == title) return node;
    ADD_FAILURE() << "no node " << title;
    return united.graph.nodes.front();
}

TEST(UnionGraph, aValueWithManyReadersIsAskedAboutOnce) {
    // A walk over all readers at each of them would take minutes here.
    constexpr int kReaders = 50'000;
    std::string text = "<ir_version: 8, opset_import: [\"\" : 17]>\nfan (float[4] x) => (float[4] y) {\n";
    std::string list;
    for (int i = 0; i < kReaders; ++i) {
        text += "r" + std::to_string(i) + " = Relu(x)\n";
        list += (i == 0 ? "r" : ", r") + std::to_string(i);
    }
    const UnionGraph united = unionOfText((text + "y = Sum(" + list + ")\n}").c_str());
    EXPECT_EQ(united.graph.nodes.size(), kReaders + 3U) << "the input, the readers, their sum, the output";
}

constexpr const char* kShapeChain = R"(
<ir_version: 8, opset_import: ["" : 17]>
chain (float[batch, 6, 8] x) => (float[batch, N, 4] y) {
   half = Constant <value_float = 0.5> ()
   shape = Shape (x)
   zero = Constant <value = int64[1] {0}> ()
   first = Gather (shape, zero)
   four = Constant <value = int64[1] {4}> ()
   minus = Constant <value = int64[1] {-1}> ()
   target = Concat <axis = 0> (first, minus, four)
   scaled = Mul (x, half)
   y = Reshape (scaled, target)
})";

TEST(UnionChips, constantsAndShapeArithmeticAreChipsOfTheirReader) {
    const UnionGraph united = unionOfText(kShapeChain);
    ASSERT_EQ(united.graph.nodes.size(), 4U) << "x, Mul, Reshape, y";
    const LayoutNode& mul = titled(united, "Mul");
    ASSERT_EQ(mul.rows.size(), 1U);
    EXPECT_EQ(mul.rows[0].kind, LayoutRow::Kind::constant);
    EXPECT_EQ(mul.rows[0].value, "0.5");
    const LayoutNode& reshape = titled(united, "Reshape");
    ASSERT_EQ(reshape.rows.size(), 1U);
    EXPECT_EQ(reshape.rows[0].kind, LayoutRow::Kind::shapeChain);
    EXPECT_EQ(reshape.rows[0].value, "[batch,-1,4]") << "what inference knows of the sizes";
    EXPECT_EQ(reshape.folded, 6U) << "Shape, Gather, Concat and three constants";
    EXPECT_EQ(mul.folded, 1U);
}

TEST(UnionChips, aNodeInsideAChipIsFoundWithItsHostAndRow) {
    const UnionGraph united = unionOfText(kShapeChain);
    const std::uint32_t reshape = united.graph.find(titled(united, "Reshape").key);
    ASSERT_EQ(united.graph.folded.size(), 7U);
    for (const FoldedNode& folded : united.graph.folded) {
        EXPECT_EQ(united.graph.find(folded.key), folded.host);
        const std::uint32_t at = united.graph.foldedAt(folded.key);
        ASSERT_NE(at, kNoIndex);
        EXPECT_EQ(united.graph.folded[at].key, folded.key);
        EXPECT_EQ(folded.row, 0U) << "both hosts have one row";
    }
    const std::uint32_t last = united.graph.nodes[reshape].rows[0].node; // Concat
    const std::uint32_t at = united.graph.foldedAt(last);
    ASSERT_NE(at, kNoIndex);
    EXPECT_EQ(united.graph.folded[at].host, reshape);
    EXPECT_EQ(united.graph.foldedAt(united.graph.nodes[reshape].key), kNoIndex) << "drawn by itself";
}

TEST(UnionChips, aConstantThatIsAResultIsDrawn) {
    const UnionGraph united = unionOfText(R"(
<ir_version: 8, opset_import: ["" : 17]>
c (float[2] x) => (float[2] y, float z) {
   z = Constant <value_float = 0.5> ()
   y = Mul (x, z)
})");
    EXPECT_EQ(titled(united, "Constant").folded, 0U);
    for (const LayoutRow& row : titled(united, "Mul").rows)
        EXPECT_EQ(row.node, kNoIndex) << row.value;
}

TEST(UnionChips, aWeightThatTheFileDoesNotSpellOutIsAChip) {
    const UnionGraph united = unionOfText(R"(
<ir_version: 8, opset_import: ["" : 17]>
fill (float[1,3,8,8] x) => (float[1,4,8,8] y)
<int64[4] size = {4, 3, 1, 1}> {
   w = ConstantOfShape <value = float[1] {0.25}> (size)
   y = Conv (x, w)
})");
    const LayoutNode& conv = titled(united, "Conv");
    ASSERT_FALSE(conv.rows.empty());
    EXPECT_EQ(conv.rows[0].label, "W");
    EXPECT_EQ(conv.rows[0].value, "0.25 [4,3,1,1]");
    EXPECT_EQ(united.graph.nodes.size(), 3U);
}

TEST(UnionChips, sizesPutTogetherFromConstantsAreAChipToo) {
    const UnionGraph united = unionOfText(R"(
<ir_version: 8, opset_import: ["" : 17]>
sizes (float[2,12] x) => (float[N,M] y) {
   a = Constant <value = int64[1] {4}> ()
   b = Constant <value = int64[1] {6}> ()
   size = Concat <axis = 0> (a, b)
   y = Reshape (x, size)
})");
    const LayoutNode& reshape = titled(united, "Reshape");
    ASSERT_EQ(reshape.rows.size(), 1U);
    EXPECT_EQ(reshape.rows[0].value, "[4,6]");
    EXPECT_EQ(united.graph.nodes.size(), 3U);
}

TEST(UnionChips, whatIsNotKnownSaysWhatItIsComputedFrom) {
    // The gates of an LSTM, put into another order; sizes of a value that only running tells; constants.
    const UnionGraph united = unionOfText(R"(
<ir_version: 8, opset_import: ["" : 17]>
sources (float[n,4] x, float[n,4] z) => (float[n,4] a, float[p] b, float[4] c)
<float[4] gates = {1, 2, 3, 4}, int64[1] one = {1}, int64[1] two = {2}> {
   i = Constant <value = int64[2] {1, 0}> ()
   moved = Gather <axis = 0> (gates, i)
   a = Mul (x, moved)
   many = NonZero (z)
   size = Shape (many)
   length = Slice (size, one, two)
   b = Reshape (z, length)
   half = Constant <value = float {0.5}> ()
   twice = Reciprocal (half)
   c = Mul (gates, twice)
})");
    const auto valueIn = [&](const std::string& made) {
        for (const LayoutEdge& edge : united.graph.edges) {
            if (united.graph.nodes[edge.to].name != made && united.graph.nodes[edge.to].title != made)
                continue;
            for (const LayoutRow& row : united.graph.nodes[edge.from].rows)
                if (row.kind == LayoutRow::Kind::shapeChain) return row.value;
        }
        return std::string();
    };
    EXPECT_EQ(valueIn("a"), "computed from weights");
    EXPECT_EQ(valueIn("b"), "computed from sizes");
    EXPECT_EQ(valueIn("c"), "computed from constants");
}

TEST(UnionChips, aSliceUpToTheEndAndACastSaySoInWords) {
    const UnionGraph united = unionOfText(R"(
<ir_version: 8, opset_import: ["" : 17]>
words (float[8] x) => (int64[n] y)
<int64[1] start = {2}, int64[1] most = {9223372036854775807}> {
   part = Slice (x, start, most)
   y = Cast <to = 7> (part)
})");
    const std::vector<LayoutRow>& slice = titled(united, "Slice").rows;
    ASSERT_EQ(slice.size(), 2U);
    EXPECT_EQ(slice[1].label + ' ' + slice[1].value, "ends [end]");
    const std::vector<LayoutRow>& cast = titled(united, "Cast").rows;
    ASSERT_EQ(cast.size(), 1U);
    EXPECT_EQ(cast[0].value, "int64");
}

TEST(UnionChips, weightsOfAnOperatorWithManyInputsHaveTheNamesOfItsSchema) {
    const UnionGraph united = unionOfText(R"(
<ir_version: 8, opset_import: ["" : 17]>
rnn (float[4, 1, 2] x, float[2] b) => (float[4, 1, 1, 3] y, float[2, 2] c)
<float[1, 12, 2] in = {0.0}, float[1, 12, 3] again = {0.0}, float[1, 24] bias = {0.0}, float[1, 2] more = {0.0}> {
   y = LSTM <hidden_size = 3> (x, in, again, bias)
   c = Concat <axis = 0> (more, more)
})");
    const auto labels = [&](const char* title) {
        std::string all;
        for (const LayoutRow& row : titled(united, title).rows)
            if (row.kind != LayoutRow::Kind::attribute) all += row.label + ";";
        return all;
    };
    EXPECT_EQ(labels("LSTM"), "W;R;B;");
    EXPECT_EQ(labels("Concat"), ";;") << "inputs that are all alike have no names";
}

TEST(UnionChips, dimensionsOfWhichNothingIsKnownAreQuestionMarks) {
    const UnionGraph united = unionOfText(R"(
<ir_version: 8, opset_import: ["" : 17]>
free (float[n] x) => (int64[1,m] y) {
   y = NonZero (x)
})");
    bool isFound = false;
    for (const LayoutEdge& edge : united.graph.edges)
        isFound = isFound || edge.label == "int64[1,?]" || edge.label == "int64[1,m]";
    EXPECT_TRUE(isFound);
    for (const LayoutEdge& edge : united.graph.edges)
        EXPECT_EQ(edge.label.find("unk"), std::string::npos) << edge.label;
}

TEST(UnionChips, theFateOfANodeInAChipIsItsOwn) {
    auto loaded = parseModelText(kShapeChain);
    ASSERT_TRUE(loaded.ok());
    const auto original = makeOriginal(std::move(loaded).take());
    const UnionGraph united = buildUnionGraph(*original, nullptr);
    const PictureState state = pictureStateOf(united, *original, nullptr, {});
    ASSERT_EQ(state.folded.size(), united.graph.folded.size());
    for (const DiffState diff : state.folded)
        EXPECT_EQ(diff, DiffState::kept);
}

constexpr const char* kBranches = R"(
<ir_version: 8, opset_import: ["" : 17]>
branches (float[4] x, bool c) => (float[4] y)
<float[4] w = {1, 2, 3, 4}> {
   a = Relu (x)
   y = If (c) <
      then_branch = yes () => (float[4] t) { s = Mul (a, w) t = Neg (s) },
      else_branch = no () => (float[4] e) { e = Identity (a) }
   >
})";

TEST(UnionBodies, bothBranchesAreRowsOfTheNode) {
    const UnionGraph united = unionOfText(kBranches);
    const std::vector<LayoutRow>& rows = titled(united, "If").rows;
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].label + ' ' + rows[0].value, "then_branch body of 2 nodes");
    EXPECT_EQ(rows[1].label + ' ' + rows[1].value, "else_branch body of 1 node");
}

TEST(UnionBodies, whatLiesInTheBodiesOfABodyCountsInItsSizeToo) {
    const UnionGraph united = unionOfText(R"(
<ir_version: 8, opset_import: ["" : 17]>
nested (float[4] x, bool c) => (float[4] y) {
   y = If (c) <
      then_branch = yes () => (float[4] t) {
         s = Exp (x)
         t = If (c) <then_branch = a () => (float[4] p) { q = Abs (s) p = Neg (q) },
                     else_branch = b () => (float[4] r) { r = Neg (s) }>
      },
      else_branch = no () => (float[4] e) { e = Identity (x) }
   >
})");
    EXPECT_EQ(titled(united, "If").rows[0].value, "body of 5 nodes");
}

TEST(UnionBodies, theBodyOfABranchIsAPictureOfItsOwn) {
    auto loaded = parseModelText(kBranches);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    const auto original = makeOriginal(std::move(loaded).take());
    const Model& model = original->file.model;
    std::vector<GraphId> bodies;
    for (const NodeId id : model.nodes(model.mainGraph()))
        for (const GraphId body : model.subgraphs(id))
            bodies.push_back(body);
    ASSERT_EQ(bodies.size(), 2U);
    const UnionGraph yes = buildUnionGraph(*original, nullptr, bodies[0]);
    EXPECT_EQ(yes.modelGraph, bodies[0]);
    ASSERT_EQ(yes.graph.nodes.size(), 4U) << "the captured a, Mul, Neg, the result t";
    const LayoutNode& captured = titled(yes, "a");
    EXPECT_EQ(captured.kind, OperatorKind::input);
    ASSERT_EQ(captured.rows.size(), 1U);
    EXPECT_EQ(captured.rows[0].label, "captured");
    ASSERT_EQ(titled(yes, "Mul").rows.size(), 1U) << "the weight of the main graph is a row";
    EXPECT_EQ(yes.graph.edges.size(), 3U);
    EXPECT_EQ(yes.outputNames, std::vector<std::string>{"t"});
    const PictureState state = pictureStateOf(yes, *original, nullptr, {});
    for (std::uint32_t e = 0; e < yes.graph.edges.size(); ++e)
        EXPECT_EQ(state.edgeBits(e), kEdgeInBefore | kEdgeInAfter) << e;
    // In the main graph both bodies are inside the If.
    const UnionGraph main = buildUnionGraph(*original, nullptr);
    EXPECT_EQ(titled(main, "If").folded, 3U);
}

} // namespace
} // namespace secateur
