// SPDX-License-Identifier: Apache-2.0
#include "core/ir/constants.h"
#include "core/messages/messages.h"
#include "core/passes/convert/operator_twin.h"
#include "tests/core/passes/pass_fixture.h"

namespace secateur {
namespace {

using testing::PassGraph;
using Names = std::vector<std::string>;
constexpr std::string_view kPass = "standard-operators";
constexpr std::string_view kVendor = "com.microsoft";

Type matrix(std::vector<std::int64_t> dims) {
    return Type::tensor(ElementType::float32, std::move(dims));
}

TEST(StandardOperators, concatTrainingBecomesConcat) {
    PassGraph g;
    const ValueId a = g.input("a", matrix({2, 4})), b = g.input("b", matrix({2, 3}));
    const NodeId node =
        g.node("ConcatTraining", {a, b}, {"y", "lengths"}, {Attribute::of("axis", std::int64_t{1})}, kVendor);
    g.editor().setNodeName(node, "joins");
    g.editor().setNodeRest(node, "\x32\x04note"); // doc_string
    const ValueId y = g.model.output(node, 0);
    g.output(g.add("Relu", {y}, "z"));
    g.run(kPass);
    const NodeId concat = g.model.producer(y);
    EXPECT_TRUE(g.model.isOp(concat, "Concat"));
    EXPECT_EQ(g.model.outputs(concat).size(), 1U);
    EXPECT_EQ(g.model.intAttribute(concat, "axis", 0), 1);
    EXPECT_EQ(g.model.name(concat), "joins");
    EXPECT_EQ(g.model.text(g.model.node(concat).rest), "\x32\x04note");
    EXPECT_EQ(g.model.name(y), "y") << "the value is the same, so its readers are, too";
    EXPECT_EQ(g.records.front().exactness, Exactness::exact);
}

TEST(StandardOperators, theRecordSaysWhichNodeWasReplacedAndByWhat) {
    PassGraph g;
    const ValueId a = g.input("a", matrix({2, 4}));
    const NodeId join =
        g.node("ConcatTraining", {a, a}, {"y"}, {Attribute::of("axis", std::int64_t{1})}, kVendor);
    const ValueId joined = g.model.output(join, 0);
    const NodeId gelu = g.node("Gelu", {joined}, {"z"}, {}, kVendor);
    g.editor().setNodeName(gelu, "act");
    g.output(g.model.output(gelu, 0));
    g.run(kPass);
    ASSERT_EQ(g.records.size(), 2U);
    EXPECT_EQ(g.records[0].matched, std::vector{join});
    EXPECT_EQ(g.records[0].erased, std::vector{join});
    EXPECT_EQ(g.records[0].created, std::vector{g.model.producer(joined)});
    EXPECT_EQ(formatReason(g.records[0].reason, g.model),
              "ConcatTraining making `y` of domain `com.microsoft` is no standard operator of this opset; in "
              "standard ones it "
              "is `Concat`");
    EXPECT_EQ(g.records[1].erased, std::vector{gelu});
    EXPECT_EQ(g.records[1].created.size(), 5U);
    EXPECT_EQ(g.model.name(g.lastNode()), "act") << "the node that makes the result has the name";
    EXPECT_EQ(std::get<std::string>(g.records[1].reason.arguments[2]), "`Mul`, `Erf`, `Add`, `Mul`, `Mul`");
}

TEST(SharedScalars, aScalarThatWasTakenBackIsMadeAgainThoughItsIdIsInUse) {
    PassGraph g;
    const ValueId x = g.input("x", matrix({2, 4}));
    const NodeId neg = g.node("Neg", {x}, {"y"});
    g.output(g.model.output(neg, 0));
    TypeTable types;
    types.inferAll(g.model);
    SharedScalars scalars(g.model, types);
    const JournalMark mark = g.model.journal().mark();
    const ValueId half = scalars.make(g.editor(), neg, ElementType::float32, 0.5, "half");
    EXPECT_EQ(scalars.make(g.editor(), neg, ElementType::float32, 0.5, "half"), half) << "shared";
    Journal::unwind(g.model, mark);
    const ValueId other = g.initializer("other", makeFloatTensor({}, {7}));
    ASSERT_EQ(other, half) << "the id was free again";
    const ValueId again = scalars.make(g.editor(), neg, ElementType::float32, 0.5, "half");
    EXPECT_NE(again, other);
    EXPECT_EQ(constantScalar(g.model, again), 0.5);
}

TEST(StandardOperators, readLengthsOfConcatTrainingAreComputed) {
    PassGraph g;
    const ValueId a = g.input("a", matrix({2, 4})), b = g.input("b", matrix({2, 3}));
    const NodeId node =
        g.node("ConcatTraining", {a, b}, {"y", "lengths"}, {Attribute::of("axis", std::int64_t{1})}, kVendor);
    g.output(g.model.output(node, 0));
    g.output(g.model.output(node, 1));
    g.run(kPass);
    EXPECT_EQ(g.outputNames(), (Names{"y", "lengths"}));
    EXPECT_EQ(g.ops(), (Names{"Shape", "Gather", "Shape", "Gather", "Concat", "Concat"}));
}

TEST(StandardOperators, splitTrainingTakesItsLengthsAsTheOpsetWants) {
    for (const std::int64_t opset : {12, 13}) {
        PassGraph g(opset);
        const ValueId x = g.input("x", matrix({2, 4}));
        const ValueId lengths = g.initializer("lengths", makeInt64Tensor({2}, {1, 3}));
        const NodeId node = g.node("SplitTraining", {x, lengths}, {"a", "b"},
                                   {Attribute::of("axis", std::int64_t{1})}, kVendor);
        g.output(g.model.output(node, 0));
        g.output(g.model.output(node, 1));
        g.run(kPass);
        const NodeId split = g.lastNode();
        EXPECT_TRUE(g.model.isOp(split, "Split"));
        EXPECT_EQ(g.model.inputs(split).size(), opset < 13 ? 1U : 2U);
        const std::vector<std::int64_t> cut =
            opset < 13 ? std::vector<std::int64_t>{1, 3} : std::vector<std::int64_t>{};
        EXPECT_EQ(g.model.intsAttribute(split, "split"), cut);
    }
    PassGraph g(12);
    const ValueId x = g.input("x", matrix({2, 4})),
                  lengths = g.input("lengths", Type::tensor(ElementType::int64, {2}));
    const NodeId node = g.node("SplitTraining", {x, lengths}, {"a", "b"}, {}, kVendor);
    g.output(g.model.output(node, 0));
    g.run(kPass);
    EXPECT_TRUE(g.hasMiss("standard-operators.miss.split-lengths"));
}

TEST(StandardOperators, recurrentOperatorsLoseWhatTheGradientNeeds) {
    for (const bool isLstm : {true, false}) {
        const std::string op = isLstm ? "LSTMTraining" : "GRUTraining";
        const std::int64_t gates = isLstm ? 4 : 3;
        const auto build = [&](bool readsSaved) {
            auto g = std::make_unique<PassGraph>(17);
            const ValueId x = g->input("x", matrix({3, 1, 2})), w = g->input("w", matrix({1, gates * 2, 2})),
                          r = g->input("r", matrix({1, gates * 2, 2}));
            Names results{"y", "y_h"};
            if (isLstm) results.push_back("y_c");
            results.push_back("saved");
            const NodeId node =
                g->node(op, {x, w, r}, results, {Attribute::of("hidden_size", std::int64_t{2})}, kVendor);
            g->output(g->model.output(node, 0));
            if (readsSaved) g->output(g->model.output(node, results.size() - 1));
            return g;
        };
        const auto plain = build(false);
        plain->run(kPass);
        EXPECT_EQ(plain->ops(), Names{isLstm ? "LSTM" : "GRU"});
        const auto saved = build(true);
        saved->run(kPass);
        EXPECT_EQ(saved->ops(), Names{op});
        EXPECT_TRUE(saved->hasMiss("standard-operators.miss.saved-result"));
    }
}

TEST(StandardOperators, geluIsFiveNodesOrOneFromOpset20On) {
    PassGraph g(17);
    const ValueId x = g.input("x");
    const ValueId first = g.add("Gelu", {x}, "a", {}, kVendor);
    g.output(g.add("Gelu", {first}, "y", {}, kVendor));
    g.run(kPass);
    EXPECT_EQ(g.ops(), (Names{"Mul", "Erf", "Add", "Mul", "Mul", "Mul", "Erf", "Add", "Mul", "Mul"}));
    EXPECT_EQ(g.outputNames(), Names{"y"});
    EXPECT_EQ(g.model.graph(g.main).initializers.size(), 3U) << "both share the constants";

    PassGraph late(20);
    const ValueId z = late.input("z");
    late.output(late.add("Gelu", {z}, "y", {}, kVendor));
    late.run(kPass);
    EXPECT_EQ(late.ops(), Names{"Gelu"});
    EXPECT_TRUE(late.model.isDefaultDomain(late.model.producer(late.onlyOutput())));
}

TEST(StandardOperators, operatorsThatOnnxRuntimeRunsStayOnRequest) {
    PassGraph g(17);
    const ValueId x = g.input("x");
    const ValueId a = g.add("Gelu", {x}, "a", {}, kVendor);
    g.output(g.add("ConcatTraining", {a, x}, "y", {Attribute::of("axis", std::int64_t{0})}, kVendor));
    g.environment.isForOnnxRuntime = true;
    g.run(kPass);
    EXPECT_EQ(g.ops(), (Names{"Gelu", "Concat"}));
    EXPECT_TRUE(g.hasMiss("standard-operators.miss.runtime-has-it"));
}

TEST(StandardOperators, fusedMatMulBecomesWhatItsRanksAllow) {
    const auto build = [](std::vector<std::int64_t> a, std::vector<std::int64_t> b,
                          AttributeList attributes) {
        auto g = std::make_unique<PassGraph>(17);
        const ValueId x = g->input("a", matrix(std::move(a))), y = g->input("b", matrix(std::move(b)));
        g->output(g->add("FusedMatMul", {x, y}, "y", std::move(attributes), kVendor));
        return g;
    };
    const Attribute transA = Attribute::of("transA", std::int64_t{1}), half = Attribute::of("alpha", 0.5F);
    const auto plain = build({2, 3}, {3, 4}, {});
    plain->run(kPass);
    EXPECT_EQ(plain->ops(), Names{"MatMul"});
    const auto flat = build({3, 2}, {3, 4}, {transA, half});
    flat->run(kPass);
    EXPECT_EQ(flat->ops(), Names{"Gemm"});
    const auto batch = build({5, 3, 2}, {5, 3, 4}, {transA, half});
    batch->run(kPass);
    EXPECT_EQ(batch->ops(), (Names{"Transpose", "MatMul", "Mul"}));
    EXPECT_EQ(batch->model.intsAttribute(batch->model.graph(batch->main).head, "perm"),
              (std::vector<std::int64_t>{0, 2, 1}));
    const auto moved = build({3, 5, 2}, {5, 2, 4}, {Attribute::of("transBatchA", std::int64_t{1})});
    moved->run(kPass);
    EXPECT_EQ(moved->model.intsAttribute(moved->model.graph(moved->main).head, "perm"),
              (std::vector<std::int64_t>{1, 0, 2}));
}

TEST(StandardOperators, layerNormalizationBeforeOpset17IsWrittenOut) {
    PassGraph g(13);
    const ValueId x = g.input("x");
    const ValueId scale = g.floats("scale", {1, 1, 1, 1}), bias = g.floats("bias", {0, 0, 0, 0});
    const NodeId node = g.node("LayerNormalization", {x, scale, bias}, {"y", "mean", "inverse"});
    g.output(g.model.output(node, 0));
    g.run(kPass);
    EXPECT_EQ(g.ops(), (Names{"ReduceMean", "Sub", "Mul", "ReduceMean", "Add", "Sqrt", "Div", "Mul", "Add"}));

    PassGraph late(17);
    const ValueId z = late.input("x");
    const ValueId ones = late.floats("scale", {1, 1, 1, 1});
    late.output(late.model.output(late.node("LayerNormalization", {z, ones}, {"y"}), 0));
    late.run(kPass);
    EXPECT_EQ(late.ops(), Names{"LayerNormalization"});
}

TEST(StandardOperators, operatorsWithoutATwinAreListed) {
    PassGraph g(17);
    const ValueId x = g.input("x");
    g.output(g.add("ATen", {x}, "y", {}, "org.pytorch.aten"));
    g.run(kPass);
    EXPECT_TRUE(g.hasMiss("standard-operators.miss.no-twin"));
}

TEST(StandardOperators, scalarsInAFunctionAreConstantNodes) {
    PassGraph g(17);
    const GraphId function = g.editor().createGraph(GraphKind::function);
    GraphHeader header;
    header.name = "Act";
    header.domain = "local";
    header.opsets = {{"", 17, ""}, {"com.microsoft", 1, ""}};
    g.editor().setGraphHeader(function, std::move(header));
    const ValueId inner = g.editor().createValue(function, "v");
    g.editor().setGraphInputs(function, std::vector{inner});
    const NodeId gelu = g.node("Gelu", {inner}, {"r"}, {}, kVendor, function);
    g.editor().appendGraphOutput(function, g.model.output(gelu, 0), "r");
    ModelHeader model = g.model.header();
    model.functions.push_back(function);
    model.opsets.push_back({"local", 1, ""});
    g.editor().setModelHeader(std::move(model));
    const ValueId x = g.input("x");
    g.output(g.add("Act", {x}, "y", {}, "local"));
    g.run(kPass);
    Names ops;
    for (const NodeId node : g.model.nodes(function))
        ops.emplace_back(g.model.op(node));
    EXPECT_EQ(std::count(ops.begin(), ops.end(), "Constant"), 3);
    EXPECT_EQ(std::count(ops.begin(), ops.end(), "CastLike"), 3);
    EXPECT_EQ(std::count(ops.begin(), ops.end(), "Erf"), 1);
}

} // namespace
} // namespace secateur
