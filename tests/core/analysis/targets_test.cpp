// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/targets.h"

#include "core/messages/messages.h"
#include "tests/core/analysis/graph_builder.h"
#include "tests/core/analysis/small_networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace secateur {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TargetAnalysis analyse(const GraphBuilder& g) {
    TypeTable types;
    types.inferAll(g.model());
    return findTargets(g.model(), types);
}

const TargetCandidate* candidate(const TargetAnalysis& analysis, ValueId value) {
    const auto at = std::find_if(analysis.candidates.begin(), analysis.candidates.end(),
                                 [&](const TargetCandidate& c) { return c.value == value; });
    return at == analysis.candidates.end() ? nullptr : &*at;
}

TEST(Targets, ofALossOnlyGraphAreTheLogitsThatTheLossReads) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    const auto analysis = analyse(g);
    EXPECT_TRUE(analysis.isTrainingGraph);
    EXPECT_THAT(analysis.clear, ElementsAre(net.logits));
    EXPECT_EQ(analysis.candidates.front().evidence.front().id, "targets.input-of-loss");
    EXPECT_EQ(analysis.candidates.front().keptNodes, 3U);
    ASSERT_NE(candidate(analysis, net.loss), nullptr);
    EXPECT_EQ(candidate(analysis, net.loss)->evidence.front().id, "targets.reject-loss");
}

TEST(Targets, ofThousandsOfOutputsEachKnowsWhatItKeeps) {
    GraphBuilder g;
    const ValueId x = g.input("x", {2});
    const ValueId shared = g.value("Relu", {x});
    std::vector<ValueId> outputs;
    for (int i = 0; i < 3000; ++i) {
        ValueId last = g.value("Neg", {shared});
        if (i % 2 == 1) last = g.value("Add", {last, shared});
        g.output(last, g.fresh("y"), ElementType::float32, {2});
    }
    for (const ValueId output : g.model().graphOutputs(g.main()))
        outputs.push_back(output);
    const auto analysis = analyse(g);
    ASSERT_EQ(analysis.candidates.size(), outputs.size());
    EXPECT_EQ(analysis.clear, outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        EXPECT_EQ(analysis.candidates[i].value, outputs[i]);
        EXPECT_EQ(analysis.candidates[i].keptNodes, i % 2 == 1 ? 3U : 2U);
    }
}

TEST(Targets, aGraphOutputThatNoLossFeedsWinsOverTheLossInput) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    const ValueId probabilities = g.value("Softmax", {net.logits}, "p");
    g.output(probabilities, std::string(g.model().name(probabilities)));
    const auto analysis = analyse(g);
    EXPECT_THAT(analysis.clear, ElementsAre(probabilities));
}

TEST(Targets, anOutputBesideTheLossDoesNotHideWhatTheLossReads) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    const ValueId value = g.value("MatMul", {net.hidden, g.weight("value.w", {6, 1})}, "value");
    g.output(value, std::string(g.model().name(value)));
    const auto analysis = analyse(g);
    EXPECT_THAT(analysis.clear, ElementsAre(value, net.logits));
}

TEST(Targets, aHiddenFeatureAsOutputDoesNotHideThePrediction) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    g.output(net.hidden, std::string(g.model().name(net.hidden)));
    const auto analysis = analyse(g);
    EXPECT_THAT(analysis.clear, ElementsAre(net.hidden, net.logits));
}

TEST(Targets, aSecondInputOfAGraphThatTrainsNothingIsNoLabel) {
    GraphBuilder g;
    const ValueId x = g.input("x", {-1, 8}), mask = g.input("mask", {-1, 4});
    const ValueId h = g.value("MatMul", {x, g.weight("w", {8, 4})});
    const ValueId ratio = g.scalar("ratio", 0.5F);
    const ValueId dropped = g.value("Dropout", {h, ratio, g.scalar("on", 1.0F)});
    const ValueId masked = g.value("Mul", {dropped, mask}, "masked");
    const ValueId aux = g.value("Tanh", {h}, "aux");
    g.output(masked, std::string(g.model().name(masked)));
    g.output(aux, std::string(g.model().name(aux)));
    EXPECT_THAT(analyse(g).clear, ElementsAre(masked, aux));
}

TEST(Targets, ofALossInPlainOperatorsIsWhereLabelAndDataMeet) {
    GraphBuilder g;
    const ValueId x = g.input("x", {-1, 8}), label = g.input("t", {-1, 2});
    const ValueId prediction = g.value("MatMul", {x, g.weight("w", {8, 2})});
    const ValueId error = g.value("Sub", {prediction, label});
    const ValueId square = g.value("Mul", {error, error});
    const ValueId loss =
        g.value("ReduceMean", {square}, "loss", {Attribute::of("keepdims", std::int64_t{0})});
    g.output(loss, "loss_0");
    trainPlainly(g, x, prediction, label);
    const auto analysis = analyse(g);
    EXPECT_THAT(analysis.clear, ElementsAre(prediction));
    EXPECT_EQ(analysis.candidates.front().evidence.front().id, "targets.meets-label");
}

TEST(Targets, ofABinaryCrossEntropyInPlainOperatorsIsTheProbabilityThatBothLogarithmsRead) {
    GraphBuilder g;
    const ValueId x = g.input("x", {-1, 8}), label = g.input("t", {-1, 2});
    const ValueId one = g.scalar("one", 1.0F);
    const ValueId prediction = g.value("Sigmoid", {g.value("MatMul", {x, g.weight("w", {8, 2})})});
    const ValueId a = g.value("Mul", {label, g.value("Log", {prediction})});
    const ValueId b =
        g.value("Mul", {g.value("Sub", {one, label}), g.value("Log", {g.value("Sub", {one, prediction})})});
    const ValueId loss = g.value("ReduceMean", {g.value("Neg", {g.value("Add", {a, b})})}, "loss",
                                 {Attribute::of("keepdims", std::int64_t{0})});
    g.output(loss, "loss");
    trainPlainly(g, x, prediction, label);
    EXPECT_THAT(analyse(g).clear, ElementsAre(prediction));
}

TEST(Targets, ofLogSoftmaxAndGatherAreTheLogits) {
    GraphBuilder g;
    const ValueId x = g.input("x", {-1, 8}), label = g.input("t", {-1}, ElementType::int64);
    const ValueId logits = g.value("MatMul", {x, g.weight("w", {8, 4})});
    const ValueId logProbabilities = g.value("LogSoftmax", {logits});
    const ValueId index = g.value("Unsqueeze", {label, g.integers("axis", {1})});
    const ValueId picked =
        g.value("GatherElements", {logProbabilities, index}, "v", {Attribute::of("axis", std::int64_t{1})});
    const ValueId loss = g.value("ReduceMean", {g.value("Neg", {picked})}, "loss",
                                 {Attribute::of("keepdims", std::int64_t{0})});
    g.output(loss, "loss");
    trainPlainly(g, x, logits, {});
    const auto analysis = analyse(g);
    EXPECT_THAT(analysis.clear, ElementsAre(logits));
    ASSERT_NE(candidate(analysis, logProbabilities), nullptr);
    EXPECT_LT(candidate(analysis, logProbabilities)->score, 0.75);
}

TEST(Targets, ofAStepWithNewWeightsIsTheOutputThatNoLabelReaches) {
    GraphBuilder g;
    const ValueId x = g.input("x", {4, 8}), label = g.input("t", {4, 2});
    const ValueId w = g.weight("w", {8, 2});
    const ValueId prediction = g.value("MatMul", {x, w});
    const ValueId error = g.value("Sub", {prediction, label});
    const ValueId loss = g.value("ReduceMean", {g.value("Mul", {error, error})}, "loss",
                                 {Attribute::of("keepdims", std::int64_t{0})});
    const ValueId gradient = g.value("MatMul", {g.value("Transpose", {x}), error});
    const ValueId updated = g.value("Sub", {w, g.value("Mul", {gradient, g.scalar("lr", 0.1F)})});
    for (const ValueId output : {loss, updated, prediction})
        g.output(output, std::string(g.model().name(output)));
    const auto analysis = analyse(g);
    EXPECT_TRUE(analysis.isTrainingGraph);
    EXPECT_THAT(analysis.clear, ElementsAre(prediction));
    EXPECT_EQ(candidate(analysis, updated)->evidence.front(), Reason("targets.reject-update", {updated, w}));
    EXPECT_EQ(candidate(analysis, loss)->evidence.front(),
              Reason("targets.reject-reads-label", {loss, label}));
}

TEST(Targets, severalPredictionsAreTakenTogetherInOutputOrder) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    const ValueId classes = g.value("ArgMax", {net.logits}), features = g.value("Identity", {net.hidden});
    g.output(classes, std::string(g.model().name(classes)), ElementType::int64);
    g.output(features, std::string(g.model().name(features)));
    EXPECT_THAT(analyse(g).clear, ElementsAre(classes, features));
}

TEST(Targets, yieldInputsAreThePredictions) {
    GraphBuilder g;
    const ValueId x = g.input("x", {-1, 8});
    const ValueId prediction = g.value("MatMul", {x, g.weight("w", {8, 2})});
    const NodeId yield = g.node("ms.YieldOp", {prediction}, {"gradient"});
    const ValueId back = g.value("MatMul", {g.value("Transpose", {x}), g.out(yield)});
    g.output(back, std::string(g.model().name(back)));
    EXPECT_THAT(analyse(g).clear, ElementsAre(prediction));
}

TEST(Targets, aDerivativeComputedForwardsMakesTheChoiceUnclear) {
    GraphBuilder g;
    const ValueId x = g.input("x", {-1, 8}), tangent = g.input("dx", {-1, 8});
    const ValueId w = g.weight("w", {8, 2});
    const ValueId y = g.value("Tanh", {g.value("MatMul", {x, w})});
    const ValueId slope = g.value("Sub", {g.scalar("one", 1.0F), g.value("Mul", {y, y})});
    const ValueId inner = g.value("Identity", {y});
    const ValueId dy = g.value("Mul", {g.value("MatMul", {tangent, w}), slope});
    g.output(inner, std::string(g.model().name(inner)), ElementType::float32, {-1, 2});
    g.output(dy, std::string(g.model().name(dy)), ElementType::float32, {-1, 2});
    const auto analysis = analyse(g);
    EXPECT_TRUE(analysis.isTrainingGraph);
    EXPECT_THAT(analysis.clear, IsEmpty());
    EXPECT_EQ(analysis.candidates.size(), 2U);
}

TEST(Targets, ofAnInferenceModelAreAllOutputsInOrder) {
    GraphBuilder g;
    const ValueId x = g.input("x", {-1, 8});
    const ValueId hidden = g.value("Relu", {g.value("MatMul", {x, g.weight("w", {8, 8})})});
    const ValueId second = g.value("MatMul", {hidden, g.weight("v", {8, 2})});
    g.output(second, std::string(g.model().name(second)));
    g.output(hidden, std::string(g.model().name(hidden)));
    const auto analysis = analyse(g);
    EXPECT_FALSE(analysis.isTrainingGraph);
    EXPECT_THAT(analysis.clear, ElementsAre(second, hidden));
}

TEST(Targets, aRecurrentStateIsNoWeightUpdate) {
    GraphBuilder
        g; // one step of a gated cell: the new state is an element by element mixture with the old one
    const ValueId x = g.input("x", {1, 8}), h = g.input("h", {1, 4});
    const ValueId gate = g.value("Sigmoid", {g.value("MatMul", {h, g.weight("u", {4, 4})})});
    const ValueId fresh = g.value("Tanh", {g.value("MatMul", {x, g.weight("w", {8, 4})})});
    const ValueId next = g.value("Add", {g.value("Mul", {gate, h}), fresh});
    g.output(next, std::string(g.model().name(next)));
    const auto analysis = analyse(g);
    EXPECT_FALSE(analysis.isTrainingGraph);
    EXPECT_THAT(analysis.clear, ElementsAre(next));
}

TEST(Targets, trainingModeMakesATrainingGraphWithoutChangingTheTarget) {
    GraphBuilder g;
    const ValueId x = g.input("x", {-1, 8});
    const ValueId on =
        g.editor().createInitializer(g.main(), "on", makeTensor(ElementType::boolean, {}, {std::byte{1}}));
    const ValueId y = g.value("Dropout", {x, g.scalar("ratio", 0.5F), on});
    g.output(y, std::string(g.model().name(y)));
    const auto analysis = analyse(g);
    EXPECT_TRUE(analysis.isTrainingGraph);
    EXPECT_THAT(analysis.clear, ElementsAre(y));
}

TEST(Targets, aSingleNumberIsNotTakenForALossWhereNothingIsTrained) {
    GraphBuilder g;
    const ValueId mask = g.value("Bernoulli", {g.input("x", {16})});
    const ValueId count = g.value("ReduceSum", {mask}, "n", {Attribute::of("keepdims", std::int64_t{0})});
    g.output(count, "n");
    const auto analysis = analyse(g);
    EXPECT_TRUE(analysis.isTrainingGraph);
    EXPECT_THAT(analysis.clear, ElementsAre(count));
}

TEST(Targets, aGraphWithoutNodesOrOutputsHasNone) {
    const GraphBuilder g;
    const auto analysis = analyse(g);
    EXPECT_FALSE(analysis.isTrainingGraph);
    EXPECT_THAT(analysis.clear, IsEmpty());
    EXPECT_THAT(analysis.candidates, IsEmpty());
}

TEST(Targets, statisticsBesideTheResultAreNoPredictions) {
    GraphBuilder g;
    const ValueId x = g.input("x", {-1, 4, 5, 5});
    const NodeId norm =
        g.node("BatchNormalization",
               {x, g.weight("s", {4}), g.weight("b", {4}), g.weight("m", {4}), g.weight("v", {4})},
               {"y", "mean", "var"}, {Attribute::of("training_mode", std::int64_t{1})});
    for (std::size_t slot = 0; slot < 3; ++slot)
        g.output(g.out(norm, slot), std::string(g.model().name(g.out(norm, slot))));
    EXPECT_THAT(analyse(g).clear, ElementsAre(g.out(norm)));
}

TEST(Targets, everyEvidenceHasASentence) {
    GraphBuilder g;
    makeClassifier(g);
    for (const TargetCandidate& c : analyse(g).candidates)
        for (const Reason& reason : c.evidence) {
            EXPECT_TRUE(hasMessage(reason.id)) << reason.id;
            EXPECT_EQ(formatReason(reason, g.model()).find('{'), std::string::npos) << reason.id;
        }
}

TEST(Targets, aMistypedTargetGivesNearNames) {
    GraphBuilder g;
    const ValueId x = g.input("x", {4});
    const ValueId logits = g.out(g.node("Relu", {x}, {"logits"}));
    std::vector<std::string> nearest;
    EXPECT_EQ(resolveTarget(g.model(), "logits", nearest), logits);
    EXPECT_THAT(nearest, IsEmpty());
    EXPECT_TRUE(resolveTarget(g.model(), "logit", nearest).isNone());
    EXPECT_THAT(nearest, ::testing::Contains("logits"));
    EXPECT_TRUE(resolveTarget(g.model(), "", nearest).isNone());
}

} // namespace
} // namespace secateur
