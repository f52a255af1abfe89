// SPDX-License-Identifier: Apache-2.0
#include "app/commands/verify.h"

#include "app/commands/conversion.h"
#include "app/commands/execution.h"
#include "core/messages/sentences.h"
#include "core/onnx/check.h"
#include "core/report/report_json.h"
#include "core/support/scratch_folder.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace secateur::cli {
namespace {

using Status = Verification::Status;

constexpr double kEdgeSeconds = 60; ///< no script waits minutes for the last of nine sets of inputs

/// What --inputs and --input ask for.
Result<VerificationScope> scopeOf(const VerifyOptions& options) {
    VerificationScope scope;
    scope.bindings = TRY(bindingsOf(options.bindings));
    for (const std::string& folder : options.folders) {
        std::error_code failed; // what may not be looked into is none
        if (!std::filesystem::is_directory(folder, failed))
            return usageError(std::string(message("cli.inputs-no-folder")), folder);
        scope.own.push_back({folder, {}});
    }
    OwnInputs files;
    for (const std::string& text : options.inputs) {
        const std::size_t equal = text.find('=');
        if (equal == std::string::npos || equal == 0 || equal + 1 == text.size())
            return usageError(formatMessage("cli.input-form", {text}));
        const std::pair named{text.substr(0, equal), text.substr(equal + 1)};
        (isRange(named.second) ? scope.ranges : files.files).push_back(named);
    }
    if (!files.files.empty()) scope.own.push_back(std::move(files));
    return scope;
}

/// Does an error end the verb? Ctrl+C does, and inputs or sizes of one's own that the models do not
/// take.
bool isFinal(const Error& error, const VerificationScope& scope) {
    if (error.code == ErrorCode::cancelled) return true;
    const bool hasOwn = !scope.own.empty() || !scope.ranges.empty() || !scope.bindings.empty();
    return hasOwn && (error.code == ErrorCode::usage || error.code == ErrorCode::invalidInput);
}

/// Runs both. Whatever keeps them from running is a reason, but for Ctrl+C.
Result<Verification> compareNumbers(History& history, const VerificationScope& scope,
                                    const ExecutionOptions& limits, Console& console) {
    const WorkContext work = console.work();
    const ScratchFolder scratch = TRY(ScratchFolder::create());
    VerificationPlan plan = TRY(planVerification(history, scratch.path(), work, scope));
    if (!scope.isMidway) TRY(planDetails(plan, history, scratch.path(), work));
    plan.job.edgeSeconds = kEdgeSeconds;
    TRY(setLimits(limits, plan.job));
    const Result<JobAnswer> answer = named(execute(plan.job, limits, console), plan.names);
    if (!answer && isFinal(answer.error(), scope)) return answer.error();
    return verificationOf(plan, answer);
}

/// Finds the rewrites that make the difference, and puts the history without them in the place of `history`
/// where that makes it go away. What cannot be named is told.
Result<void> leaveOutCulprits(History& history, const std::shared_ptr<const Original>& original,
                              const VerifyOptions& options, Verified& verified, Console& console) {
    const bool mayLeaveOut = options.mayLeaveOut;
    const WorkContext work = console.work();
    const VerificationScope given = TRY(scopeOf(options));
    const auto check = [&](const Recipe& recipe, const VerificationScope& asked) -> Result<Verification> {
        History part = TRY(History::run(original, recipe, work));
        VerificationScope scope = given;
        scope.isMidway = asked.isMidway;
        scope.hasEdges = asked.hasEdges;
        return compareNumbers(part, scope, options.limits, console);
    };
    Blame blame = TRY(findCulprits(original, history.recipe(), check, work));
    for (const std::string& line : blame.words())
        console.warn(line);
    if (!blame.isResolved() || !mayLeaveOut) return {};
    history = TRY(History::run(original, blame.without, work));
    if (const auto open = whatIsOpen(history)) return *open; // what came later may have stood on it
    if (const auto checked = checkModel(history.model()); !checked)
        verified.refusal = checked.error().message;
    verified.numbers = std::move(blame.verdict);
    verified.leftOut = std::move(blame.culprits);
    console.warn(formatMessage("cli.left-out", {std::to_string(verified.leftOut.size())}));
    return {};
}

/// What else a check found: a line for the change of mode and one for the second judge.
void tellDetails(const Verification& numbers, Console& console) {
    if (numbers.isWeak()) console.warn(formatMessage("cli.verify-weak", {numbers.weakness}));
    if (const std::string moved = numbers.modeChangeText(); !moved.empty()) console.note(moved);
    if (!numbers.second) return;
    const std::string line = numbers.second->text(numbers.tolerance);
    using Baseline = Verification::SecondJudge::Baseline;
    if (numbers.second->status == Status::differs) {
        // With both models it is a complaint. Over the result alone the gap may be one between the programs.
        if (numbers.second->baseline == Baseline::ownRun) return;
        console.warn(line);
        if (numbers.status == Status::sameBits)
            console.note(formatMessage("cli.second-differs", {numbers.second->name}));
    } else if (numbers.second->name.empty()) // one that spoke stands in the verdict
        console.note(line);
}

/// A sentence that goes on behind another one: where it ends with a full stop, without it.
std::string withoutStop(std::string text) {
    while (!text.empty() && text.back() == '.')
        text.pop_back();
    return text;
}

/// What was found, as a sentence, and the exit code that it stands for; none where all is well.
std::optional<Error> complaint(const Verified& verified, const Original& original, const std::string& out) {
    if (verified.isRefusedBefore)
        return invalidInput(formatMessage("cli.checker-refused-before", {withoutStop(verified.refusal)}),
                            original.file.path.string());
    if (!verified.refusal.empty())
        return Error{ErrorCode::verification,
                     formatMessage("cli.checker-refused", {withoutStop(verified.refusal)}), out};
    const Verification& numbers = verified.numbers;
    if (numbers.status == Status::notChecked)
        return Error{ErrorCode::verification, // whatever kept them from running
                     formatMessage(numbers.isSilent ? "cli.verify-silent" : "cli.not-compared",
                                   {withoutStop(numbers.reason)}),
                     out};
    if (numbers.status == Status::differs)
        return Error{ErrorCode::verification,
                     formatMessage("cli.verify-differs", {numbers.text(), numbers.judge, numbers.baseline}),
                     out};
    if (numbers.second && numbers.second->status == Status::differs &&
        numbers.second->baseline == Verification::SecondJudge::Baseline::ownRun)
        return Error{ErrorCode::verification,
                     formatMessage("cli.verify-second-differs",
                                   {numbers.text(), numbers.judge, numbers.second->text(numbers.tolerance)}),
                     out};
    return std::nullopt;
}

} // namespace

void addVerifyOptions(CLI::App& verb, VerifyOptions& options) {
    CLI::Option* asked = verb.add_flag(
        "--verify", options.isVerified,
        "check the structure of the result, and run it beside the original in evaluation mode on random "
        "inputs and edge cases; where they differ the rewrites to blame are left out, and where none can be "
        "named nothing is written (exit 1) without --force");
    addBindOption(verb, options.bindings, std::string(message("cli.option.bind-verify")))->needs(asked);
    verb.add_option("--inputs", options.folders,
                    "with --verify: run on these inputs, too, input_0.pb, input_1.pb ... (or .npy); may be "
                    "repeated")
        ->check(notEmpty())
        ->needs(asked)
        ->type_name("DIR");
    verb.add_option("--input", options.inputs,
                    "with --verify: random inputs of one input keep to a range, or a file (.npy, .pb) is run "
                    "on, too; may be repeated")
        ->needs(asked)
        ->type_name("NAME=N|lo:hi|FILE");
    for (CLI::Option* limit : addLimitOptions(verb, options.limits))
        limit->needs(asked);
    verb.add_flag("--force", options.isForced,
                  "write the result although something is left open or a check failed");
}

std::optional<int> verify(History& history, const std::shared_ptr<const Original>& original,
                          const std::string& out, const VerifyOptions& options, Verified& verified,
                          Console& console) {
    if (!options.isVerified) return std::nullopt;
    verified.isAsked = true;
    Job unused;
    if (const auto limits = setLimits(options.limits, unused); !limits) return console.fail(limits.error());
    checkStructure(verified, history.model(), original->file.model);
    if (verified.refusal.empty()) {
        const auto scope = scopeOf(options);
        if (!scope) return console.fail(scope.error());
        auto numbers = compareNumbers(history, *scope, options.limits, console);
        if (!numbers && isFinal(numbers.error(), *scope)) return console.fail(numbers.error());
        if (numbers) {
            verified.numbers = std::move(*numbers);
        } else {
            verified.numbers.reason = numbers.error().toString();
        }
    }
    if (verified.numbers.status == Status::differs && !options.isForced) {
        console.warn(verified.numbers.text());
        if (const auto search = leaveOutCulprits(history, original, options, verified, console); !search)
            return console.fail(search.error());
    }
    for (const std::string& skipped : verified.numbers.skipped)
        console.note(skipped);
    tellDetails(verified.numbers, console);
    const auto found = complaint(verified, *original, out);
    if (!found) return std::nullopt;
    if (options.isForced) {
        console.note(found->message);
        return std::nullopt;
    }
    return console.fail(
        {found->code, found->message + " " + std::string(message("cli.not-written")), found->where},
        {{"verify", verifiedJson(verified)}});
}

} // namespace secateur::cli
