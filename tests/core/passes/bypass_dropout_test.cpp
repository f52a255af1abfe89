// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/operator_mode.h"
#include "core/analysis/training_signs.h"
#include "core/ir/constants.h"
#include "tests/core/passes/pass_fixture.h"

namespace secateur {
namespace {

using testing::PassGraph;
using Names = std::vector<std::string>;
constexpr std::string_view kPass = "bypass-dropout";

/// x -> Neg -> h -> Dropout(h, ratio, mode) -> d -> Relu -> y; the mask is unread unless `readsMask`.
struct DropoutGraph : PassGraph {
    ValueId x, h, d, mask;
    NodeId dropout;

    explicit DropoutGraph(std::int64_t opset, std::vector<ValueId> (*more)(PassGraph&) = nullptr,
                          AttributeList attributes = {}, bool readsMask = false,
                          std::string_view op = "Dropout", std::string_view domain = "")
        : PassGraph(opset) {
        x = input("x");
        h = add("Neg", {x}, "h");
        std::vector<ValueId> inputs{h};
        if (more != nullptr) {
            for (const ValueId value : more(*this))
                inputs.push_back(value);
        }
        dropout = node(op, inputs, {"d", "mask"}, std::move(attributes), domain);
        d = model.output(dropout, 0);
        mask = model.output(dropout, 1);
        output(add("Relu", {d}, "y"));
        if (readsMask) output(add("Identity", {mask}, "m"));
    }
};

std::vector<ValueId> training(PassGraph& g) {
    return {g.scalar("ratio", 0.5F), g.flag("mode", true)};
}
std::vector<ValueId> inference(PassGraph& g) {
    return {g.scalar("ratio", 0.5F), g.flag("mode", false)};
}
std::vector<ValueId> zeroRatio(PassGraph& g) {
    return {g.scalar("ratio", 0.0F), g.flag("mode", true)};
}
std::vector<ValueId> givenMode(PassGraph& g) {
    return {g.scalar("ratio", 0.5F), g.input("mode", Type::tensor(ElementType::boolean, {}))};
}
std::vector<ValueId> noMode(PassGraph& g) {
    return {g.scalar("ratio", 0.5F)};
}

/// The tensor behind a ConstantOfShape.
TensorPtr filling(const Model& model, ValueId value) {
    const Attribute* attribute = model.attribute(model.producer(value), "value");
    const auto* tensor = attribute == nullptr ? nullptr : std::get_if<TensorPtr>(&attribute->value);
    return tensor == nullptr ? nullptr : *tensor;
}

TEST(BypassDropout, trainingBecomesTheDataAndIsAConversion) {
    for (const std::int64_t opset : {12, 13, 17, 22}) {
        DropoutGraph g(opset, training);
        g.run(kPass);
        EXPECT_EQ(g.ops(), (Names{"Neg", "Relu"})) << opset;
        EXPECT_EQ(g.applied(), Names{"bypass-dropout.training"});
        EXPECT_EQ(g.records.front().exactness, Exactness::conversion);
        EXPECT_EQ(g.records.front().equalValues, (std::vector{std::pair(g.d, g.h)}));
        EXPECT_EQ(g.records.front().erased, std::vector{g.dropout});
    }
}

TEST(BypassDropout, whatOnlyFedTheDropoutSaysSo) {
    DropoutGraph g(13, [](PassGraph& graph) {
        const ValueId ratio =
            graph.add("Constant", {}, "ratio", {Attribute::of("value", makeFloatTensor({}, {0.5F}))});
        const ValueId flag = graph.input("flag", Type::tensor(ElementType::float32, {}));
        const ValueId mode = graph.add("Cast", {graph.add("Neg", {flag}, "negative")}, "mode",
                                       {Attribute::of("to", std::int64_t{9})});
        return std::vector{ratio, mode};
    });
    const NodeId ratio = g.model.producer(g.model.input(g.dropout, 1)),
                 mode = g.model.producer(g.model.input(g.dropout, 2));
    const NodeId negative = g.model.producer(g.model.input(mode, 0));
    g.run(kPass);
    EXPECT_EQ(g.ops(), (Names{"Neg", "Relu"}));
    const RewriteRecord& record = g.records.front();
    EXPECT_EQ(record.reason, Reason("bypass-dropout.computed", {g.dropout}));
    EXPECT_EQ(record.nodeReasons, (std::vector<std::pair<NodeId, Reason>>{
                                      {ratio, Reason("rewrite.only-fed", {ratio, g.dropout})},
                                      {mode, Reason("rewrite.only-fed", {mode, g.dropout})},
                                      {negative, Reason("rewrite.only-fed", {negative, mode})}}));
}

/// The analysis that tells a training graph and the pass that takes Dropout out judge the same mode.
TEST(BypassDropout, aDropoutIsInTrainingModeWhereItsBypassIsAConversion) {
    struct Case {
        std::int64_t opset;
        std::string_view op, domain;
        std::size_t ratioSlot, modeSlot;
    };
    constexpr std::size_t kNo = DropoutForm::kNoSlot;
    for (const Case& one : {Case{6, "Dropout", "", kNo, kNo}, Case{7, "Dropout", "", kNo, kNo},
                            Case{10, "Dropout", "", kNo, kNo}, Case{13, "Dropout", "", 1, 2},
                            Case{13, "BitmaskDropout", "com.microsoft", 1, 2},
                            Case{13, "DropoutInternal", "com.microsoft", 1, 2},
                            Case{13, "TrainableDropout", "com.microsoft", 1, kNo},
                            Case{13, "BiasDropout", "com.microsoft", 3, 4},
                            Case{13, "BitmaskBiasDropout", "com.microsoft", 3, 4},
                            Case{13, "BiasSoftmaxDropout", "com.microsoft", 2, kNo}}) {
        for (const float ratio : {0.5F, 0.0F}) {
            for (const int mode : {-2, -1, 0, 1}) { // omitted, given at run time, false, true
                PassGraph g(one.opset);
                const ValueId x = g.input("x");
                std::vector<ValueId> inputs(1, x);
                const auto put = [&](std::size_t slot, ValueId value) {
                    if (slot == kNo || value.isNone()) return;
                    inputs.resize(std::max(inputs.size(), slot + 1));
                    inputs[slot] = value;
                };
                if (one.op.find("Bias") != std::string_view::npos) put(1, g.floats("bias", {0, 0, 0, 0}));
                put(one.ratioSlot, g.scalar("ratio", ratio));
                if (mode >= 0) put(one.modeSlot, g.flag("mode", mode == 1));
                if (mode == -1 && one.modeSlot != kNo)
                    put(one.modeSlot, g.input("mode", Type::tensor(ElementType::boolean, {})));
                const NodeId dropout = g.node(one.op, inputs, {"d"}, {}, one.domain);
                g.output(g.add("Relu", {g.model.output(dropout, 0)}, "y"));
                TypeTable types;
                types.inferAll(g.model);
                const GraphIndex index(g.model);
                const bool trains = findTrainingSigns(index, types).trainingMode[index.position(dropout)];
                g.run(kPass);
                ASSERT_EQ(g.records.size(), 1U) << one.op << " " << one.opset;
                EXPECT_EQ(g.records[0].exactness == Exactness::conversion, trains)
                    << one.op << " opset " << one.opset << " ratio " << ratio << " mode " << mode;
            }
        }
    }
}

TEST(BypassDropout, inferenceModeAndZeroRatioAreExact) {
    for (const auto& [more, reason] :
         {std::pair(&inference, "bypass-dropout.inference"), std::pair(&noMode, "bypass-dropout.inference"),
          std::pair(&zeroRatio, "bypass-dropout.zero-ratio")}) {
        DropoutGraph g(13, more);
        g.run(kPass);
        EXPECT_EQ(g.ops(), (Names{"Neg", "Relu"}));
        EXPECT_EQ(g.applied(), Names{reason});
        EXPECT_EQ(g.records.front().exactness, Exactness::exact);
    }
}

TEST(BypassDropout, aModeOnlyKnownAtRunTimeIsAConversion) {
    DropoutGraph g(13, givenMode);
    g.run(kPass);
    EXPECT_EQ(g.applied(), Names{"bypass-dropout.computed"});
    EXPECT_EQ(g.records.front().exactness, Exactness::conversion);
}

TEST(BypassDropout, aReadMaskBecomesAllTrueAndNeverTheData) {
    DropoutGraph g(13, training, {}, true);
    g.run(kPass);
    EXPECT_EQ(g.ops(), (Names{"Neg", "Shape", "ConstantOfShape", "Relu", "Identity"}));
    const ValueId mask = g.model.input(g.model.producer(g.model.graphOutputs(g.main)[1]), 0);
    ASSERT_TRUE(g.model.isOp(g.model.producer(mask), "ConstantOfShape"));
    const TensorPtr one = filling(g.model, mask);
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->type, ElementType::boolean);
    EXPECT_EQ(asIntegers(*one), std::vector<std::int64_t>{1});
}

TEST(BypassDropout, opsets7To11AreIdentityUnlessTheMaskIsRead) {
    for (const std::int64_t opset : {7, 9, 10, 11}) {
        DropoutGraph plain(opset);
        plain.run(kPass);
        EXPECT_EQ(plain.ops(), (Names{"Neg", "Relu"})) << opset;
        EXPECT_EQ(plain.records.front().exactness, Exactness::exact);

        DropoutGraph masked(opset, nullptr, {}, true);
        masked.run(kPass);
        EXPECT_EQ(masked.ops(), (Names{"Neg", "Dropout", "Relu", "Identity"})) << opset;
        EXPECT_TRUE(masked.hasMiss("bypass-dropout.miss.mask-unsettled"));
    }
}

TEST(BypassDropout, beforeOpset7IsTestDecides) {
    DropoutGraph tests(6, nullptr, {Attribute::of("is_test", std::int64_t{1})});
    tests.run(kPass);
    EXPECT_EQ(tests.applied(), Names{"bypass-dropout.inference"});
    DropoutGraph trains(6);
    trains.run(kPass);
    EXPECT_EQ(trains.applied(), Names{"bypass-dropout.training"});
}

TEST(BypassDropout, beforeOpset7AMaskHasTheTypeOfTheData) {
    DropoutGraph g(6, nullptr, {}, true);
    g.editor().setInfo(g.h, PassGraph::infoOf(Type::tensor(ElementType::float32, {2, 4})));
    g.run(kPass);
    const ValueId mask = g.model.input(g.model.producer(g.model.graphOutputs(g.main)[1]), 0);
    const TensorPtr ones = constantOf(g.model, mask);
    ASSERT_NE(ones, nullptr);
    EXPECT_EQ(ones->type, ElementType::float32);
    EXPECT_EQ(ones->dims, (std::vector<std::int64_t>{2, 4}));
    EXPECT_EQ(asDoubles(*ones), std::vector<double>(8, 1.0));
}

TEST(BypassDropout, vendorFormsKeepTheirMaskType) {
    DropoutGraph g(13, training, {}, true, "BitmaskDropout", "com.microsoft");
    g.run(kPass);
    const ValueId mask = g.model.input(g.model.producer(g.model.graphOutputs(g.main)[1]), 0);
    const TensorPtr word = filling(g.model, mask);
    ASSERT_NE(word, nullptr);
    EXPECT_EQ(word->type, ElementType::uint32);
    EXPECT_EQ(asIntegers(*word), std::vector<std::int64_t>{4294967295});
    EXPECT_EQ(g.ops(), (Names{"Neg", "Size", "Add", "Div", "ConstantOfShape", "Relu", "Identity"}));
}

TEST(BypassDropout, biasDropoutLeavesItsAdditions) {
    PassGraph g;
    const ValueId x = g.input("x"), residual = g.input("residual");
    const ValueId bias = g.floats("bias", {1, 2, 3, 4});
    const NodeId node =
        g.node("BiasDropout", {x, bias, residual, g.scalar("ratio", 0.1F), g.flag("mode", true)},
               {"d", "mask"}, {}, "com.microsoft");
    g.output(g.add("Relu", {g.model.output(node, 0)}, "y"));
    g.run(kPass);
    EXPECT_EQ(g.ops(), (Names{"Add", "Add", "Relu"}));
}

TEST(BypassDropout, biasSoftmaxDropoutNeedsOneAxis) {
    const auto build = [](std::int64_t axis) {
        auto g = std::make_unique<PassGraph>(13);
        const ValueId x = g->input("x"), bias = g->input("bias");
        const NodeId node = g->node("BiasSoftmaxDropout", {x, bias, g->scalar("ratio", 0.1F)},
                                    {"d", "mask", "s"}, {Attribute::of("axis", axis)}, "com.microsoft");
        g->output(g->add("Relu", {g->model.output(node, 0)}, "y"));
        g->output(g->model.output(node, 2));
        return g;
    };
    const auto last = build(1);
    last->run(kPass);
    EXPECT_EQ(last->ops(), (Names{"Add", "Softmax", "Relu"}));
    EXPECT_EQ(last->outputNames(), (Names{"y", "s"}));
    const auto first = build(0);
    first->run(kPass);
    EXPECT_TRUE(first->hasMiss("bypass-dropout.miss.softmax-axis"));
}

TEST(BypassDropout, anOutputKeepsItsNameAndAnInputIsNotRenamed) {
    PassGraph g;
    const ValueId x = g.input("x");
    g.output(g.model.output(g.node("Dropout", {x, g.scalar("ratio", 0.5F), g.flag("mode", true)}, {"y"}), 0));
    g.environment.targets = {g.onlyOutput()};
    g.run(kPass);
    EXPECT_EQ(g.ops(), Names{"Identity"});
    EXPECT_EQ(g.outputNames(), Names{"y"});
    EXPECT_EQ(g.inputNames(), Names{"x"});
    EXPECT_EQ(g.environment.targets, std::vector{g.onlyOutput()});
}

TEST(BypassDropout, readersInBodiesAreRewired) {
    PassGraph g;
    const ValueId x = g.input("x"), condition = g.input("c", Type::tensor(ElementType::boolean, {}));
    const NodeId dropout = g.node("Dropout", {x, g.scalar("ratio", 0.5F), g.flag("mode", true)}, {"d"});
    AttributeList bodies;
    for (const char* name : {"then_branch", "else_branch"}) {
        const GraphId body = g.editor().createGraph(GraphKind::subgraph, g.main);
        const NodeId inner =
            g.node("Neg", {g.model.output(dropout, 0)}, {std::string(name) + "_y"}, {}, "", body);
        g.editor().appendGraphOutput(body, g.model.output(inner, 0), std::string(name) + "_y");
        Attribute attribute;
        attribute.name = name;
        attribute.type = AttributeType::graph;
        attribute.value = body;
        bodies.push_back(attribute);
    }
    const std::vector<GraphId> graphs{std::get<GraphId>(bodies[0].value), std::get<GraphId>(bodies[1].value)};
    const NodeId branch = g.node("If", {condition}, {"y"}, bodies);
    for (const GraphId body : graphs)
        g.editor().setGraphParent(body, g.main, branch);
    g.output(g.model.output(branch, 0));
    g.run(kPass);
    EXPECT_EQ(g.ops(), (Names{"If", "Neg", "Neg"}));
    EXPECT_EQ(capturesOf(g.model, branch), std::vector{x});
}

TEST(BypassDropout, inABodyACapturedValueIsNotRenamed) {
    PassGraph g;
    const ValueId x = g.input("x"), condition = g.input("c", Type::tensor(ElementType::boolean, {}));
    const ValueId ratio = g.scalar("ratio", 0.5F), mode = g.flag("mode", true);
    AttributeList bodies;
    std::vector<GraphId> graphs;
    for (const char* name : {"then_branch", "else_branch"}) {
        graphs.push_back(g.editor().createGraph(GraphKind::subgraph, g.main));
        const std::string result = std::string(name) + "_y";
        const NodeId inner = g.node("Dropout", {x, ratio, mode}, {result}, {}, "", graphs.back());
        g.editor().appendGraphOutput(graphs.back(), g.model.output(inner, 0), result);
        Attribute attribute;
        attribute.name = name;
        attribute.type = AttributeType::graph;
        attribute.value = graphs.back();
        bodies.push_back(attribute);
    }
    const NodeId branch = g.node("If", {condition}, {"y"}, bodies);
    for (const GraphId body : graphs)
        g.editor().setGraphParent(body, g.main, branch);
    g.output(g.model.output(branch, 0));
    g.run(kPass);
    EXPECT_EQ(g.ops(), (Names{"If", "Identity", "Identity"}));
    EXPECT_EQ(g.records.front().key, "bypass-dropout@y/then_branch/then_branch_y");
}

TEST(BypassDropout, aSkippedRewriteChangesNothing) {
    DropoutGraph g(13, training);
    g.run(kPass);
    const std::string key = g.records.front().key;
    EXPECT_EQ(key, "bypass-dropout@d");

    DropoutGraph skipped(13, training);
    const std::uint64_t before = exactHash(skipped.model);
    skipped.run(kPass, {}, {key});
    EXPECT_EQ(exactHash(skipped.model), before);
    ASSERT_EQ(skipped.records.size(), 1U);
    EXPECT_TRUE(skipped.records.front().isSkipped);
}

} // namespace
} // namespace secateur
