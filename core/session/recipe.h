// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rewrite/pass.h"
#include "core/support/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// One step of a recipe. A step that is off is kept in its place and not run.
struct RecipeStep {
    std::string pass;
    PassOptions options;
    std::set<std::string> skippedRewrites; ///< keys of RewriteRecord
    bool isOn = true;
    /// How many rewrites the step made when the recipe was saved, to tell when another model takes it
    /// differently.
    std::optional<std::uint64_t> rewrites;
    friend bool operator==(const RecipeStep&, const RecipeStep&) = default;
};

/// The document: what is to be done to a model. Small, versioned JSON.
struct Recipe {
    /// Names of values; empty: `pinnedTargets` where the model has all of them, else the clear candidates.
    std::vector<std::string> targets;
    /// What the choice fell on when the recipe was saved without a person having named `targets`.
    std::vector<std::string> pinnedTargets;
    std::string weightsPath; ///< where to find them from here; a file says it relative to itself where it can
    std::string weightsHash; ///< of their contents when the recipe was saved; empty: not known
    bool isForOnnxRuntime = false;
    std::vector<RecipeStep> steps;
    friend bool operator==(const Recipe&, const Recipe&) = default;
};

/// All conversion passes with their default options; those that are off by default stand there, off.
[[nodiscard]] Recipe conversionRecipe();
/// All passes that keep what a model computes, behind those that convert it where `isConverted`.
[[nodiscard]] Recipe optimizationRecipe(bool isConverted);
/// What a document begins with: the conversion, and behind it the passes that keep what a model computes,
/// off.
[[nodiscard]] Recipe documentRecipe();
/// Are all passes known, and their options allowed? Else an Error that names the nearest.
Result<void> checkRecipe(const Recipe& recipe, std::string_view where = {});
/// The same recipe gives the same text.
[[nodiscard]] std::string recipeToJson(const Recipe& recipe);
/// `where` names the text in messages, usually the path of its file. Fields that this version does not know
/// are refused by name: leaving them out silently would do something else than the recipe says.
Result<Recipe> recipeFromJson(std::string_view json, std::string where);
/// A relative path of weights is resolved against the folder of the recipe.
Result<Recipe> loadRecipe(const std::filesystem::path& path);
/// The path of the weights is written relative to the folder of the recipe, so that both can move together;
/// absolute where the two share no folder. The hash of their contents is written beside it.
Result<void> saveRecipe(const Recipe& recipe, const std::filesystem::path& path);

} // namespace secateur
