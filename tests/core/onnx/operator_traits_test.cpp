// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/operator_traits.h"

#include <onnx/defs/schema.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace secateur {
namespace {

bool hasBody(const onnx::OpSchema& schema) {
    return std::any_of(schema.attributes().begin(), schema.attributes().end(), [](const auto& attribute) {
        return attribute.second.type == onnx::AttributeProto::GRAPH;
    });
}

TEST(OperatorTraits, everyOperatorOfTheStandardIsKnown) {
    for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
        EXPECT_TRUE(traitsOf(schema.domain(), schema.Name()).isKnown)
            << schema.domain() << "." << schema.Name();
    }
}

TEST(OperatorTraits, whatTheStandardCallsNonDeterministicIsRandomHere) {
    for (const onnx::OpSchema& schema : onnx::OpSchemaRegistry::get_all_schemas_with_history()) {
        if (schema.GetNodeDeterminism() != onnx::OpSchema::NodeDeterminism::NonDeterministic) continue;
        // There it is said of anything with a body, and of functions that use one; here a body speaks for
        // itself.
        if (hasBody(schema) || schema.HasFunction()) continue;
        const OperatorTraits traits = traitsOf(schema.domain(), schema.Name());
        EXPECT_TRUE(traits.isRandom) << schema.Name();
        EXPECT_FALSE(traits.isPure) << schema.Name();
    }
}

TEST(OperatorTraits, bothNamesOfTheDefaultDomainAreOne) {
    EXPECT_TRUE(traitsOf("", "Dropout").isRandom);
    EXPECT_TRUE(traitsOf("ai.onnx", "Dropout").isRandom);
    EXPECT_FALSE(traitsOf("com.microsoft", "Dropout").isKnown);
}

TEST(OperatorTraits, trainingOperatorsHaveTheirPlaces) {
    EXPECT_TRUE(traitsOf("com.microsoft", "ConvGrad").isGradient);
    EXPECT_TRUE(traitsOf("com.microsoft", "ConvGrad").isPure);
    EXPECT_TRUE(traitsOf("", "MaxPoolGrad").isGradient);
    EXPECT_TRUE(traitsOf("com.microsoft", "SoftmaxCrossEntropyLossInternal").isLoss);
    EXPECT_TRUE(traitsOf("com.microsoft", "SoftmaxCrossEntropyLossInternalGrad").isGradient);
    EXPECT_FALSE(traitsOf("com.microsoft", "SoftmaxCrossEntropyLossInternalGrad").isLoss);
    EXPECT_TRUE(traitsOf("com.microsoft", "InPlaceAccumulatorV2").isAccumulator);
    EXPECT_TRUE(traitsOf("com.microsoft", "InPlaceAccumulatorV2").hasSideEffect);
    EXPECT_TRUE(traitsOf("com.microsoft", "AdamWOptimizer").isOptimizer);
    EXPECT_TRUE(traitsOf("ai.onnx.preview.training", "Adam").isPure);
    EXPECT_TRUE(traitsOf("com.microsoft", "YieldOp").hasSideEffect);
    EXPECT_TRUE(traitsOf("com.microsoft", "BatchNormInternal").isPure);
}

TEST(OperatorTraits, ofTheUnknownNothingIsAssumed) {
    const OperatorTraits traits = traitsOf("my.domain", "Foo");
    EXPECT_FALSE(traits.isKnown || traits.isPure || traits.isRandom || traits.hasSideEffect);
    EXPECT_FALSE(traitsOf("", "").isKnown);
}

} // namespace
} // namespace secateur
