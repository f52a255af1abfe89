// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/roles.h"

#include "core/analysis/targets.h"
#include "tests/core/analysis/graph_builder.h"
#include "tests/core/analysis/small_networks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace secateur {
namespace {

using ::testing::ElementsAre;

RoleTable rolesOf(const GraphBuilder& g, std::vector<ValueId> targets = {}) {
    TypeTable types;
    types.inferAll(g.model());
    return findRoles(g.model(), types, targets);
}

const StashEdge* stashOf(const RoleTable& roles, ValueId value) {
    const auto at = std::find_if(roles.stashes.begin(), roles.stashes.end(),
                                 [&](const StashEdge& s) { return s.value == value; });
    return at == roles.stashes.end() ? nullptr : &*at;
}

TEST(Roles, tellTheHalvesOfATrainingGraphApart) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    const auto roles = rolesOf(g);
    EXPECT_TRUE(roles.isTrainingGraph);
    for (const NodeId node : {net.matmul1, net.relu, net.matmul2})
        EXPECT_EQ(roles.of(node), Role::forward);
    EXPECT_EQ(roles.of(net.lossNode), Role::loss);
    for (const NodeId node : {net.lossGrad, net.w2Grad, net.hiddenGrad, net.reluGrad, net.w1Grad})
        EXPECT_EQ(roles.of(node), Role::backward);
    for (const NodeId node : {net.accumulator1, net.accumulator2})
        EXPECT_EQ(roles.of(node), Role::accumulator);
}

TEST(Roles, backwardNodesKnowTheirForwardTwinAndWhatTheyWorkFor) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    const auto roles = rolesOf(g);
    EXPECT_EQ(roles.twinOf(net.lossGrad), net.lossNode);
    EXPECT_EQ(roles.twinOf(net.w2Grad), net.matmul2);
    EXPECT_EQ(roles.twinOf(net.hiddenGrad), net.matmul2);
    EXPECT_EQ(roles.twinOf(net.reluGrad), net.relu);
    EXPECT_EQ(roles.twinOf(net.w1Grad), net.matmul1);
    EXPECT_EQ(roles.servedBy(net.w1Grad), net.w1);
    EXPECT_EQ(roles.servedBy(net.w2Grad), net.w2);
    EXPECT_EQ(roles.servedBy(net.accumulator1), net.w1);
    EXPECT_EQ(roles.servedBy(net.accumulator2), net.w2);
    EXPECT_EQ(roles.servedBy(net.lossGrad), net.logits);
}

TEST(Roles, stashesAreForwardValuesThatTheBackwardHalfReads) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    const auto roles = rolesOf(g);
    const StashEdge* hidden = stashOf(roles, net.hidden);
    ASSERT_NE(hidden, nullptr);
    EXPECT_EQ(hidden->producer, net.relu);
    EXPECT_THAT(hidden->readers, ElementsAre(net.w2Grad, net.reluGrad));
    EXPECT_EQ(hidden->bytes, 0U) << "the batch is not known";
    ASSERT_NE(stashOf(roles, net.w2), nullptr);
    EXPECT_TRUE(stashOf(roles, net.w2)->producer.isNone());
    EXPECT_EQ(stashOf(roles, net.w2)->bytes, 6U * 3U * 4U);
    EXPECT_EQ(stashOf(roles, net.logits), nullptr);
}

TEST(Roles, aShapeReadByTheBackwardHalfOnlyIsBackward) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    const NodeId shape = g.node("Shape", {net.hidden}, {"shape"});
    const NodeId reshape = g.node("Reshape", {g.out(net.hiddenGrad), g.out(shape)}, {"reshaped"});
    g.editor().setInput(net.reluGrad, 0, g.out(reshape));
    g.editor().moveNode(reshape, g.main(), net.reluGrad);
    g.editor().moveNode(shape, g.main(), net.matmul2); // where exporters put it: among the forward nodes
    const auto roles = rolesOf(g);
    EXPECT_EQ(roles.of(shape), Role::backward);
    EXPECT_EQ(roles.of(reshape), Role::backward);
}

TEST(Roles, ofAPlainStepSplitIntoLossBackwardAndOptimizer) {
    GraphBuilder g;
    const ValueId x = g.input("x", {4, 8}), label = g.input("t", {4, 2});
    const ValueId w = g.weight("w", {8, 2});
    const NodeId forward = g.node("MatMul", {x, w}, {"y"});
    const NodeId error = g.node("Sub", {g.out(forward), label}, {"e"});
    const NodeId square = g.node("Mul", {g.out(error), g.out(error)}, {"s"});
    const NodeId loss =
        g.node("ReduceMean", {g.out(square)}, {"loss"}, {Attribute::of("keepdims", std::int64_t{0})});
    const NodeId transpose = g.node("Transpose", {x}, {"xt"});
    const NodeId gradient = g.node("MatMul", {g.out(transpose), g.out(error)}, {"dw"});
    const NodeId scaled = g.node("Mul", {g.out(gradient), g.scalar("lr", 0.1F)}, {"step"});
    const NodeId update = g.node("Sub", {w, g.out(scaled)}, {"w.new"});
    g.output(g.out(forward), "y");
    g.output(g.out(loss), "loss");
    g.output(g.out(update), "w.new");
    const auto roles = rolesOf(g);
    EXPECT_EQ(roles.of(forward), Role::forward);
    for (const NodeId node : {error, square, loss})
        EXPECT_EQ(roles.of(node), Role::loss);
    for (const NodeId node : {transpose, gradient})
        EXPECT_EQ(roles.of(node), Role::backward);
    for (const NodeId node : {scaled, update}) {
        EXPECT_EQ(roles.of(node), Role::optimizer);
        EXPECT_EQ(roles.servedBy(node), w);
    }
    EXPECT_EQ(roles.servedBy(gradient), w);
    EXPECT_EQ(roles.servedBy(transpose), w);
}

/// x -> MatMul -> y, with the error against a label, the gradient of the weight, and whatever a test adds.
struct PlainNet {
    GraphBuilder g;
    ValueId x = g.input("x", {4, 8}), label = g.input("t", {4, 2}), w = g.weight("w", {8, 2});
    ValueId y = g.value("MatMul", {x, w}, "y"), error = g.value("Sub", {y, label}, "e");
    ValueId loss = g.value("ReduceMean", {g.value("Mul", {error, error})}, "loss",
                           {Attribute::of("keepdims", std::int64_t{0})});
    ValueId gradient = g.value("MatMul", {g.value("Transpose", {x}), error}, "dw");

    PlainNet() {
        g.output(y, "y");
        g.output(loss, "loss");
    }
    NodeId makerOf(ValueId value) const { return g.model().producer(value); }
};

TEST(Roles, momentsAndTheirArithmeticBelongToTheOptimizer) {
    PlainNet net;
    GraphBuilder& g = net.g;
    const ValueId moment = g.weight("m", {8, 2});
    const ValueId decayed = g.value("Mul", {moment, g.scalar("beta", 0.9F)});
    const ValueId fresh = g.value("Mul", {net.gradient, g.scalar("rest", 0.1F)});
    const ValueId newMoment = g.value("Add", {decayed, fresh});
    const ValueId updated = g.value("Sub", {net.w, g.value("Mul", {newMoment, g.scalar("lr", 0.1F)})});
    g.output(updated, "w.new");
    g.output(newMoment, "m.new");
    const auto roles = rolesOf(g);
    for (const ValueId value : {decayed, fresh, newMoment, updated}) {
        EXPECT_EQ(roles.of(net.makerOf(value)), Role::optimizer);
    }
    EXPECT_EQ(roles.servedBy(net.makerOf(newMoment)), net.w);
    EXPECT_EQ(roles.of(net.makerOf(net.gradient)), Role::backward);
}

TEST(Roles, aSumOfGradientsBeforeTheUpdateIsStillBackward) {
    PlainNet net;
    GraphBuilder& g = net.g;
    const ValueId other = g.value("MatMul", {g.value("Transpose", {net.x}), g.value("Neg", {net.error})});
    const ValueId sum = g.value("Add", {net.gradient, other});
    const ValueId updated = g.value("Sub", {net.w, g.value("Mul", {sum, g.scalar("lr", 0.1F)})});
    g.output(updated, "w.new");
    const auto roles = rolesOf(g);
    EXPECT_EQ(roles.of(net.makerOf(sum)), Role::backward);
    EXPECT_EQ(roles.of(net.makerOf(updated)), Role::optimizer);
}

TEST(Roles, theNormOfAllGradientsBelongsToTheOptimizer) {
    PlainNet net;
    GraphBuilder& g = net.g;
    const ValueId norm = g.value("Sqrt", {g.value("ReduceSum", {g.value("Mul", {net.gradient, net.gradient})},
                                                  "n", {Attribute::of("keepdims", std::int64_t{0})})});
    const ValueId clipped = g.value("Div", {net.gradient, norm});
    const ValueId updated = g.value("Sub", {net.w, clipped});
    g.output(updated, "w.new");
    const auto roles = rolesOf(g);
    for (const ValueId value : {norm, clipped, updated})
        EXPECT_EQ(roles.of(net.makerOf(value)), Role::optimizer);
    EXPECT_EQ(roles.of(net.makerOf(net.gradient)), Role::backward);
}

TEST(Roles, addingAGradientToABufferIsAnAccumulator) {
    PlainNet net;
    GraphBuilder& g = net.g;
    const ValueId buffer = g.input("buffer", {8, 2});
    const ValueId added = g.value("Add", {buffer, net.gradient});
    const ValueId updated = g.value("Sub", {net.w, g.value("Mul", {net.gradient, g.scalar("lr", 0.1F)})});
    g.output(updated, "w.new");
    g.output(added, "buffer.new");
    const auto roles = rolesOf(g);
    EXPECT_EQ(roles.of(net.makerOf(added)), Role::accumulator);
    EXPECT_EQ(roles.servedBy(net.makerOf(added)), net.w);
    EXPECT_EQ(roles.of(net.makerOf(updated)), Role::optimizer);
}

TEST(Roles, aSecondComputationForTheBackwardHalfIsRecompute) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    const NodeId again1 = g.node("MatMul", {net.x, net.w1}, {"z2"});
    const NodeId again2 = g.node("Relu", {g.out(again1)}, {"hidden2"});
    g.editor().moveNode(again1, g.main(), net.lossGrad);
    g.editor().moveNode(again2, g.main(), net.lossGrad);
    g.editor().setInput(net.reluGrad, 1, g.out(again2));
    g.editor().setInput(net.w2Grad, 0, g.out(again2));
    const auto roles = rolesOf(g);
    EXPECT_EQ(roles.of(again1), Role::recompute);
    EXPECT_EQ(roles.of(again2), Role::recompute);
    EXPECT_EQ(roles.servedBy(again2), net.hidden);
    EXPECT_EQ(roles.twinOf(again2), net.relu);
    EXPECT_EQ(roles.twinOf(net.reluGrad), net.relu) << "found through the copy";
    EXPECT_EQ(stashOf(roles, net.hidden), nullptr) << "kept no longer";
}

TEST(Roles, accuracyBesideTheLossIsAMetric) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    const NodeId best =
        g.node("ArgMax", {net.logits}, {"best"},
               {Attribute::of("axis", std::int64_t{1}), Attribute::of("keepdims", std::int64_t{0})});
    const NodeId equal = g.node("Equal", {g.out(best), net.labels}, {"equal"});
    const NodeId cast = g.node("Cast", {g.out(equal)}, {"cast"}, {Attribute::of("to", std::int64_t{1})});
    const NodeId mean =
        g.node("ReduceMean", {g.out(cast)}, {"accuracy"}, {Attribute::of("keepdims", std::int64_t{0})});
    g.output(g.out(mean), "accuracy");
    const auto roles = rolesOf(g);
    for (const NodeId node : {equal, cast, mean})
        EXPECT_EQ(roles.of(node), Role::metric);
    EXPECT_EQ(roles.of(net.lossNode), Role::loss);
    EXPECT_EQ(roles.of(net.matmul2), Role::forward);
}

TEST(Roles, theForwardHalfStaysForwardWhenSomethingInsideItIsChosen) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    const auto roles = rolesOf(g, {net.hidden});
    EXPECT_EQ(roles.of(net.matmul2), Role::forward);
    EXPECT_EQ(roles.of(net.lossNode), Role::loss);
    EXPECT_EQ(roles.of(net.reluGrad), Role::backward);
}

TEST(Roles, ofAnInferenceModelAreAllForward) {
    GraphBuilder g;
    const ValueId x = g.input("x", {-1, 8});
    const ValueId y = g.value("MatMul", {x, g.weight("w", {8, 2})});
    const NodeId beside = g.node("Neg", {y}, {"n"});
    g.output(y, "y");
    const auto roles = rolesOf(g);
    EXPECT_FALSE(roles.isTrainingGraph);
    EXPECT_EQ(roles.of(beside), Role::forward);
    EXPECT_TRUE(roles.stashes.empty());
}

TEST(Roles, ofAForwardDerivativeDependOnWhichOutputIsChosen) {
    GraphBuilder g;
    const ValueId x = g.input("x", {-1, 8}), tangent = g.input("dx", {-1, 8});
    const ValueId w = g.weight("w", {8, 2});
    const ValueId y = g.value("Tanh", {g.value("MatMul", {x, w})});
    const ValueId slope = g.value("Sub", {g.scalar("one", 1.0F), g.value("Mul", {y, y})});
    const ValueId out = g.value("Identity", {y});
    const ValueId dy = g.value("Mul", {g.value("MatMul", {tangent, w}), slope});
    g.output(out, "y", ElementType::float32, {-1, 2});
    g.output(dy, "dy", ElementType::float32, {-1, 2});
    const auto roles = rolesOf(g, {out});
    EXPECT_EQ(roles.of(g.model().producer(y)), Role::forward);
    EXPECT_EQ(roles.of(g.model().producer(slope)), Role::backward);
    EXPECT_EQ(roles.of(g.model().producer(dy)), Role::backward);
}

TEST(Roles, innerNodesShareTheRoleOfTheirHolder) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    const ValueId condition = g.input("c", {}, ElementType::boolean);
    const GraphId body = g.editor().createGraph(GraphKind::subgraph, g.main());
    const NodeId inner = g.nodeIn(body, "Neg", {g.out(net.hiddenGrad)}, {"inner"});
    g.editor().appendGraphOutput(body, g.out(inner), "inner");
    AttributeList branches(2);
    branches[0].name = "then_branch";
    branches[1].name = "else_branch";
    for (Attribute& branch : branches) {
        branch.type = AttributeType::graph;
        branch.value = body;
    }
    const NodeId choice = g.node("If", {condition}, {"chosen"}, branches);
    g.editor().setGraphParent(body, g.main(), choice);
    g.editor().moveNode(choice, g.main(), net.reluGrad);
    g.editor().setInput(net.reluGrad, 0, g.out(choice));
    const auto roles = rolesOf(g);
    EXPECT_EQ(roles.of(choice), Role::backward);
    EXPECT_EQ(roles.of(inner), Role::backward);
}

TEST(Roles, doNotDependOnTheOrderOfTheFile) {
    GraphBuilder g;
    const auto net = makeClassifier(g);
    g.editor().moveNode(net.matmul1, g.main()); // now behind everything that reads it
    const auto roles = rolesOf(g);
    EXPECT_EQ(roles.of(net.matmul1), Role::forward);
    EXPECT_EQ(roles.of(net.lossNode), Role::loss);
    EXPECT_EQ(roles.of(net.w1Grad), Role::backward);
    EXPECT_EQ(roles.twinOf(net.reluGrad), net.relu);
}

TEST(Roles, ofAChainOfTwoHundredThousandNodesAreFoundInLinearTime) {
    GraphBuilder g;
    constexpr int kLayers = 100000;
    const ValueId x = g.input("x", {4, 4}), labels = g.input("labels", {4}, ElementType::int64);
    std::vector<ValueId> layers{g.value("MatMul", {x, g.weight("w", {4, 4})})};
    for (int i = 1; i < kLayers; ++i)
        layers.push_back(g.value("Relu", {layers.back()}));
    const NodeId loss = g.node("SoftmaxCrossEntropyLoss", {layers.back(), labels}, {"loss", "log_prob"});
    ValueId gradient =
        g.value("ms.SoftmaxCrossEntropyLossGrad", {g.scalar("one", 1.0F), g.out(loss, 1), labels});
    for (int i = kLayers - 1; i > 0; --i)
        gradient = g.value("ms.ReluGrad", {gradient, layers[static_cast<std::size_t>(i)]});
    g.output(g.out(loss), "loss");
    g.output(gradient, "dz");
    const auto roles = rolesOf(g);
    EXPECT_EQ(std::count(roles.byNode.begin(), roles.byNode.end(), Role::backward), kLayers);
    EXPECT_EQ(roles.twinOf(g.model().producer(gradient)), g.model().producer(layers[1]));
    EXPECT_EQ(roles.stashes.size(), static_cast<std::size_t>(kLayers) + 1)
        << "all layers but the first, log_prob, labels";
}

TEST(Roles, haveNamesForJson) {
    EXPECT_EQ(roleName(Role::forward), "forward");
    EXPECT_EQ(roleName(Role::recompute), "recompute");
}

} // namespace
} // namespace secateur
