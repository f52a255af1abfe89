// SPDX-License-Identifier: Apache-2.0
// Each of the known traps of driving libonnx's inference functions from outside.
#include "core/ir/journal.h"
#include "core/onnx/type_inference.h"
#include "tests/core/onnx/model_maker.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

using E = ElementType;

TypeTable inferred(const Model& model) {
    TypeTable types;
    types.inferAll(model);
    return types;
}

TEST(InferenceTraps, symbolsMadeHereNeverMeetThoseOfTheFile) {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {"unk__0", "unk__0_0"});
    const ValueId y = m.node("NonZero", {x});
    m.output(y);
    const TypeTable types = inferred(m.model);
    ASSERT_EQ(types.type(y).dims.size(), 2U);
    const std::string& made = types.type(y).dims[1].symbol;
    EXPECT_TRUE(types.isOwnSymbol(made));
    EXPECT_FALSE(types.isOwnSymbol("unk__0"));
    EXPECT_FALSE(types.isOwnSymbol("unk__0_0"));
}

TEST(InferenceTraps, aSecondRunGivesTheSameAndNoError) {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {"N", 6});
    const ValueId shape = m.node("Shape", {x});
    const ValueId index = m.integers("index", {0});
    const ValueId n = m.node("Gather", {shape, index});
    const ValueId all =
        m.node("Concat", {n, m.integers("rest", {2, 3})}, {Attribute::of("axis", std::int64_t(0))});
    const ValueId y = m.node("Reshape", {x, all});
    m.output(y);
    TypeTable types = inferred(m.model);
    EXPECT_EQ(types.type(y).text(), "float[N,2,3]");
    types.inferAll(m.model);
    EXPECT_EQ(types.type(y).text(), "float[N,2,3]");
    EXPECT_TRUE(types.problems().empty());
}

TEST(InferenceTraps, afterARewriteNoStaleShapeStays) {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {2, 3});
    const ValueId z = m.input("z", E::float32, {4, 5});
    const ValueId y = m.node("Relu", {x});
    m.output(y);
    TypeTable types = inferred(m.model);
    const JournalMark mark = m.model.journal().mark();
    m.editor.setInput(m.model.producer(y), 0, z);
    types.update(m.model, m.model.journal().editsSince(mark));
    EXPECT_EQ(types.type(y).text(), "float[4,5]");
    EXPECT_TRUE(types.problems().empty());
}

TEST(InferenceTraps, longVectorsAreNotWrittenOutElementByElement) {
    ModelMaker m;
    const ValueId a = m.input("a", E::int64, {3'000'000});
    const ValueId b = m.node("Add", {a, a});
    const ValueId big = m.integers("big", std::vector<std::int64_t>(100'000, 1));
    const ValueId c = m.node("Mul", {big, big});
    m.output(b);
    m.output(c);
    const TypeTable types = inferred(m.model);
    EXPECT_EQ(types.type(b).text(), "int64[3000000]");
    EXPECT_EQ(types.type(c).text(), "int64[100000]");
    EXPECT_FALSE(types.elements(b));
    EXPECT_FALSE(types.elements(c));
}

TEST(InferenceTraps, bigConstantsAreKnownByTypeAndDims) {
    ModelMaker m;
    std::vector<std::byte> bytes(4'000'000);
    const ValueId c =
        m.node("Constant", {}, {Attribute::of("value", makeTensor(E::float32, {1000, 1000}, bytes))});
    m.output(c);
    EXPECT_EQ(inferred(m.model).type(c).text(), "float[1000,1000]");
}

TEST(InferenceTraps, bodiesKnowTheTypesAndConstantsAroundThem) {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {2, 3});
    const ValueId condition = m.input("condition", E::boolean, {});
    const ValueId shape = m.node("Constant", {}, {Attribute::of("value_ints", std::vector<std::int64_t>{6})});
    std::vector<GraphId> bodies;
    for (int i = 0; i < 2; ++i) {
        bodies.push_back(m.open());
        m.output(m.node("Reshape", {x, shape}));
        m.close();
    }
    const ValueId y =
        m.node("If", {condition},
               {bodyAttribute("then_branch", bodies[0]), bodyAttribute("else_branch", bodies[1])});
    m.output(y);
    EXPECT_EQ(inferred(m.model).type(y).text(), "float[6]");
}

TEST(InferenceTraps, aLoopCarriesElementTypesAndStacksWhatItScans) {
    ModelMaker m;
    const ValueId count = m.input("count", E::int64, {});
    const ValueId start = m.input("start", E::float32, {4});
    const GraphId body = m.open();
    m.input("i", E::int64, {});
    const ValueId goOn = m.input("go_on", E::boolean, {});
    const ValueId state = m.input("state", E::float32, {4});
    m.output(m.node("Identity", {goOn}));
    m.output(m.node("Relu", {state}));
    m.output(m.node("Neg", {state}));
    m.close();
    const NodeId loop =
        m.nodes("Loop", {count, ValueId(), start}, {"final", "scan"}, {bodyAttribute("body", body)});
    m.output(m.model.output(loop, 0));
    m.output(m.model.output(loop, 1));
    const TypeTable types = inferred(m.model);
    EXPECT_EQ(types.type(m.model.output(loop, 0)).element, E::float32);
    const Type& scan = types.type(m.model.output(loop, 1));
    ASSERT_EQ(scan.dims.size(), 2U);
    EXPECT_EQ(scan.dims[1].value, 4);
    // That the state keeps its shape from round to round only the body's declaration says.
    EXPECT_TRUE(types.isDeclared(m.model.output(loop, 1)));
}

TEST(InferenceTraps, everyKindOfExceptionStaysAtItsNode) {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {2, 3});
    const GraphId body = m.open();
    m.output(m.constant("one", {1}));
    m.close();
    const ValueId noInputs = m.node("Loop", {}, {bodyAttribute("body", body)});
    const ValueId shortOfInputs = m.node("Conv", {x});
    const ValueId clash = m.node("Add", {x, m.constant("c", {7})});
    const ValueId fine = m.node("Relu", {x});
    for (const ValueId value : {noInputs, shortOfInputs, clash, fine})
        m.output(value);
    const TypeTable types = inferred(m.model);
    EXPECT_EQ(types.type(fine).text(), "float[2,3]");
    EXPECT_EQ(types.type(clash).kind, Type::Kind::none);
    ASSERT_EQ(types.problems().size(), 3U);
    EXPECT_EQ(
        types.problems()[1].text,
        "Conv making `Conv`: its types cannot be inferred: it has 1 input, where its operator takes 2 to 3");
    EXPECT_EQ(types.problems()[1].node, m.model.producer(shortOfInputs));
}

TEST(InferenceTraps, anInputIsThereWhenItHasAnIdWhateverItsType) {
    ModelMaker m;
    const ValueId x = m.node("Mystery", {}, {}, "my.domain");
    const ValueId y = m.node("Clip", {m.input("a", E::float32, {3}), x});
    m.output(y);
    const TypeTable types = inferred(m.model);
    EXPECT_EQ(types.type(y).text(), "float[3]");
}

TEST(InferenceTraps, bothNamesOfTheDefaultDomainFindTheSameSchema) {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {3});
    const ValueId y = m.node("Relu", {x}, {}, "ai.onnx");
    m.output(y);
    EXPECT_EQ(inferred(m.model).type(y).text(), "float[3]");
}

TEST(InferenceTraps, anotherOpsetIsAnotherSchema) {
    ModelMaker m(12);
    const ValueId x = m.input("x", E::float32, {2, 1, 1, 3});
    const ValueId y = m.node("Squeeze", {x},
                             {Attribute::of("axes", std::vector<std::int64_t>{1})}); // an attribute before 13
    m.output(y);
    TypeTable types = inferred(m.model);
    EXPECT_EQ(types.type(y).text(), "float[2,1,3]");
    ModelHeader header = m.model.header();
    header.opsets[0].version = 13;
    const JournalMark mark = m.model.journal().mark();
    m.editor.setModelHeader(header);
    types.update(m.model, m.model.journal().editsSince(mark));
    EXPECT_EQ(types.type(y).text(), "float[2,3]")
        << "13 reads axes from an input, and without it takes all ones";
}

TEST(InferenceTraps, anOperatorThatItsOpsetDoesNotHaveYetIsInferredAndNoted) {
    ModelMaker m(14);
    const ValueId x = m.input("x", E::float32, {"N", 5, 8});
    const NodeId node =
        m.nodes("LayerNormalization", {x, m.constant("s", {8}), m.constant("b", {8})}, {"y", "mean", "inv"});
    m.output(m.model.output(node, 0));
    const TypeTable types = inferred(m.model);
    EXPECT_EQ(types.type(m.model.output(node, 0)).text(), "float[N,5,8]");
    EXPECT_EQ(types.type(m.model.output(node, 1)).text(), "float[N,5,1]");
    ASSERT_EQ(types.problems().size(), 1U);
    EXPECT_EQ(types.problems()[0].id, "problem.later-operator");
    EXPECT_EQ(types.problems()[0].severity, Problem::Severity::note);
}

TEST(InferenceTraps, behindAnUnknownOperatorInferenceGoesOn) {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {3});
    const NodeId foo = m.nodes("Foo", {x}, {"f"}, {}, "my.domain");
    const ValueId f = m.model.output(foo, 0);
    m.editor.setInfo(f, ModelMaker::info(ModelMaker::type(E::float32, {3, 4})));
    const ValueId y = m.node("Relu", {f});
    const ValueId z = m.node("Relu", {x});
    m.output(y);
    m.output(z);
    const TypeTable types = inferred(m.model);
    EXPECT_EQ(types.type(f).text(), "float[3,4]");
    EXPECT_TRUE(types.isDeclared(f));
    EXPECT_EQ(types.type(y).text(), "float[3,4]");
    EXPECT_TRUE(types.isDeclared(y)) << "it rests on the declaration of f";
    EXPECT_FALSE(types.isDeclared(z));
    ASSERT_EQ(types.problems().size(), 1U);
    EXPECT_EQ(types.problems()[0].id, "problem.unknown-operator");
}

TEST(InferenceTraps, operatorsWithoutInferenceAreInferredThroughTheirBodies) {
    ModelMaker m(21);
    const ValueId x = m.input("x", E::float32, {2, 4, 5, 5});
    const ValueId y = m.node("GroupNormalization", {x, m.constant("s", {4}), m.constant("b", {4})},
                             {Attribute::of("num_groups", std::int64_t(2))});
    m.output(y);
    EXPECT_EQ(inferred(m.model).type(y).text(), "float[2,4,5,5]");
}

/// A function `twice(a, b) = a MatMul b` of the model, called with other types at each call.
TEST(InferenceTraps, aFunctionHasTypesOfItsOwnAtEachCall) {
    ModelMaker m;
    m.import("my.domain", 1);
    const GraphId function = m.open(GraphKind::function);
    GraphHeader header;
    header.name = "Product";
    header.domain = "my.domain";
    header.opsets = {{"", 17, {}}};
    header.attributeNames = {"axes"};
    m.editor.setGraphHeader(function, header);
    const ValueId a = m.editor.createValue(function, "a"), b = m.editor.createValue(function, "b");
    m.editor.setGraphInputs(function, std::vector{a, b});
    const ValueId product = m.node("MatMul", {a, b});
    Attribute axes;
    axes.name = "value_ints";
    axes.type = AttributeType::ints;
    axes.reference = "axes";
    const ValueId axis = m.node("Constant", {}, {axes});
    const ValueId wide = m.node("Unsqueeze", {product, axis});
    m.editor.appendGraphOutput(function, wide, "wide");
    m.close();
    ModelHeader model = m.model.header();
    model.functions = {function};
    m.editor.setModelHeader(model);
    const ValueId x = m.input("x", E::float32, {"N", 3}), z = m.input("z", E::float64, {3, 3});
    const ValueId first = m.node("Product", {x, m.constant("w", {3, 4})},
                                 {Attribute::of("axes", std::vector<std::int64_t>{0})}, "my.domain");
    const ValueId second =
        m.node("Product", {z, z}, {Attribute::of("axes", std::vector<std::int64_t>{2})}, "my.domain");
    m.output(first);
    m.output(second);
    const TypeTable types = inferred(m.model);
    EXPECT_EQ(types.type(first).text(), "float[1,N,4]");
    EXPECT_EQ(types.type(second).text(), "double[3,3,1]");
    EXPECT_EQ(types.type(product).kind, Type::Kind::none) << "types belong to a call";
}

TEST(InferenceTraps, unsortedGraphsAreVisitedInAnOrderThatWorksAndCyclesAreNamed) {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {2, 3});
    const ValueId late = m.editor.createValue(m.model.mainGraph(), "late");
    const ValueId y = m.node("Relu", {late});
    const NodeId maker = m.nodes("Neg", {x}, {"unused"});
    m.editor.setOutputs(maker, {late});
    m.output(y);
    EXPECT_EQ(inferred(m.model).type(y).text(), "float[2,3]");

    const NodeId a = m.nodes("Add", {x, x}, {"a"});
    const NodeId b = m.nodes("Neg", {m.model.output(a, 0)}, {"b"});
    const ValueId behind = m.node("Relu", {m.model.output(b, 0)});
    m.editor.setInput(a, 1, m.model.output(b, 0));
    const TypeTable types = inferred(m.model);
    EXPECT_EQ(types.type(y).text(), "float[2,3]");
    EXPECT_EQ(types.type(behind).kind, Type::Kind::none);
    std::size_t cycles = 0;
    for (const Problem& problem : types.problems())
        cycles += problem.id == "problem.inference-cycle" ? 1 : 0;
    EXPECT_EQ(cycles, 2U);
}

TEST(InferenceTraps, inferenceBeatsAContradictingDeclaration) {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {2, 3});
    const ValueId y = m.node("Relu", {x});
    m.output(y, ModelMaker::info(ModelMaker::type(E::float32, {2, 4})));
    const TypeTable types = inferred(m.model);
    EXPECT_EQ(types.type(y).text(), "float[2,3]");
    ASSERT_EQ(types.problems().size(), 1U);
    EXPECT_EQ(types.problems()[0].id, "problem.type-contradiction");
}

TEST(InferenceTraps, indicesOfMaxPoolTellTheGradientItsShape) {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {1, 2, 9, 9});
    const NodeId pool =
        m.nodes("MaxPool", {x}, {"p", "i"}, {Attribute::of("kernel_shape", std::vector<std::int64_t>{2, 2})});
    const ValueId dx = m.node("MaxPoolGrad", {m.model.output(pool, 0), m.model.output(pool, 1)});
    m.output(dx);
    EXPECT_EQ(inferred(m.model).type(dx).text(), "float[1,2,9,9]");
}

TEST(InferenceTraps, shapesAreComputedThroughDivWhereAndTheLike) {
    ModelMaker m;
    const ValueId x = m.input("x", E::float32, {4, "N"});
    const ValueId shape = m.node("Shape", {x});
    const ValueId halved = m.node("Div", {shape, m.integers("divisor", {2, 1})});
    const ValueId isMinusOne = m.node("Equal", {halved, m.integers("minus", {-1})});
    const ValueId ones = m.node("ConstantOfShape", {m.node("Shape", {shape})},
                                {Attribute::of("value", makeInt64Tensor({1}, {1}))});
    const ValueId target = m.node("Where", {isMinusOne, ones, halved});
    const ValueId y = m.node("Expand", {m.constant("one", {1, 1}), target});
    m.output(y);
    const TypeTable types = inferred(m.model);
    EXPECT_EQ(types.type(y).text(), "float[2,N]");
}

} // namespace
} // namespace secateur
