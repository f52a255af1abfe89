// SPDX-License-Identifier: Apache-2.0
#include "core/session/target_choice.h"

#include "core/messages/messages.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace secateur {
namespace {

constexpr std::array kPassesWithTargets{"choose-targets", "prune-backward"};

Error unknownTarget(const Original& original, const std::string& name,
                    const std::vector<std::string>& nearest) {
    const std::string hint = nearest.empty() ? std::string(message("error.target-list"))
                                             : formatMessage("error.nearest", {quotedList(nearest)});
    return usageError(formatMessage("error.unknown-target", {name, hint}), original.file.path.string());
}

Error noClearTarget(const Original& original) {
    const auto lines = candidateLines(original);
    if (lines.empty())
        return usageError(std::string(message("error.no-target")), original.file.path.string());
    std::string list;
    for (const std::string& line : lines)
        list += "\n  " + line;
    return usageError(formatMessage("error.no-clear-target", {list}), original.file.path.string());
}

} // namespace

bool needsTargets(const Recipe& recipe) {
    return std::any_of(recipe.steps.begin(), recipe.steps.end(), [](const RecipeStep& step) {
        return step.isOn && std::find(kPassesWithTargets.begin(), kPassesWithTargets.end(), step.pass) !=
                                kPassesWithTargets.end();
    });
}

Result<std::vector<ValueId>> chooseTargets(const Original& original, const Recipe& recipe) {
    if (recipe.targets.empty()) {
        if (original.targets.clear.empty() && needsTargets(recipe)) return noClearTarget(original);
        return original.targets.clear;
    }
    std::vector<ValueId> targets;
    for (const std::string& name : recipe.targets) {
        std::vector<std::string> nearest;
        const ValueId value = resolveTarget(original.file.model, name, nearest);
        if (value.isNone()) return unknownTarget(original, name, nearest);
        if (std::find(targets.begin(), targets.end(), value) == targets.end()) targets.push_back(value);
    }
    return targets;
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
