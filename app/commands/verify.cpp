// SPDX-License-Identifier: Apache-2.0
#include "app/commands/verify.h"

#include "app/commands/conversion.h"
#include "app/commands/execution.h"
#include "core/messages/sentences.h"
#include "core/onnx/check.h"
#include "core/report/report_json.h"
#include "core/support/scratch_folder.h"

namespace secateur::cli {
namespace {

using Status = Verification::Status;

using Bindings = std::map<std::string, std::int64_t>;

constexpr double kEdgeSeconds = 60; ///< no script waits minutes for the last of nine sets of inputs

/// Runs both. Whatever keeps them from running is a reason, but for Ctrl+C.
Result<Verification> compareNumbers(const History& history, VerificationScope scope, const Bindings& bindings,
                                    Console& console) {
    const WorkContext work = console.work();
    const ScratchFolder scratch = TRY(ScratchFolder::create());
    VerificationPlan plan = TRY(planVerification(history, scratch.path(), work, scope));
    plan.job.edgeSeconds = kEdgeSeconds;
    plan.job.inputs.bindings = bindings;
    const Result<JobAnswer> answer = execute(plan.job, {}, console);
    if (!answer && answer.error().code == ErrorCode::cancelled) return answer.error();
    return verificationOf(plan, answer);
}

/// Finds the rewrites that make the difference, and puts the history without them in the place of `history`
/// where that makes it go away. What cannot be named is told.
Result<void> leaveOutCulprits(History& history, const std::shared_ptr<const Original>& original,
                              bool mayLeaveOut, const Bindings& bindings, Verified& verified,
                              Console& console) {
    const WorkContext work = console.work();
    const auto check = [&](const Recipe& recipe, VerificationScope scope) -> Result<Verification> {
        const History part = TRY(History::run(original, recipe, work));
        return compareNumbers(part, scope, bindings, console);
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

/// A sentence that goes on behind another one: where it ends with a full stop, without it.
std::string withoutStop(std::string text) {
    while (!text.empty() && text.back() == '.')
        text.pop_back();
    return text;
}

/// What was found, as a sentence, and the exit code that it stands for; none where all is well.
std::optional<Error> complaint(const Verified& verified, const std::string& out) {
    if (!verified.refusal.empty())
        return Error{ErrorCode::verification,
                     formatMessage("cli.checker-refused", {withoutStop(verified.refusal)}), out};
    const Verification& numbers = verified.numbers;
    if (numbers.status == Status::notChecked)
        return Error{numbers.obstacle, formatMessage("cli.not-compared", {withoutStop(numbers.reason)}), out};
    if (numbers.status == Status::differs)
        return Error{ErrorCode::verification,
                     formatMessage("cli.verify-differs", {numbers.text(), numbers.judge, numbers.baseline}),
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
    verb.add_flag("--force", options.isForced,
                  "write the result although something is left open or a check failed");
}

std::optional<int> verify(History& history, const std::shared_ptr<const Original>& original,
                          const std::string& out, const VerifyOptions& options, Verified& verified,
                          Console& console) {
    if (!options.isVerified) return std::nullopt;
    const auto bindings = bindingsOf(options.bindings);
    if (!bindings) return console.fail(bindings.error());
    verified.isAsked = true;
    if (const auto checked = checkModel(history.model()); !checked) {
        verified.refusal = checked.error().message;
    } else {
        auto numbers = compareNumbers(history, {}, *bindings, console);
        if (!numbers && numbers.error().code == ErrorCode::cancelled) return console.fail(numbers.error());
        if (numbers) {
            verified.numbers = std::move(*numbers);
        } else {
            verified.numbers.reason = numbers.error().toString();
            verified.numbers.obstacle = numbers.error().code;
        }
    }
    if (verified.numbers.status == Status::differs && !options.isForced) {
        console.warn(verified.numbers.text());
        if (const auto search =
                leaveOutCulprits(history, original, options.mayLeaveOut, *bindings, verified, console);
            !search)
            return console.fail(search.error());
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
