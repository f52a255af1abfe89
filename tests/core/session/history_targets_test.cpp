// SPDX-License-Identifier: Apache-2.0
#include "core/session/target_choice.h"

#include "tests/core/session/session_fixture.h"
#include "tests/support/built_model.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>

namespace secateur {
namespace {

using secateur::testing::convert;
using secateur::testing::openModel;
using secateur::testing::ownModel;
using secateur::testing::TemporaryFolder;
using ::testing::HasSubstr;

Error errorOf(const char* model, const Recipe& recipe, const WorkContext& work = {}) {
    const auto history = History::run(openModel(ownModel(model)), recipe, work);
    return history ? Error{ErrorCode::verification, "no error", {}} : history.error();
}

TEST(HistoryTargets, aMistypedTargetNamesTheNearest) {
    Recipe recipe = conversionRecipe();
    recipe.targets = {"logit"};
    const Error error = errorOf("classifier.training", recipe);
    EXPECT_EQ(error.code, ErrorCode::usage);
    EXPECT_THAT(error.message, HasSubstr("no value called `logit`"));
    EXPECT_THAT(error.message, HasSubstr("`logits`"));
}

TEST(HistoryTargets, withoutAClearTargetTheCandidatesAreListed) {
    const Error error = errorOf("autoencoder.training", conversionRecipe());
    EXPECT_EQ(error.code, ErrorCode::usage);
    EXPECT_THAT(error.message, HasSubstr("--target"));
    EXPECT_THAT(error.message, HasSubstr("`rebuilt` (0."));
    EXPECT_THAT(error.message, HasSubstr("`loss` (0."));
}

TEST(HistoryTargets, aRecipeThatPrunesNothingNeedsNone) {
    Recipe recipe;
    recipe.steps.push_back({"bypass-dropout", {}, {}, true, {}});
    EXPECT_FALSE(needsTargets(recipe));
    EXPECT_TRUE(History::run(openModel(ownModel("autoencoder.training")), recipe));
}

TEST(HistoryTargets, severalTargetsAreKept) {
    Recipe recipe = conversionRecipe();
    recipe.targets = {"right_logits", "left_logits", "right_logits"};
    const History history = convert(openModel(ownModel("two_losses.training")), recipe);
    EXPECT_EQ(history.chosenTargets().size(), 2U);
    EXPECT_EQ(history.model().graphOutputs(history.model().mainGraph()).size(), 2U);
    EXPECT_EQ(secateur::testing::countOps(history.model(), "SoftmaxCrossEntropyLoss"), 0U);
}

TEST(HistoryTargets, equalTargetsAreTakenTogether) {
    const History history = convert(openModel(ownModel("two_losses.training")));
    EXPECT_EQ(history.chosenTargets().size(), 2U);
}

TEST(HistoryTargets, theClearTargetIsTakenUnasked) {
    const History history = convert(openModel(ownModel("classifier.training")));
    ASSERT_EQ(history.chosenTargets().size(), 1U);
    EXPECT_EQ(history.original().file.model.name(history.chosenTargets()[0]), "logits");
}

TEST(HistoryTargets, aBareNumberStaysWhereAPersonNamedItAndElseBecomesOutput) {
    for (const bool isNamed : {true, false}) {
        secateur::testing::BuiltModel b;
        const ValueId y = b.node("last", "Relu", {b.input("x", {2, 4})});
        b.editor().rename(y, "17");
        const ValueId label = b.input("label", {2}, ElementType::int64);
        b.output(b.node("loss", "SoftmaxCrossEntropyLoss", {y, label}));
        Recipe recipe = conversionRecipe();
        if (isNamed) recipe.targets = {"17"};
        const History history = convert(b.open(), recipe);
        const Model& model = history.model();
        ASSERT_EQ(model.graphOutputs(model.mainGraph()).size(), 1U);
        EXPECT_EQ(model.name(model.graphOutputs(model.mainGraph())[0]), isNamed ? "17" : "output");
    }
}

TEST(HistoryTargets, cancellingStopsTheRun) {
    WorkContext work;
    work.cancel.cancel();
    EXPECT_EQ(errorOf("classifier.training", conversionRecipe(), work).code, ErrorCode::cancelled);
}

TEST(HistoryTargets, weightsThatAreNoneAreRefused) {
    const TemporaryFolder folder;
    Recipe recipe = conversionRecipe();
    recipe.weightsPath = folder.put("checkpoint", "no checkpoint at all, just text").string();
    const Error error = errorOf("classifier.training", recipe);
    EXPECT_EQ(error.code, ErrorCode::invalidInput);
    EXPECT_THAT(error.toString(), HasSubstr("checkpoint"));
}

TEST(HistoryTargets, aBatchNormInDoubtIsAQuestion) {
    const History history = convert(openModel(ownModel("batch_norm.training")));
    const Step& step = secateur::testing::stepOf(history, "freeze-batch-norm");
    ASSERT_EQ(step.questions.size(), 1U);
    EXPECT_EQ(step.questions[0].optionName, "batch-norm");
    EXPECT_TRUE(step.records.empty());
}

TEST(HistoryTargets, theOptionSettlesTheDoubt) {
    Recipe recipe = conversionRecipe();
    secateur::testing::stepOf(recipe, "freeze-batch-norm").options["batch-norm"] = "running";
    const History history = convert(openModel(ownModel("batch_norm.training")), recipe);
    const Step& step = secateur::testing::stepOf(history, "freeze-batch-norm");
    EXPECT_TRUE(step.questions.empty());
    EXPECT_EQ(step.records.size(), 1U);
}

} // namespace
} // namespace secateur
