// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipe.h"

#include "core/passes/registry.h"
#include "core/session/weight_fit.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace secateur {
namespace {

namespace fs = std::filesystem;
using secateur::testing::readAll;
using secateur::testing::TemporaryFolder;
using ::testing::HasSubstr;

Recipe fullRecipe() {
    Recipe recipe = conversionRecipe();
    recipe.targets = {"logits", "weird \"name\""};
    recipe.pinnedTargets = {"chosen"};
    recipe.weightsHash = "0123456789abcdef";
    recipe.weightsPath = "/somewhere/checkpoint";
    recipe.isForOnnxRuntime = true;
    recipe.steps[1].isOn = false;
    recipe.steps[2].skippedRewrites = {"b", "a"};
    recipe.steps[2].rewrites = 12;
    for (RecipeStep& step : recipe.steps)
        if (step.pass == "freeze-batch-norm") step.options["batch-norm"] = "running";
    return recipe;
}

std::string errorOf(std::string_view json) {
    const auto recipe = recipeFromJson(json, "r.json");
    return recipe ? "no error" : recipe.error().toString();
}

TEST(Recipe, survivesItsJson) {
    const Recipe recipe = fullRecipe();
    const auto read = recipeFromJson(recipeToJson(recipe), "r.json");
    ASSERT_TRUE(read) << read.error().toString();
    EXPECT_EQ(*read, recipe);
}

TEST(Recipe, theSameRecipeGivesTheSameText) {
    EXPECT_EQ(recipeToJson(fullRecipe()), recipeToJson(fullRecipe()));
    EXPECT_THAT(recipeToJson(fullRecipe()), HasSubstr("\"secateur_recipe\": 1"));
}

TEST(Recipe, conversionHoldsEveryPassAndTurnsOffWhatIsOffByDefault) {
    const Recipe recipe = conversionRecipe();
    ASSERT_EQ(recipe.steps.size(), conversionPipeline().size());
    for (const RecipeStep& step : recipe.steps)
        EXPECT_EQ(step.isOn, findPass(step.pass)->info().isOnByDefault);
}

TEST(Recipe, unknownFieldsAreRefusedByName) {
    EXPECT_THAT(errorOf(R"({"secateur_recipe":1,"target":["a"],"steps":[]})"),
                HasSubstr("field `target` of the recipe is unknown (did you mean `targets`?)"));
    EXPECT_THAT(errorOf(R"({"secateur_recipe":1,"steps":[{"pass":"prune-backward","skip":[]}]})"),
                HasSubstr("field `skip` of step 1 is unknown"));
}

TEST(Recipe, aRecipeWithoutStepsIsRefused) {
    EXPECT_THAT(errorOf(R"({"secateur_recipe":1,"steps":[]})"), HasSubstr("has no steps"));
}

TEST(Recipe, aFieldThatStandsTwiceIsRefused) {
    EXPECT_THAT(errorOf(R"({"secateur_recipe":1,"targets":["a"],"targets":["b"],"steps":[{"pass":"x"}]})"),
                HasSubstr("field `targets` of the recipe stands there twice"));
    EXPECT_THAT(errorOf(R"({"secateur_recipe":1,"steps":[{"pass":"bypass-dropout","on":true,"on":false}]})"),
                HasSubstr("field `on` of a step stands there twice"));
    EXPECT_EQ(
        errorOf(R"({"secateur_recipe":1,"steps":[{"pass":"bypass-dropout"},{"pass":"bypass-dropout"}]})"),
        "no error")
        << "in two objects it stands once in each";
}

TEST(Recipe, aNewerVersionSaysSo) {
    EXPECT_THAT(errorOf(R"({"secateur_recipe":2,"steps":[]})"),
                HasSubstr("has version 2, written by a newer Secateur"));
    EXPECT_THAT(errorOf(R"({"secateur_recipe":0,"steps":[]})"), HasSubstr("says version 0"));
}

TEST(Recipe, whatIsNoRecipeSaysSo) {
    EXPECT_THAT(errorOf("{"), HasSubstr("r.json: this is not JSON: line 1, column 2"));
    EXPECT_THAT(errorOf("{\"secateur_recipe\": 1,\n  \"steps\": [}"), HasSubstr("line 2, column 13 "));
    EXPECT_THAT(errorOf(R"({"secateur_recipe": 1e999})"), HasSubstr("JSON that cannot be read"));
    EXPECT_THAT(errorOf("{\"a\": \"\xff\"}"), ::testing::Not(HasSubstr("json.exception")));
    EXPECT_THAT(errorOf("[1]"), HasSubstr("no Secateur recipe"));
    EXPECT_THAT(errorOf(R"({"name":"x"})"), HasSubstr("no Secateur recipe"));
    EXPECT_THAT(errorOf(R"({"secateur_recipe":1})"), HasSubstr("field `steps` of the recipe must be a list"));
    EXPECT_THAT(errorOf(R"({"secateur_recipe":1,"targets":"a","steps":[]})"),
                HasSubstr("must be a list of texts"));
    EXPECT_THAT(errorOf(R"({"secateur_recipe":1,"steps":[{"on":true}]})"), HasSubstr("step 1 names no pass"));
}

TEST(Recipe, unknownPassesAndOptionsNameTheNearest) {
    EXPECT_THAT(errorOf(R"({"secateur_recipe":1,"steps":[{"pass":"prune-backwards"}]})"),
                HasSubstr("no pass called `prune-backwards` (did you mean `prune-backward`"));
    EXPECT_THAT(
        errorOf(
            R"({"secateur_recipe":1,"steps":[{"pass":"freeze-batch-norm","options":{"batchnorm":"running"}}]})"),
        HasSubstr("has no option `batchnorm` (did you mean `batch-norm`?)"));
    EXPECT_THAT(
        errorOf(
            R"({"secateur_recipe":1,"steps":[{"pass":"freeze-batch-norm","options":{"batch-norm":"no"}}]})"),
        HasSubstr("cannot be `no`: give one of `ask`, `running`, `batch`"));
}

TEST(Recipe, weightsBesideItTravelWithIt) {
    const TemporaryFolder folder;
    folder.put("checkpoint", "x");
    Recipe recipe = conversionRecipe();
    recipe.weightsPath = (folder / "checkpoint").string();
    ASSERT_TRUE(saveRecipe(recipe, folder / "r.json"));
    EXPECT_THAT(readAll(folder / "r.json"), HasSubstr("\"weights\": \"checkpoint\""));
    const auto read = loadRecipe(folder / "r.json");
    ASSERT_TRUE(read) << read.error().toString();
    EXPECT_EQ(read->weightsPath, recipe.weightsPath);
}

TEST(Recipe, weightsInAFolderBesideTravelWithItToo) {
    const TemporaryFolder top;
    for (const char* name : {"project", "project/recipes", "project/runs"})
        fs::create_directory(top / name);
    top.put("project/runs/checkpoint", "x");
    Recipe recipe = conversionRecipe();
    recipe.weightsPath = (top / "project/runs/checkpoint").string();
    ASSERT_TRUE(saveRecipe(recipe, top / "project/recipes/r.json"));
    EXPECT_THAT(readAll(top / "project/recipes/r.json"), HasSubstr("\"weights\": \"../runs/checkpoint\""));
    fs::rename(top / "project", top / "moved");
    EXPECT_EQ(loadRecipe(top / "moved/recipes/r.json")->weightsPath,
              (top / "moved/runs/checkpoint").string());
}

TEST(Recipe, weightsThatShareNoFolderWithItKeepTheirPath) {
    const TemporaryFolder folder;
    Recipe recipe = conversionRecipe();
    recipe.weightsPath = "/nowhere/checkpoint";
    ASSERT_TRUE(saveRecipe(recipe, folder / "r.json"));
    EXPECT_THAT(readAll(folder / "r.json"), HasSubstr("\"weights\": \"/nowhere/checkpoint\""));
    EXPECT_EQ(loadRecipe(folder / "r.json")->weightsPath, recipe.weightsPath);
}

TEST(Recipe, aRecipeBehindALinkFindsItsWeights) {
    const TemporaryFolder top;
    for (const char* name : {"real", "real/recipes", "links"})
        fs::create_directory(top / name);
    top.put("real/checkpoint", "x");
    Recipe recipe = conversionRecipe();
    recipe.weightsPath = (top / "real/checkpoint").string();
    ASSERT_TRUE(saveRecipe(recipe, top / "real/recipes/r.json"));
    fs::create_directory_symlink(top / "real/recipes", top / "links/recipes");
    EXPECT_EQ(loadRecipe(top / "links/recipes/r.json")->weightsPath, recipe.weightsPath);
}

TEST(Recipe, theHashOfTheWeightsIsWrittenWithIt) {
    const TemporaryFolder folder;
    folder.put("weights.onnx", readAll(fs::path(SECATEUR_TEST_DATA) / "cli" / "artifact.weights.onnx"));
    Recipe recipe = conversionRecipe();
    recipe.weightsPath = (folder / "weights.onnx").string();
    ASSERT_TRUE(saveRecipe(recipe, folder / "r.json"));
    const auto read = loadRecipe(folder / "r.json");
    ASSERT_TRUE(read) << read.error().toString();
    EXPECT_EQ(read->weightsHash, *hashWeights(folder / "weights.onnx"));
}

TEST(Recipe, aDocumentOffersToSimplifyAndDoesNot) {
    const Recipe recipe = documentRecipe();
    const std::size_t conversion = conversionRecipe().steps.size();
    ASSERT_GT(recipe.steps.size(), conversion);
    for (std::size_t i = 0; i < recipe.steps.size(); ++i) {
        const bool isOn = i < conversion && conversionRecipe().steps[i].isOn;
        EXPECT_EQ(recipe.steps[i].isOn, isOn) << recipe.steps[i].pass;
    }
    EXPECT_EQ(recipe.steps.back().pass, "simplify");
}

} // namespace
} // namespace secateur
