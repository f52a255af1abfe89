// SPDX-License-Identifier: Apache-2.0
#include "core/session/weight_fit.h"

#include "core/messages/messages.h"
#include "core/passes/convert/weight_source.h"
#include "core/support/hash.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace secateur {
namespace {

constexpr std::string_view kAttach = "attach-weights";
constexpr std::string_view kMisfit = "attach-weights.miss.type";

/// "`a`, `b`, `c` and 5 more".
std::string firstNames(const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 4;
    return quotedList(names, kShown);
}

/// The inputs that the pass could not fill because type or shape disagree.
std::unordered_set<ValueId> findMisfits(const History& history) {
    std::unordered_set<ValueId> misfits;
    for (const Step& step : history.steps()) {
        if (step.pass != kAttach) continue;
        for (const RewriteMiss& miss : step.misses) {
            if (miss.reason.id != kMisfit) continue;
            if (const auto* value = std::get_if<ValueId>(&miss.reason.arguments.front()))
                misfits.insert(*value);
        }
    }
    return misfits;
}

/// Inputs of the result that an accumulator or optimizer of the original updates, and that stayed inputs.
std::vector<ValueId> findUnfilled(const History& history) {
    const Model& original = history.original().file.model;
    const RoleTable& roles = *history.roles();
    std::vector<bool> isTrained(original.valueIdCount(), false);
    for (std::size_t i = 0; i < roles.byNode.size(); ++i) {
        const Role role = roles.byNode[i];
        const ValueId served = roles.servedBy(NodeId(i));
        if ((role == Role::accumulator || role == Role::optimizer) && !served.isNone())
            isTrained[served.index] = true;
    }
    std::vector<ValueId> unfilled;
    const Model& model = history.model();
    for (const ValueId input : model.graphInputs(model.mainGraph())) {
        if (input.index < isTrained.size() && isTrained[input.index] && !model.isInitializer(input) &&
            model.hasUses(input))
            unfilled.push_back(input);
    }
    return unfilled;
}

void hashTensor(StreamHash& hash, const Tensor& tensor) {
    hash.add(tensor.type).add(static_cast<std::uint64_t>(tensor.dims.size()));
    for (const std::int64_t dim : tensor.dims)
        hash.add(dim);
    if (const auto bytes = rawBytes(tensor)) hash.add(bytes->data, bytes->size);
    for (const std::string& text : tensor.strings)
        hash.addText(text);
}

} // namespace

bool usesWeights(const Recipe& recipe) {
    return !recipe.weightsPath.empty() &&
           std::any_of(recipe.steps.begin(), recipe.steps.end(),
                       [](const RecipeStep& step) { return step.pass == kAttach && step.isOn; });
}

Result<WeightFit> findWeightFit(const History& history) {
    const WeightSource source = TRY(openWeights(history.recipe().weightsPath));
    const Model& model = history.original().file.model;
    std::unordered_map<std::string_view, ValueId> places;
    for (const ValueId input : model.graphInputs(model.mainGraph()))
        places.emplace(model.name(input), input);
    for (const ValueId value : model.graph(model.mainGraph()).initializers) {
        if (model.isAlive(value)) places.emplace(model.name(value), value);
    }
    const auto misfits = findMisfits(history);
    WeightFit fit;
    fit.tensors = source.tensors.size();
    for (const auto& [name, tensor] : source.tensors) {
        const auto at = places.find(name);
        if (at == places.end())
            fit.foreign.push_back(name);
        else if (model.isInitializer(at->second))
            fit.owned.push_back(name);
        else if (misfits.count(at->second) > 0)
            fit.misfits.push_back(name);
    }
    for (const ValueId input : findUnfilled(history)) {
        if (misfits.count(input) == 0) fit.missing.emplace_back(model.name(input));
    }
    return fit;
}

std::vector<Reason> WeightFit::notes(const std::string& file) const {
    std::vector<Reason> notes;
    if (fitting() < tensors) {
        notes.emplace_back("note.weights-fit",
                           std::vector<ReasonArgument>{file, static_cast<std::int64_t>(fitting()),
                                                       static_cast<std::int64_t>(tensors)});
    }
    const auto add = [&](const char* id, const std::vector<std::string>& names) {
        if (names.empty()) return;
        notes.emplace_back(id, std::vector<ReasonArgument>{static_cast<std::int64_t>(names.size()),
                                                           firstNames(names), file});
    };
    add("note.weights-foreign", foreign);
    add("note.weights-misfit", misfits);
    add("note.weights-owned", owned);
    add("note.weights-missing", missing);
    return notes;
}

Error nothingFits(const WeightFit& fit, const std::filesystem::path& file) {
    std::string why;
    const auto add = [&](const char* id, const std::vector<std::string>& names) {
        if (names.empty()) return;
        why += (why.empty() ? "" : "; ") + formatMessage(id, {firstNames(names)});
    };
    add("error.weights-foreign", fit.foreign);
    add("error.weights-misfit", fit.misfits);
    add("error.weights-owned", fit.owned);
    if (why.empty()) why = message("error.weights-empty");
    return invalidInput(formatMessage("error.weights-none", {std::to_string(fit.tensors), why}),
                        file.string());
}

Result<std::string> hashWeights(const std::filesystem::path& file) {
    const WeightSource source = TRY(openWeights(file));
    StreamHash hash;
    for (const auto& [name, tensor] : source.tensors) {
        hash.addText(name);
        hashTensor(hash, *tensor);
    }
    return fmt::format("{:016x}", hash.digest());
}

Recipe rememberingWeights(Recipe recipe) {
    if (recipe.weightsPath.empty()) return recipe;
    if (auto hash = hashWeights(recipe.weightsPath)) recipe.weightsHash = *hash;
    return recipe;
}

Result<bool> areWeightsAsSaved(const Recipe& recipe) {
    if (recipe.weightsPath.empty() || recipe.weightsHash.empty()) return true;
    return TRY(hashWeights(recipe.weightsPath)) == recipe.weightsHash;
}

} // namespace secateur
