// SPDX-License-Identifier: Apache-2.0
#include "core/session/target_choice.h"

#include "core/messages/messages.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace secateur {
namespace {

constexpr std::array kPassesWithTargets{"choose-targets", "prune-backward"};

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : ", ") + part;
    return text;
}

Error unknownTarget(const Original& original, const std::string& name,
                    const std::vector<std::string>& nearest) {
    const std::string hint = nearest.empty() ? std::string(message("error.target-list"))
                                             : formatMessage("error.nearest", {quotedList(nearest)});
    return usageError(formatMessage("error.unknown-target", {printable(name), hint}),
                      original.file.path.string());
}

/// What stands in the model without a node that makes it leaves no node to keep.
bool isMadeByNode(const Model& model, ValueId value) {
    const NodeId producer = model.producer(value);
    return !producer.isNone() && model.node(producer).kind == NodeKind::operation;
}

Error nothingRemains(const Original& original, const std::vector<ValueId>& targets) {
    const Model& model = original.file.model;
    std::vector<std::string> names;
    for (const ValueId value : targets)
        names.emplace_back(model.name(value));
    const char* sentence =
        model.isInitializer(targets.front()) ? "error.target-is-weight" : "error.target-is-input";
    return usageError(formatMessage(sentence, {quotedList(names), std::to_string(names.size())}),
                      original.file.path.string());
}

Error noClearTarget(const Original& original, const Recipe& recipe) {
    const auto lines = candidateLines(original);
    if (lines.empty())
        return usageError(std::string(message("error.no-target")), original.file.path.string());
    std::string list;
    for (const std::string& line : lines)
        list += "\n  " + line;
    const auto gone = missingPins(original, recipe);
    const std::string pins = gone.empty() ? "" : formatMessage("error.pins-gone", {quotedList(gone)});
    return usageError(pins + formatMessage("error.no-clear-target", {list}), original.file.path.string());
}

} // namespace

bool needsTargets(const Recipe& recipe) {
    return std::any_of(recipe.steps.begin(), recipe.steps.end(), [](const RecipeStep& step) {
        return step.isOn && std::find(kPassesWithTargets.begin(), kPassesWithTargets.end(), step.pass) !=
                                kPassesWithTargets.end();
    });
}

Result<std::vector<ValueId>> chooseTargets(const Original& original, const Recipe& recipe) {
    const bool isPinned = !recipe.pinnedTargets.empty() && missingPins(original, recipe).empty();
    if (recipe.targets.empty() && !isPinned) {
        if (original.targets.clear.empty() && needsTargets(recipe)) return noClearTarget(original, recipe);
        return original.targets.clear;
    }
    std::vector<ValueId> targets;
    for (const std::string& name : recipe.targets.empty() ? recipe.pinnedTargets : recipe.targets) {
        std::vector<std::string> nearest;
        const ValueId value = resolveTarget(original.file.model, name, nearest);
        if (value.isNone()) return unknownTarget(original, name, nearest);
        if (std::find(targets.begin(), targets.end(), value) == targets.end()) targets.push_back(value);
    }
    const Model& model = original.file.model;
    const bool remains = std::any_of(targets.begin(), targets.end(),
                                     [&](ValueId value) { return isMadeByNode(model, value); });
    if (!remains && needsTargets(recipe)) return nothingRemains(original, targets);
    return targets;
}

std::vector<std::string> missingPins(const Original& original, const Recipe& recipe) {
    std::vector<std::string> missing, nearest;
    if (!recipe.targets.empty()) return missing;
    for (const std::string& name : recipe.pinnedTargets) {
        if (resolveTarget(original.file.model, name, nearest).isNone()) missing.push_back(name);
    }
    return missing;
}

std::vector<Reason> pinNotes(const Original& original, const Recipe& recipe) {
    if (!recipe.targets.empty() || recipe.pinnedTargets.empty() || !needsTargets(recipe)) return {};
    const Model& model = original.file.model;
    std::vector<std::string> clear;
    for (const ValueId value : original.targets.clear)
        clear.push_back("`" + printable(model.name(value)) + "`");
    const auto missing = missingPins(original, recipe);
    if (!missing.empty()) {
        return {Reason("note.target-gone", {quotedList(missing), joined(clear)})};
    }
    const auto chosen = chooseTargets(original, recipe);
    const bool isSame = !chosen || clear.empty() ||
                        std::set<ValueId>(chosen->begin(), chosen->end()) ==
                            std::set<ValueId>(original.targets.clear.begin(), original.targets.clear.end());
    if (isSame) return {};
    return {Reason("note.target-pinned", {quotedList(recipe.pinnedTargets), joined(clear)})};
}

std::vector<std::string> namesOfTargets(const History& history) {
    const Model& model = history.original().file.model;
    std::vector<std::string> names;
    for (const ValueId target : history.chosenTargets()) {
        if (model.name(target).empty()) return {};
        names.emplace_back(model.name(target));
    }
    return names;
}

std::vector<std::string> candidateLines(const Original& original, std::size_t most) {
    std::vector<std::string> lines;
    const Model& model = original.file.model;
    for (const TargetCandidate& candidate : original.targets.candidates) {
        if (lines.size() == most) {
            lines.push_back(
                formatMessage("text.more", {formatCount(original.targets.candidates.size() - most)}));
            break;
        }
        std::string evidence;
        for (const Reason& reason : candidate.evidence) {
            evidence += (evidence.empty() ? "" : "; ") + formatReason(reason, model);
        }
        lines.push_back(
            fmt::format("{} ({:.2f}): {}", valueText(model, candidate.value), candidate.score, evidence));
    }
    return lines;
}

} // namespace secateur
