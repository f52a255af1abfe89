// SPDX-License-Identifier: Apache-2.0
// The whole conversion on real training graphs: what is left, the laws after every step, and what happens
// when steps are turned off. That the numbers are right is judged by running the exported models elsewhere.
#include "core/ir/model_hash.h"
#include "core/ir/verifier.h"
#include "core/ir/walk.h"
#include "core/onnx/save.h"
#include "core/session/history.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace secateur {
namespace {

struct Expected {
    std::uint64_t mostNodes = 0;
    std::string target;
    bool isTargetGiven = false;
};

Expected readExpected(const std::filesystem::path& folder) {
    std::ifstream file(folder / "expected.json");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::smatch hit;
    Expected expected;
    if (std::regex_search(text, hit, std::regex("\"max_nodes\": *([0-9]+)")))
        expected.mostNodes = std::stoull(hit[1]);
    if (std::regex_search(text, hit, std::regex("\"target\": *\"([^\"]+)\""))) expected.target = hit[1];
    expected.isTargetGiven = text.find("\"give_target\": true") != std::string::npos;
    return expected;
}

Recipe recipeFor(const std::filesystem::path& folder) {
    Recipe recipe = conversionRecipe();
    if (std::filesystem::exists(folder / "checkpoint")) recipe.weightsPath = (folder / "checkpoint").string();
    if (const Expected expected = readExpected(folder); expected.isTargetGiven)
        recipe.targets = {expected.target};
    return recipe;
}

/// Does the node only make sense, or work, while training?
bool isTrainingOnly(const Model& model, NodeId node) {
    if (!model.isDefaultDomain(node)) return true;
    const std::string_view op = model.op(node);
    if (op == "BatchNormalization")
        return model.outputs(node).size() > 1 || model.intAttribute(node, "training_mode", 0) != 0;
    return op == "Dropout" || op.ends_with("Grad") || op.starts_with("Random") || op == "Bernoulli" ||
           op == "SoftmaxCrossEntropyLoss";
}

/// Never none: a test over them would hold whatever the passes do.
std::vector<std::filesystem::path> trainingFolders(std::size_t mostBytes, std::size_t least) {
    std::vector<std::filesystem::path> folders;
    for (const auto& path : testing::filesBelow(testing::modelsFolder() / "training", ".onnx")) {
        if (std::filesystem::file_size(path) <= mostBytes) folders.push_back(path.parent_path());
    }
    EXPECT_GE(folders.size(), testing::areModelsRequired() ? least : 1U);
    return folders;
}

class RealModels : public ::testing::Test {
  protected:
    void SetUp() override {
        if (testing::modelsFolder().empty()) GTEST_SKIP() << "no model folder: set SECATEUR_MODELS";
    }
};

/// After each step: sound, and exactly what it was before when the step is taken back.
void checkSteps(History& history) {
    const std::uint64_t end = exactHash(history.model());
    for (std::size_t i = history.steps().size(); i-- > 0;) {
        history.moveCursor(i);
        EXPECT_EQ(exactHash(history.model()), history.steps()[i].hashBefore) << history.steps()[i].pass;
        EXPECT_TRUE(brokenInvariants(history.model()).empty()) << history.steps()[i].pass;
        EXPECT_TRUE(findProblems(history.model()).empty()) << history.steps()[i].pass;
        EXPECT_FALSE(history.steps()[i].failure.has_value()) << history.steps()[i].failure->toString();
    }
    history.moveCursor(history.steps().size());
    EXPECT_EQ(exactHash(history.model()), end);
}

TEST_F(RealModels, nothingOfTrainingIsLeft) {
    for (const auto& folder : trainingFolders(64U << 20U, 38)) {
        SCOPED_TRACE(folder.filename().string());
        const Expected expected = readExpected(folder);
        ASSERT_GT(expected.mostNodes, 0U) << "expected.json says nothing";
        ASSERT_FALSE(expected.target.empty()) << "expected.json says nothing";
        auto original = openOriginal(folder / "model.onnx");
        ASSERT_TRUE(original.ok()) << original.error().toString();
        auto history = History::run(*original, recipeFor(folder));
        ASSERT_TRUE(history.ok()) << history.error().toString();
        const Model& model = history->model();
        EXPECT_LE(countNodes(model), expected.mostNodes);
        for (const NodeId node : nodesWithin(model, model.mainGraph()))
            EXPECT_FALSE(isTrainingOnly(model, node)) << model.op(node);
        ASSERT_EQ(model.graphOutputs(model.mainGraph()).size(), 1U);
        EXPECT_EQ(model.name(model.graphOutputs(model.mainGraph())[0]), expected.target);
        EXPECT_EQ(model.graphInputs(model.mainGraph()).size(), 1U);
        EXPECT_EQ(history->targets(), std::vector{model.graphOutputs(model.mainGraph())[0]});
        checkSteps(*history);
    }
}

TEST_F(RealModels, theSameRecipeGivesTheSameBytes) {
    for (const auto& folder : trainingFolders(2U << 20U, 25)) {
        SCOPED_TRACE(folder.filename().string());
        auto original = openOriginal(folder / "model.onnx");
        ASSERT_TRUE(original.ok());
        auto first = History::run(*original, recipeFor(folder)),
             second = History::run(*original, recipeFor(folder));
        ASSERT_TRUE(first.ok() && second.ok());
        EXPECT_EQ(first->model().valueIdCount(), second->model().valueIdCount()) << "the same ids";
        auto a = serializeModel(first->model()), b = serializeModel(second->model());
        ASSERT_TRUE(a.ok() && b.ok());
        EXPECT_TRUE(*a == *b);
    }
}

TEST_F(RealModels, anyOneStepCanBeTurnedOff) {
    for (const auto& folder : trainingFolders(300U << 10U, 10)) {
        SCOPED_TRACE(folder.filename().string());
        auto original = openOriginal(folder / "model.onnx");
        ASSERT_TRUE(original.ok());
        const Recipe recipe = recipeFor(folder);
        for (std::size_t off = 0; off < recipe.steps.size(); ++off) {
            SCOPED_TRACE("without " + recipe.steps[off].pass);
            Recipe shorter = recipe;
            shorter.steps[off].isOn = false;
            auto history = History::run(*original, shorter);
            ASSERT_TRUE(history.ok()) << history.error().toString();
            checkSteps(*history);
        }
    }
}

} // namespace
} // namespace secateur
