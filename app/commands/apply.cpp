// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/write_result.h"
#include "core/messages/messages.h"
#include "core/onnx/check.h"
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

int apply(const ConversionOptions& options, const WriteOptions& writing, bool isStrict, Console& console) {
    const auto ready = checkOutput(writing.out, {options.model, options.recipe, writing.recipeOut});
    if (!ready) return console.fail(ready.error());
    const auto recipe = recipeOf(options);
    if (!recipe) return console.fail(recipe.error());
    Seconds seconds;
    const Stopwatch loading;
    auto original = open(options, console);
    if (!original) return console.fail(original.error());
    if (const auto refused = whyNotConverted((*original)->file)) return console.fail(*refused);
    seconds.load = loading.seconds();
    const Stopwatch running;
    auto history = History::run(*original, *recipe, console.work(), {.hasHashes = false, .hasSizes = false});
    if (!history) return console.fail(history.error(), {{"candidates", candidatesJson(**original)}});
    seconds.passes = running.seconds();
    if (auto open = whatIsOpen(*history); open && !writing.isForced)
        return console.fail(*open);
    else if (open)
        console.note(errorLine(*open));
    const std::vector<StepMatch> matches = matchSteps(*history);
    const bool allMatch =
        std::all_of(matches.begin(), matches.end(), [](const StepMatch& m) { return m.matches(); });
    printMatches(matches, console);
    const Json more{{"matches", matchesJson(matches)}};
    if (isStrict && !allMatch && !writing.isForced) {
        return console.fail({ErrorCode::verification, std::string(message("cli.strict")), options.model},
                            more);
    }
    const int exit = writeResult(console.keep(std::move(*history)), options, writing, seconds, console, more);
    return exit == 0 && isStrict && !allMatch ? exitCodeOf(ErrorCode::verification) : exit;
}

} // namespace

void addApply(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("apply", "do again what a recipe says");
    auto options = std::make_shared<ConversionOptions>();
    auto writing = std::make_shared<WriteOptions>();
    auto isStrict = std::make_shared<bool>(false);
    verb->add_option("RECIPE", options->recipe, "recipe that `prune --recipe-out` or the window wrote")
        ->required();
    verb->add_option("MODEL", options->model, "ONNX file to open; it is never written")->required();
    verb->add_option("--weights", options->weights, "checkpoint to use instead of the recipe's")
        ->type_name("CKPT");
    verb->add_option("--target", options->targets,
                     "value to aim at instead of the recipe's (may be repeated)")
        ->allow_extra_args(false)
        ->type_name("NAME");
    verb->add_flag("--strict", *isStrict,
                   "exit 1 when a step does not match as it did when the recipe was saved");
    addWriteOptions(*verb, *writing);
    verb->callback([options, writing, isStrict, &action] {
        action = [options, writing, isStrict](Console& console) {
            return apply(*options, *writing, *isStrict, console);
        };
    });
}

} // namespace secateur::cli
