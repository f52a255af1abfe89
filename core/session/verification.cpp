// SPDX-License-Identifier: Apache-2.0
#include "core/session/verification.h"

#include "core/exec/worker.h"
#include "core/messages/sentences.h"
#include "core/onnx/save.h"
#include "core/session/evaluation_mode.h"
#include "core/support/scratch_folder.h"
#include "core/support/short_text.h"

#include <algorithm>

namespace secateur {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDropPath = "bypass-drop-path";
constexpr std::string_view kBatchNorm = "freeze-batch-norm";
constexpr std::uint32_t kRandomSets = 2;

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

/// How far apart two values are, in a word or two.
std::string howFar(const ValueDifference& found) {
    if (!found.fits) return found.misfit;
    if (found.nanMismatches > 0 && found.maxAbsolute == 0)
        return formatMessage("verify.not-finite", {std::to_string(found.nanMismatches)});
    if (found.maxAbsolute == 0) return formatMessage("verify.elements", {std::to_string(found.differing)});
    return roundedNumber(found.maxAbsolute);
}

Result<Verification> tryToVerify(const std::shared_ptr<const Original>& original, const Recipe& recipe,
                                 const fs::path& program, double edgeSeconds, const WorkContext& work,
                                 VerificationScope scope) {
    const ScratchFolder scratch = TRY(ScratchFolder::create());
    const History history = TRY(History::run(original, recipe, work));
    VerificationPlan plan = TRY(planVerification(history, scratch.path(), work, scope));
    plan.job.edgeSeconds = edgeSeconds;
    WorkerOptions worker;
    worker.program = program;
    work.report("exec.phase.compare", 0, 0);
    auto answer = runInWorker(plan.job, worker, work.cancel);
    if (!answer && answer.error().code == ErrorCode::cancelled) return answer.error();
    return verificationOf(plan, answer);
}

} // namespace

std::string_view statusName(Verification::Status status) {
    switch (status) {
    case Verification::Status::notChecked: return "not_checked";
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
    case Status::sameBits: return formatMessage("verify.same-bits", {count});
    case Status::within:
        return formatMessage("verify.within",
                             {roundedNumber(tolerance.relative), count, roundedNumber(maxAbsolute), where});
    case Status::differs: return formatMessage("verify.differs", {where, reason});
    }
    return {};
}

Result<VerificationPlan> planVerification(const History& history, const fs::path& folder,
                                          const WorkContext& work, VerificationScope scope) {
    VerificationPlan plan;
    plan.job.kind = Job::Kind::compare;
    plan.job.count = kRandomSets;
    plan.job.hasEdgeInputs = scope.hasEdges;
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
    const RunMode evaluation = hasBatch ? RunMode::inferenceWithBatchStatistics : RunMode::inference;
    plan.job.modes = {scope.isMidway ? evaluation : RunMode::asWritten, evaluation};
    return plan;
}

Verification verificationOf(const VerificationPlan& plan, const Result<JobAnswer>& answer) {
    Verification found;
    found.baseline = plan.baseline;
    found.tolerance = plan.job.tolerance;
    if (!answer) {
        found.reason = answer.error().toString();
        found.obstacle = answer.error().code;
        return found;
    }
    if (answer->sets.empty() || answer->compared.empty()) {
        found.reason = answer->skippedSets.empty() ? "" : answer->skippedSets.front();
        return found;
    }
    if (!answer->unmatched.empty()) {
        found.reason = answer->notes.front();
        found.obstacle = ErrorCode::verification;
        return found;
    }
    if (answer->elementsCompared() == 0) {
        found.reason = message("verify.nothing-inside");
        found.obstacle = ErrorCode::usage;
        return found;
    }
    found.judge = answer->runs.front().backend;
    found.inputs = answer->sets;
    found.skipped = answer->skippedSets;
    const ComparedOutput& worst = answer->worst();
    for (const ComparedOutput& output : answer->compared)
        found.maxRelative = std::max(found.maxRelative, output.worst.maxRelative);
    found.maxAbsolute = worst.worst.maxAbsolute;
    if (answer->isSameBits()) {
        found.status = Verification::Status::sameBits;
        return found;
    }
    found.where = worst.name;
    found.status = answer->isWithin() ? Verification::Status::within : Verification::Status::differs;
    if (found.status == Verification::Status::within) return found;
    // The place where they part says more than the output where it shows.
    const ValueDifference& difference = answer->first ? answer->first->difference : worst.worst;
    if (answer->first) found.where = answer->first->value;
    found.reason = howFar(difference);
    return found;
}

Result<Verification> verifyInWorker(const std::shared_ptr<const Original>& original, const Recipe& recipe,
                                    const fs::path& program, double edgeSeconds, const WorkContext& work,
                                    VerificationScope scope) {
    auto found = tryToVerify(original, recipe, program, edgeSeconds, work, scope);
    if (found || found.error().code == ErrorCode::cancelled) return found;
    Verification unchecked;
    unchecked.reason = found.error().toString();
    unchecked.obstacle = found.error().code;
    return unchecked;
}

} // namespace secateur
