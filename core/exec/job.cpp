// SPDX-License-Identifier: Apache-2.0
#include "core/exec/job.h"

#include "core/exec/cells.h"
#include "core/exec/job_compare.h"
#include "core/exec/narrowed.h"
#include "core/exec/reference.h"
#include "core/exec/value_file.h"
#include "core/ir/walk.h"
#include "core/messages/sentences.h"
#include "core/onnx/check.h"
#include "core/onnx/save.h"
#include "core/onnx/type_inference.h"
#include "core/support/text.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

OutputFacts factsOf(const RuntimeValue& value, std::string name) {
    OutputFacts facts;
    facts.name = std::move(name);
    facts.type = value.text();
    const TensorData* tensor = value.tensor();
    if (tensor == nullptr || tensor->count() == 0 || computeTypeOf(tensor->type()) == ComputeType::none)
        return facts;
    double sum = 0;
    std::uint64_t finite = 0;
    for (const double number : readAll<double>(*tensor)) {
        if (!std::isfinite(number)) {
            ++facts.notFinite;
            continue;
        }
        facts.lowest = finite == 0 ? number : std::min(facts.lowest, number);
        facts.highest = finite == 0 ? number : std::max(facts.highest, number);
        sum += number;
        ++finite;
    }
    facts.hasNumbers = finite > 0;
    if (finite > 0) facts.mean = sum / static_cast<double>(finite);
    return facts;
}

Result<void> writeOutput(const std::filesystem::path& folder, std::size_t position, const RuntimeValue& value,
                         OutputFacts& facts) {
    const std::filesystem::path file = folder / ("output_" + std::to_string(position) + ".pb");
    TRY(writeValueFile(file, value, facts.name));
    facts.file = file.string();
    return {};
}

/// An error, with what may help where sizes were guessed that it comes from.
Error explained(const Error& error, JobModel& model, const InputRequest& request, MemoryPool& pool,
                const WorkContext& work) {
    return withGuesses(error, guessedDimensions(model.model(), request),
                       [&](std::int64_t size) -> std::optional<Error> {
                           InputRequest other = request;
                           other.freeDim = size;
                           auto inputs = makeInputs(model.model(), model.domains, other, pool);
                           if (!inputs) return inputs.error();
                           const auto ran = model.backend->run({std::move(*inputs)}, work);
                           return ran ? std::nullopt : std::optional(ran.error());
                       });
}

Result<JobAnswer> runModel(const Job& job, const WorkContext& work) {
    JobModel model = TRY(JobModel::load(job, 0));
    MemoryPool pool(job.limits.memoryBytes);
    TRY(model.start(job, 0, pool));
    std::vector<std::vector<RuntimeValue>> sets;
    for (std::uint32_t i = 0; i < job.count; ++i) {
        InputRequest request = job.inputs;
        request.seed += i;
        request.turn = i;
        sets.push_back(TRY(makeInputs(model.model(), model.domains, request, pool)));
    }
    auto ran = model.backend->run(std::move(sets), work);
    if (!ran) return explained(ran.error(), model, job.inputs, pool, work);
    const std::vector<BackendRun> runs = std::move(ran).take();
    JobAnswer answer;
    answer.runs.push_back(model.facts(runs));
    const std::vector<std::string> names = model.outputNames();
    if (!job.outputs.empty()) {
        std::error_code failed;
        std::filesystem::create_directories(job.outputs, failed);
        if (failed) return usageError(failed.message(), job.outputs.string());
    }
    for (std::size_t i = 0; i < runs.back().outputs.size(); ++i) {
        OutputFacts facts = factsOf(runs.back().outputs[i], i < names.size() ? names[i] : std::string());
        if (!job.outputs.empty()) TRY(writeOutput(job.outputs, i, runs.back().outputs[i], facts));
        answer.outputs.push_back(std::move(facts));
    }
    return answer;
}

Result<JobAnswer> timeModel(const Job& job, const WorkContext& work) {
    JobModel model = TRY(JobModel::load(job, 0));
    MemoryPool pool(job.limits.memoryBytes);
    TRY(model.start(job, 0, pool));
    const auto inputs = TRY(makeInputs(model.model(), model.domains, job.inputs, pool));
    JobAnswer answer;
    auto timed = model.backend->time(inputs, job.warmUps, job.runs, work);
    if (!timed) return explained(timed.error(), model, job.inputs, pool, work);
    const std::vector<double> seconds = std::move(timed).take();
    answer.runs.push_back(
        {model.backend->name(), seconds, model.backend->highWaterBytes(), model.backend->report()});
    return answer;
}

Result<JobAnswer> testFolders(const Job& job, const WorkContext& work) {
    JobAnswer answer;
    for (std::size_t i = 0; i < job.paths.size(); ++i) {
        if (work.isCancelled()) return cancelled();
        work.report("exec.phase.test", i, job.paths.size());
        BackendOptions options;
        options.mode = job.modes.empty() ? RunMode::asWritten : job.modes.front();
        options.seed = job.inputs.seed;
        options.limits = job.limits;
        options.threads = job.threads;
        answer.verdicts.push_back(runTestFolder(job.paths[i], job.device, options, job.tolerance, work));
    }
    return answer;
}

} // namespace

std::uint64_t elementsOf(const std::vector<ComparedOutput>& outputs) {
    std::uint64_t count = 0;
    for (const ComparedOutput& output : outputs)
        count += output.worst.elements;
    return count;
}

const ComparedOutput& worstOf(const std::vector<ComparedOutput>& outputs) {
    return *std::max_element(
        outputs.begin(), outputs.end(),
        [](const ComparedOutput& a, const ComparedOutput& b) { return isWorse(b.worst, a.worst); });
}

bool areWithin(const std::vector<ComparedOutput>& outputs) {
    return !outputs.empty() && std::all_of(outputs.begin(), outputs.end(), [](const ComparedOutput& output) {
        return output.worst.isWithin;
    });
}

bool areSameBits(const std::vector<ComparedOutput>& outputs) {
    return !outputs.empty() && std::all_of(outputs.begin(), outputs.end(), [](const ComparedOutput& output) {
        return output.worst.isSameBits;
    });
}

std::string weaknessText(const std::vector<ComparedOutput>& outputs) {
    using Weakness = ComparedOutput::Weakness;
    constexpr std::size_t kMostNames = 3;
    std::string text;
    const auto tell = [&](Weakness weakness, std::string_view id) {
        std::vector<std::string> names;
        for (const ComparedOutput& output : outputs)
            if (output.weakness == weakness) names.push_back(output.name);
        if (names.empty()) return;
        const std::string words =
            formatMessage(id, {quotedList(names, kMostNames), std::to_string(names.size())});
        text = text.empty() ? words : formatMessage("text.and", {text, words});
    };
    tell(Weakness::still, "exec.weak-still");
    tell(Weakness::notFinite, "exec.weak-not-finite");
    for (const ComparedOutput& output : outputs) {
        if (output.weakness != Weakness::partly) continue;
        const std::string words = formatMessage(
            "exec.weak-partly", {output.name, formatCount(output.neverFinite), formatCount(output.places)});
        text = text.empty() ? words : formatMessage("text.and", {text, words});
    }
    return text;
}

std::string weaknessText(const JobAnswer& answer) {
    constexpr std::size_t kMostNames = 3;
    std::string text = weaknessText(answer.compared);
    const auto add = [&](const std::string& words) {
        text = text.empty() ? words : formatMessage("text.and", {text, words});
    };
    if (answer.witnesses.moved > 0)
        text += "; " + formatMessage("exec.witnessed", {formatCount(answer.witnesses.compared),
                                                        formatCount(answer.witnesses.moved)});
    if (!answer.unentered.empty())
        add(formatMessage("exec.branches-unentered", {std::to_string(answer.unentered.size()),
                                                      shortList(answer.unentered, kMostNames)}));
    return text;
}

std::uint64_t JobAnswer::elementsCompared() const {
    return elementsOf(compared);
}

const ComparedOutput& JobAnswer::worst() const {
    return worstOf(compared);
}

bool JobAnswer::isWithin() const {
    return silence.empty() && !sets.empty() && unmatched.empty() && areWithin(compared);
}

bool JobAnswer::isSameBits() const {
    return silence.empty() && !sets.empty() && unmatched.empty() && areSameBits(compared);
}

Result<JobModel> JobModel::load(const Job& job, std::size_t which) {
    JobModel opened;
    opened.path = job.paths[which];
    opened.loaded = std::make_unique<LoadedModel>(TRY(loadModel(opened.path)));
    for (const Problem& problem : opened.loaded->problems)
        if (problem.isFatal) return invalidInput(problem.text, opened.path.string());
    // Of two models only what leads to what is compared need be sound.
    if (job.kind == Job::Kind::run || job.kind == Job::Kind::time) {
        const auto defects = inheritedDefects(*opened.loaded, opened.model());
        if (!defects.empty()) return invalidInput(defects.front(), opened.path.string());
    }
    // Functions that call each other twice double what runs with every level.
    constexpr std::uint64_t kMostNodes = 20'000'000;
    if (const std::uint64_t nodes = countNodes(opened.model()); nodes > kMostNodes)
        return missingHere(
            formatMessage("exec.too-many-nodes", {formatCount(nodes), formatCount(kMostNodes)}),
            opened.path.string());
    TypeTable types;
    types.inferAll(opened.model());
    opened.domains = inputDomains(opened.model(), types);
    return opened;
}

Result<void> JobModel::narrow(std::span<const ValueId> values, Device device) {
    narrowTo(loaded->model, values);
    if (device != Device::ort) return {};
    scratch = TRY(ScratchFolder::create());
    path = scratch->path() / "model.onnx";
    return saveModel(loaded->model, path);
}

Result<void> JobModel::start(const Job& job, std::size_t which, const MemoryPool& pool, NodeListener onNode) {
    BackendOptions options;
    options.mode = which < job.modes.size() ? job.modes[which] : RunMode::asWritten;
    options.seed = job.inputs.seed;
    options.limits = job.limits;
    options.within = pool;
    options.threads = job.threads;
    options.onNode = std::move(onNode);
    backend = TRY(Backend::open(model(), path, job.device, std::move(options)));
    return {};
}

std::vector<std::string> JobModel::outputNames() const {
    std::vector<std::string> names;
    for (const OutputSlot& output : *model().graph(model().mainGraph()).outputs)
        names.emplace_back(model().text(output.name));
    return names;
}

RunFacts JobModel::facts(const std::vector<BackendRun>& runs) const {
    RunFacts facts{backend->name(), {}, backend->highWaterBytes(), backend->report()};
    for (const BackendRun& run : runs)
        facts.seconds.push_back(run.seconds);
    return facts;
}

Result<JobAnswer> runJob(const Job& job, const WorkContext& work) {
    switch (job.kind) {
    case Job::Kind::run: return runModel(job, work);
    case Job::Kind::time: return timeModel(job, work);
    case Job::Kind::compare: return compareModels(job, work);
    case Job::Kind::test: return testFolders(job, work);
    }
    return runModel(job, work);
}

} // namespace secateur
