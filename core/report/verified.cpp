// SPDX-License-Identifier: Apache-2.0
#include "core/report/verified.h"

#include "core/messages/sentences.h"
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

} // namespace

bool Verified::isGood() const {
    return isAsked && refusal.empty() &&
           (numbers.status == Status::sameBits || numbers.status == Status::within);
}

std::string Verified::verdict() const {
    if (!isAsked) return std::string(message("report.not-checked"));
    if (!refusal.empty()) return std::string(message("report.check-structure-refused"));
    if (numbers.status == Status::notChecked) return std::string(message("report.check-structure-only"));
    return numbers.text();
}

std::string Verified::words() const {
    if (!isAsked) return std::string(message("report.unchecked"));
    if (!refusal.empty()) return std::string(message("report.structure-refused"));
    if (numbers.status == Status::notChecked) return std::string(message("report.structure-checked"));
    return formatMessage("report.verified", {numbers.text(), numbers.judge, numbers.baseline});
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
    facts.emplace_back("report.check-baseline", numbers.baseline);
    facts.emplace_back("report.check-absolute", roundedNumber(numbers.maxAbsolute));
    facts.emplace_back("report.check-relative", roundedNumber(numbers.maxRelative));
    facts.emplace_back("report.check-tolerance", formatMessage("report.check-tolerance-of",
                                                               {roundedNumber(numbers.tolerance.relative),
                                                                roundedNumber(numbers.tolerance.absolute)}));
    if (!numbers.where.empty()) facts.emplace_back("report.check-where", "`" + numbers.where + "`");
    facts.emplace_back("report.check-inputs", joined(numbers.inputs));
    for (const std::string& skipped : numbers.skipped)
        facts.emplace_back("report.check-skipped", skipped);
    for (const Culprit& culprit : leftOut)
        facts.emplace_back("report.check-left-out", culprit.words());
    return facts;
}

} // namespace secateur
