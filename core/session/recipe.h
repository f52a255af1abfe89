// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rewrite/pass.h"
#include "core/support/result.h"

#include <filesystem>
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
    friend bool operator==(const RecipeStep&, const RecipeStep&) = default;
};

/// The document: what is to be done to a model. Small, versioned JSON.
struct Recipe {
    std::vector<std::string> targets;  ///< names of values; empty: the clear candidates are taken
    std::string weightsPath;           ///< relative to the recipe when saved beside it
    bool isForOnnxRuntime = false;
    std::vector<RecipeStep> steps;
    friend bool operator==(const Recipe&, const Recipe&) = default;
};

/// All conversion passes with their default options.
[[nodiscard]] Recipe conversionRecipe();
/// The same recipe gives the same text.
[[nodiscard]] std::string recipeToJson(const Recipe& recipe);
Result<Recipe> recipeFromJson(std::string_view json, std::string where);
Result<Recipe> loadRecipe(const std::filesystem::path& path);
Result<void> saveRecipe(const Recipe& recipe, const std::filesystem::path& path);

} // namespace secateur
