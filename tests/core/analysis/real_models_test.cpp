// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/explain.h"
#include "core/analysis/targets.h"
#include "core/messages/messages.h"
#include "core/onnx/load.h"
#include "tests/core/analysis/graph_builder.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

namespace secateur {
namespace {

using testing::modelsFolder;

struct Opened {
    Model model;
    TypeTable types;
};

std::unique_ptr<Opened> open(const std::filesystem::path& path) {
    auto loaded = loadModel(path);
    if (!loaded) return nullptr;
    auto out = std::make_unique<Opened>(Opened{std::move(loaded->model), {}});
    out->types.inferAll(out->model);
    return out;
}

/// Takes away all names but those of the inputs, outputs and initializers of the main graph.
void strip(Model& model) {
    Editor editor(model);
    std::set<ValueId> kept;
    for (const ValueId input : model.graphInputs(model.mainGraph()))
        kept.insert(input);
    for (const ValueId output : model.graphOutputs(model.mainGraph()))
        kept.insert(output);
    for (std::size_t i = 0; i < model.nodeIdCount(); ++i)
        if (model.isAlive(NodeId(i)) && model.node(NodeId(i)).kind == NodeKind::operation)
            editor.setNodeName(NodeId(i), "");
    for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
        const ValueId value(i);
        if (model.isAlive(value) && !kept.contains(value) && !model.isInitializer(value))
            editor.rename(value, "v" + std::to_string(i));
    }
}

/// The text of one field of the flat expected.json beside a model; empty where it is not there.
std::string fieldOf(const std::filesystem::path& json, const std::string& field) {
    std::ifstream file(json);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const auto at = text.find("\"" + field + "\"");
    if (at == std::string::npos) return {};
    const auto from = text.find_first_not_of(": \"", at + field.size() + 2);
    return text.substr(from, text.find_first_of("\",} \n", from) - from);
}

/// Never none: a test over them would hold whatever the code does.
std::vector<std::filesystem::path> foldersOf(std::string_view kind, std::size_t least) {
    std::vector<std::filesystem::path> out;
    for (const auto& path : testing::filesBelow(modelsFolder() / kind, ".onnx"))
        if (path.filename() == "model.onnx") out.push_back(path.parent_path());
    EXPECT_GE(out.size(), testing::areModelsRequired() ? least : 1U) << kind;
    return out;
}

#define NEEDS_MODELS()                                                                                       \
    if (modelsFolder().empty())                                                                              \
    GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS to check "                                \
                    "them"

void expectTarget(const Opened& opened, ValueId wanted, bool isAmbiguous, const std::string& name) {
    const auto analysis = findTargets(opened.model, opened.types);
    if (isAmbiguous) {
        EXPECT_TRUE(analysis.clear.empty()) << name;
        EXPECT_GE(analysis.candidates.size(), 2U) << name;
        return;
    }
    ASSERT_EQ(analysis.clear.size(), 1U) << name;
    EXPECT_EQ(analysis.clear.front(), wanted) << name << ": " << opened.model.name(analysis.clear.front());
    EXPECT_GT(analysis.candidates.front().keptNodes, 0U) << name;
}

TEST(RealModels, everyTrainingModelGetsItsTargetWithAndWithoutNames) {
    NEEDS_MODELS();
    for (const auto& folder : foldersOf("training", 38)) {
        const std::string name = folder.filename().string();
        const auto opened = open(folder / "model.onnx");
        ASSERT_TRUE(opened) << name;
        const ValueId wanted = opened->model.findValue(fieldOf(folder / "expected.json", "target"));
        ASSERT_FALSE(wanted.isNone()) << name;
        const bool isAmbiguous = fieldOf(folder / "expected.json", "give_target") == "true";
        expectTarget(*opened, wanted, isAmbiguous, name);
        strip(opened->model);
        expectTarget(*opened, wanted, isAmbiguous, name + " without names");
    }
}

TEST(RealModels, inferenceModelsKeepAllOutputs) {
    NEEDS_MODELS();
    for (const auto& folder : foldersOf("inference", 10)) {
        const auto opened = open(folder / "model.onnx");
        ASSERT_TRUE(opened) << folder;
        const auto analysis = findTargets(opened->model, opened->types);
        EXPECT_FALSE(analysis.isTrainingGraph) << folder;
        std::vector<ValueId> outputs;
        for (const ValueId output : opened->model.graphOutputs(opened->model.mainGraph()))
            outputs.push_back(output);
        EXPECT_EQ(analysis.clear, outputs) << folder;
    }
}

/// What the names in ONNX Runtime's artifacts say about a node. They are read here, to compare, and nowhere
/// else.
bool agreesWithName(std::string_view name, Role role) {
    const bool isBackward =
        name.find("_Grad/") != std::string_view::npos || name.starts_with("AccumulateGrad_");
    if (isBackward) return role == Role::backward;
    if (name.starts_with("GradientAccumulator")) return role == Role::accumulator;
    return role == Role::forward || role == Role::loss;
}

TEST(RealModels, rolesAgreeWithTheNamesInTheArtifacts) {
    NEEDS_MODELS();
    std::size_t nodes = 0, agreeing = 0, placed = 0, placedRight = 0;
    for (const auto& folder : foldersOf("training", 38)) {
        if (!std::filesystem::exists(folder / "checkpoint")) continue; // an artifact has one
        const auto opened = open(folder / "model.onnx");
        ASSERT_TRUE(opened) << folder;
        const Model& model = opened->model;
        const auto roles = findRoles(model, opened->types, {});
        for (const NodeId node : model.nodes(model.mainGraph())) {
            ++nodes;
            agreeing += agreesWithName(model.name(node), roles.of(node));
            const auto end = model.name(node).find("_Grad/");
            if (end == std::string_view::npos) continue;
            ++placed;
            placedRight +=
                roles.twinOf(node) && model.name(roles.twinOf(node)) == model.name(node).substr(0, end);
        }
    }
    std::printf("roles agree on %zu of %zu nodes; forward twins on %zu of %zu\n", agreeing, nodes,
                placedRight, placed);
    EXPECT_GE(agreeing * 100, nodes * 99);
    EXPECT_GE(placedRight * 100, placed * 95);
}

/// A buffer is called after the weight whose gradient it takes: `w_grad.accumulation.buffer`.
TEST(RealModels, everyAccumulatorServesTheWeightThatItsBufferIsNamedAfter) {
    NEEDS_MODELS();
    std::size_t accumulators = 0;
    for (const auto& path : testing::filesBelow(testing::modelsFolder() / "training", ".onnx")) {
        const auto opened = open(path);
        const Model& model = opened->model;
        RoleTable roles;
        for (const NodeId node : model.nodes(model.mainGraph())) {
            if (model.op(node) != "InPlaceAccumulatorV2") continue;
            if (roles.byNode.empty()) roles = findRoles(model, opened->types, {});
            ++accumulators;
            const std::string buffer(model.name(model.input(node, 0)));
            const ValueId weight = roles.servedBy(node);
            ASSERT_FALSE(weight.isNone()) << path << " " << buffer;
            EXPECT_EQ(std::string(model.name(weight)) + "_grad.accumulation.buffer", buffer) << path;
        }
    }
    EXPECT_GT(accumulators, testing::areModelsRequired() ? 300U : 0U);
}

TEST(RealModels, rolesDoNotDependOnNames) {
    NEEDS_MODELS();
    for (const std::string name : {"transformer", "mlp.sgd.step", "resnet_recompute.sgd.step"}) {
        const auto path = testing::trainingModel(name);
        if (path.empty()) continue;
        const auto opened = open(path);
        const auto before = findRoles(opened->model, opened->types, {});
        strip(opened->model);
        const auto after = findRoles(opened->model, opened->types, {});
        EXPECT_EQ(before.byNode, after.byNode) << name;
        EXPECT_EQ(before.gradientOf, after.gradientOf) << name;
        EXPECT_EQ(before.serves, after.serves) << name;
    }
}

TEST(RealModels, stepsHaveOptimizerLossAndRecompute) {
    NEEDS_MODELS();
    const std::map<std::string, Role> wanted{{"mlp.sgd.step", Role::optimizer},
                                             {"mlp_recompute.sgd.step", Role::recompute},
                                             {"transformer.adamw.step", Role::loss}};
    for (const auto& [name, role] : wanted) {
        const auto path = testing::trainingModel(name);
        if (path.empty()) continue;
        const auto opened = open(path);
        const auto roles = findRoles(opened->model, opened->types, {});
        EXPECT_NE(std::count(roles.byNode.begin(), roles.byNode.end(), role), 0) << name;
    }
}

TEST(RealModels, everyRemovedNodeOfTheTransformerWalksToItsDeadEndWithAReasonOfItsOwn) {
    NEEDS_MODELS();
    const auto path = testing::trainingModel("transformer");
    if (path.empty()) GTEST_SKIP() << "the transformer is not among the models";
    const auto opened = open(path);
    const Model& model = opened->model;
    const auto targets = findTargets(model, opened->types).clear;
    const auto roles = findRoles(model, opened->types, targets);
    const auto reach = findReachable(model, targets);
    const DeadEnds ends(model);
    std::map<std::string, std::size_t> byId, byText;
    std::size_t removed = 0;
    for (const NodeId node : model.nodes(model.mainGraph())) {
        if (reach.isReached(node)) continue;
        ++removed;
        const auto why = explainNode(model, roles, reach, ends, node);
        ++byId[why.reason.id];
        const std::string text = formatReason(why.reason, model);
        ++byText[text];
        EXPECT_TRUE(hasMessage(why.reason.id)) << why.reason.id;
        EXPECT_EQ(text.find('{'), std::string::npos) << text;
        ASSERT_FALSE(why.path.empty());
        EXPECT_EQ(why.path.front(), node);
        for (std::size_t i = 0; i + 1 < why.path.size(); ++i) {
            const auto inputs = model.inputs(why.path[i + 1]);
            EXPECT_TRUE(std::any_of(inputs.begin(), inputs.end(),
                                    [&](ValueId v) { return v && model.producer(v) == why.path[i]; }));
        }
        bool isRead = false, isOutput = false;
        for (const ValueId output : model.outputs(why.path.back())) {
            if (output.isNone()) continue;
            isRead = isRead || model.hasUses(output);
            isOutput = isOutput || model.isGraphOutput(output);
        }
        EXPECT_TRUE(!isRead || isOutput) << text;
    }
    EXPECT_GT(removed, 200U);
    for (const auto& [id, count] : byId)
        EXPECT_LE(count * 2, removed) << id;
    for (const auto& [text, count] : byText)
        EXPECT_LE(count * 2, removed) << text;
}

TEST(RealModels, everyKeptNodeOfTheTransformerWalksToTheTarget) {
    NEEDS_MODELS();
    const auto path = testing::trainingModel("transformer");
    if (path.empty()) GTEST_SKIP() << "the transformer is not among the models";
    const auto opened = open(path);
    const Model& model = opened->model;
    const auto targets = findTargets(model, opened->types).clear;
    const auto reach = findReachable(model, targets);
    for (const NodeId node : model.nodes(model.mainGraph())) {
        if (!reach.isReached(node)) continue;
        const auto way = pathToTarget(reach, node);
        EXPECT_EQ(way.size(), reach.nodeDistance[node.index] + 1U);
        EXPECT_EQ(way.back(), model.producer(targets.front()));
    }
}

} // namespace
} // namespace secateur
