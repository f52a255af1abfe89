// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/operator_traits.h"
#include "core/onnx/own_schemas.h"
#include "core/onnx/schemas.h"
#include "core/onnx/type_inference.h"
#include "tests/core/onnx/model_maker.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

using E = ElementType;
constexpr const char* kMs = "com.microsoft";

std::vector<std::string> typesOf(ModelMaker& m, NodeId node) {
    TypeTable types;
    types.inferAll(m.model);
    for (const Problem& problem : types.problems())
        ADD_FAILURE() << problem.text;
    std::vector<std::string> out;
    for (const ValueId value : m.model.outputs(node))
        out.push_back(types.type(value).text());
    return out;
}

using Texts = std::vector<std::string>;

TEST(Schemas, tellArityVersionAndNames) {
    const auto conv = schemaOf("", "Conv", 17);
    ASSERT_TRUE(conv);
    EXPECT_EQ(conv->sinceVersion, 11);
    EXPECT_EQ(conv->minInputs, 2);
    EXPECT_EQ(conv->maxInputs, 3);
    EXPECT_EQ(conv->inputName(1), "W");
    EXPECT_EQ(conv->inputName(3), "");
    EXPECT_TRUE(conv->isStandard);
    const auto concat = schemaOf("ai.onnx", "Concat", 17);
    ASSERT_TRUE(concat);
    EXPECT_EQ(concat->inputName(2), "inputs 2");
    const auto internal = schemaOf(kMs, "BatchNormInternal", 1);
    ASSERT_TRUE(internal);
    EXPECT_EQ(internal->outputName(3), "saved_mean");
    EXPECT_FALSE(internal->isStandard);
    EXPECT_FALSE(schemaOf(kMs, "Nothing", 1));
    EXPECT_FALSE(schemaOf("", "LayerNormalization", 16));
    EXPECT_TRUE(schemaOf("", "MaxPoolGrad", 14));
}

TEST(Schemas, everyOperatorOfOurTableHasTraits) {
    for (const OwnSchema& schema : ownSchemas()) {
        EXPECT_TRUE(traitsOf(schema.domain, schema.op).isKnown) << schema.domain << "." << schema.op;
        EXPECT_LE(schema.minInputs, schema.maxInputs) << schema.op;
        EXPECT_LE(schema.minOutputs, schema.maxOutputs) << schema.op;
    }
}

TEST(Schemas, convGradGivesInputWeightAndBiasShapes) {
    ModelMaker m;
    const NodeId node =
        m.nodes("ConvGrad",
                {m.input("dy", E::float32, {"N", 8, 5, 5}), m.input("x", E::float32, {"N", 3, 7, 7}),
                 m.input("w", E::float32, {8, 3, 3, 3})},
                {"dx", "dw", "db"}, {}, kMs);
    EXPECT_EQ(typesOf(m, node), (Texts{"float[N,3,7,7]", "float[8,3,3,3]", "float[8]"}));
}

TEST(Schemas, batchNormInternalGivesItsFiveResults) {
    ModelMaker m;
    const ValueId c = m.input("c", E::float32, {3});
    const NodeId node = m.nodes("BatchNormInternal", {m.input("x", E::float32, {"N", 3, 7, 7}), c, c, c, c},
                                {"y", "rm", "rv", "sm", "si"}, {}, kMs);
    EXPECT_EQ(typesOf(m, node), (Texts{"float[N,3,7,7]", "float[3]", "float[3]", "float[3]", "float[3]"}));
}

TEST(Schemas, gatherGradTakesItsShapeFromTheShapeInput) {
    ModelMaker m;
    const ValueId weight = m.input("w", E::float32, {100, 16});
    const ValueId ids = m.input("ids", E::int64, {"N", 7});
    const ValueId dy = m.input("dy", E::float32, {"N", 7, 16});
    const NodeId node = m.nodes("GatherGrad", {m.node("Shape", {weight}), ids, dy}, {"dw"}, {}, kMs);
    EXPECT_EQ(typesOf(m, node), (Texts{"float[100,16]"}));
}

TEST(Schemas, whatConcatTrainingJoinsSplitTrainingTakesApart) {
    ModelMaker m;
    const ValueId a = m.input("a", E::float32, {"N", 3}), b = m.input("b", E::float32, {"N", 5});
    const NodeId join =
        m.nodes("ConcatTraining", {a, b}, {"ab", "lengths"}, {Attribute::of("axis", std::int64_t(-1))}, kMs);
    const NodeId split = m.nodes("SplitTraining", {m.model.output(join, 0), m.model.output(join, 1)},
                                 {"da", "db"}, {Attribute::of("axis", std::int64_t(1))}, kMs);
    EXPECT_EQ(typesOf(m, join), (Texts{"float[N,8]", "int64[2]"}));
    EXPECT_EQ(typesOf(m, split), (Texts{"float[N,3]", "float[N,5]"}));
}

TEST(Schemas, recurrentTrainingKeepsCellStatesAndGates) {
    ModelMaker m;
    const NodeId node =
        m.nodes("LSTMTraining",
                {m.input("x", E::float32, {20, "N", 10}), m.input("w", E::float32, {1, 64, 10}),
                 m.input("r", E::float32, {1, 64, 16})},
                {"y", "h", "c", "states", "iofc"}, {Attribute::of("hidden_size", std::int64_t(16))}, kMs);
    EXPECT_EQ(typesOf(m, node), (Texts{"float[20,1,N,16]", "float[1,N,16]", "float[1,N,16]",
                                       "float[20,1,N,16]", "float[20,1,N,64]"}));
}

TEST(Schemas, fusedMatMulTransposesAndBroadcasts) {
    ModelMaker m;
    const NodeId node = m.nodes(
        "FusedMatMul", {m.input("a", E::float16, {2, 1, 5, 4}), m.input("b", E::float16, {3, 6, 5})}, {"y"},
        {Attribute::of("transA", std::int64_t(1)), Attribute::of("transB", std::int64_t(1))}, kMs);
    EXPECT_EQ(typesOf(m, node), (Texts{"float16[2,3,4,6]"}));
    const NodeId batch = m.nodes(
        "FusedMatMul", {m.input("c", E::float32, {5, 2, 3, 4}), m.input("d", E::float32, {2, 3, 4, 7})},
        {"z"}, {Attribute::of("transBatchA", std::int64_t(1))}, kMs);
    EXPECT_EQ(typesOf(m, batch), (Texts{"float[2,3,5,7]"}));
}

TEST(Schemas, lossesAreScalarsUnlessNothingIsReduced) {
    ModelMaker m;
    const ValueId scores = m.input("scores", E::float32, {"N", 10}),
                  labels = m.input("labels", E::int64, {"N"});
    const NodeId mean =
        m.nodes("SoftmaxCrossEntropyLossInternal", {scores, labels}, {"loss", "log"}, {}, kMs);
    EXPECT_EQ(typesOf(m, mean), (Texts{"float[]", "float[N,10]"}));
    const NodeId each = m.nodes("SoftmaxCrossEntropyLossInternal", {scores, labels}, {"loss2", "log2"},
                                {Attribute::of("reduction", std::string("none"))}, kMs);
    EXPECT_EQ(typesOf(m, each), (Texts{"float[N]", "float[N,10]"}));
}

TEST(Schemas, optimizersAndAccumulatorsSignalAndKeepShapes) {
    ModelMaker m;
    const ValueId w = m.input("w", E::float32, {4, 4}), signal = m.input("s", E::boolean, {1});
    const NodeId node = m.nodes("InPlaceAccumulatorV2", {w, w, signal}, {"done", "sum"}, {}, kMs);
    EXPECT_EQ(typesOf(m, node), (Texts{"bool[1]", "float[4,4]"}));
    const NodeId norm = m.nodes("ReduceAllL2", {w, w}, {"norm"}, {}, kMs);
    EXPECT_EQ(typesOf(m, norm), (Texts{"float[]"}));
    const NodeId mask = m.nodes("BitmaskDropout", {w}, {"d", "mask"}, {}, kMs);
    EXPECT_EQ(typesOf(m, mask), (Texts{"float[4,4]", "uint32[1]"}));
}

} // namespace
} // namespace secateur
