// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/execution.h"
#include "core/exec/answer_names.h"
#include "core/messages/sentences.h"
#include "core/session/evaluation_mode.h"
#include "core/session/weight_inputs.h"
#include "core/support/json_number.h"
#include "core/support/printable.h"
#include "core/support/scratch_folder.h"
#include "core/support/short_text.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace secateur::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Whoever compares wants a judge: the reference kernels give the same bytes for the same arithmetic.
ExecutionOptions judging() {
    ExecutionOptions options;
    options.device = "reference";
    return options;
}

constexpr double kEdgeSeconds = 60; ///< as a check does

struct CompareVerb {
    ExecutionOptions execution = judging();
    std::string first, second;
    std::uint32_t count = 2; ///< one set cannot tell whether an output moves with the inputs
    bool hasEdges = true;
    std::vector<std::string> inference; ///< --inference-mode
    bool isAsWritten = false;           ///< --as-written
    std::string weights;                ///< --weights
    double relative = 1e-4, absolute = 1e-5;
};

/// The element that takes most of the tolerance; null with the same bits.
Json worstJson(const ValueDifference& found) {
    if (found.isSameBits) return nullptr;
    return {{"element", found.worstAt},
            {"got", found.worstGot},
            {"expected", found.worstExpected},
            {"absolute", jsonNumber<Json>(found.worstAbsolute)},
            {"relative", jsonNumber<Json>(found.worstRelative)}};
}

Json differenceJson(const ValueDifference& found) {
    if (!found.fits) return {{"within", false}, {"same_bits", false}, {"misfit", found.misfit}};
    return {{"within", found.isWithin},
            {"same_bits", found.isSameBits},
            {"max_abs", jsonNumber<Json>(found.maxAbsolute)},
            {"max_rel", jsonNumber<Json>(found.maxRelative)},
            {"max_ulp", found.isFloating ? Json(found.maxUlp) : Json(nullptr)},
            {"cosine", found.isFloating ? jsonNumber<Json>(found.cosine) : Json(nullptr)},
            {"differing", found.differing},
            {"nan_mismatches", found.nanMismatches},
            {"outside", found.outside},
            {"worst_at", found.worstAt},
            {"worst", worstJson(found)}};
}

/// "same bits", or how far apart two results are.
std::string differenceText(const ValueDifference& found) {
    if (!found.fits) return found.misfit;
    if (found.isSameBits) return std::string(message("cli.same-bits"));
    const std::string counts =
        formatMessage("cli.difference-counts", {formatCount(found.differing), formatCount(found.elements),
                                                formatCount(found.outside)});
    std::string text = found.worstText() + "; ";
    if (found.isFloating)
        text += formatMessage("cli.difference-floats",
                              {formatCount(found.maxUlp), fmt::format("{:.6g}", found.cosine)});
    text += counts;
    if (found.nanMismatches > 0)
        text += formatMessage("cli.nan-mismatches", {formatCount(found.nanMismatches)});
    return text;
}

/// A verdict, and the outputs for which it says little.
std::string withWeakness(std::string verdict, const JobAnswer& answer) {
    const std::string weakness = weaknessText(answer);
    return weakness.empty() ? verdict : formatMessage("verify.weak", {verdict, weakness});
}

/// The one sentence that says how it went.
std::string verdictText(const JobAnswer& answer, const CompareVerb& options) {
    if (!answer.silence.empty()) return formatMessage("cli.verdict-silent", {answer.silence});
    const std::string sets = std::to_string(answer.sets.size());
    if (answer.isSameBits()) return withWeakness(formatMessage("verify.same-bits", {sets}), answer);
    const ComparedOutput& worst = answer.worst();
    if (answer.isWithin())
        return withWeakness(
            formatMessage("verify.within", {roundedNumber(options.relative), roundedNumber(options.absolute),
                                            sets, worst.worst.apartText(), printable(worst.name)}),
            answer);
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
    const bool isAnyCompared = !answer.sets.empty();
    for (const ComparedOutput& output : isAnyCompared ? answer.compared : std::vector<ComparedOutput>())
        console.line(fmt::format("  {}: {}{}", printable(output.name), differenceText(output.worst),
                                 output.worst.isSameBits ? "" : " (" + output.worstSet + ")"));
    if (answer.first)
        console.line(formatMessage("cli.first-difference",
                                   {answer.first->value, answer.first->node,
                                    differenceText(answer.first->difference), answer.first->set}));
    console.line(verdictText(answer, options));
}

const char* statusOf(const JobAnswer& answer) {
    if (!answer.silence.empty()) return "not_checked";
    if (answer.isSameBits()) return "same_bits";
    return answer.isWithin() ? "within" : "differs";
}

/// Null where the agreement on an output says as much as it seems to.
Json weaknessJson(ComparedOutput::Weakness weakness) {
    switch (weakness) {
    case ComparedOutput::Weakness::none: break;
    case ComparedOutput::Weakness::still: return "never_moves";
    case ComparedOutput::Weakness::notFinite: return "never_finite";
    case ComparedOutput::Weakness::partly: return "partly_never_finite";
    }
    return nullptr;
}

Json answerJson(const JobAnswer& answer) {
    Json json{{"schema", 1},
              {"status", statusOf(answer)},
              {"reason", answer.silence.empty() ? Json(nullptr) : Json(answer.silence)},
              {"a", runJson(answer.runs[0])},
              {"b", runJson(answer.runs[1])},
              {"inputs", answer.sets},
              {"skipped_inputs", answer.skippedSets},
              {"elements", answer.elementsCompared()},
              {"not_compared", answer.unmatched},
              {"only_in", {{"a", answer.onlyInFirst}, {"b", answer.onlyInSecond}}},
              {"unentered_branches", answer.unentered},
              {"inner_values", {{"compared", answer.witnesses.compared}, {"moved", answer.witnesses.moved}}},
              {"notes", answer.notes}};
    json["outputs"] = Json::array();
    for (const ComparedOutput& output : answer.compared) {
        Json entry{{"name", output.name}};
        entry.update(differenceJson(output.worst));
        entry["worst_inputs"] = output.worstSet;
        entry["weakness"] = weaknessJson(output.weakness);
        entry["never_finite"] = output.neverFinite;
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

/// What of each model trains, and the file in which its DropPath is switched off.
struct Training {
    std::array<std::string, 2> words; ///< empty: nothing does
    std::array<std::filesystem::path, 2> withoutDropPath;
};

/// Looks at both. What cannot be opened trains nothing: that it cannot is told when it is to run.
Training findTraining(const CompareVerb& options, const std::filesystem::path& folder, Console& console) {
    Training found;
    const std::array<std::filesystem::path, 2> paths{options.first, options.second};
    for (std::size_t i = 0; i < paths.size(); ++i) {
        const auto original = openOriginal(paths[i], console.work());
        if (!original) continue;
        const std::filesystem::path copy = folder / (i == 0 ? "a.onnx" : "b.onnx");
        const auto isWritten = writeWithoutDropPath(**original, conversionRecipe(), copy, console.work());
        const bool hasDropPath = isWritten && *isWritten;
        if (hasDropPath) found.withoutDropPath[i] = copy;
        found.words[i] = trainingWords(**original, hasDropPath);
    }
    return found;
}

/// Which models run in evaluation mode: those that were named, else the one that trains beside one that does
/// not, as a training graph beside what was made of it.
std::array<bool, 2> evaluated(const CompareVerb& options, const Training& training) {
    std::array<bool, 2> is{};
    for (const std::string& which : options.inference)
        is[which == "a" ? 0 : 1] = true;
    const bool isLeftOpen = options.inference.empty() && !options.isAsWritten;
    // ONNX Runtime runs a model as it is written.
    if (!isLeftOpen || options.execution.device == "ort") return is;
    const std::array<bool, 2> trains{!training.words[0].empty(), !training.words[1].empty()};
    return trains[0] != trains[1] ? trains : is;
}

/// ONNX Runtime runs models as they are written: one that trains beside one that does not would differ for
/// that alone. Which one it is, where nobody said that this is wanted.
std::optional<std::size_t> trainsOnOrt(const CompareVerb& options, const Training& training) {
    if (options.execution.device != "ort" || options.isAsWritten || !options.inference.empty())
        return std::nullopt;
    const bool first = !training.words[0].empty(), second = !training.words[1].empty();
    if (first == second) return std::nullopt;
    return first ? 0 : 1;
}

void setModes(const Training& training, const std::array<bool, 2>& isEvaluated, Job& job) {
    for (std::size_t i = 0; i < isEvaluated.size(); ++i) {
        if (!isEvaluated[i]) continue;
        job.modes[i] = RunMode::inference;
        if (!training.withoutDropPath[i].empty()) job.paths[i] = training.withoutDropPath[i];
    }
}

/// How far the same outputs lie apart where both models run as they are written: what the change of mode
/// does. It says nothing about whether the models are the same, and what keeps it from being known is only
/// told.
Json modeChange(const Job& asWritten, const CompareVerb& options, Console& console) {
    Job job = asWritten;
    job.hasEdgeInputs = false;
    job.count = std::min(job.count, 2U);
    const auto answer = execute(job, options.execution, console);
    if (!answer || answer->sets.empty() || answer->compared.empty()) {
        const std::string why = answer ? std::string() : answer.error().toString();
        console.note(formatMessage("cli.mode-change-unknown", {why}));
        return nullptr;
    }
    const ComparedOutput& worst = answer->worst();
    console.line(worst.worst.isSameBits
                     ? std::string(message("cli.mode-change-none"))
                     : formatMessage("cli.mode-change", {worst.worst.worstText(), printable(worst.name)}));
    Json json{{"output", worst.name}};
    json.update(differenceJson(worst.worst));
    return json;
}

/// Inputs that are weights get those of the file that --weights names; what is given by --input stays.
Result<void> giveWeights(const CompareVerb& options, const std::filesystem::path& folder, Job& job,
                         Console& console) {
    if (options.weights.empty()) return {};
    const auto first = TRY(openOriginal(options.first, console.work()));
    const auto second = TRY(openOriginal(options.second, console.work()));
    const std::array<const Model*, 2> models{&first->file.model, &second->file.model};
    auto weights = TRY(weightInputs(models, options.weights, folder));
    std::erase_if(weights, [&](const auto& weight) {
        return std::any_of(job.inputs.named.begin(), job.inputs.named.end(),
                           [&](const auto& named) { return named.first == weight.first; });
    });
    console.note(formatMessage("cli.weights-inputs", {std::to_string(weights.size()), options.weights}));
    job.inputs.named.insert(job.inputs.named.end(), weights.begin(), weights.end());
    return {};
}

/// Nothing was compared, which is the verdict.
int notChecked(const JobAnswer& answer, Console& console) {
    const std::string why(message(answer.sets.empty() ? "cli.nothing-compared" : "cli.nothing-inside"));
    return console.fail(Error{ErrorCode::verification, formatMessage("cli.verdict-silent", {why}), {}},
                        {{"status", "not_checked"}, {"reason", why}});
}

int compare(const CompareVerb& options, Console& console) {
    auto job = jobOf(options.execution, console);
    if (!job) return console.fail(job.error());
    job->kind = Job::Kind::compare;
    job->paths = {options.first, options.second};
    job->count = options.count;
    job->hasEdgeInputs = options.hasEdges;
    job->edgeSeconds = kEdgeSeconds;
    job->tolerance = {options.relative, options.absolute};
    job->modes = {RunMode::asWritten, RunMode::asWritten};
    const auto scratch = ScratchFolder::create();
    if (!scratch) return console.fail(scratch.error());
    if (const auto given = giveWeights(options, scratch->path(), *job, console); !given)
        return console.fail(given.error());
    const Job asWritten = *job;
    const Training training =
        options.isAsWritten ? Training() : findTraining(options, scratch->path(), console);
    if (const auto which = trainsOnOrt(options, training))
        return console.fail(usageError(formatMessage("cli.ort-trains", {training.words[*which]}),
                                       *which == 0 ? options.first : options.second));
    const std::array<bool, 2> isEvaluated = evaluated(options, training);
    setModes(training, isEvaluated, *job);
    const std::array<std::string, 2> names{options.first, options.second};
    // Words about a copy are about the model that it was made of.
    const auto answer =
        named(execute(*job, options.execution, console),
              {{training.withoutDropPath[0], names[0]}, {training.withoutDropPath[1], names[1]}});
    if (!answer) return console.fail(answer.error());
    for (std::size_t i = 0; i < names.size(); ++i)
        if (isEvaluated[i])
            console.line(formatMessage("cli.in-evaluation-mode",
                                       {names[i], training.words[i].empty()
                                                      ? std::string(message("cli.trains-nothing"))
                                                      : training.words[i]}));
    const bool isSilent = !answer->silence.empty(); // which is a verdict
    if (answer->elementsCompared() == 0 && !isSilent) {
        for (const std::string& text : answer->skippedSets)
            console.note(text);
    }
    if (answer->elementsCompared() == 0 && !isSilent) return notChecked(*answer, console);
    print(*answer, options, console);
    Json json = answerJson(*answer);
    json["evaluation_mode"] = Json::array();
    for (std::size_t i = 0; i < names.size(); ++i)
        if (isEvaluated[i]) json["evaluation_mode"].push_back(i == 0 ? "a" : "b");
    const bool isAny = !isSilent && (isEvaluated[0] || isEvaluated[1]);
    json["mode_change"] = isAny ? modeChange(asWritten, options, console) : Json(nullptr);
    console.json(json);
    return answer->isWithin() ? 0 : exitCodeOf(ErrorCode::verification);
}

} // namespace

void addCompare(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("compare", "run two models on the same inputs, compare outputs");
    auto options = std::make_shared<CompareVerb>();
    verb->add_option("A", options->first, "a model")->required()->check(notEmpty());
    verb->add_option("B", options->second, "the model that it shall equal")->required()->check(notEmpty());
    addExecutionOptions(*verb, options->execution);
    verb->add_option("--count", options->count, "sets of random inputs; 2 unless given")
        ->excludes(verb->get_option("--inputs"))
        ->check(CLI::Range(1U, 1000000U).description(""))
        ->type_name("N");
    CLI::Option* edges = verb->add_flag(
        "--edge-inputs,!--no-edge-inputs", options->hasEdges,
        "besides, zeros, ones, negative zeros, infinities, NaN, very large and very small numbers, and "
        "a batch of three; they are tried unless --no-edge-inputs says otherwise, or --inputs DIR "
        "gives the inputs");
    CLI::Option* mode =
        verb->add_option("--inference-mode", options->inference,
                         "model that runs in evaluation mode, whatever it says: Dropout and DropPath pass "
                         "through, BatchNormalization uses its running statistics; may be repeated. Unless "
                         "given, a model that trains does beside one that does not")
            ->check(CLI::IsMember({"a", "b"}).description(""))
            ->type_name("a|b");
    verb->add_option("--weights", options->weights,
                     "file to take inputs that are weights from: an ONNX Runtime training checkpoint, or an "
                     "ONNX model")
        ->check(notEmpty())
        ->type_name("CKPT");
    verb->add_flag("--as-written", options->isAsWritten,
                   "run both models as they are written, training or not")
        ->excludes(mode);
    verb->add_option("--rtol", options->relative, "relative tolerance; 1e-4 unless given")
        ->check(tolerance())
        ->type_name("X");
    verb->add_option("--atol", options->absolute, "absolute tolerance; 1e-5 unless given")
        ->check(tolerance())
        ->type_name("X");
    verb->callback([options, edges, &action] {
        if (edges->count() == 0 && !options->execution.folder.empty()) options->hasEdges = false;
        action = [options](Console& console) { return compare(*options, console); };
    });
}

} // namespace secateur::cli
