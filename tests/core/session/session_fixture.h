// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/walk.h"
#include "core/session/history.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace secateur::testing {

/// A small model of our own by its name in tests/data/cli.
inline std::filesystem::path ownModel(std::string_view name) {
    return std::filesystem::path(SECATEUR_TEST_DATA) / "cli" / (std::string(name) + ".onnx");
}

inline std::shared_ptr<const Original> openModel(const std::filesystem::path& path) {
    auto original = openOriginal(path);
    if (!original) {
        ADD_FAILURE() << original.error().toString();
        return nullptr;
    }
    return *original;
}

/// The whole conversion of a model that converts without questions.
inline History convert(const std::shared_ptr<const Original>& original,
                       const Recipe& recipe = conversionRecipe()) {
    auto history = History::run(original, recipe);
    if (!history) throw std::runtime_error(history.error().toString());
    return std::move(*history);
}

/// The step of a recipe that runs a pass.
inline RecipeStep& stepOf(Recipe& recipe, std::string_view pass) {
    for (RecipeStep& step : recipe.steps)
        if (step.pass == pass) return step;
    throw std::runtime_error("no step " + std::string(pass));
}
inline const Step& stepOf(const History& history, std::string_view pass) {
    for (const Step& step : history.steps())
        if (step.pass == pass) return step;
    throw std::runtime_error("no step " + std::string(pass));
}

inline std::size_t countOps(const Model& model, std::string_view op) {
    std::size_t count = 0;
    for (const NodeId node : nodesWithin(model, model.mainGraph()))
        count += model.op(node) == op ? 1U : 0U;
    return count;
}

} // namespace secateur::testing
