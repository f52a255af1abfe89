// SPDX-License-Identifier: Apache-2.0
#include "core/session/recipe.h"

#include "core/messages/messages.h"
#include "core/passes/registry.h"
#include "core/session/weight_fit.h"
#include "core/support/atomic_file.h"
#include "core/support/mapped_file.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace secateur {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostRecipeBytes = 64U << 20;

/// " (did you mean `a` or `b`?)", or nothing where no name is near.
std::string suggestion(const std::vector<std::string>& nearest) {
    if (nearest.empty()) return {};
    return formatMessage("error.did-you-mean", {quotedList(nearest)});
}

Result<void> checkOption(const PassInfo& info, const std::string& name, const std::string& value,
                         std::string where) {
    const auto at = std::find_if(info.options.begin(), info.options.end(),
                                 [&](const PassOption& option) { return option.name == name; });
    if (at == info.options.end()) {
        std::vector<std::string> known;
        for (const PassOption& option : info.options)
            known.push_back(option.name);
        return usageError(
            formatMessage("error.unknown-option", {info.id, name, suggestion(nearestNames(name, known))}),
            std::move(where));
    }
    if (at->choices.empty() || std::find(at->choices.begin(), at->choices.end(), value) != at->choices.end())
        return {};
    return usageError(formatMessage("error.bad-choice",
                                    {name, info.id, value, quotedList(at->choices, at->choices.size())}),
                      std::move(where));
}

/// A path as the file `from` should say it: relative to its folder, absolute where the two share none.
std::string seenFrom(const fs::path& from, const fs::path& path) {
    std::error_code failed;
    const fs::path folder = fs::weakly_canonical(fs::absolute(from).parent_path(), failed);
    const fs::path target = fs::weakly_canonical(fs::absolute(path), failed);
    if (failed) return fs::absolute(path).string();
    const fs::path relative = target.lexically_relative(folder);
    const auto up = std::count(relative.begin(), relative.end(), fs::path(".."));
    const fs::path below = folder.relative_path();
    const bool isApart = relative.empty() || (up > 0 && up == std::distance(below.begin(), below.end()));
    return isApart ? target.string() : relative.generic_string();
}

/// Without dots. A path that climbs is resolved by the file system: behind a link, `..` is not what the text
/// says.
fs::path resolved(const fs::path& path) {
    std::error_code failed;
    const bool climbs = std::find(path.begin(), path.end(), fs::path("..")) != path.end();
    const fs::path real = climbs ? fs::weakly_canonical(path, failed) : fs::path();
    return climbs && !failed ? real : path.lexically_normal();
}

void addSteps(Recipe& recipe, const std::vector<std::string>& pipeline) {
    for (const std::string& id : pipeline) {
        RecipeStep step;
        step.pass = id;
        const Pass* pass = findPass(id);
        step.isOn = pass == nullptr || pass->info().isOnByDefault;
        recipe.steps.push_back(std::move(step));
    }
}

} // namespace

Recipe conversionRecipe() {
    Recipe recipe;
    addSteps(recipe, conversionPipeline());
    return recipe;
}

Recipe optimizationRecipe(bool isConverted) {
    Recipe recipe;
    if (isConverted) addSteps(recipe, conversionPipeline());
    addSteps(recipe, simplificationPipeline());
    return recipe;
}

Recipe documentRecipe() {
    Recipe recipe = conversionRecipe();
    const std::size_t conversion = recipe.steps.size();
    addSteps(recipe, simplificationPipeline());
    for (std::size_t i = conversion; i < recipe.steps.size(); ++i)
        recipe.steps[i].isOn = false;
    return recipe;
}

Result<void> checkRecipe(const Recipe& recipe, std::string_view where) {
    for (const RecipeStep& step : recipe.steps) {
        const Pass* pass = findPass(step.pass);
        if (pass == nullptr) {
            std::vector<std::string> known;
            for (const Pass* each : allPasses())
                known.push_back(each->info().id);
            return usageError(
                formatMessage("error.unknown-pass", {step.pass, suggestion(nearestNames(step.pass, known))}),
                std::string(where));
        }
        for (const auto& [name, value] : step.options)
            TRY(checkOption(pass->info(), name, value, std::string(where)));
    }
    return {};
}

Result<Recipe> loadRecipe(const fs::path& path) {
    const auto file = TRY(MappedFile::open(path));
    if (file->size() > kMostRecipeBytes) {
        return invalidInput(formatMessage("error.recipe-size", {formatBytes(file->size())}), path.string());
    }
    const auto bytes = file->bytes();
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    Recipe recipe = TRY(recipeFromJson(text, path.string()));
    if (!recipe.weightsPath.empty() && fs::path(recipe.weightsPath).is_relative()) {
        recipe.weightsPath = resolved(path.parent_path() / recipe.weightsPath).string();
    }
    return recipe;
}

Result<void> saveRecipe(const Recipe& recipe, const fs::path& path) {
    // Weights that cannot be read now do not keep a person from saving the recipe.
    Recipe saved = rememberingWeights(recipe);
    if (!saved.weightsPath.empty()) saved.weightsPath = seenFrom(path, saved.weightsPath);
    return writeFile(path, recipeToJson(saved));
}

} // namespace secateur
