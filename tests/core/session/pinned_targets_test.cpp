// SPDX-License-Identifier: Apache-2.0
#include "core/messages/messages.h"
#include "core/session/target_choice.h"
#include "tests/core/session/session_fixture.h"

#include <gmock/gmock.h>

namespace secateur {
namespace {

using secateur::testing::convert;
using secateur::testing::openModel;
using secateur::testing::ownModel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> namesOfOutputs(const History& history) {
    const Model& model = history.model();
    std::vector<std::string> names;
    for (const ValueId value : model.graphOutputs(model.mainGraph()))
        names.emplace_back(model.name(value));
    return names;
}

/// What a recipe that names no targets says once it was run on the classifier.
Recipe pinned() {
    return convert(openModel(ownModel("classifier.training"))).countedRecipe();
}

TEST(PinnedTargets, theChoiceIsPinnedInASavedRecipe) {
    EXPECT_THAT(pinned().targets, IsEmpty());
    EXPECT_THAT(pinned().pinnedTargets, ElementsAre("logits"));
}

TEST(PinnedTargets, targetsThatAPersonNamedAreNotPinned) {
    Recipe recipe = conversionRecipe();
    recipe.targets = {"hidden"};
    const History history = convert(openModel(ownModel("classifier.training")), recipe);
    EXPECT_THAT(history.countedRecipe().targets, ElementsAre("hidden"));
    EXPECT_THAT(history.countedRecipe().pinnedTargets, IsEmpty());
}

TEST(PinnedTargets, aRecipeWithoutPruningPinsNothing) {
    Recipe recipe;
    recipe.steps.push_back({"bypass-dropout", {}, {}, true, {}});
    const History history = convert(openModel(ownModel("classifier.training")), recipe);
    EXPECT_THAT(history.countedRecipe().pinnedTargets, IsEmpty());
}

TEST(PinnedTargets, onTheSameModelTheyAreTakenWithoutAWord) {
    const History history = convert(openModel(ownModel("classifier.training")), pinned());
    EXPECT_THAT(namesOfOutputs(history), ElementsAre("logits"));
    EXPECT_THAT(history.notes(), IsEmpty());
}

TEST(PinnedTargets, aModelWithoutThemFallsBackWithALine) {
    const auto original = openModel(ownModel("two_losses.training"));
    EXPECT_THAT(missingPins(*original, pinned()), ElementsAre("logits"));
    const History history = convert(original, pinned());
    EXPECT_THAT(namesOfOutputs(history), ElementsAre("left_logits", "right_logits"));
    ASSERT_EQ(history.notes().size(), 1U);
    EXPECT_THAT(formatReason(history.notes()[0], history.model()),
                HasSubstr("no value called `logits`, which the recipe was saved for: it is cut "
                          "down to `left_logits`, `right_logits` instead"));
}

TEST(PinnedTargets, aModelWithoutThemAndWithoutAClearTargetSaysBoth) {
    const auto history = History::run(openModel(ownModel("autoencoder.training")), pinned());
    ASSERT_FALSE(history);
    EXPECT_EQ(history.error().code, ErrorCode::usage);
    EXPECT_THAT(history.error().message, HasSubstr("no value called `logits`"));
    EXPECT_THAT(history.error().message, HasSubstr("`rebuilt`"));
}

TEST(PinnedTargets, aModelThatWouldChooseOthersTakesThePinnedOnesAndSaysSo) {
    Recipe recipe = conversionRecipe();
    recipe.pinnedTargets = {"hidden"};
    const History history = convert(openModel(ownModel("classifier.training")), recipe);
    EXPECT_THAT(namesOfOutputs(history), ElementsAre("hidden"));
    ASSERT_EQ(history.notes().size(), 1U);
    EXPECT_THAT(formatReason(history.notes()[0], history.model()), HasSubstr("`logits`"));
}

TEST(PinnedTargets, namedTargetsComeFirst) {
    Recipe recipe = pinned();
    recipe.targets = {"hidden"};
    const History history = convert(openModel(ownModel("classifier.training")), recipe);
    EXPECT_THAT(namesOfOutputs(history), ElementsAre("hidden"));
    EXPECT_THAT(history.notes(), IsEmpty());
}

} // namespace
} // namespace secateur
