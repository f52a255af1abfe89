// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/words.h"
#include "app/commands/write_result.h"
#include "core/messages/messages.h"
#include "core/session/target_choice.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <algorithm>

namespace secateur::cli {
namespace {

using Json = nlohmann::ordered_json;

/// How one step of a recipe took to this model.
struct StepMatch {
    std::string pass;
    std::uint64_t rewrites = 0;
    std::optional<std::uint64_t> expected;
    std::vector<std::string> unresolved; ///< keys of skipped rewrites that did not occur

    [[nodiscard]] bool matches() const { return unresolved.empty() && (!expected || *expected == rewrites); }
};

std::vector<StepMatch> matchSteps(const History& history) {
    std::vector<StepMatch> matches;
    const Recipe counted = history.countedRecipe();
    for (std::size_t i = 0; i < counted.steps.size(); ++i) {
        const RecipeStep& wanted = history.recipe().steps[i];
        if (!wanted.isOn) continue;
        StepMatch match;
        match.pass = wanted.pass;
        match.rewrites = counted.steps[i].rewrites.value_or(0);
        match.expected = wanted.rewrites;
        const auto& records = history.steps()[i].records;
        for (const std::string& key : wanted.skippedRewrites) {
            const bool occurred =
                std::any_of(records.begin(), records.end(), [&](const RewriteRecord& record) {
                    return record.isSkipped && record.key == key;
                });
            if (!occurred) match.unresolved.push_back(key);
        }
        matches.push_back(std::move(match));
    }
    return matches;
}

Json matchesJson(const std::vector<StepMatch>& matches) {
    Json list = Json::array();
    for (const StepMatch& match : matches) {
        list.push_back({{"pass", match.pass},
                        {"rewrites", match.rewrites},
                        {"expected", match.expected ? Json(*match.expected) : Json(nullptr)},
                        {"unresolved", match.unresolved},
                        {"matches", match.matches()}});
    }
    return list;
}

void printMatches(const std::vector<StepMatch>& matches, Console& console) {
    for (const StepMatch& match : matches) {
        if (match.expected && *match.expected != match.rewrites) {
            console.note(
                formatMessage(match.rewrites == 0 ? "cli.step-not-matched" : "cli.step-other-count",
                              {match.pass, formatCount(*match.expected), formatCount(match.rewrites)}));
        }
        for (const std::string& key : match.unresolved)
            console.note(formatMessage("cli.skip-not-found", {match.pass, key}));
    }
}

/// A recipe that meant to change something, and changed nothing at all.
bool isAllMissed(const std::vector<StepMatch>& matches) {
    const auto changed = [](const StepMatch& match) { return match.rewrites > 0; };
    const auto meantTo = [](const StepMatch& match) { return match.expected.value_or(1) > 0; };
    return std::none_of(matches.begin(), matches.end(), changed) &&
           std::any_of(matches.begin(), matches.end(), meantTo);
}

/// What differs from when the recipe was saved, beside its steps.
std::vector<std::string> differencesOf(const History& history, const WeightsUsed& weights) {
    std::vector<std::string> differences;
    if (!missingPins(history.original(), history.recipe()).empty()) differences.emplace_back("targets");
    if (!weights.isAsSaved) differences.emplace_back("weights_contents");
    if (weights.fit && !weights.fit->isWhole()) differences.emplace_back("weights_fit");
    return differences;
}

int apply(const ConversionOptions& options, const WriteOptions& writing, bool isStrict, Console& console) {
    if (const auto ready = checkOutputs(options, writing); !ready) return console.fail(ready.error());
    Converted converted =
        convert(options, {.hasHashes = false, .hasSizes = false, .hasTypes = false}, console);
    if (!converted.history) return converted.exit;
    if (const auto exit = stopAtOpenEnds(*converted.history, writing, console)) return *exit;
    History& history = console.keep(std::move(*converted.history));
    tellNotes(history, console);
    const auto weights = findWeightsUsed(history, options.weights.empty());
    if (!weights) return console.fail(weights.error());
    if (!weights->isAsSaved) console.note(formatMessage("cli.weights-changed", {printable(weights->file)}));
    const std::vector<StepMatch> matches = matchSteps(history);
    printMatches(matches, console);
    const auto differences = differencesOf(history, *weights);
    const bool isAlike = differences.empty() && std::all_of(matches.begin(), matches.end(),
                                                            [](const StepMatch& m) { return m.matches(); });
    const Json more{{"matches", matchesJson(matches)}, {"differences", differences}};
    if (isAllMissed(matches) && !writing.check.isForced)
        return console.fail(
            {ErrorCode::verification, std::string(message("cli.nothing-matched")), options.model}, more);
    if (isStrict && !isAlike && !writing.check.isForced)
        return console.fail({ErrorCode::verification, std::string(message("cli.strict")), options.model},
                            more);
    WriteOptions wanted = writing;
    wanted.check.mayLeaveOut = !isStrict;
    const int exit = writeResult(history, options, wanted, *weights, converted, console, more);
    return exit == 0 && isStrict && !isAlike ? exitCodeOf(ErrorCode::verification) : exit;
}

} // namespace

void addApply(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("apply", "do again what a recipe says");
    auto options = std::make_shared<ConversionOptions>();
    auto writing = std::make_shared<WriteOptions>();
    auto isStrict = std::make_shared<bool>(false);
    options->makesModel = true;
    verb->add_option("RECIPE", options->recipe, "recipe that `prune --recipe-out` or the window wrote")
        ->required()
        ->check(notEmpty());
    addModelOption(*verb, options->model);
    addTargetOption(*verb, *options, "value to aim at instead of the recipe's");
    addWeightsOption(*verb, *options, "file to take parameters from instead of the recipe's");
    verb->add_flag(
        "--strict", *isStrict,
        "exit 1 and write nothing when steps, targets or weights do not match as they did when the "
        "recipe was saved");
    addWriteOptions(*verb, *writing);
    verb->callback([options, writing, isStrict, &action] {
        action = [options, writing, isStrict](Console& console) {
            return apply(*options, *writing, *isStrict, console);
        };
    });
}

} // namespace secateur::cli
