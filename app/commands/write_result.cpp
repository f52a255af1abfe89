// SPDX-License-Identifier: Apache-2.0
#include "app/commands/write_result.h"

#include "app/commands/output.h"
#include "app/commands/words.h"
#include "core/messages/messages.h"
#include "core/onnx/check.h"
#include "core/onnx/format_problems.h"
#include "core/onnx/save.h"
#include "core/report/file_parts.h"
#include "core/report/report_json.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>

namespace secateur::cli {
namespace fs = std::filesystem;
namespace {

/// What is wrong with the result because it was wrong with the opened file; none where that had no defects.
std::optional<Error> inheritedDefect(const History& history, bool isForced) {
    const LoadedModel& file = history.original().file;
    const std::vector<std::string> defects = inheritedDefects(file, history.model());
    if (defects.empty()) return std::nullopt;
    return invalidInput(formatMessage(isForced ? "cli.defect-written" : "cli.defect-remains",
                                      {std::to_string(defects.size()), defects.front()}),
                        file.path.string());
}

/// The exit code where a defect of the opened file is still there and ends the verb.
std::optional<int> stopAtDefects(const History& history, const WriteOptions& writing, Console& console) {
    const auto defect = inheritedDefect(history, writing.check.isForced);
    if (!defect) return std::nullopt;
    if (!writing.check.isForced) return console.fail(*defect);
    console.warn(formatMessage("cli.warning", {defect->message}));
    return std::nullopt;
}

/// BatchNormalizations of the result that normalize by the statistics of the batch.
std::size_t countBatchStatistics(const History& history) {
    std::set<NodeId> nodes;
    const auto add = [&](NodeId node) {
        const Model& model = history.model();
        if (!node.isNone() && model.isAlive(node) && model.op(node) == "BatchNormalization")
            nodes.insert(node);
    };
    for (const Step& step : history.steps()) {
        if (step.pass != "freeze-batch-norm") continue;
        for (const RewriteMiss& miss : step.misses)
            if (miss.reason.id.find(".miss.spatial") == std::string::npos) add(miss.node);
        for (const RewriteRecord& record : step.records) {
            if (record.reason.id != "freeze-batch-norm.batch") continue;
            for (const NodeId node : record.created)
                add(node);
        }
    }
    return nodes.size();
}

/// What other programs may refuse in the result, and what no step could help.
void tellDoubts(const History& history, const ConversionOptions& options, const std::string& out,
                Console& console) {
    for (const Problem& problem : findFormatProblems(history.model())) {
        if (problem.severity == Problem::Severity::warning)
            console.note(formatMessage("cli.warning", {problem.text}));
    }
    if (const std::size_t count = countBatchStatistics(history); count > 0) {
        const std::string text = formatMessage("cli.batch-statistics", {formatCount(count)});
        console.note(formatMessage("cli.warning", {text}));
    }
    if (!options.recipe.empty() || options.stripsTraces) return; // a recipe has no flag for it
    std::error_code ignored;
    const std::uint64_t written = fs::file_size(out, ignored);
    if (const auto hint = tracesHint(textBytes(history.model()), written); hint && !ignored)
        console.note(*hint);
}

/// The recipe first: where it cannot be written there is no model either, and where the model cannot there is
/// no new recipe.
Result<void> saveBoth(const History& history, const WriteOptions& writing, Console& console) {
    std::error_code ignored;
    const bool wasThere = fs::exists(writing.recipeOut, ignored);
    if (!writing.recipeOut.empty()) {
        TRY(checkHoldsNoWeights(history.original().file.model, writing.recipeOut));
        TRY(saveRecipe(history.countedRecipe(), writing.recipeOut));
    }
    auto saved = saveModel(history.model(), writing.out, console.work());
    if (!saved && !writing.recipeOut.empty() && !wasThere) fs::remove(writing.recipeOut, ignored);
    return saved;
}

/// What the story of a result is told from.
struct Written {
    const ConversionOptions& options;
    const WriteOptions& writing;
    const WeightsUsed& weights;
    const Verified& verified;
    const Seconds& seconds;
};

void tellJson(History& history, const Written& written, std::uint64_t bytes, Console& console,
              const nlohmann::ordered_json& more) {
    ReportOptions reporting;
    reporting.command = commandFor(written.options, written.verified.isAsked, written.writing.check.bindings);
    reporting.hasPictures = false;
    Report report = makeReport(history, reporting);
    report.after = measureModel(history.model(), history.types(), bytes);
    auto json = reportToJsonObject(report, true);
    const Seconds& seconds = written.seconds;
    json["seconds"] = {{"load", seconds.load}, {"passes", seconds.passes}, {"save", seconds.save}};
    json["census"] = nullptr;
    json["weights_file"] = written.weights.json();
    json["verify"] = verifiedJson(written.verified);
    json["out"] = written.writing.out;
    const std::string& recipe = written.writing.recipeOut;
    json["recipe"] = recipe.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(recipe);
    json.update(more);
    console.json(json);
}

void tell(History& history, const Written& written, Console& console, const nlohmann::ordered_json& more) {
    std::error_code ignored;
    const std::string& out = written.writing.out;
    const std::uint64_t bytes = fs::file_size(out, ignored);
    if (console.isJson()) return tellJson(history, written, bytes, console, more);
    // A recipe may name weights or not: that is said either way.
    const bool hasRecipe = !written.options.recipe.empty();
    if (hasRecipe || !written.weights.file.empty()) console.line(written.weights.line());
    console.line(changeLine(history, bytes));
    console.line("  " + goneLine(history));
    printSteps(history, console);
    const Seconds& seconds = written.seconds;
    console.line(formatMessage("cli.wrote", {out, formatBytes(bytes), formatSeconds(seconds.load),
                                             formatSeconds(seconds.passes), formatSeconds(seconds.save),
                                             written.verified.words()}));
}

} // namespace

void addWriteOptions(CLI::App& verb, WriteOptions& options) {
    verb.add_option("-o,--out", options.out, "file to write, whole or not at all")
        ->required()
        ->check(notEmpty())
        ->type_name("OUT");
    verb.add_option("--recipe-out", options.recipeOut, "also write the recipe, for `apply`")
        ->check(notEmpty())
        ->type_name("FILE");
    addVerifyOptions(verb, options.check);
}

Result<void> checkOutputs(const ConversionOptions& options, const WriteOptions& writing) {
    TRY(checkOutput(writing.out, {options.model, options.recipe, options.weights, writing.recipeOut}));
    if (writing.recipeOut.empty()) return {};
    return checkOutput(writing.recipeOut, {options.model, options.recipe, options.weights});
}

std::optional<int> stopAtOpenEnds(const History& history, const WriteOptions& writing, Console& console) {
    const auto open = whatIsOpen(history);
    if (!open) return std::nullopt;
    if (!writing.check.isForced) return console.fail(*open);
    console.note(errorLine(*open));
    return std::nullopt;
}

int writeResult(History& history, const ConversionOptions& options, const WriteOptions& writing,
                const WeightsUsed& weights, const Converted& converted, Console& console,
                const nlohmann::ordered_json& more) {
    if (const auto exit = stopAtDefects(history, writing, console)) return *exit;
    Verified verified;
    if (const auto exit = verify(history, converted.original, writing.out, writing.check, verified, console))
        return *exit;
    if (!verified.leftOut.empty()) {
        if (const auto exit = stopAtDefects(history, writing, console)) return *exit;
    }
    Seconds seconds = converted.seconds;
    const Stopwatch saving;
    if (const auto saved = saveBoth(history, writing, console); !saved) return console.fail(saved.error());
    seconds.save = saving.seconds();
    tellDoubts(history, options, writing.out, console);
    tell(history, {options, writing, weights, verified, seconds}, console, more);
    return 0;
}

} // namespace secateur::cli
