// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/function_body.h"

#include "core/ir/constants.h"
#include "core/ir/journal.h"
#include "core/ir/model_hash.h"
#include "core/ir/walk.h"
#include "core/onnx/type_inference.h"
#include "tests/core/onnx/model_maker.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

using E = ElementType;
constexpr const char* kMs = "com.microsoft";

/// Operators of the main graph in order, "Div Erf Add".
std::string operatorsOf(const Model& model) {
    std::string out;
    for (const NodeId node : model.nodes(model.mainGraph()))
        out += (out.empty() ? "" : " ") + std::string(model.op(node));
    return out;
}

/// Writes the body of the only node of `m` that has one; checks that the output keeps its name and type, that
/// the arenas are sound, and that undo restores the model.
std::string inlined(ModelMaker& m, ValueId result, bool losesShape = false) {
    m.output(result);
    TypeTable types;
    types.inferAll(m.model);
    const std::string name(m.model.name(result)), type = types.type(result).text();
    const JournalMark mark = m.model.journal().mark();
    const std::uint64_t before = exactHash(m.model);
    const auto made = inlineFunctionBody(m.editor, m.model.producer(result), types);
    EXPECT_TRUE(made) << made.error().toString();
    if (!made) return {};
    EXPECT_TRUE(brokenInvariants(m.model).empty());
    EXPECT_TRUE(findProblems(m.model).empty());
    types.update(m.model, m.model.journal().editsSince(mark));
    EXPECT_TRUE(types.problems().empty()) << types.problems().front().text;
    const ValueId now = m.model.graphOutputs(m.model.mainGraph())[0];
    EXPECT_EQ(m.model.name(now), name);
    if (!losesShape) {
        EXPECT_EQ(types.type(now).text(), type);
    }
    const std::string operators = operatorsOf(m.model);
    EXPECT_EQ(made->size(), nodesWithin(m.model, m.model.mainGraph()).size());
    (void)Journal::unwind(m.model, mark);
    EXPECT_EQ(exactHash(m.model), before);
    return operators;
}

TEST(FunctionBody, geluOfMicrosoftIsFiveNodes) {
    for (const E type : {E::float32, E::float64, E::float16, E::bfloat16}) {
        ModelMaker m;
        const ValueId y = m.node("Gelu", {m.input("x", type, {"N", 4})}, {}, kMs);
        EXPECT_EQ(inlined(m, y), "Div Erf Add Mul Mul");
    }
}

TEST(FunctionBody, constantsHaveTheTypeOfTheInput) {
    ModelMaker m;
    const ValueId y = m.node("Gelu", {m.input("x", E::float16, {4})}, {}, kMs);
    m.output(y);
    TypeTable types;
    types.inferAll(m.model);
    ASSERT_TRUE(inlineFunctionBody(m.editor, m.model.producer(y), types));
    std::vector<double> constants;
    for (const ValueId value : m.model.graph(m.model.mainGraph()).initializers) {
        EXPECT_EQ(m.model.value(value).tensor->type, E::float16);
        constants.push_back(*constantScalar(m.model, value));
    }
    ASSERT_EQ(constants.size(), 3U);
    EXPECT_NEAR(constants[0], 1.41421356, 5e-4);
    EXPECT_EQ(constants[1], 1.0);
    EXPECT_EQ(constants[2], 0.5);
}

TEST(FunctionBody, fastQuickAndBiasGeluHaveBodies) {
    ModelMaker fast;
    EXPECT_EQ(inlined(fast, fast.node("FastGelu",
                                      {fast.input("x", E::float32, {2, 4}), fast.input("b", E::float32, {4})},
                                      {}, kMs)),
              "Add Mul Mul Add Mul Tanh Mul Add Mul");
    ModelMaker quick;
    EXPECT_EQ(inlined(quick, quick.node("QuickGelu", {quick.input("x", E::float32, {2, 4})}, {}, kMs)),
              "Mul Sigmoid Mul");
    ModelMaker bias;
    EXPECT_EQ(inlined(bias, bias.node("BiasGelu",
                                      {bias.input("x", E::float32, {2, 4}), bias.input("b", E::float32, {4})},
                                      {}, kMs)),
              "Add Div Erf Add Mul Mul");
}

TEST(FunctionBody, fusedMatMulTransposesByRank) {
    ModelMaker m;
    const ValueId y =
        m.node("FusedMatMul", {m.input("a", E::float32, {2, 5, 4}), m.input("b", E::float32, {2, 5, 3})},
               {Attribute::of("alpha", 0.125F), Attribute::of("transA", std::int64_t(1))}, kMs);
    EXPECT_EQ(inlined(m, y), "Transpose MatMul Mul");
    ModelMaker plain;
    const ValueId z = plain.node(
        "FusedMatMul", {plain.input("a", E::float32, {2, 5, 4}), plain.input("b", E::float32, {2, 4, 3})},
        {Attribute::of("alpha", 1.0F)}, kMs);
    EXPECT_EQ(inlined(plain, z), "MatMul");
}

TEST(FunctionBody, withoutTheTypesItNeedsItFailsAndEditsNothing) {
    ModelMaker m;
    const ValueId unknown = m.node("Mystery", {m.input("x", E::float32, {2})}, {}, "my.domain");
    const ValueId y = m.node("Gelu", {unknown}, {}, kMs);
    m.output(y);
    TypeTable types;
    types.inferAll(m.model);
    const JournalMark mark = m.model.journal().mark();
    EXPECT_FALSE(inlineFunctionBody(m.editor, m.model.producer(y), types));
    EXPECT_FALSE(inlineFunctionBody(m.editor, m.model.producer(unknown), types));
    EXPECT_EQ(m.model.journal().mark(), mark);
    EXPECT_FALSE(hasFunctionBody(m.model, m.model.producer(unknown)));
    EXPECT_TRUE(hasFunctionBody(m.model, m.model.producer(y)));
}

TEST(FunctionBody, scaleDividesOrMultiplies) {
    ModelMaker m;
    const ValueId y = m.node("Scale", {m.input("x", E::float32, {2}), m.input("s", E::int64, {})},
                             {Attribute::of("scale_down", std::int64_t(1))}, kMs);
    EXPECT_EQ(inlined(m, y), "Cast Div");
}

TEST(FunctionBody, bodiesOfTheStandardFitTheOpset) {
    ModelMaker gelu(20);
    EXPECT_TRUE(inlined(gelu, gelu.node("Gelu", {gelu.input("x", E::float32, {2, 4})})).find("Erf") !=
                std::string::npos);
    ModelMaker swish(17);
    EXPECT_EQ(inlined(swish, swish.node("HardSwish", {swish.input("x", E::float32, {2, 4})})),
              "HardSigmoid Mul");
    ModelMaker norm(17);
    const ValueId x = norm.input("x", E::float32, {2, 4});
    const ValueId y = norm.node("LayerNormalization", {x, norm.constant("s", {4}), norm.constant("b", {4})});
    EXPECT_NE(inlined(norm, y).find("ReduceMean"), std::string::npos);
    ModelMaker celu(17); // its alpha is a default of the operator
    EXPECT_NE(inlined(celu, celu.node("Celu", {celu.input("x", E::float32, {2, 4})})).find("Elu"),
              std::string::npos);
}

TEST(FunctionBody, bodiesWithBodiesAreCopiedWhole) {
    ModelMaker m(20);
    const ValueId theta = m.input("theta", E::float32, {1, 2, 3});
    const ValueId y = m.node("AffineGrid", {theta, m.integers("size", {1, 3, 4, 4})});
    // Which branch is taken inference does not know: the operator tells its shape, the body does not.
    EXPECT_NE(inlined(m, y, true).find("If"), std::string::npos);
}

} // namespace
} // namespace secateur
