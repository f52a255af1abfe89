// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/explain.h"
#include "core/analysis/graph_index.h"
#include "core/analysis/targets.h"
#include "core/messages/messages.h"
#include "core/onnx/load.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

namespace secateur {
namespace {

/// A real training model with everything that reasons are made of.
struct Judged {
    Model model;
    TypeTable types;
    std::vector<ValueId> targets;
    RoleTable roles;
    Reachability reach;

    [[nodiscard]] Reason reason(NodeId node) const { return reasonForRemoval(model, roles, reach, node); }
    [[nodiscard]] std::vector<NodeId> removed() const {
        std::vector<NodeId> nodes;
        for (const NodeId node : model.nodes(model.mainGraph()))
            if (!reach.isReached(node)) nodes.push_back(node);
        return nodes;
    }
};

std::unique_ptr<Judged> judge(const std::filesystem::path& path) {
    auto loaded = loadModel(path);
    if (!loaded) return nullptr;
    auto out = std::make_unique<Judged>(Judged{std::move(loaded->model), {}, {}, {}, {}});
    out->types.inferAll(out->model);
    out->targets = findTargets(out->model, out->types).clear;
    out->roles = findRoles(out->model, out->types, out->targets);
    out->reach = findReachable(out->model, out->targets);
    return out;
}

constexpr const char* kSteps[] = {"mlp.sgd.step",         "mlp_recompute.sgd.step",
                                  "resnet.sgd.step",      "resnet_recompute.sgd.step",
                                  "mobilenet.adamw.step", "transformer.adamw.step"};

TEST(RealReasons, noKindOfReasonCoversOverHalfOfTheRemovedNodes) {
    if (testing::modelsFolder().empty()) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    std::size_t models = 0;
    for (const auto& path : testing::filesBelow(testing::modelsFolder() / "training", ".onnx")) {
        const auto judged = judge(path);
        ASSERT_NE(judged, nullptr) << path;
        const auto removed = judged->removed();
        if (removed.size() < 20) continue; // a handful may well have one reason
        ++models;
        std::map<std::string, std::size_t> counts;
        for (const NodeId node : removed)
            ++counts[judged->reason(node).id];
        for (const auto& [id, count] : counts)
            EXPECT_LE(count * 2, removed.size()) << path << " " << id;
    }
    EXPECT_GE(models, testing::areModelsRequired() ? 20U : 1U);
}

/// Told by their ranks and, where all is known, by their elements.
bool canHaveOneShape(const Type& a, const Type& b) {
    if (!a.isTensor() || !b.isTensor() || !a.hasShape || !b.hasShape) return true;
    if (a.dims.size() != b.dims.size()) return false;
    for (std::size_t i = 0; i < a.dims.size(); ++i)
        if (a.dims[i].isKnown() && b.dims[i].isKnown() && a.dims[i].value != b.dims[i].value) return false;
    return true;
}

TEST(RealReasons, whatIsCalledTheGradientOfAValueHasItsShape) {
    if (testing::modelsFolder().empty()) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    std::size_t count = 0;
    for (const auto& path : testing::filesBelow(testing::modelsFolder() / "training", ".onnx")) {
        const auto judged = judge(path);
        ASSERT_NE(judged, nullptr) << path;
        for (const NodeId node : judged->removed()) {
            const Reason reason = judged->reason(node);
            if (reason.id != "removed.passes-gradient" && reason.id != "removed.sums-gradients") continue;
            ++count;
            const ValueId of = std::get<ValueId>(reason.arguments[1]);
            EXPECT_TRUE(
                canHaveOneShape(judged->types.type(judged->model.output(node, 0)), judged->types.type(of)))
                << path << " " << formatReason(reason, judged->model);
        }
    }
    EXPECT_GT(count, testing::areModelsRequired() ? 20U : 0U);
}

/// Whether the first layer's convolutions and slices are told as those of all others are.
TEST(RealReasons, theFirstLayerHasNoGradientOfItsDataEither) {
    const auto path = testing::trainingModel("mobilenet.adamw.step");
    if (path.empty()) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    const auto judged = judge(path);
    std::size_t count = 0;
    for (const NodeId node : judged->removed()) {
        const Reason reason = judged->reason(node);
        const std::string_view op = judged->model.op(node);
        if (judged->roles.of(node) != Role::backward || (op != "Conv" && op != "Slice")) continue;
        if (judged->roles.backwardKindOf(node) != BackwardKind::gradient) continue;
        ++count;
        EXPECT_TRUE(reason.id == "removed.part-of-weight-gradient" ||
                    reason.id == "removed.gradient-of-weight")
            << formatReason(reason, judged->model);
    }
    EXPECT_GT(count, 25U);
}

TEST(RealReasons, recomputedNodesAreToldAsSuch) {
    if (testing::modelsFolder().empty()) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    for (const char* name : {"mlp_recompute.sgd.step", "resnet_recompute.sgd.step"}) {
        const auto path = testing::trainingModel(name);
        if (path.empty()) continue;
        const auto judged = judge(path);
        std::size_t recomputed = 0;
        for (const NodeId node : judged->removed()) {
            if (!judged->model.name(node).ends_with("_recompute")) continue;
            ++recomputed;
            EXPECT_EQ(judged->roles.of(node), Role::recompute) << judged->model.name(node);
            EXPECT_TRUE(judged->reason(node).id.starts_with("removed.recompute")) << judged->model.name(node);
        }
        EXPECT_GE(recomputed, 8U) << name;
    }
}

/// What the labels can change, found without any of the analysis: only that carries gradients.
GraphIndex::Flags behindLabels(const Judged& judged, const GraphIndex& index) {
    std::vector<bool> labels(judged.model.valueIdCount(), false);
    for (const ValueId input : judged.model.graphInputs(judged.model.mainGraph()))
        labels[input.index] = judged.model.name(input) == "label";
    return index.behindValues(labels);
}

TEST(RealReasons, whatIsSaidToCarryAGradientDependsOnTheLabelsAndPreparationsDoNot) {
    if (testing::modelsFolder().empty()) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    std::size_t gradients = 0, preparations = 0;
    for (const char* name : kSteps) {
        const auto path = testing::trainingModel(name);
        if (path.empty()) continue;
        const auto judged = judge(path);
        const GraphIndex index(judged->model);
        const auto behind = behindLabels(*judged, index);
        for (const NodeId node : judged->removed()) {
            const bool depends = behind[index.position(node)];
            const std::string about = std::string(name) + " " + std::string(judged->model.name(node));
            switch (judged->roles.backwardKindOf(node)) {
            case BackwardKind::gradient:
                ++gradients;
                EXPECT_TRUE(depends) << about;
                EXPECT_FALSE(judged->roles.gradientFromOf(node).isNone()) << about;
                break;
            case BackwardKind::preparation:
                ++preparations;
                EXPECT_FALSE(depends) << about;
                break;
            case BackwardKind::none:
            case BackwardKind::shape:
            case BackwardKind::lossDerivative: break;
            }
        }
    }
    EXPECT_GT(gradients, testing::areModelsRequired() ? 500U : 0U);
    EXPECT_GT(preparations, testing::areModelsRequired() ? 100U : 0U);
}

TEST(RealReasons, whatIsCalledAWeightIsReadByTheNetwork) {
    if (testing::modelsFolder().empty()) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    for (const char* name : kSteps) {
        const auto path = testing::trainingModel(name);
        if (path.empty()) continue;
        const auto judged = judge(path);
        for (const NodeId node : judged->removed()) {
            const Reason reason = judged->reason(node);
            const bool isOfWeight =
                reason.id == "removed.gradient-of-weight" || reason.id == "removed.part-of-weight-gradient" ||
                reason.id == "removed.writes-weight" || reason.id == "removed.weight-decay";
            if (!isOfWeight) continue;
            const ValueId weight = std::get<ValueId>(reason.arguments[1]);
            const auto uses = judged->model.uses(weight);
            EXPECT_TRUE(std::any_of(uses.begin(), uses.end(),
                                    [&](Use use) { return judged->reach.isReached(use.node); }))
                << name << " " << judged->model.name(weight);
            EXPECT_TRUE(judged->model.isInitializer(weight)) << name << " " << judged->model.name(weight);
        }
    }
}

} // namespace
} // namespace secateur
