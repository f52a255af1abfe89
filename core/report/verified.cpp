// SPDX-License-Identifier: Apache-2.0
#include "core/report/verified.h"

#include "core/messages/sentences.h"
#include "core/onnx/check.h"
#include "core/passes/registry.h"
#include "core/support/short_text.h"

namespace secateur {
namespace {

using Status = Verification::Status;

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts)
        text += (text.empty() ? "" : "; ") + part;
    return text;
}

std::string stepText(const StepVerdict& step) {
    const Pass* known = findPass(step.pass);
    const std::string title = known == nullptr ? step.pass : std::string(message(known->info().titleId));
    const bool isUnknown = step.found.status == Status::notChecked && !step.found.reason.empty();
    return formatMessage(isUnknown ? "report.check-step-unknown" : "report.check-step-of",
                         {std::to_string(step.step + 1), title, step.found.text(),
                          isUnknown ? step.found.reason : step.found.baseline});
}

} // namespace

bool Verified::isGood() const {
    return isAsked && refusal.empty() && numbers.isGood();
}

std::string Verified::verdict() const {
    if (!isAsked) return std::string(message("report.not-checked"));
    if (!refusal.empty()) return std::string(message("report.check-structure-refused"));
    if (numbers.isSilent) return std::string(message("report.check-silent"));
    if (numbers.status == Status::notChecked) return std::string(message("report.check-structure-only"));
    return numbers.text();
}

std::string Verified::words() const {
    if (!isAsked) return std::string(message("report.unchecked"));
    if (!refusal.empty()) return std::string(message("report.structure-refused"));
    if (numbers.isSilent) return std::string(message("report.structure-silent"));
    if (numbers.status == Status::notChecked) return std::string(message("report.structure-checked"));
    const std::string first =
        formatMessage("report.verified", {numbers.text(), numbers.judge, numbers.baseline});
    // Each judge saw its own inputs, and says its own numbers.
    const bool isAnySecond = numbers.second && !numbers.second->name.empty();
    return isAnySecond
               ? formatMessage("report.verified-twice", {first, numbers.second->text(numbers.tolerance)})
               : first;
}

std::vector<std::pair<const char*, std::string>> Verified::facts() const {
    if (!isAsked) return {};
    std::vector<std::pair<const char*, std::string>> facts{{"report.check-verdict", verdict()}};
    if (!refusal.empty()) {
        facts.emplace_back("report.check-why", refusal);
        return facts;
    }
    if (numbers.status == Status::notChecked) {
        facts.emplace_back("report.check-why", numbers.reason);
        return facts;
    }
    facts.emplace_back("report.check-judge", numbers.judge);
    if (numbers.second) facts.emplace_back("report.check-second", numbers.second->text(numbers.tolerance));
    facts.emplace_back("report.check-baseline", numbers.baseline);
    facts.emplace_back("report.check-absolute", roundedNumber(numbers.maxAbsolute));
    facts.emplace_back("report.check-relative", roundedNumber(numbers.maxRelative));
    facts.emplace_back("report.check-tolerance", formatMessage("report.check-tolerance-of",
                                                               {roundedNumber(numbers.tolerance.relative),
                                                                roundedNumber(numbers.tolerance.absolute)}));
    if (!numbers.apart.empty()) facts.emplace_back("report.check-apart", numbers.apart);
    if (!numbers.where.empty()) facts.emplace_back("report.check-where", "`" + numbers.where + "`");
    facts.emplace_back("report.check-inputs", joined(numbers.inputs));
    for (const std::string& skipped : numbers.skipped)
        facts.emplace_back("report.check-skipped", skipped);
    if (const std::string moved = numbers.modeChangeText(); !moved.empty())
        facts.emplace_back("report.check-mode", moved);
    for (const StepVerdict& step : numbers.steps)
        facts.emplace_back("report.check-step", stepText(step));
    for (const Culprit& culprit : leftOut)
        facts.emplace_back("report.check-left-out", culprit.words());
    return facts;
}

void checkStructure(Verified& verified, const Model& result, const Model& opened) {
    const auto checked = checkModel(result);
    if (checked) return;
    verified.refusal = checked.error().message;
    verified.isRefusedBefore = !checkModel(opened);
}

} // namespace secateur
