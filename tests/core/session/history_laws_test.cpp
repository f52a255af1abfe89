// SPDX-License-Identifier: Apache-2.0
#include "core/ir/model_hash.h"
#include "core/ir/verifier.h"
#include "core/onnx/save.h"
#include "tests/core/session/session_fixture.h"
#include "tests/support/models.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>

namespace secateur {
namespace {

namespace fs = std::filesystem;
using secateur::testing::convert;
using secateur::testing::openModel;
using secateur::testing::ownModel;
using secateur::testing::stepOf;

/// Our own models, and real ones where there are any.
std::vector<fs::path> lawModels() {
    std::vector<fs::path> models{ownModel("classifier.training"), ownModel("batch_norm.training"),
                                 fs::path(SECATEUR_SOURCE_DIR) / "resources/samples/mlp_gelu.training.onnx"};
    for (const char* name :
         {"mlp", "cnn", "lstm", "resnet", "mobilenet.exported", "transformer", "transformer.dynamo",
          "mlp.sgd.step", "droppath_floor.exported", "transformer.adamw.step"}) {
        if (const fs::path path = secateur::testing::trainingModel(name); !path.empty())
            models.push_back(path);
    }
    return models;
}

/// Does every id stand for the same thing? (exactHash counts addresses of bytes, which differ between two
/// openings.)
bool haveSameIds(const Model& a, const Model& b) {
    if (a.nodeIdCount() != b.nodeIdCount() || a.valueIdCount() != b.valueIdCount()) return false;
    for (std::size_t i = 0; i < a.nodeIdCount(); ++i) {
        const NodeId id(i);
        if (a.isAlive(id) != b.isAlive(id) || a.op(id) != b.op(id) || a.name(id) != b.name(id)) return false;
    }
    for (std::size_t i = 0; i < a.valueIdCount(); ++i) {
        const ValueId id(i);
        if (a.isAlive(id) != b.isAlive(id) || a.name(id) != b.name(id) || a.producer(id) != b.producer(id))
            return false;
    }
    return true;
}

class HistoryLaws : public ::testing::TestWithParam<fs::path> {
  protected:
    std::shared_ptr<const Original> original = openModel(GetParam());
    History history = convert(original);
};

TEST_P(HistoryLaws, undoingEveryStepRestoresItsExactHash) {
    ASSERT_EQ(history.cursor(), history.steps().size());
    for (std::size_t at = history.steps().size(); at-- > 0;) {
        history.moveCursor(at);
        EXPECT_EQ(exactHash(history.model()), history.steps()[at].hashBefore) << history.steps()[at].pass;
    }
    EXPECT_EQ(exactHash(history.model()), exactHash(original->file.model));
    EXPECT_TRUE(brokenInvariants(history.model()).empty());
}

TEST_P(HistoryLaws, redoingEveryStepRestoresItsExactHash) {
    history.moveCursor(0);
    for (std::size_t at = 1; at <= history.steps().size(); ++at) {
        history.moveCursor(at);
        EXPECT_EQ(exactHash(history.model()), history.steps()[at - 1].hashAfter)
            << history.steps()[at - 1].pass;
    }
    EXPECT_TRUE(brokenInvariants(history.model()).empty());
}

TEST_P(HistoryLaws, aReplayedRecipeGivesTheSameBytesAndIds) {
    const auto recipe = recipeFromJson(recipeToJson(history.countedRecipe()), "r.json");
    ASSERT_TRUE(recipe) << recipe.error().toString();
    const History again = convert(openModel(GetParam()), *recipe);
    EXPECT_EQ(*serializeModel(again.model()), *serializeModel(history.model()));
    EXPECT_TRUE(haveSameIds(again.model(), history.model()));
    EXPECT_EQ(again.targets(), history.targets());
    EXPECT_EQ(again.countedRecipe(), *recipe);
}

TEST_P(HistoryLaws, lookingAroundLeavesTheSameBytes) {
    const std::string bytes = *serializeModel(history.model());
    history.moveCursor(0);
    EXPECT_EQ(*serializeModel(history.model()), *serializeModel(original->file.model));
    history.moveCursor(3);
    history.moveCursor(history.steps().size());
    EXPECT_EQ(*serializeModel(history.model()), bytes);
}

TEST_P(HistoryLaws, everyErasedNodeKnowsItsStepAndReason) {
    const Model& before = original->file.model;
    for (const NodeId node : nodesWithin(before, before.mainGraph())) {
        const auto step = history.stepThatErased(node);
        ASSERT_EQ(step.has_value(), !history.model().isAlive(node))
            << before.op(node) << " " << before.name(node);
        if (!step) continue;
        const RewriteRecord* record = history.recordThatErased(node);
        ASSERT_NE(record, nullptr);
        EXPECT_FALSE(record->reason.id.empty());
        history.moveCursor(*step);
        ASSERT_TRUE(history.model().isAlive(node));
        history.moveCursor(history.steps().size());
        if (before.nodeIdCount() > 3000) break; // one look is enough where each costs
    }
}

INSTANTIATE_TEST_SUITE_P(Models, HistoryLaws, ::testing::ValuesIn(lawModels()), [](const auto& model) {
    std::string name = model.param.stem() == "model" ? model.param.parent_path().filename().string()
                                                     : model.param.stem().string();
    std::replace_if(
        name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
    return name;
});

TEST(HistorySkips, aStepThatIsOffIsNotRun) {
    const auto original = openModel(ownModel("classifier.training"));
    Recipe recipe = conversionRecipe();
    stepOf(recipe, "bypass-dropout").isOn = false;
    const History history = convert(original, recipe);
    const Step& step = stepOf(history, "bypass-dropout");
    EXPECT_FALSE(step.isOn);
    EXPECT_TRUE(step.records.empty());
    EXPECT_EQ(step.hashBefore, step.hashAfter);
    EXPECT_EQ(secateur::testing::countOps(history.model(), "Dropout"), 1U);
}

TEST(HistorySkips, aSkippedRewriteIsRecordedAndNotDone) {
    const auto original = openModel(ownModel("classifier.training"));
    const History whole = convert(original);
    const auto& done = stepOf(whole, "bypass-dropout").records;
    ASSERT_EQ(done.size(), 1U);
    EXPECT_EQ(secateur::testing::countOps(whole.model(), "Dropout"), 0U);
    Recipe recipe = conversionRecipe();
    stepOf(recipe, "bypass-dropout").skippedRewrites = {done[0].key};
    const History history = convert(original, recipe);
    const auto& records = stepOf(history, "bypass-dropout").records;
    ASSERT_EQ(records.size(), 1U);
    EXPECT_TRUE(records[0].isSkipped);
    EXPECT_EQ(secateur::testing::countOps(history.model(), "Dropout"), 1U);
}

TEST(HistorySkips, aKeyThatDoesNotOccurChangesNothing) {
    const auto original = openModel(ownModel("classifier.training"));
    Recipe recipe = conversionRecipe();
    stepOf(recipe, "bypass-dropout").skippedRewrites = {"bypass-dropout@elsewhere"};
    EXPECT_EQ(exactHash(convert(original, recipe).model()), exactHash(convert(original).model()));
}

} // namespace
} // namespace secateur
