// SPDX-License-Identifier: Apache-2.0
#include "app/commands/write_result.h"

#include "core/messages/messages.h"
#include "core/onnx/check.h"
#include "core/onnx/save.h"
#include "core/report/report_json.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>

namespace secateur::cli {
namespace fs = std::filesystem;
namespace {

/// The model as the checker of ONNX sees it. Numbers cannot be compared: nothing here executes a model.
Error verify(const History& history) {
    if (auto checked = checkModel(history.model()); !checked) {
        Error error = std::move(checked).error();
        error.message = formatMessage("cli.checker-refused", {error.message});
        return error;
    }
    return missingHere(std::string(message("cli.not-compared")));
}

/// What is wrong with the result because it was wrong with the opened file; none where that had no defects.
std::optional<Error> inheritedDefect(const History& history) {
    const LoadedModel& file = history.original().file;
    const std::vector<std::string> defects = inheritedDefects(file, history.model());
    if (defects.empty()) return std::nullopt;
    return invalidInput(
        formatMessage("cli.defect-remains", {std::to_string(defects.size()), defects.front()}),
        file.path.string());
}

nlohmann::ordered_json verifyJson(const WriteOptions& writing) {
    nlohmann::ordered_json json{{"status", "not_checked"}};
    json["judge"] = writing.isVerified ? nlohmann::ordered_json(message("cli.judge-structure")) : nullptr;
    for (const char* field : {"baseline", "inputs", "max_abs", "max_rel", "where"})
        json[field] = nullptr;
    return json;
}

void tell(History& history, const ConversionOptions& options, const WriteOptions& writing,
          const Seconds& seconds, Console& console, const nlohmann::ordered_json& more) {
    std::error_code ignored;
    const std::uint64_t bytes = fs::file_size(writing.out, ignored);
    for (const Reason& note : history.notes())
        console.note(formatReason(note, history.original().file.model));
    if (!console.isJson()) {
        printSteps(history, console, bytes);
        console.line(
            formatMessage("cli.wrote", {writing.out, formatBytes(bytes), formatSeconds(seconds.load),
                                        formatSeconds(seconds.passes), formatSeconds(seconds.save)}));
        return;
    }
    ReportOptions reporting;
    reporting.command = commandFor(options);
    reporting.hasPictures = false;
    Report report = makeReport(history, reporting);
    report.after = measureModel(history.model(), history.types(), bytes);
    auto json = reportToJsonObject(report, true);
    json["seconds"] = {{"load", seconds.load}, {"passes", seconds.passes}, {"save", seconds.save}};
    json["census"] = nullptr;
    json["verify"] = verifyJson(writing);
    json["out"] = writing.out;
    json["recipe"] = writing.recipeOut.empty() ? nlohmann::ordered_json(nullptr)
                                               : nlohmann::ordered_json(writing.recipeOut);
    json.update(more);
    console.json(json);
}

} // namespace

void addWriteOptions(CLI::App& verb, WriteOptions& options) {
    verb.add_option("-o,--out", options.out, "file to write, whole or not at all")
        ->required()
        ->type_name("OUT");
    verb.add_flag("--verify", options.isVerified, "check the result before it is written");
    verb.add_option("--recipe-out", options.recipeOut, "also write the recipe, for `apply`")
        ->type_name("FILE");
    verb.add_flag("--force", options.isForced,
                  "write the result although something is left open or a check failed");
}

int writeResult(History& history, const ConversionOptions& options, const WriteOptions& writing,
                Seconds seconds, Console& console, const nlohmann::ordered_json& more) {
    if (const auto defect = inheritedDefect(history)) {
        if (!writing.isForced) return console.fail(*defect);
        console.note(errorLine(*defect));
    }
    if (writing.isVerified) {
        const Error error = verify(history);
        if (!writing.isForced) return console.fail(error, {{"verify", verifyJson(writing)}});
        console.note(errorLine(error));
    }
    if (!writing.recipeOut.empty()) {
        if (auto ready = checkOutput(writing.recipeOut, {options.model, options.recipe, writing.out});
            !ready) {
            return console.fail(ready.error());
        }
    }
    const Stopwatch saving;
    if (auto saved = saveModel(history.model(), writing.out, console.work()); !saved)
        return console.fail(saved.error());
    if (!writing.recipeOut.empty()) {
        auto saved = saveRecipe(history.countedRecipe(), writing.recipeOut);
        if (!saved) return console.fail(saved.error());
    }
    seconds.save = saving.seconds();
    tell(history, options, writing, seconds, console, more);
    return 0;
}

} // namespace secateur::cli
