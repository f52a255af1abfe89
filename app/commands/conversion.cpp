// SPDX-License-Identifier: Apache-2.0
#include "app/commands/conversion.h"

#include "app/commands/reproducer.h"
#include "app/commands/rewrite_printer.h"
#include "app/commands/words.h"
#include "core/messages/messages.h"
#include "core/onnx/check.h"
#include "core/picture/model_text.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace secateur::cli {
namespace fs = std::filesystem;
namespace {

/// What a result of a model may be called, in the folder where the command is given.
std::string resultName(const std::string& model) {
    constexpr std::size_t kLongestName = 255; // bytes, of all usual file systems
    const std::string kind = ".inference.onnx";
    const std::string name = fs::path(model).stem().string() + kind;
    return name.size() <= kLongestName ? name : kind.substr(1);
}

std::string fileName(const std::string& path) {
    return fs::path(path).filename().string();
}

Error openQuestion(const Question& question, const Model& model) {
    constexpr std::size_t kMostNodes = 8;
    std::string text = formatReason(question.text, model);
    for (std::size_t i = 0; i < std::min(kMostNodes, question.nodes.size()); ++i) {
        text += "\n  " + nodeText(model, question.nodes[i]);
    }
    if (question.nodes.size() > kMostNodes) {
        text += "\n  " + formatMessage("text.more", {formatCount(question.nodes.size() - kMostNodes)});
    }
    std::string flags;
    for (const std::string& choice : question.choices) {
        flags += fmt::format("{}--{} {}", flags.empty() ? "" : " | ", question.optionName, choice);
    }
    if (flags.empty()) flags = fmt::format("--{} NAME", question.optionName);
    return usageError(text + "\n" + formatMessage("cli.settle", {flags}));
}

} // namespace

CLI::Validator notEmpty() {
    return {[](std::string& text) { return text.empty() ? std::string(message("cli.empty")) : ""; }, ""};
}

void addModelOption(CLI::App& verb, std::string& model) {
    verb.add_option("MODEL", model, "ONNX file to open; it is never written")->required()->check(notEmpty());
}

void addTargetOption(CLI::App& verb, ConversionOptions& options, const std::string& words) {
    verb.add_option("--target", options.targets, words + " (may be repeated)")
        ->allow_extra_args(false)
        ->check(notEmpty())
        ->type_name("NAME");
}

void addWeightsOption(CLI::App& verb, ConversionOptions& options, const std::string& words) {
    verb.add_option("--weights", options.weights, words)->check(notEmpty())->type_name("CKPT");
}

void addConversionOptions(CLI::App& verb, ConversionOptions& options) {
    addModelOption(verb, options.model);
    addTargetOption(verb, options, "value that the result must give");
    addWeightsOption(verb, options,
                     "file to take parameters from: an ONNX Runtime training checkpoint, or an ONNX model");
    verb.add_option("--batch-norm", options.batchNorm,
                    "statistics for BatchNormalization in doubt: running (trained averages) or batch (as in "
                    "training)")
        ->check(CLI::IsMember({"running", "batch"}).description(""))
        ->type_name("running|batch");
    verb.add_option("--for", options.runtime,
                    "onnx (default): no com.microsoft operator is left; onnxruntime: those it runs stay")
        ->check(CLI::IsMember({"onnx", "onnxruntime"}).description(""))
        ->type_name("onnx|onnxruntime");
    verb.add_flag("--strip-traces", options.stripsTraces,
                  "also drop the source paths and traces that exporters leave");
}

void addOptimizationOptions(CLI::App& verb, ConversionOptions& options) {
    OptimizationOptions& simplify = options.optimization.emplace();
    verb.add_flag("--to-inference", simplify.isToInference,
                  "first turn a training graph into an inference model, as `prune` does (--target and "
                  "--weights imply it)");
    verb.add_flag("--inline-functions", simplify.inlinesFunctions,
                  "first write the nodes of model-local functions in the place of their calls");
    verb.add_option("--level", simplify.level,
                    "how far results may differ: exact (default): not by a bit; value: by the sign of zero "
                    "and the last bit of constants; approximate: within a tolerance")
        ->check(CLI::IsMember({"exact", "value", "approximate"}).description(""))
        ->type_name("LEVEL");
    const auto addList = [&](const char* name, std::vector<std::string>& list, const char* words,
                             const char* type) {
        verb.add_option(name, list, words)
            ->delimiter(',')
            ->allow_extra_args(false)
            ->check(notEmpty())
            ->type_name(type);
    };
    addList("--passes", simplify.rules, "rules to apply, no others (`passes` lists them)", "A,B");
    addList("--skip", simplify.skipped, "rules to leave out", "A,B");
    addList("--keep", simplify.kept, "value that must stay as it is (may be repeated)", "NAME");
    verb.add_option("--size-limit", simplify.sizeLimit,
                    "bytes that the file may grow by (default: the larger of 65536 and 1 % of it)")
        ->type_name("BYTES");
    verb.add_flag(
        "--print-after-change", simplify.printsRewrites,
        "write each rewrite to standard error: its number, rule and reason, the nodes before and after");
    verb.add_option("--reproducer", simplify.reproducer,
                    "keep the model in front of a pass that fails, or ends the program, and a recipe of that "
                    "pass beside it")
        ->check(notEmpty())
        ->type_name("FILE");
    verb.add_option("--rewrite-limit", simplify.rewriteLimit,
                    "stop after this many rewrites: for finding the one that is to blame")
        ->check(CLI::Range(0.0, 1e18).description(""))
        ->type_name("N");
}

void addRecipeOption(CLI::App& verb, ConversionOptions& options, const std::string& words) {
    CLI::Option* recipe =
        verb.add_option("--recipe", options.recipe, words)->check(notEmpty())->type_name("FILE");
    for (const char* settled : {"--batch-norm", "--for", "--strip-traces"}) {
        if (CLI::Option* option = verb.get_option_no_throw(settled)) recipe->excludes(option);
    }
}

namespace {

/// Growth that folding is allowed: the larger of 64 KiB and 1 % of the file.
std::uint64_t sizeLimitOf(const ConversionOptions& options) {
    std::error_code failed;
    const std::uint64_t bytes = fs::file_size(options.model, failed);
    return options.optimization->sizeLimit.value_or(
        std::max<std::uint64_t>(64 * 1024, failed ? 0 : bytes / 100));
}

std::string joinedBy(const std::vector<std::string>& parts, char between) {
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? std::string() : std::string(1, between)) + part;
    return text;
}

void setSimplification(RecipeStep& step, const ConversionOptions& options) {
    const OptimizationOptions& wanted = *options.optimization;
    step.options["level"] = wanted.level;
    if (!wanted.rules.empty()) step.options["rules"] = joinedBy(wanted.rules, ',');
    if (!wanted.skipped.empty()) step.options["skip"] = joinedBy(wanted.skipped, ',');
    if (!wanted.kept.empty()) step.options["keep"] = joinedBy(wanted.kept, '\n');
    step.options["size-limit"] = std::to_string(sizeLimitOf(options));
}

} // namespace

Result<Recipe> recipeOf(const ConversionOptions& options) {
    if (!options.recipe.empty()) {
        Recipe recipe = TRY(loadRecipe(options.recipe));
        if (!options.targets.empty()) recipe.targets = options.targets;
        if (!options.weights.empty()) {
            recipe.weightsPath = options.weights;
            recipe.weightsHash.clear();
        }
        return recipe;
    }
    Recipe recipe = options.optimization ? optimizationRecipe(options.isConverted()) : conversionRecipe();
    recipe.targets = options.targets;
    recipe.weightsPath = options.weights;
    recipe.isForOnnxRuntime = options.runtime == "onnxruntime";
    for (RecipeStep& step : recipe.steps) {
        if (step.pass == "freeze-batch-norm" && options.batchNorm != "ask")
            step.options["batch-norm"] = options.batchNorm;
        if (step.pass == "strip-exporter-traces" && options.stripsTraces) step.isOn = true;
        if (step.pass == "inline-functions" && options.optimization)
            step.isOn = options.optimization->inlinesFunctions;
        if (step.pass == "simplify") setSimplification(step, options);
    }
    return recipe;
}

namespace {

/// Runs the recipe, with what a person asked for who looks for a fault in it.
Result<History> runWatched(const std::shared_ptr<const Original>& original, const Recipe& recipe,
                           const ConversionOptions& options, RunOptions run, Console& console) {
    if (!options.optimization) return History::run(original, recipe, console.work(), run);
    const OptimizationOptions& wanted = *options.optimization;
    run.rewriteLimit = wanted.rewriteLimit;
    RewritePrinter printer(console);
    if (wanted.printsRewrites) run.trace = &printer;
    std::optional<Reproducer> reproducer;
    if (!wanted.reproducer.empty()) {
        reproducer.emplace(wanted.reproducer);
        run.beforeStep = [&](const Model& model, std::size_t step) {
            return reproducer->write(model, recipe, step);
        };
    }
    auto history = History::run(original, recipe, console.work(), run);
    if (reproducer) {
        const bool hasFailed =
            history && std::any_of(history->steps().begin(), history->steps().end(),
                                   [](const Step& step) { return step.failure.has_value(); });
        if (const std::string kept = reproducer->finish(hasFailed); !kept.empty()) console.warn(kept);
    }
    return history;
}

} // namespace

Converted convert(const ConversionOptions& options, const RunOptions& run, Console& console) {
    Converted converted;
    const auto recipe = recipeOf(options);
    if (!recipe) {
        converted.exit = console.fail(recipe.error());
        return converted;
    }
    std::error_code ignored;
    const bool isOfRecipe = !options.recipe.empty() && options.weights.empty();
    if (isOfRecipe && !recipe->weightsPath.empty() && !fs::exists(recipe->weightsPath, ignored)) {
        converted.exit = console.fail(invalidInput(
            formatMessage("cli.recipe-weights-gone", {fileName(options.recipe)}), recipe->weightsPath));
        return converted;
    }
    const Stopwatch loading;
    const auto original = openOriginal(options.model, console.work());
    if (!original) {
        converted.exit = console.fail(original.error());
        return converted;
    }
    if (options.makesModel) {
        if (const auto refused = whyNotConverted((*original)->file)) {
            converted.exit = console.fail(*refused);
            return converted;
        }
    }
    const auto& sibling = (*original)->file.checkpoint;
    if (options.mentionsCheckpoint && !sibling.empty() && recipe->weightsPath.empty())
        console.note(formatMessage("cli.sibling-checkpoint", {sibling.string()}));
    converted.seconds.load = loading.seconds();
    const Stopwatch running;
    auto history = runWatched(*original, *recipe, options, run, console);
    if (!history) {
        converted.exit = console.fail(history.error(), {{"candidates", candidatesJson(**original)}});
        return converted;
    }
    converted.seconds.passes = running.seconds();
    converted.history.emplace(std::move(*history));
    converted.original = *original;
    return converted;
}

std::optional<Error> whatIsOpen(const History& history) {
    for (const Step& step : history.steps()) {
        if (!step.failure) continue;
        Error error = *step.failure;
        error.message = formatMessage("cli.step-failed", {step.pass, error.message});
        return error;
    }
    for (const Step& step : history.steps()) {
        if (!step.questions.empty()) {
            Error error = openQuestion(step.questions.front(), history.model());
            error.where = history.original().file.path.string();
            return error;
        }
    }
    return std::nullopt;
}

nlohmann::ordered_json candidatesJson(const Original& original) {
    const Model& model = original.file.model;
    auto list = nlohmann::ordered_json::array();
    for (const TargetCandidate& candidate : original.targets.candidates) {
        auto evidence = nlohmann::ordered_json::array();
        for (const Reason& reason : candidate.evidence)
            evidence.push_back(formatReason(reason, model));
        const auto& clear = original.targets.clear;
        list.push_back({{"name", std::string(model.name(candidate.value))},
                        {"score", candidate.score},
                        {"evidence", evidence},
                        {"type", typeText(original.types, candidate.value)},
                        {"kept_nodes", candidate.keptNodes},
                        {"is_output", candidate.isGraphOutput},
                        {"is_clear", std::find(clear.begin(), clear.end(), candidate.value) != clear.end()}});
    }
    return list;
}

namespace {

std::string optimizationWords(const OptimizationOptions& wanted) {
    std::string words;
    if (wanted.isToInference) words += " --to-inference";
    if (wanted.inlinesFunctions) words += " --inline-functions";
    if (wanted.level != "exact") words += " --level " + wanted.level;
    if (!wanted.rules.empty()) words += " --passes " + joinedBy(wanted.rules, ',');
    if (!wanted.skipped.empty()) words += " --skip " + joinedBy(wanted.skipped, ',');
    for (const std::string& name : wanted.kept)
        words += " --keep=" + shellWord(name);
    if (wanted.sizeLimit) words += " --size-limit " + std::to_string(*wanted.sizeLimit);
    if (wanted.rewriteLimit) words += " --rewrite-limit " + std::to_string(*wanted.rewriteLimit);
    return words;
}

} // namespace

std::string commandFor(const ConversionOptions& options, bool isVerified,
                       const std::vector<std::string>& bindings) {
    const bool isPrune = options.recipe.empty();
    std::string command = isPrune ? "secateur-cli prune" : "secateur-cli apply " + shellPath(options.recipe);
    if (isPrune && options.optimization) command = "secateur-cli optimize";
    command += fmt::format(" {} -o {}", shellPath(options.model), shellPath(resultName(options.model)));
    for (const std::string& target : options.targets)
        command += (target.starts_with('-') ? " --target=" : " --target ") + shellWord(target);
    if (!options.weights.empty()) command += " --weights " + shellPath(options.weights);
    if (isPrune) {
        if (options.batchNorm != "ask") command += " --batch-norm " + options.batchNorm;
        if (options.runtime != "onnx") command += " --for " + options.runtime;
        if (options.stripsTraces) command += " --strip-traces";
    }
    if (options.optimization) command += optimizationWords(*options.optimization);
    if (isVerified) command += " --verify";
    for (const std::string& bound : bindings)
        command += (bound.starts_with('-') ? " --bind=" : " --bind ") + shellWord(bound);
    return command;
}

} // namespace secateur::cli
