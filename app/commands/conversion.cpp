// SPDX-License-Identifier: Apache-2.0
#include "app/commands/conversion.h"

#include "core/messages/messages.h"
#include "core/report/report_steps.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace secateur::cli {
namespace fs = std::filesystem;
namespace {

/// A word for a shell: in single quotes unless it is plain.
std::string shellWord(const std::string& word) {
    const bool isPlain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == ',' ||
               c == '+';
    });
    if (isPlain) return word;
    std::string out = "'";
    for (const char c : word) {
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    return out + "'";
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

std::string percentChange(std::uint64_t before, std::uint64_t after) {
    if (before == 0 || before == after) return "=";
    const bool isLess = after < before;
    return (isLess ? "-" : "+") + formatPercent(isLess ? before - after : after - before, before);
}

} // namespace

void addConversionOptions(CLI::App& verb, ConversionOptions& options) {
    verb.add_option("MODEL", options.model, "ONNX file to open; it is never written")->required();
    verb.add_option("--target", options.targets, "value that the result must give (may be repeated)")
        ->allow_extra_args(false)
        ->type_name("NAME");
    verb.add_option("--weights", options.weights, "ONNX Runtime training checkpoint to take parameters from")
        ->type_name("CKPT");
    verb.add_option("--batch-norm", options.batchNorm,
                    "statistics for BatchNormalization in doubt: running (trained averages) or batch (as in "
                    "training)")
        ->check(CLI::IsMember({"running", "batch"}))
        ->type_name("running|batch");
    verb.add_option("--for", options.runtime,
                    "onnx: no com.microsoft operator is left; onnxruntime: those it runs stay")
        ->check(CLI::IsMember({"onnx", "onnxruntime"}))
        ->type_name("onnx|onnxruntime");
    verb.add_flag("--strip-traces", options.stripsTraces,
                  "also drop the source paths and traces that exporters leave");
}

Result<Recipe> recipeOf(const ConversionOptions& options) {
    if (!options.recipe.empty()) {
        Recipe recipe = TRY(loadRecipe(options.recipe));
        if (!options.targets.empty()) recipe.targets = options.targets;
        if (!options.weights.empty()) recipe.weightsPath = options.weights;
        return recipe;
    }
    Recipe recipe = conversionRecipe();
    recipe.targets = options.targets;
    recipe.weightsPath = options.weights;
    recipe.isForOnnxRuntime = options.runtime == "onnxruntime";
    for (RecipeStep& step : recipe.steps) {
        if (step.pass == "freeze-batch-norm" && options.batchNorm != "ask")
            step.options["batch-norm"] = options.batchNorm;
        if (step.pass == "strip-exporter-traces" && options.stripsTraces) step.isOn = true;
    }
    return recipe;
}

Result<std::shared_ptr<const Original>> open(const ConversionOptions& options, Console& console) {
    auto original = TRY(openOriginal(options.model, console.work()));
    if (!original->file.checkpoint.empty() && options.weights.empty() && options.recipe.empty()) {
        console.note(formatMessage("cli.sibling-checkpoint", {original->file.checkpoint.string()}));
    }
    return original;
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
                        {"type", original.types.type(candidate.value).text()},
                        {"kept_nodes", candidate.keptNodes},
                        {"is_output", candidate.isGraphOutput},
                        {"is_clear", std::find(clear.begin(), clear.end(), candidate.value) != clear.end()}});
    }
    return list;
}

Result<void> checkOutput(const fs::path& out, const std::vector<fs::path>& inputs) {
    if (out.empty()) return usageError(std::string(message("file.no-name")));
    std::error_code ignored;
    if (fs::is_directory(out, ignored))
        return usageError(std::string(message("cli.out-is-folder")), out.string());
    const fs::path folder = out.has_parent_path() ? out.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, ignored)) {
        return usageError(formatMessage("cli.no-folder", {folder.string()}), out.string());
    }
    for (const fs::path& input : inputs) {
        if (input.empty()) continue;
        std::error_code failed;
        if (fs::equivalent(out, input, failed) && !failed) {
            return usageError(formatMessage("cli.out-is-input", {input.string()}), out.string());
        }
    }
    return {};
}

std::string commandFor(const ConversionOptions& options) {
    const std::string model = fileName(options.model);
    const std::string out = shellWord(fs::path(model).stem().string() + ".inference.onnx");
    std::string command = options.recipe.empty()
                              ? fmt::format("secateur-cli prune {} -o {}", shellWord(model), out)
                              : fmt::format("secateur-cli apply {} {} -o {}",
                                            shellWord(fileName(options.recipe)), shellWord(model), out);
    for (const std::string& target : options.targets)
        command += " --target " + shellWord(target);
    if (!options.weights.empty()) command += " --weights " + shellWord(fileName(options.weights));
    if (options.recipe.empty()) {
        if (options.batchNorm != "ask") command += " --batch-norm " + options.batchNorm;
        if (options.runtime != "onnx") command += " --for " + options.runtime;
        if (options.stripsTraces) command += " --strip-traces";
    }
    return command;
}

void printSteps(const History& history, Console& console, std::optional<std::uint64_t> resultBytes) {
    if (console.isJson()) return;
    const Model& model = history.original().file.model;
    std::string targets;
    for (const ValueId target : history.chosenTargets()) {
        targets += (targets.empty() ? "" : ", ") + valueText(model, target);
    }
    const Metrics& before = history.original().metrics;
    const Metrics& after = history.steps().empty() ? before : history.steps().back().after;
    if (targets.empty()) targets = history.original().file.path.filename().string();
    std::string line = fmt::format("{}: {} -> {} ({})", targets, formatCount(before.nodes),
                                   formatMessage("text.nodes", {formatCount(after.nodes)}),
                                   percentChange(before.nodes, after.nodes));
    if (resultBytes)
        line += fmt::format(", {} -> {}", formatBytes(before.fileBytes), formatBytes(*resultBytes));
    console.line(line);
    for (const ReportStep& step : describeSteps(history)) {
        if (!step.isOn || (step.rewrites == 0 && step.skipped == 0 && step.misses.empty())) continue;
        const auto delta =
            static_cast<std::int64_t>(step.after.nodes) - static_cast<std::int64_t>(step.before.nodes);
        console.line(fmt::format("  {} {:<28} {:>8} {:>+9}  {}", step.exactness, step.title,
                                 fmt::format("{} x", formatCount(step.rewrites)), delta,
                                 step.reasons.empty() ? "" : step.reasons.front().example));
        for (std::size_t i = 1; i < step.reasons.size(); ++i)
            console.line(fmt::format("{:51}{}", "", step.reasons[i].example));
        for (const std::string& miss : step.misses)
            console.line("      ! " + miss);
    }
}

} // namespace secateur::cli
