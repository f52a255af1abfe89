// SPDX-License-Identifier: Apache-2.0
#include "core/exec/input_choices.h"

#include <algorithm>

namespace secateur {
namespace {

constexpr std::size_t kMostTurns = 8;

/// Inputs that a person or an initializer gives no value, of one element as far as the model says sizes.
std::vector<bool> choosingInputs(const Model& model, const std::vector<InputDomain>& domains,
                                 const InputRequest& request) {
    std::vector<bool> isChoosing;
    const std::vector<bool> isNamed = namedInputs(model, request);
    for (const ValueId input : model.graphInputs(model.mainGraph())) {
        const std::size_t i = isChoosing.size();
        const Type& type = model.declaredType(input);
        const bool isOne = type.isTensor() && type.hasShape &&
                           std::all_of(type.dims.begin(), type.dims.end(),
                                       [](const Dim& dim) { return dim.value.value_or(1) == 1; });
        isChoosing.push_back(isOne && !isNamed[i] && !model.isInitializer(input) && i < domains.size() &&
                             domains[i].choices.size() > 1);
    }
    return isChoosing;
}

} // namespace

std::size_t turnsOf(const Model& model, const std::vector<InputDomain>& domains,
                    const InputRequest& request) {
    const std::vector<bool> isChoosing = choosingInputs(model, domains, request);
    std::size_t turns = 1;
    for (std::size_t i = 0; i < isChoosing.size(); ++i)
        if (isChoosing[i]) turns = std::min(kMostTurns, turns * domains[i].choices.size());
    return turns;
}

std::vector<std::optional<double>> choicesOf(const Model& model, const std::vector<InputDomain>& domains,
                                             const InputRequest& request) {
    const std::vector<bool> isChoosing = choosingInputs(model, domains, request);
    std::vector<std::optional<double>> choices(isChoosing.size());
    // Digits of the turn, so that all of them meet; where these are too many, each changes with every turn.
    std::size_t together = 1;
    for (std::size_t i = 0; i < isChoosing.size(); ++i) {
        if (!isChoosing[i]) continue;
        const std::vector<double>& mine = domains[i].choices;
        if (together * mine.size() <= kMostTurns) {
            choices[i] = mine[request.turn / together % mine.size()];
            together *= mine.size();
        } else {
            choices[i] = mine[(request.turn + i) % mine.size()];
        }
    }
    return choices;
}

} // namespace secateur
