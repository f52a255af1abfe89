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

using Json = nlohmann::ordered_json;

/// Whoever compares wants a judge: the reference kernels give the same bytes for the same arithmetic.
ExecutionOptions judging() {
    ExecutionOptions options;
    options.device = "reference";
    return options;
}

struct CompareVerb {
    ExecutionOptions execution = judging();
    std::string first, second;
    std::uint32_t count = 1;
    bool hasEdges = false;
    std::vector<std::string> inference;
    double relative = 1e-4, absolute = 1e-5;
};

Json differenceJson(const ValueDifference& found) {
    if (!found.fits) return {{"within", false}, {"same_bits", false}, {"misfit", found.misfit}};
    return {{"within", found.isWithin},
            {"same_bits", found.isSameBits},
            {"max_abs", jsonNumber<Json>(found.maxAbsolute)},
            {"max_rel", jsonNumber<Json>(found.maxRelative)},
            {"max_ulp", found.maxUlp},
            {"cosine", jsonNumber<Json>(found.cosine)},
            {"differing", found.differing},
            {"nan_mismatches", found.nanMismatches},
            {"worst_at", found.worstAt}};
}

/// "same bits", or how far apart two results are.
std::string differenceText(const ValueDifference& found) {
    if (!found.fits) return found.misfit;
    if (found.isSameBits) return std::string(message("cli.same-bits"));
    std::string text =
        formatMessage("cli.difference", {roundedNumber(found.maxAbsolute), roundedNumber(found.maxRelative),
                                         formatCount(found.maxUlp), fmt::format("{:.6g}", found.cosine),
                                         formatCount(found.differing)});
    if (found.nanMismatches > 0)
        text += formatMessage("cli.nan-mismatches", {formatCount(found.nanMismatches)});
    return text;
}

/// The one sentence that says how it went.
std::string verdictText(const JobAnswer& answer, const CompareVerb& options) {
    const std::string sets = std::to_string(answer.sets.size());
    if (answer.isSameBits()) return formatMessage("cli.verdict-same-bits", {sets});
    const ComparedOutput& worst = answer.worst();
    if (answer.isWithin())
        return formatMessage("cli.verdict-within",
                             {roundedNumber(options.relative), roundedNumber(options.absolute), sets,
                              roundedNumber(worst.worst.maxAbsolute), printable(worst.name)});
    if (!answer.unmatched.empty())
        return formatMessage("cli.verdict-unmatched", {quotedList(answer.unmatched, 5)});
    const std::string where = printable(answer.first ? answer.first->value : worst.name);
    const ValueDifference& found = answer.first ? answer.first->difference : worst.worst;
    return formatMessage("cli.verdict-differs", {where, differenceText(found)});
}

void print(const JobAnswer& answer, const CompareVerb& options, Console& console) {
    for (std::size_t i = 0; i < answer.runs.size(); ++i)
        console.line(fmt::format("{}: {}", i == 0 ? options.first : options.second, runLine(answer.runs[i])));
    for (const std::string& text : answer.notes)
        console.note(text);
    for (const std::string& text : answer.skippedSets)
        console.note(text);
    for (const ComparedOutput& output : answer.compared)
        console.line(fmt::format("  {}: {}{}", printable(output.name), differenceText(output.worst),
                                 output.worst.isSameBits ? "" : " (" + output.worstSet + ")"));
    if (answer.first)
        console.line(formatMessage("cli.first-difference",
                                   {answer.first->value, answer.first->node,
                                    differenceText(answer.first->difference), answer.first->set}));
    console.line(verdictText(answer, options));
}

Json answerJson(const JobAnswer& answer) {
    Json json{{"schema", 1},
              {"status", answer.isSameBits() ? "same_bits"
                         : answer.isWithin() ? "within"
                                             : "differs"},
              {"a", runJson(answer.runs[0])},
              {"b", runJson(answer.runs[1])},
              {"inputs", answer.sets},
              {"skipped_inputs", answer.skippedSets},
              {"elements", answer.elementsCompared()},
              {"not_compared", answer.unmatched},
              {"notes", answer.notes}};
    json["outputs"] = Json::array();
    for (const ComparedOutput& output : answer.compared) {
        Json entry{{"name", output.name}};
        entry.update(differenceJson(output.worst));
        entry["worst_inputs"] = output.worstSet;
        json["outputs"].push_back(std::move(entry));
    }
    json["first_difference"] = nullptr;
    if (answer.first) {
        Json first{{"value", answer.first->value}, {"node", answer.first->node}};
        first.update(differenceJson(answer.first->difference));
        first["inputs"] = answer.first->set;
        json["first_difference"] = std::move(first);
    }
    return json;
}

int compare(const CompareVerb& options, Console& console) {
    auto job = jobOf(options.execution, console);
    if (!job) return console.fail(job.error());
    job->kind = Job::Kind::compare;
    job->paths = {options.first, options.second};
    job->count = options.count;
    job->hasEdgeInputs = options.hasEdges;
    job->tolerance = {options.relative, options.absolute};
    job->modes = {RunMode::asWritten, RunMode::asWritten};
    for (const std::string& which : options.inference)
        job->modes[which == "a" ? 0 : 1] = RunMode::inference;
    const auto answer = execute(*job, options.execution, console);
    if (!answer) return console.fail(answer.error());
    if (answer->elementsCompared() == 0) {
        for (const std::string& text : answer->skippedSets)
            console.note(text);
    }
    if (answer->elementsCompared() == 0 && !answer->sets.empty())
        return console.fail(usageError(std::string(message("cli.nothing-inside"))));
    if (answer->sets.empty()) return console.fail(usageError(std::string(message("cli.nothing-compared"))));
    print(*answer, options, console);
    console.json(answerJson(*answer));
    return answer->isWithin() ? 0 : exitCodeOf(ErrorCode::verification);
}

} // namespace

void addCompare(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("compare", "run two models on the same inputs, compare outputs");
    auto options = std::make_shared<CompareVerb>();
    verb->add_option("A", options->first, "a model")->required()->check(notEmpty());
    verb->add_option("B", options->second, "the model that it shall equal")->required()->check(notEmpty());
    addExecutionOptions(*verb, options->execution);
    verb->add_option("--count", options->count, "sets of random inputs; 1 unless given")
        ->excludes(verb->get_option("--inputs"))
        ->check(CLI::Range(1U, 1000000U).description(""))
        ->type_name("N");
    verb->add_flag(
        "--edge-inputs", options->hasEdges,
        "besides, zeros, ones, negative zeros, infinities, NaN, very large and very small numbers");
    verb->add_option("--inference-mode", options->inference,
                     "model that runs in evaluation mode, whatever it says: Dropout passes through, "
                     "BatchNormalization uses its running statistics; may be repeated")
        ->check(CLI::IsMember({"a", "b"}).description(""))
        ->type_name("a|b");
    verb->add_option("--rtol", options->relative, "relative tolerance; 1e-4 unless given")
        ->check(tolerance())
        ->type_name("X");
    verb->add_option("--atol", options->absolute, "absolute tolerance; 1e-5 unless given")
        ->check(tolerance())
        ->type_name("X");
    verb->callback(
        [options, &action] { action = [options](Console& console) { return compare(*options, console); }; });
}

} // namespace secateur::cli
