// SPDX-License-Identifier: Apache-2.0
#include "core/report/report_json.h"

#include "core/messages/sentences.h"
#include "core/support/json_number.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <fmt/format.h>

namespace secateur {
namespace {

using Json = nlohmann::ordered_json;

Json metricsJson(const Metrics& metrics) {
    return Json{{"nodes", metrics.nodes},
                {"bytes", metrics.fileBytes},
                {"initializer_bytes", metrics.initializerBytes},
                {"parameter_input_bytes", metrics.parameterInputBytes},
                {"memory", nullptr}};
}

Json stepJson(const ReportStep& step, bool hasSeconds) {
    Json json{{"pass", step.pass},     {"title", step.title},       {"class", std::string(1, step.exactness)},
              {"on", step.isOn},       {"rewrites", step.rewrites}, {"skipped", step.skipped},
              {"erased", step.erased}, {"created", step.created}};
    if (hasSeconds) json["seconds"] = step.seconds;
    json["before"] = {{"nodes", step.before.nodes}};
    json["after"] = {{"nodes", step.after.nodes}};
    // Sizes between the steps are there when the run measured them.
    if (step.before.fileBytes > 0) json["before"]["bytes"] = step.before.fileBytes;
    if (step.after.fileBytes > 0) json["after"]["bytes"] = step.after.fileBytes;
    json["reasons"] = Json::array();
    for (const ReasonGroup& group : step.reasons) {
        json["reasons"].push_back({{"id", group.id}, {"count", group.count}, {"example", group.example}});
    }
    json["questions"] = step.questions;
    json["misses"] = step.misses;
    json["failure"] = step.failure.empty() ? Json(nullptr) : Json(step.failure);
    return json;
}

Json removedJson(const std::vector<RemovedNode>& removed) {
    Json list = Json::array();
    for (const RemovedNode& node : removed) {
        list.push_back({{"node", node.name},
                        {"op", node.op},
                        {"role", node.role},
                        {"reason", node.reason},
                        {"path", node.path},
                        {"path_nodes", node.pathNodes},
                        {"stood_on_path", node.stoodOnPath},
                        {"end", node.end},
                        {"pass", node.pass},
                        {"replaced", node.isReplaced},
                        {"id", node.node.index}});
    }
    return list;
}

void addLists(const Report& report, Json& json) {
    json["targets"] = Json::array();
    for (const ReportTarget& target : report.targets) {
        json["targets"].push_back({{"name", target.name},
                                   {"type", target.type},
                                   {"score", target.score},
                                   {"evidence", target.evidence}});
    }
    json["roles"] = Json::object();
    for (const ReportRole& role : report.roles) {
        json["roles"][role.role] = {{"before", role.before}, {"after", role.after}};
    }
    json["stashes"] = Json::array();
    for (const ReportStash& stash : report.stashes) {
        json["stashes"].push_back({{"value", stash.value},
                                   {"type", stash.type},
                                   {"bytes", stash.bytes},
                                   {"size", stash.size},
                                   {"producer", stash.producer},
                                   {"readers", stash.readers}});
    }
    json["problems"] = Json::array();
    for (const ReportProblem& problem : report.problems) {
        json["problems"].push_back(
            {{"severity", problem.severity}, {"id", problem.id}, {"text", problem.text}});
    }
    json["notes"] = report.notes;
    json["inputs"] = report.inputs;
    json["outputs"] = report.outputs;
}

} // namespace

Json reportToJsonObject(const Report& report, bool hasSeconds) {
    Json json;
    json["schema"] = 1;
    json["model"] = report.model;
    json["before"] = metricsJson(report.before);
    json["before"]["bytes"] = report.fileBytes > 0 ? report.fileBytes : report.before.fileBytes;
    json["before"]["weight_bytes"] = report.weightBytesBefore; // with those in Constant nodes
    json["before"]["external_bytes"] = report.externalBytes;
    json["before"]["metadata_bytes"] = report.metadataBytes;
    json["after"] = metricsJson(report.after);
    json["after"]["weight_bytes"] = report.weightBytesAfter;
    json["steps"] = Json::array();
    for (const ReportStep& step : report.steps)
        json["steps"].push_back(stepJson(step, hasSeconds));
    json["counts"] = {{"removed", report.removed.size() - report.replacedNodes},
                      {"replaced", report.replacedNodes}};
    json["removed"] = removedJson(report.removed);
    addLists(report, json);
    return json;
}

namespace {

Json textOrNull(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

Json secondJson(const Verification& numbers) {
    if (!numbers.second) return nullptr;
    const Verification::SecondJudge& second = *numbers.second;
    const bool isOwn = second.baseline == Verification::SecondJudge::Baseline::ownRun;
    return {{"judge", textOrNull(second.name)},
            {"status", statusName(second.status)},
            {"inputs", second.inputs},
            {"max_abs", jsonNumber<Json>(second.maxAbsolute)},
            {"where", textOrNull(second.where)},
            {"reason", textOrNull(second.reason)},
            {"baseline", isOwn ? "original_by_itself" : "original_by_first_judge"},
            {"gap", textOrNull(second.gap)}};
}

Json modeChangeJson(const Verification& numbers) {
    if (!numbers.modeChange) return nullptr;
    const Verification::ModeChange& change = *numbers.modeChange;
    const bool isKnown = change.reason.empty();
    return {{"max_abs", isKnown ? jsonNumber<Json>(change.maxAbsolute) : Json(nullptr)},
            {"where", textOrNull(change.where)},
            {"reason", textOrNull(change.reason)}};
}

Json stepVerdictsJson(const Verification& numbers) {
    Json steps = Json::array();
    for (const StepVerdict& step : numbers.steps) {
        const Verification& found = step.found;
        const bool hasNumbers = !found.inputs.empty();
        steps.push_back({{"step", step.step + 1},
                         {"pass", step.pass},
                         {"status", statusName(found.status)},
                         {"text", found.text()},
                         {"judge", textOrNull(found.judge)},
                         {"baseline", textOrNull(found.baseline)},
                         {"inputs", found.inputs.size()},
                         {"max_abs", hasNumbers ? jsonNumber<Json>(found.maxAbsolute) : Json(nullptr)},
                         {"where", textOrNull(found.where)},
                         {"reason", textOrNull(found.reason)}});
    }
    return steps;
}

} // namespace

Json verifiedJson(const Verified& verified) {
    const Verification& numbers = verified.numbers;
    const bool isAsked = verified.isAsked;
    const bool hasNumbers = numbers.status != Verification::Status::notChecked;
    Json json{{"status", statusName(numbers.status)}};
    json["judge"] = hasNumbers ? Json(numbers.judge)
                    : isAsked  ? Json(message("report.judge-structure"))
                               : Json(nullptr);
    json["structure"] = isAsked ? Json(verified.refusal.empty() ? "accepted" : "refused") : Json(nullptr);
    json["baseline"] = hasNumbers ? Json(numbers.baseline) : Json(nullptr);
    json["inputs"] = hasNumbers ? Json(numbers.inputs) : Json(nullptr);
    json["skipped_inputs"] = hasNumbers ? Json(numbers.skipped) : Json(nullptr);
    json["max_abs"] = hasNumbers ? jsonNumber<Json>(numbers.maxAbsolute) : Json(nullptr);
    json["max_rel"] = hasNumbers ? jsonNumber<Json>(numbers.maxRelative) : Json(nullptr);
    json["where"] = numbers.where.empty() ? Json(nullptr) : Json(numbers.where);
    json["apart"] = textOrNull(numbers.apart);
    const std::string& reason = verified.refusal.empty() ? numbers.reason : verified.refusal;
    json["reason"] = reason.empty() ? Json(nullptr) : Json(reason);
    json["weakness"] = textOrNull(numbers.weakness);
    json["second_judge"] = secondJson(numbers);
    json["mode_change"] = modeChangeJson(numbers);
    json["steps"] = stepVerdictsJson(numbers);
    json["left_out"] = Json::array();
    for (const Culprit& culprit : verified.leftOut)
        json["left_out"].push_back({{"pass", culprit.pass},
                                    {"key", culprit.key},
                                    {"place", culprit.place},
                                    {"where", culprit.difference.where},
                                    {"difference", culprit.difference.text()}});
    return json;
}

std::string jsonText(const Json& json) {
    const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    // What cannot be seen stands inside of strings, where JSON has escapes for it.
    std::string out;
    for (std::size_t at = 0, begin = 0; begin < text.size(); begin = at) {
        const char32_t c = nextCodePoint(text, at);
        const std::string_view bytes = std::string_view(text).substr(begin, at - begin);
        if (c < 0x7F || printable(bytes) == bytes)
            out += bytes;
        else if (c < 0x10000)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += fmt::format("\\u{:04x}\\u{:04x}", 0xD800U + ((static_cast<unsigned>(c) - 0x10000U) >> 10U),
                               0xDC00U + ((static_cast<unsigned>(c) - 0x10000U) & 0x3FFU));
    }
    return out;
}

std::string reportToJson(const Report& report) {
    Json json = reportToJsonObject(report, false);
    json["weights"] = Json::array();
    for (const ReportWeight& weight : report.weights) {
        json["weights"].push_back({{"name", weight.name}, {"type", weight.type}, {"bytes", weight.bytes}});
    }
    json["opsets"] = report.opsets;
    json["verify"] = verifiedJson(report.verified);
    json["command"] = report.command;
    json["recipe"] = Json::parse(report.recipe, nullptr, false);
    return jsonText(json);
}

} // namespace secateur
