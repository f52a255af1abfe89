// SPDX-License-Identifier: Apache-2.0
#include "core/session/verification.h"

#include "core/exec/value_file.h"
#include "core/exec/worker.h"
#include "core/messages/sentences.h"
#include "core/onnx/save.h"
#include "core/session/evaluation_mode.h"
#include "core/session/run_estimate.h"
#include "core/session/training_mode.h"
#include "core/support/scratch_folder.h"
#include "core/support/short_text.h"
#include "core/support/text.h"

#include <algorithm>
#include <chrono>

namespace secateur {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDropPath = "bypass-drop-path";
constexpr std::string_view kBatchNorm = "freeze-batch-norm";
constexpr std::string_view kAttach = "attach-weights";
constexpr std::uint32_t kRandomSets = 2;
/// What was estimated to be short, and is not, ends here.
constexpr std::chrono::seconds kAutomaticDeadline{60};

bool didSomething(const History& history, std::string_view pass) {
    return std::any_of(history.steps().begin(), history.steps().end(), [&](const Step& step) {
        return step.pass == pass &&
               std::any_of(step.records.begin(), step.records.end(),
                           [](const RewriteRecord& record) { return !record.isSkipped; });
    });
}

bool keepsBatchStatistics(const Recipe& recipe) {
    return std::any_of(recipe.steps.begin(), recipe.steps.end(), [](const RecipeStep& step) {
        const auto answer = step.options.find("batch-norm");
        return step.pass == kBatchNorm && step.isOn && answer != step.options.end() &&
               answer->second == "batch";
    });
}

Result<Verification> tryToVerify(const std::shared_ptr<const Original>& original, const Recipe& recipe,
                                 const fs::path& program, double edgeSeconds, const WorkContext& work,
                                 VerificationScope scope) {
    const ScratchFolder scratch = TRY(ScratchFolder::create());
    History history = TRY(History::run(original, recipe, work));
    if (const double seconds = 2 * estimatedRunSeconds(history);
        scope.mostSeconds > 0 && seconds > scope.mostSeconds) {
        Verification unrun;
        unrun.estimatedSeconds = seconds;
        unrun.reason = formatMessage("verify.takes-long", {formatSeconds(seconds)});
        return unrun;
    }
    VerificationPlan plan = TRY(planVerification(history, scratch.path(), work, scope));
    if (!scope.isMidway) TRY(planDetails(plan, history, scratch.path(), work));
    plan.job.edgeSeconds = edgeSeconds;
    WorkerOptions worker;
    worker.program = program;
    if (scope.mostSeconds > 0) worker.deadline = kAutomaticDeadline;
    work.report("exec.phase.compare", 0, 0);
    auto answer = runInWorker(plan.job, worker, work.cancel);
    if (!answer && answer.error().code == ErrorCode::cancelled) return answer.error();
    return verificationOf(plan, answer);
}

std::string withWeakness(std::string verdict, const std::string& weakness) {
    return weakness.empty() ? verdict : formatMessage("verify.weak", {verdict, weakness});
}

} // namespace

std::string_view statusName(Verification::Status status) {
    switch (status) {
    case Verification::Status::notChecked: return "not_checked";
    case Verification::Status::exactByRule: return "exact_by_rule";
    case Verification::Status::sameBits: return "same_bits";
    case Verification::Status::within: return "within";
    case Verification::Status::differs: return "differs";
    }
    return "not_checked";
}

std::string Verification::text() const {
    const std::string count = std::to_string(inputs.size());
    switch (status) {
    case Status::notChecked: return std::string(message("verify.not-checked"));
    case Status::exactByRule: return std::string(message("verify.exact-by-rule"));
    case Status::sameBits: return withWeakness(formatMessage("verify.same-bits", {count}), weakness);
    case Status::within:
        return withWeakness(
            formatMessage("verify.within", {roundedNumber(tolerance.relative),
                                            roundedNumber(tolerance.absolute), count, apart, where}),
            weakness);
    case Status::differs: return formatMessage("verify.differs", {where, reason});
    }
    return {};
}

std::string Verification::brief() const {
    const std::string count = std::to_string(inputs.size());
    std::string doubt;
    if (!unentered.empty())
        doubt = formatMessage("verify.weak-branches", {std::to_string(unentered.size())});
    else if (!weakness.empty())
        doubt = message("verify.weak-brief");
    switch (status) {
    case Status::notChecked:
    case Status::exactByRule: return text();
    case Status::sameBits: return withWeakness(formatMessage("verify.same-bits", {count}), doubt);
    case Status::within:
        return withWeakness(formatMessage("verify.within-brief", {roundedNumber(tolerance.relative), count}),
                            doubt);
    case Status::differs: return formatMessage("verify.differs", {where, apart.empty() ? reason : apart});
    }
    return {};
}

std::string Verification::SecondJudge::text(const Tolerance& tolerance) const {
    if (name.empty()) return formatMessage("verify.no-second", {reason});
    Verification alone;
    alone.status = status;
    alone.tolerance = tolerance;
    alone.inputs.resize(inputs);
    alone.maxAbsolute = maxAbsolute;
    alone.where = where;
    alone.reason = reason;
    alone.apart = apart;
    if (status == Status::notChecked) {
        if (reason.empty()) return formatMessage("verify.second-silent-unknown", {name});
        return formatMessage("verify.second-silent", {name, reason});
    }
    if (baseline == Baseline::firstJudge) return formatMessage("verify.second", {name, alone.text()});
    const std::string both = formatMessage("verify.second-both", {name, alone.text()});
    return gap.empty() ? both : formatMessage("verify.second-gap", {both, name, gap});
}

bool Verification::isGood() const {
    const bool isFine = status == Status::sameBits || status == Status::within;
    return isFine && (!second || second->status != Status::differs);
}

std::string Verification::modeChangeText() const {
    if (!modeChange) return {};
    const ModeChange& change = *modeChange;
    if (!change.reason.empty()) return formatMessage("verify.mode-unknown", {change.reason});
    if (change.where.empty()) return std::string(message("verify.mode-nothing"));
    if (change.maxAbsolute == 0) return formatMessage("verify.mode-special", {change.where});
    return formatMessage("verify.mode-moved", {roundedNumber(change.maxAbsolute), change.where});
}

namespace {

/// Inputs of the original that got weights: by name.
std::vector<std::pair<std::string, TensorPtr>> attachedWeights(History& history) {
    const std::size_t cursor = history.cursor();
    std::vector<std::pair<std::string, TensorPtr>> attached;
    const Model& original = history.original().file.model;
    for (std::size_t s = 0; s < history.steps().size(); ++s) {
        if (history.steps()[s].pass != kAttach || !didSomething(history, kAttach)) continue;
        history.moveCursor(s + 1);
        const Model& model = history.model();
        for (const ValueId input : original.graphInputs(original.mainGraph()))
            if (!original.isInitializer(input) && model.isAlive(input) && model.value(input).tensor)
                attached.emplace_back(original.name(input), model.value(input).tensor);
    }
    history.moveCursor(cursor);
    return attached;
}

/// What both hold under one name, the original takes from the result. Of what went since, such as a weight
/// that equals another one, it would get random numbers, and differ.
Result<void> giveGoneWeights(History& history, const fs::path& folder, InputRequest& inputs) {
    MemoryPool pool;
    std::size_t number = 0;
    for (const auto& [name, tensor] : attachedWeights(history)) {
        const Model& result = history.model();
        const ValueId now = result.findValue(name, result.mainGraph());
        if (!now.isNone() && result.isInitializer(now)) continue;
        const bool isAsked = std::any_of(inputs.named.begin(), inputs.named.end(),
                                         [&](const auto& named) { return named.first == name; });
        if (isAsked) continue;
        const fs::path file = folder / ("weight_" + std::to_string(number++) + ".pb");
        TRY(writeValueFile(file, RuntimeValue(TRY(TensorData::from(pool, *tensor))), name));
        inputs.named.emplace_back(name, file.string());
    }
    return {};
}

} // namespace

Result<VerificationPlan> planVerification(History& history, const fs::path& folder, const WorkContext& work,
                                          VerificationScope scope) {
    VerificationPlan plan;
    plan.job.kind = Job::Kind::compare;
    plan.job.count = kRandomSets;
    plan.job.hasEdgeInputs = scope.hasEdges;
    plan.job.own = scope.own;
    plan.job.inputs.named = scope.ranges;
    plan.job.inputs.bindings = scope.bindings;
    const fs::path result = folder / "result.onnx";
    TRY(saveModel(history.model(), result, work));
    fs::path baseline = history.original().file.path;
    plan.baseline = message("verify.baseline");
    const bool hasBatch = keepsBatchStatistics(history.recipe());
    if (hasBatch) plan.baseline += message("verify.baseline-batch");
    const fs::path without = folder / "baseline.onnx";
    if (didSomething(history, kDropPath) &&
        TRY(writeWithoutDropPath(history.original(), history.recipe(), without, work))) {
        baseline = without;
        plan.baseline += message("verify.baseline-drop-path");
    } else if (baseline.empty()) { // opened from memory
        baseline = folder / "original.onnx";
        TRY(saveModel(history.original().file.model, baseline, work));
    }
    plan.job.paths = {result, baseline};
    plan.names = {{result, std::string(message("verify.name-result"))},
                  {folder / "original.onnx", std::string(message("verify.name-original"))},
                  {without, std::string(message("verify.name-original"))}};
    const RunMode evaluation = hasBatch ? RunMode::inferenceWithBatchStatistics : RunMode::inference;
    plan.job.modes = {scope.isMidway ? evaluation : RunMode::asWritten, evaluation};
    TRY(giveGoneWeights(history, folder, plan.job.inputs));
    return plan;
}

Result<void> planDetails(VerificationPlan& plan, History& history, const fs::path& folder,
                         const WorkContext& work) {
    const RunMode evaluation = plan.job.modes.at(1);
    fs::path original = history.original().file.path;
    std::error_code ignored;
    if (original.empty() || !fs::exists(original, ignored)) {
        // Opened from memory, or gone since: a copy of ours, which planVerification may have made already.
        original = folder / "original.onnx";
        if (!fs::exists(original, ignored)) TRY(saveModel(history.original().file.model, original, work));
    }
    // Until DropPath goes, what the steps leave draws the masks that the original draws.
    bool isBeforeDropPath = didSomething(history, kDropPath);
    if (isBeforeDropPath) plan.job.sides.push_back({original, evaluation});
    for (const StepModel& model : TRY(writeStepModels(history, folder, work))) {
        VerificationPlan::StepPlan step{
            model.step, history.steps()[model.step].pass, {}, false, model.leftOut};
        isBeforeDropPath = isBeforeDropPath && step.pass != kDropPath;
        step.isSincePrevious = isBeforeDropPath;
        if (model.file) {
            step.side = plan.job.sides.size();
            plan.job.sides.push_back({*model.file, evaluation});
            plan.names.emplace_back(*model.file,
                                    formatMessage("verify.name-step", {std::to_string(model.step + 1)}));
        }
        plan.steps.push_back(std::move(step));
    }
    const bool isTraining = !countTrainingMode(history.original()).empty();
    if (isTraining) {
        plan.modeSide = plan.job.sides.size();
        plan.job.sides.push_back({original, RunMode::asWritten, Device::reference, SideModel::Sets::first});
    }
    // It runs models as they are written: of one that trains it knows no evaluation mode.
    plan.isSecondOfBoth = !isTraining;
    if (plan.isSecondOfBoth)
        plan.job.sides.push_back(
            {plan.job.paths.at(1), RunMode::asWritten, Device::ort, SideModel::Sets::plain});
    plan.secondSide = plan.job.sides.size();
    plan.job.sides.push_back({plan.job.paths.at(0), RunMode::asWritten, Device::ort, SideModel::Sets::plain});
    return {};
}

namespace {

/// What a list of compared outputs says, by its worst.
void judgeOutputs(const std::vector<ComparedOutput>& compared, const std::optional<FirstDifference>& first,
                  Verification& found) {
    for (const ComparedOutput& output : compared)
        found.maxRelative = std::max(found.maxRelative, output.worst.maxRelative);
    const ComparedOutput& worst = worstOf(compared);
    found.maxAbsolute = worst.worst.maxAbsolute;
    found.status = areSameBits(compared) ? Verification::Status::sameBits
                   : areWithin(compared) ? Verification::Status::within
                                         : Verification::Status::differs;
    if (found.status == Verification::Status::sameBits) return;
    found.where = worst.name;
    found.apart = worst.worst.fits ? worst.worst.apartText() : std::string();
    if (found.status == Verification::Status::within) return;
    // The place where they part says more than the output where it shows.
    if (first) found.where = first->value;
    const ValueDifference& difference = first ? first->difference : worst.worst;
    found.reason = difference.worstText();
    found.apart = difference.fits ? difference.apartText() : std::string();
}

/// Of a side model: its verdict against the baseline, or against the side before it.
Verification verdictOf(const SideAnswer& side, const VerificationPlan& plan, bool isSincePrevious) {
    Verification found;
    found.tolerance = plan.job.tolerance;
    found.baseline = isSincePrevious ? std::string(message("verify.baseline-before")) : plan.baseline;
    const auto& compared = isSincePrevious ? side.sincePrevious : side.compared;
    if (!side.failure.empty() || compared.empty()) {
        found.reason = side.failure;
        if (found.reason.empty() && isSincePrevious) found.reason = message("verify.before-not-run");
        return found;
    }
    if (elementsOf(compared) == 0) {
        found.reason = message("verify.nothing-inside");
        return found;
    }
    found.judge = side.backend;
    found.inputs = isSincePrevious ? side.setsSincePrevious : side.sets;
    judgeOutputs(compared, isSincePrevious ? std::nullopt : side.first, found);
    return found;
}

std::vector<StepVerdict> stepVerdicts(const VerificationPlan& plan, const Result<JobAnswer>& answer) {
    std::vector<StepVerdict> verdicts;
    bool differsAlready = false;
    for (const VerificationPlan::StepPlan& step : plan.steps) {
        StepVerdict verdict{step.step, step.pass, {}};
        Verification& found = verdict.found;
        if (!step.leftOut.empty()) {
            found.baseline = plan.baseline;
            found.reason = step.leftOut;
        } else if (!step.side) {
            found.status = Verification::Status::exactByRule;
            found.baseline = message("verify.baseline-before");
            found.reason = message("verify.by-rule");
        } else if (!answer || *step.side >= answer->sides.size()) {
            found.baseline = plan.baseline;
            found.reason = answer ? std::string() : answer.error().toString();
        } else {
            found = verdictOf(answer->sides[*step.side], plan, step.isSincePrevious || differsAlready);
            differsAlready = differsAlready || found.status == Verification::Status::differs;
        }
        verdicts.push_back(std::move(verdict));
    }
    return verdicts;
}

/// They ran and agree, which proves nothing.
void fallSilent(Verification& found, const std::string& why) {
    found.status = Verification::Status::notChecked;
    found.isSilent = true;
    found.reason = why;
    found.inputs.clear();
    found.judge.clear();
    found.where.clear();
    found.apart.clear();
    found.maxAbsolute = found.maxRelative = 0;
}

Verification::ModeChange modeChangeOf(const SideAnswer& side) {
    Verification::ModeChange change;
    change.reason = side.failure;
    if (!side.failure.empty() || side.compared.empty()) return change;
    const ComparedOutput& worst = worstOf(side.compared);
    change.maxAbsolute = worst.worst.maxAbsolute;
    if (!worst.worst.isSameBits) change.where = worst.name;
    return change;
}

Verification::SecondJudge secondJudgeOf(const SideAnswer& side, const VerificationPlan& plan) {
    using Baseline = Verification::SecondJudge::Baseline;
    const bool hasOwn = plan.isSecondOfBoth && side.failure.empty() && elementsOf(side.sincePrevious) > 0;
    const Verification verdict = verdictOf(side, plan, hasOwn);
    Verification::SecondJudge judge{side.backend,  verdict.status, verdict.inputs.size(), verdict.maxAbsolute,
                                    verdict.where, verdict.reason, verdict.apart};
    if (!hasOwn) return judge;
    judge.baseline = Baseline::ownRun;
    const Verification ours = verdictOf(side, plan, false);
    if (ours.status == Verification::Status::differs)
        judge.gap = formatMessage("verify.second-gap-at", {ours.where, ours.reason});
    return judge;
}

} // namespace

Verification verificationOf(const VerificationPlan& plan, const Result<JobAnswer>& given) {
    const Result<JobAnswer> answer = named(given, plan.names);
    Verification found;
    found.baseline = plan.baseline;
    found.tolerance = plan.job.tolerance;
    found.steps = stepVerdicts(plan, answer);
    if (!answer) {
        found.reason = answer.error().toString();
        return found;
    }
    if (!answer->silence.empty()) {
        fallSilent(found, answer->silence);
        // What holds for the result holds for each step: they agree on the same outputs.
        for (StepVerdict& step : found.steps)
            if (step.found.isGood()) fallSilent(step.found, answer->silence);
        return found;
    }
    if (answer->sets.empty() || answer->compared.empty()) {
        found.reason = answer->skippedSets.empty() ? "" : answer->skippedSets.front();
        return found;
    }
    // A result that has an output of its own was not compared as a whole.
    if (!answer->mismatch.empty()) {
        found.reason = answer->mismatch;
        return found;
    }
    if (answer->elementsCompared() == 0) {
        found.reason = message("verify.nothing-inside");
        return found;
    }
    found.judge = answer->runs.front().backend;
    found.inputs = answer->sets;
    found.skipped = answer->skippedSets;
    judgeOutputs(answer->compared, answer->first, found);
    if (found.status != Verification::Status::differs) {
        found.weakness = weaknessText(*answer);
        found.unentered = answer->unentered;
    }
    const auto sideOf = [&](const std::optional<std::size_t>& number) {
        return number && *number < answer->sides.size() ? &answer->sides[*number] : nullptr;
    };
    if (const SideAnswer* side = sideOf(plan.modeSide)) found.modeChange = modeChangeOf(*side);
    if (const SideAnswer* side = sideOf(plan.secondSide)) found.second = secondJudgeOf(*side, plan);
    return found;
}

Result<Verification> verifyInWorker(const std::shared_ptr<const Original>& original, const Recipe& recipe,
                                    const fs::path& program, double edgeSeconds, const WorkContext& work,
                                    VerificationScope scope) {
    auto found = tryToVerify(original, recipe, program, edgeSeconds, work, scope);
    if (found || found.error().code == ErrorCode::cancelled) return found;
    Verification unchecked;
    unchecked.reason = found.error().toString();
    return unchecked;
}

} // namespace secateur
