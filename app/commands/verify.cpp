// SPDX-License-Identifier: Apache-2.0
#include "app/commands/verify.h"

#include "app/commands/execution.h"
#include "core/messages/sentences.h"
#include "core/onnx/check.h"
#include "core/support/scratch_folder.h"

namespace secateur::cli {
namespace {

using Json = nlohmann::ordered_json;
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

std::string Verified::words() const {
    if (!isAsked) return std::string(message("cli.not-checked"));
    if (!refusal.empty()) return std::string(message("cli.structure-refused"));
    if (numbers.status == Status::notChecked) return std::string(message("cli.structure-checked"));
    return formatMessage("cli.verified", {numbers.text(), numbers.judge, numbers.baseline});
}

Json Verified::json() const {
    const bool hasNumbers = numbers.status != Status::notChecked;
    Json json{{"status", statusName(numbers.status)}};
    json["judge"] = hasNumbers ? Json(numbers.judge)
                    : isAsked  ? Json(message("cli.judge-structure"))
                               : Json(nullptr);
    json["structure"] = isAsked ? Json(refusal.empty() ? "accepted" : "refused") : Json(nullptr);
    json["baseline"] = hasNumbers ? Json(numbers.baseline) : Json(nullptr);
    json["inputs"] = hasNumbers ? Json(numbers.inputs) : Json(nullptr);
    json["skipped_inputs"] = hasNumbers ? Json(numbers.skipped) : Json(nullptr);
    json["max_abs"] = hasNumbers ? numberJson(numbers.maxAbsolute) : Json(nullptr);
    json["max_rel"] = hasNumbers ? numberJson(numbers.maxRelative) : Json(nullptr);
    json["where"] = numbers.where.empty() ? Json(nullptr) : Json(numbers.where);
    json["reason"] = numbers.reason.empty() ? Json(nullptr) : Json(numbers.reason);
    return json;
}

std::optional<int> verify(const History& history, const WriteOptions& writing, Verified& verified,
                          Console& console) {
    if (!writing.isVerified) return std::nullopt;
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
    const auto found = complaint(verified, writing.out);
    if (!found) return std::nullopt;
    if (writing.isForced) {
        console.note(found->message);
        return std::nullopt;
    }
    return console.fail(
        {found->code, found->message + " " + std::string(message("cli.not-written")), found->where},
        {{"verify", verified.json()}});
}

} // namespace secateur::cli
