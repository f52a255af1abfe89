// SPDX-License-Identifier: Apache-2.0
#include "core/session/weight_fit.h"

#include "core/messages/messages.h"
#include "tests/core/session/session_fixture.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>

namespace secateur {
namespace {

using secateur::testing::openModel;
using secateur::testing::ownModel;
using secateur::testing::readAll;
using secateur::testing::stepOf;
using secateur::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Recipe withWeights(const std::filesystem::path& file) {
    Recipe recipe = conversionRecipe();
    recipe.weightsPath = file.string();
    return recipe;
}

Result<History> run(const char* model, const Recipe& recipe) {
    return History::run(openModel(ownModel(model)), recipe);
}

std::string notesOf(const History& history) {
    std::string text;
    for (const Reason& note : history.notes())
        text += formatReason(note, history.model()) + "\n";
    return text;
}

TEST(WeightFit, theRightFileFitsWhole) {
    const auto history = run("artifact.training", withWeights(ownModel("artifact.weights")));
    ASSERT_TRUE(history) << history.error().toString();
    const auto fit = findWeightFit(*history);
    ASSERT_TRUE(fit) << fit.error().toString();
    EXPECT_EQ(fit->tensors, 4U);
    EXPECT_EQ(fit->fitting(), 4U);
    EXPECT_TRUE(fit->isWhole());
    EXPECT_EQ(notesOf(*history), "");
}

TEST(WeightFit, aTargetThatNeedsFewOfThemIsNoMisfit) {
    Recipe recipe = withWeights(ownModel("artifact.weights"));
    recipe.targets = {"hidden"};
    const auto history = run("artifact.training", recipe);
    ASSERT_TRUE(history) << history.error().toString();
    EXPECT_TRUE(findWeightFit(*history)->isWhole());
    EXPECT_EQ(notesOf(*history), "");
}

TEST(WeightFit, whatDoesNotFitIsNamed) {
    const auto history = run("artifact.training", withWeights(ownModel("partial.weights")));
    ASSERT_TRUE(history) << history.error().toString();
    const auto fit = findWeightFit(*history);
    ASSERT_TRUE(fit);
    EXPECT_EQ(fit->fitting(), 2U);
    EXPECT_THAT(fit->foreign, ElementsAre("head.bias"));
    EXPECT_THAT(fit->misfits, ElementsAre("fc2.weight"));
    EXPECT_THAT(fit->missing, ElementsAre("fc2.bias"));
    EXPECT_FALSE(fit->isWhole());
    EXPECT_THAT(
        notesOf(*history),
        AllOf(HasSubstr("partial.weights.onnx: only 2 of 4 tensors fit this model"),
              HasSubstr("1 tensor was left out, because the model has no input of that name: `head.bias`"),
              HasSubstr("because the model declares another type or shape: `fc2.weight`"),
              HasSubstr("1 parameter stays an input, because partial.weights.onnx has no tensor of "
                        "that name: `fc2.bias`")));
}

TEST(WeightFit, aFileOfWhichNothingFitsIsRefusedWithTheReason) {
    const auto misfits = run("artifact.training", withWeights(ownModel("other_shapes.weights")));
    ASSERT_FALSE(misfits);
    EXPECT_EQ(misfits.error().code, ErrorCode::invalidInput);
    EXPECT_THAT(misfits.error().toString(),
                AllOf(HasSubstr("other_shapes.weights.onnx: none of the 4 tensors"),
                      HasSubstr("another type or shape for `fc1.weight`"), HasSubstr("Give the checkpoint")));
    const auto foreign = run("artifact.training", withWeights(ownModel("foreign.weights")));
    ASSERT_FALSE(foreign);
    EXPECT_THAT(foreign.error().message, HasSubstr("no input called `conv.weight`, `conv.bias`"));
}

TEST(WeightFit, aModelThatHoldsItsOwnWeightsTakesNone) {
    const auto history = run("classifier.training", withWeights(ownModel("artifact.weights")));
    ASSERT_FALSE(history);
    EXPECT_THAT(history.error().message, HasSubstr("the model holds values of its own for `fc1.weight`"));
}

TEST(WeightFit, aStepThatIsOffUsesNoneAndSaysSo) {
    Recipe recipe = withWeights(ownModel("artifact.weights"));
    stepOf(recipe, "attach-weights").isOn = false;
    EXPECT_FALSE(usesWeights(recipe));
    const auto history = run("artifact.training", recipe);
    ASSERT_TRUE(history) << history.error().toString();
    EXPECT_THAT(notesOf(*history), HasSubstr("the step `attach-weights` is off"));
}

TEST(WeightFit, theHashTellsOtherContents) {
    const TemporaryFolder folder;
    const std::string bytes = readAll(ownModel("artifact.weights"));
    folder.put("same.onnx", bytes);
    // The last bytes are the declarations behind the weights; a weight stands somewhere in the middle.
    std::string other = bytes;
    const std::size_t at = bytes.find("fc1.weight") + 100;
    other[at] = static_cast<char>(other[at] ^ 1);
    folder.put("other.onnx", other);
    const auto hash = hashWeights(ownModel("artifact.weights"));
    ASSERT_TRUE(hash) << hash.error().toString();
    EXPECT_EQ(hash->size(), 16U);
    EXPECT_EQ(*hashWeights(folder / "same.onnx"), *hash);
    EXPECT_NE(*hashWeights(folder / "other.onnx"), *hash);
    Recipe recipe = withWeights(folder / "same.onnx");
    EXPECT_TRUE(*areWeightsAsSaved(recipe)) << "nothing was saved";
    recipe.weightsHash = *hash;
    EXPECT_TRUE(*areWeightsAsSaved(recipe));
    recipe.weightsPath = (folder / "other.onnx").string();
    EXPECT_FALSE(*areWeightsAsSaved(recipe));
    recipe.weightsPath = (folder / "gone.onnx").string();
    EXPECT_FALSE(areWeightsAsSaved(recipe)) << "it cannot be known";
}

} // namespace
} // namespace secateur
