// SPDX-License-Identifier: Apache-2.0
#include "tests/core/passes/pass_fixture.h"

namespace secateur {
namespace {

using testing::PassGraph;
using Names = std::vector<std::string>;
constexpr std::string_view kPass = "drop-training-state";

TEST(DropTrainingState, inputsThatBecameUnreadGoAndOthersStay) {
    PassGraph g;
    const ValueId x = g.input("x");
    const ValueId labels = g.input("labels");
    g.input("never_read");
    g.output(g.add("Relu", {x}, "y"));
    const NodeId loss = g.node("Sub", {x, labels}, {"loss"});
    g.editor().eraseNode(loss);
    g.run(kPass);
    EXPECT_EQ(g.inputNames(), (Names{"x", "never_read"}));
    ASSERT_EQ(g.records.front().valueReasons.size(), 1U);
    EXPECT_EQ(g.records.front().erasedValues, std::vector{labels});
}

TEST(DropTrainingState, theReasonNamesTheRoleOfTheLastReader) {
    PassGraph g;
    const ValueId x = g.input("x");
    const ValueId buffer = g.input("buffer");
    g.output(g.add("Relu", {x}, "y"));
    const NodeId reader = g.node("Neg", {buffer}, {"b"});
    auto roles = std::make_shared<RoleTable>();
    roles->byNode.assign(g.model.nodeIdCount(), Role::forward);
    roles->byNode[reader.index] = Role::accumulator;
    g.environment.roles = roles;
    g.editor().eraseNode(reader);
    g.run(kPass);
    EXPECT_EQ(g.records.front().valueReasons.front().second,
              Reason("drop-training-state.value.accumulator", {buffer, reader, std::int64_t{1}}));
}

TEST(DropTrainingState, unreadInitializersGoUnlessAnAnnotationNeedsThem) {
    PassGraph g;
    const ValueId x = g.input("x");
    g.output(g.add("Relu", {x}, "y"));
    const ValueId unread = g.floats("unread", {1, 2});
    const ValueId scale = g.scalar("scale", 0.5F);
    GraphHeader header = *g.model.graph(g.main).header;
    header.quantization.push_back({g.model.graphOutputs(g.main)[0], {{"SCALE_TENSOR", scale}}, ""});
    g.editor().setGraphHeader(g.main, std::move(header));
    g.run(kPass);
    EXPECT_FALSE(g.model.isAlive(unread));
    EXPECT_TRUE(g.model.isAlive(scale));
}

TEST(DropTrainingState, equalLargeWeightsAreShared) {
    PassGraph g;
    const std::vector<float> numbers(512, 0.25F);
    std::vector<float> other = numbers;
    other[300] = 1; // past the samples of a fingerprint
    const TensorPtr tensor = makeFloatTensor({512}, numbers);
    const ValueId a = g.initializer("a", tensor), b = g.initializer("b", makeFloatTensor({512}, numbers));
    const ValueId c = g.initializer("c", makeFloatTensor({512}, other)),
                  d = g.initializer("d", makeFloatTensor({2, 256}, numbers));
    const ValueId e = g.floats("e", {1, 2}), f = g.floats("f", {1, 2});
    for (const ValueId value : {a, b, c, d, e, f})
        g.output(g.add("Relu", {value}, "r_" + std::string(g.model.name(value))));
    g.run(kPass);
    EXPECT_FALSE(g.model.isAlive(b));
    for (const ValueId value : {a, c, d, e, f})
        EXPECT_TRUE(g.model.isAlive(value));
    EXPECT_EQ(g.records.front().equalValues, (std::vector{std::pair(b, a)}));
}

TEST(DropTrainingState, anEqualWeightThatIsAnOutputOrAnOverridableInputStays) {
    PassGraph g;
    const std::vector<float> numbers(512, 0.25F);
    const ValueId a = g.initializer("a", makeFloatTensor({512}, numbers));
    const ValueId b = g.initializer("b", makeFloatTensor({512}, numbers));
    const ValueId c = g.input("c", Type::tensor(ElementType::float32, {512}));
    g.editor().setTensor(c, makeFloatTensor({512}, numbers));
    g.output(g.add("Relu", {a}, "y"));
    g.output(g.add("Relu", {c}, "z"));
    g.output(b);
    g.run(kPass);
    EXPECT_TRUE(g.records.empty() || g.records.front().equalValues.empty());
    EXPECT_TRUE(g.model.isAlive(b) && g.model.isAlive(c));
}

TEST(DropTrainingState, unreadResultsAreTrimmedButNeverThoseOfBatchNormalization) {
    PassGraph g(9);
    const ValueId x = g.input("x", Type::tensor(ElementType::float32, {1, 2, 4, 4}));
    const NodeId pool = g.node("MaxPool", {x}, {"p", "indices"},
                               {Attribute::of("kernel_shape", std::vector<std::int64_t>{2, 2})});
    const ValueId s = g.floats("s", {1, 1}), b = g.floats("b", {0, 0}), m = g.floats("m", {0, 0}),
                  v = g.floats("v", {1, 1});
    const NodeId norm =
        g.node("BatchNormalization", {g.model.output(pool, 0), s, b, m, v}, {"n", "m1", "v1", "m2", "v2"});
    g.output(g.model.output(norm, 0));
    g.run(kPass);
    EXPECT_EQ(g.model.outputs(pool).size(), 1U);
    EXPECT_EQ(g.model.outputs(norm).size(), 5U);
}

TEST(DropTrainingState, readResultsAndCountedOnesStay) {
    PassGraph g(17);
    const ValueId x = g.input("x", Type::tensor(ElementType::float32, {1, 2, 4, 4}));
    const NodeId pool = g.node("MaxPool", {x}, {"p", "indices"},
                               {Attribute::of("kernel_shape", std::vector<std::int64_t>{2, 2})});
    const NodeId split =
        g.node("Split", {g.model.output(pool, 0)}, {"a", ""}, {Attribute::of("axis", std::int64_t{1})});
    g.output(g.model.output(split, 0));
    g.output(g.model.output(pool, 1));
    g.run(kPass);
    EXPECT_EQ(g.model.outputs(pool).size(), 2U);
    EXPECT_EQ(g.model.outputs(split).size(), 2U) << "how many results there are says how Split cuts";
}

GraphId addFunction(PassGraph& g, const std::string& name) {
    const GraphId function = g.editor().createGraph(GraphKind::function);
    GraphHeader header;
    header.name = name;
    header.domain = "local";
    header.opsets = {{"", 17, ""}};
    g.editor().setGraphHeader(function, std::move(header));
    const ValueId inner = g.editor().createValue(function, "v");
    g.editor().setGraphInputs(function, std::vector{inner});
    const NodeId node = g.node("Neg", {inner}, {"r"}, {}, "", function);
    g.editor().appendGraphOutput(function, g.model.output(node, 0), "r");
    ModelHeader header2 = g.model.header();
    header2.functions.push_back(function);
    g.editor().setModelHeader(std::move(header2));
    return function;
}

TEST(DropTrainingState, functionsAndOpsetsThatNothingNamesGo) {
    PassGraph g;
    ModelHeader header = g.model.header();
    header.opsets.push_back({"local", 1, ""});
    header.opsets.push_back({"ai.onnx.training", 1, ""});
    g.editor().setModelHeader(std::move(header));
    const GraphId called = addFunction(g, "Called");
    addFunction(g, "Uncalled");
    const ValueId x = g.input("x");
    g.output(g.add("Called", {x}, "y", {}, "local"));
    g.run(kPass);
    EXPECT_EQ(g.model.header().functions, std::vector{called});
    Names domains;
    for (const OpsetImport& import : g.model.header().opsets)
        domains.push_back(import.domain);
    EXPECT_EQ(domains, (Names{"", "local"}));
}

} // namespace
} // namespace secateur
