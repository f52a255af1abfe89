// SPDX-License-Identifier: Apache-2.0
#include "app/commands/verify.h"

#include "app/commands/execution.h"
#include "core/messages/sentences.h"
#include "core/onnx/check.h"
#include "core/report/report_json.h"
#include "core/support/scratch_folder.h"

namespace secateur::cli {
namespace {

using Status = Verification::Status;

constexpr double kEdgeSeconds = 60; ///< no script waits minutes for the last of nine sets of inputs

/// Runs both. Whatever keeps them from running is a reason, but for Ctrl+C.
Result<Verification> compareNumbers(const History& history, Console& console) {
    const WorkContext work = console.work();
    const ScratchFolder scratch = TRY(ScratchFolder::create());
    VerificationPlan plan = TRY(planVerification(history, scratch.path(), work));
    plan.job.edgeSeconds = kEdgeSeconds;
    const Result<JobAnswer> answer = execute(plan.job, {}, console);
    if (!answer && answer.error().code == ErrorCode::cancelled) return answer.error();
    return verificationOf(plan, answer);
}

/// What was found, as a sentence, and the exit code that it stands for; none where all is well.
std::optional<Error> complaint(const Verified& verified, const std::string& out) {
    if (!verified.refusal.empty())
        return Error{ErrorCode::verification, formatMessage("cli.checker-refused", {verified.refusal}), out};
    const Verification& numbers = verified.numbers;
    if (numbers.status == Status::notChecked)
        return missingHere(formatMessage("cli.not-compared", {numbers.reason}), out);
    if (numbers.status == Status::differs)
        return Error{ErrorCode::verification,
                     formatMessage("cli.verify-differs", {numbers.text(), numbers.judge, numbers.baseline}),
                     out};
    return std::nullopt;
}

} // namespace

void addVerifyOptions(CLI::App& verb, VerifyOptions& options) {
    verb.add_flag(
        "--verify", options.isVerified,
        "check the structure of the result, and run it beside the original in evaluation mode on random "
        "inputs and edge cases; where they differ nothing is written (exit 1) without --force");
    verb.add_flag("--force", options.isForced,
                  "write the result although something is left open or a check failed");
}

std::optional<int> verify(const History& history, const std::string& out, const VerifyOptions& options,
                          Verified& verified, Console& console) {
    if (!options.isVerified) return std::nullopt;
    verified.isAsked = true;
    if (const auto checked = checkModel(history.model()); !checked) {
        verified.refusal = checked.error().message;
    } else {
        auto numbers = compareNumbers(history, console);
        if (!numbers && numbers.error().code == ErrorCode::cancelled) return console.fail(numbers.error());
        if (numbers)
            verified.numbers = std::move(*numbers);
        else
            verified.numbers.reason = numbers.error().toString();
    }
    for (const std::string& skipped : verified.numbers.skipped)
        console.note(skipped);
    const auto found = complaint(verified, out);
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
