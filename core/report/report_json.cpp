// SPDX-License-Identifier: Apache-2.0
#include "core/report/report_json.h"

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
    json["before"]["external_bytes"] = report.externalBytes;
    json["before"]["metadata_bytes"] = report.metadataBytes;
    json["after"] = metricsJson(report.after);
    json["steps"] = Json::array();
    for (const ReportStep& step : report.steps)
        json["steps"].push_back(stepJson(step, hasSeconds));
    json["counts"] = {{"removed", report.removed.size() - report.replacedNodes},
                      {"replaced", report.replacedNodes}};
    json["removed"] = removedJson(report.removed);
    addLists(report, json);
    return json;
}

std::string jsonText(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string reportToJson(const Report& report) {
    Json json = reportToJsonObject(report, false);
    json["weights"] = Json::array();
    for (const ReportWeight& weight : report.weights) {
        json["weights"].push_back({{"name", weight.name}, {"type", weight.type}, {"bytes", weight.bytes}});
    }
    json["opsets"] = report.opsets;
    json["verify"] = {{"status", "not_checked"}};
    json["command"] = report.command;
    json["recipe"] = Json::parse(report.recipe, nullptr, false);
    return jsonText(json);
}

} // namespace secateur
