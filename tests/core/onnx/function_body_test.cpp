// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/function_body.h"

#include "core/ir/constants.h"
#include "core/ir/journal.h"
#include "core/ir/model_hash.h"
#include "core/ir/node_edits.h"
#include "core/ir/walk.h"
#include "core/onnx/type_inference.h"
#include "tests/core/onnx/model_maker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace secateur {
namespace {

using E = ElementType;
constexpr const char* kMs = "com.microsoft";

ValueId plainConstant(Editor& editor, NodeId before, std::string_view hint, const TensorPtr& tensor) {
    return makeConstant(editor, before, hint, tensor);
}

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
    FunctionBodies bodies(types, plainConstant);
    const auto made = bodies.inlineAt(m.editor, m.model.producer(result));
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
        EXPECT_EQ(inlined(m, y), "Mul Erf Add Mul Mul");
    }
}

/// The constants of a body in the order in which it names them.
std::vector<double> constantsOf(const char* op, E type, AttributeList attributes = {}) {
    ModelMaker m;
    const ValueId y = m.node(op, {m.input("x", type, {4})}, std::move(attributes), kMs);
    m.output(y);
    TypeTable types;
    types.inferAll(m.model);
    FunctionBodies bodies(types, plainConstant);
    EXPECT_TRUE(bodies.inlineAt(m.editor, m.model.producer(y)));
    std::vector<double> constants;
    for (const ValueId value : m.model.graph(m.model.mainGraph()).initializers) {
        EXPECT_EQ(m.model.value(value).tensor->type, type);
        constants.push_back(*constantScalar(m.model, value));
    }
    return constants;
}

TEST(FunctionBody, constantsHaveTheTypeOfTheInputAndAreRoundedToIt) {
    const double rootHalf = std::sqrt(0.5);
    EXPECT_EQ(constantsOf("Gelu", E::float64), (std::vector{rootHalf, 1.0, 0.5}));
    EXPECT_EQ(constantsOf("Gelu", E::float32),
              (std::vector{static_cast<double>(static_cast<float>(rootHalf)), 1.0, 0.5}));
    EXPECT_EQ(constantsOf("Gelu", E::float16), (std::vector{0.70703125, 1.0, 0.5}));
    EXPECT_EQ(constantsOf("Gelu", E::bfloat16), (std::vector{0.70703125, 1.0, 0.5}));
    EXPECT_EQ(constantsOf("FastGelu", E::float64),
              (std::vector{0.5, 0.7978845608028654, 0.035677408136300125}));
    EXPECT_EQ(constantsOf("FastGelu", E::float16), (std::vector{0.5, 0.7978515625, 0.03567504882812500}));
    EXPECT_EQ(constantsOf("QuickGelu", E::float64), std::vector{static_cast<double>(1.702F)});
    EXPECT_EQ(constantsOf("QuickGelu", E::float16, {Attribute::of("alpha", 1e-5F)}),
              std::vector{168 * std::ldexp(1.0, -24)})
        << "a subnormal number of float16";
}

TEST(FunctionBody, bodiesThatAreAlikeAreBuiltOnceAndNamedApart) {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {4});
    const ValueId a = m.node("Gelu", {x}, {}, kMs), b = m.node("Gelu", {a}, {}, kMs),
                  c = m.node("QuickGelu", {b}, {}, kMs);
    m.output(c);
    TypeTable types;
    types.inferAll(m.model);
    FunctionBodies bodies(types, plainConstant);
    for (const ValueId value : {a, b, c})
        ASSERT_TRUE(bodies.inlineAt(m.editor, m.model.producer(value)));
    EXPECT_EQ(operatorsOf(m.model), "Mul Erf Add Mul Mul Mul Erf Add Mul Mul Mul Sigmoid Mul");
    EXPECT_TRUE(findProblems(m.model).empty()) << "no value's name twice";
    std::set<std::string_view> names;
    for (const NodeId node : m.model.nodes(m.model.mainGraph())) {
        const std::string_view name = m.model.name(node);
        EXPECT_TRUE(name.empty() || names.insert(name).second) << "some runtimes refuse a node's name twice";
    }
    EXPECT_TRUE(m.model.isAlive(a) && m.model.isAlive(b)) << "results stay the values they are";
}

/// The number of bodies built for a Gelu of each of these inputs.
std::size_t bodiesBuiltFor(const std::vector<std::pair<E, std::vector<ModelMaker::DimSpec>>>& inputs) {
    ModelMaker m;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        m.output(m.node("Gelu",
                        {m.input(("x" + std::to_string(i)).c_str(), inputs[i].first, inputs[i].second)}, {},
                        kMs));
    TypeTable types;
    types.inferAll(m.model);
    FunctionBodies bodies(types, plainConstant);
    const auto outputs = m.model.graphOutputs(m.model.mainGraph());
    for (const ValueId output : std::vector<ValueId>(outputs.begin(), outputs.end()))
        EXPECT_TRUE(bodies.inlineAt(m.editor, m.model.producer(output)));
    return bodies.built();
}

/// Inference gives the layers of a network symbols of their own; a body of its own for each would take the
/// memory of a model for each.
TEST(FunctionBody, namesOfSizesMakeNoBodyOfTheirOwn) {
    EXPECT_EQ(bodiesBuiltFor({{E::float32, {"N", 4}}, {E::float32, {"M", 4}}}), 1U);
    EXPECT_EQ(bodiesBuiltFor({{E::float32, {"N", "N"}}, {E::float32, {"N", "M"}}}), 2U) << "equal or not";
    EXPECT_EQ(bodiesBuiltFor({{E::float32, {"N", 4}}, {E::float32, {"N", 5}}}), 2U);
    EXPECT_EQ(bodiesBuiltFor({{E::float32, {"N", 4}}, {E::float16, {"N", 4}}}), 2U);
}

TEST(FunctionBody, theNodeThatMakesTheResultHasNameAndNotes) {
    ModelMaker m;
    const ValueId y = m.node("Gelu", {m.input("x", E::float32, {4})}, {}, kMs);
    m.editor.setNodeName(m.model.producer(y), "act");
    m.editor.setNodeRest(m.model.producer(y), "\x32\x04note");
    m.output(y);
    TypeTable types;
    types.inferAll(m.model);
    FunctionBodies bodies(types, plainConstant);
    ASSERT_TRUE(bodies.inlineAt(m.editor, m.model.producer(y)));
    EXPECT_EQ(m.model.name(m.model.producer(y)), "act");
    EXPECT_EQ(m.model.text(m.model.node(m.model.producer(y)).rest), "\x32\x04note");
}

TEST(FunctionBody, whereTheTypeIsUnknownConstantsAreCastToIt) {
    ModelMaker m;
    const ValueId unknown = m.node("Mystery", {m.input("x", E::float32, {2})}, {}, "my.domain");
    const ValueId y = m.node("QuickGelu", {unknown}, {}, kMs);
    m.output(y);
    TypeTable types;
    types.inferAll(m.model);
    FunctionBodies bodies(types, plainConstant);
    ASSERT_TRUE(bodies.inlineAt(m.editor, m.model.producer(y)));
    EXPECT_EQ(operatorsOf(m.model), "Mystery CastLike Mul Sigmoid Mul");
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
              "Add Mul Erf Add Mul Mul");
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
    ModelMaker moved;
    const ValueId w = moved.node(
        "FusedMatMul", {moved.input("a", E::float32, {5, 2, 4}), moved.input("b", E::float32, {2, 3, 4})},
        {Attribute::of("transBatchA", std::int64_t(1)), Attribute::of("transB", std::int64_t(1))}, kMs);
    EXPECT_EQ(inlined(moved, w), "Transpose Transpose MatMul");
}

TEST(FunctionBody, withoutTheTypesItNeedsItFailsAndEditsNothing) {
    ModelMaker m(14); // which has no CastLike
    const ValueId unknown = m.node("Mystery", {m.input("x", E::float32, {2})}, {}, "my.domain");
    const ValueId y = m.node("Gelu", {unknown}, {}, kMs);
    m.output(y);
    TypeTable types;
    types.inferAll(m.model);
    const JournalMark mark = m.model.journal().mark();
    FunctionBodies bodies(types, plainConstant);
    EXPECT_FALSE(bodies.inlineAt(m.editor, m.model.producer(y)));
    EXPECT_FALSE(bodies.inlineAt(m.editor, m.model.producer(unknown)));
    EXPECT_EQ(m.model.journal().mark(), mark);
    EXPECT_FALSE(hasFunctionBody(m.model, m.model.producer(unknown)));
    EXPECT_TRUE(hasFunctionBody(m.model, m.model.producer(y)));
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
