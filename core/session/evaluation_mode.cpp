// SPDX-License-Identifier: Apache-2.0
#include "core/session/evaluation_mode.h"

#include "core/messages/sentences.h"
#include "core/onnx/save.h"
#include "core/session/training_mode.h"

#include <algorithm>

namespace secateur {
namespace {

constexpr std::string_view kDropPath = "bypass-drop-path";

bool didSomething(const History& history) {
    return std::any_of(history.steps().begin(), history.steps().end(), [](const Step& step) {
        return std::any_of(step.records.begin(), step.records.end(),
                           [](const RewriteRecord& record) { return !record.isSkipped; });
    });
}

} // namespace

Result<bool> writeWithoutDropPath(const Original& original, const Recipe& recipe,
                                  const std::filesystem::path& file, const WorkContext& work) {
    Recipe alone = recipe;
    for (RecipeStep& step : alone.steps)
        step.isOn = step.isOn && step.pass == kDropPath;
    LoadedModel copy;
    copy.model = original.file.model.clone();
    copy.path = original.file.path;
    const History history = TRY(History::run(makeOriginal(std::move(copy), work), alone, work));
    if (!didSomething(history)) return false;
    TRY(saveModel(history.model(), file, work));
    return true;
}

std::string trainingWords(const Original& original, bool hasDropPath) {
    const std::string operators = joinCounts(countTrainingMode(original));
    if (!hasDropPath) return operators;
    const std::string name(message("evaluation.drop-path"));
    return operators.empty() ? name : formatMessage("text.and", {operators, name});
}

} // namespace secateur
