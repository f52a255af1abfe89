// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/execution.h"
#include "core/messages/sentences.h"
#include "core/support/json_number.h"
#include "core/support/printable.h"
#include "core/support/short_text.h"
#include "core/support/text.h"

#include <fmt/format.h>

namespace secateur::cli {
namespace {

struct RunVerb {
    ExecutionOptions execution;
    std::string model, outputs;
    bool isInference = false;
};

nlohmann::ordered_json outputJson(const OutputFacts& output) {
    nlohmann::ordered_json json{{"name", output.name}, {"type", output.type}};
    if (output.hasNumbers)
        json.update({{"min", output.lowest},
                     {"max", output.highest},
                     {"mean", jsonNumber<nlohmann::ordered_json>(output.mean)}});
    json["not_finite"] = output.notFinite;
    json["file"] =
        output.file.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(output.file);
    return json;
}

std::string outputLine(const OutputFacts& output) {
    std::string line = fmt::format("  {}  {}", printable(output.name), output.type);
    if (output.hasNumbers)
        line += fmt::format("  {}", formatMessage("cli.output-range", {roundedNumber(output.lowest),
                                                                       roundedNumber(output.highest),
                                                                       roundedNumber(output.mean)}));
    if (output.notFinite > 0)
        line += fmt::format("  {}", formatMessage("cli.output-not-finite", {formatCount(output.notFinite)}));
    return line;
}

/// Would output_0.pb, output_1.pb ... in the folder replace the model, an input, or what a test expects?
Result<void> checkOutputs(const RunVerb& options) {
    if (options.outputs.empty()) return {};
    std::error_code ignored;
    const auto isOutputThere = [&](const std::filesystem::path& file) {
        const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
        return file.filename().string().starts_with("output_") &&
               std::filesystem::equivalent(folder, options.outputs, ignored);
    };
    std::vector<std::filesystem::path> given{options.model};
    for (const std::string& input : options.execution.inputs) // NAME=FILE
        given.emplace_back(input.substr(input.rfind('=') + 1));
    for (const auto& file : given)
        if (isOutputThere(file))
            return usageError(formatMessage("cli.out-is-input", {file.string()}), options.outputs);
    const std::filesystem::path folder = options.execution.folder;
    if (folder.empty() || !std::filesystem::equivalent(folder, options.outputs, ignored)) return {};
    for (const char* expected : {"output_0.pb", "output_0.npy"})
        if (std::filesystem::exists(folder / expected, ignored))
            return usageError(formatMessage("cli.outputs-are-expected", {expected}), options.outputs);
    return {};
}

int run(const RunVerb& options, Console& console) {
    if (const auto ready = checkOutputs(options); !ready) return console.fail(ready.error());
    auto job = jobOf(options.execution, console);
    if (!job) return console.fail(job.error());
    job->kind = Job::Kind::run;
    job->paths = {options.model};
    job->modes = {options.isInference ? RunMode::inference : RunMode::asWritten};
    job->outputs = options.outputs;
    const auto answer = execute(*job, options.execution, console);
    if (!answer) return console.fail(answer.error());
    const RunFacts& facts = answer->runs.front();
    console.line(runLine(facts));
    nlohmann::ordered_json json{{"schema", 1}, {"model", options.model}};
    json.update(runJson(facts));
    json["seed"] = job->inputs.seed;
    json["outputs"] = nlohmann::ordered_json::array();
    for (const OutputFacts& output : answer->outputs) {
        console.line(outputLine(output));
        json["outputs"].push_back(outputJson(output));
    }
    if (!options.outputs.empty()) console.note(formatMessage("cli.outputs-written", {options.outputs}));
    console.json(json);
    return 0;
}

} // namespace

void addRun(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("run", "execute a model and look at its outputs");
    auto options = std::make_shared<RunVerb>();
    addModelOption(*verb, options->model);
    addExecutionOptions(*verb, options->execution);
    verb->add_option("--outputs", options->outputs, "folder for the outputs, as output_0.pb, output_1.pb ...")
        ->check(notEmpty())
        ->type_name("DIR");
    verb->add_flag("--inference-mode", options->isInference,
                   "Dropout passes through and BatchNormalization uses its running statistics, whatever the "
                   "model says");
    verb->callback(
        [options, &action] { action = [options](Console& console) { return run(*options, console); }; });
}

} // namespace secateur::cli
