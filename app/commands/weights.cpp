// SPDX-License-Identifier: Apache-2.0
#include "app/commands/weights.h"

#include "core/messages/sentences.h"
#include "core/support/printable.h"
#include "core/support/text.h"

namespace secateur::cli {

std::string WeightsUsed::line() const {
    if (file.empty()) return std::string(message("cli.weights-none"));
    const std::string from(message(isFromRecipe ? "cli.weights-of-recipe" : "cli.weights-given"));
    const std::string shown = printable(file);
    if (!fit) return formatMessage("cli.weights-unused", {shown, from});
    return formatMessage("cli.weights",
                         {shown, from, formatCount(fit->fitting()), formatCount(fit->tensors)});
}

nlohmann::ordered_json WeightsUsed::json() const {
    if (file.empty()) return nullptr;
    nlohmann::ordered_json json{{"file", file}, {"from", isFromRecipe ? "recipe" : "option"}};
    json["as_saved"] = isAsSaved;
    json["used"] = fit.has_value();
    if (!fit) return json;
    json["tensors"] = fit->tensors;
    json["fit"] = fit->fitting();
    json["foreign"] = fit->foreign;
    json["misfits"] = fit->misfits;
    json["owned"] = fit->owned;
    json["missing"] = fit->missing;
    return json;
}

Result<WeightsUsed> findWeightsUsed(const History& history, bool isFromRecipe) {
    WeightsUsed used;
    const Recipe& recipe = history.recipe();
    used.file = recipe.weightsPath;
    used.isFromRecipe = isFromRecipe;
    if (used.file.empty()) return used;
    used.isAsSaved = TRY(areWeightsAsSaved(recipe));
    if (usesWeights(recipe)) used.fit = TRY(findWeightFit(history));
    return used;
}

} // namespace secateur::cli
