// SPDX-License-Identifier: Apache-2.0
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "app/commands/words.h"
#include "core/ir/domains.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/picture/model_text.h"
#include "core/report/file_parts.h"
#include "core/report/report.h"
#include "core/report/stash_sizes.h"
#include "core/session/training_mode.h"
#include "core/support/most_counted.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace secateur::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kRoles{Role::forward,     Role::loss,      Role::backward, Role::recompute,
                            Role::accumulator, Role::optimizer, Role::metric};

std::array<std::uint64_t, kRoles.size()> countRoles(const Original& original) {
    std::array<std::uint64_t, kRoles.size()> counts{};
    const Model& model = original.file.model;
    for (const NodeId node : nodesWithin(model, model.mainGraph())) {
        ++counts[static_cast<std::size_t>(original.roles->of(node))];
    }
    return counts;
}

struct Stashes {
    std::size_t count = 0;
    StashSizes sizes;
};

Stashes countStashes(const Original& original) {
    Stashes stashes;
    for (const StashEdge* edge : activationStashes(*original.roles)) {
        ++stashes.count;
        stashes.sizes.add(shownType(original.types, edge->value));
    }
    return stashes;
}

/// Outputs of the model that are no candidate: a training graph has hundreds, and only some are listed.
std::size_t countUnlisted(const Original& original) {
    const Model& model = original.file.model;
    std::set<ValueId> others;
    for (const ValueId output : model.graphOutputs(model.mainGraph())) {
        if (!output.isNone()) others.insert(output);
    }
    for (const TargetCandidate& candidate : original.targets.candidates)
        others.erase(candidate.value);
    return others.size();
}

/// Of weights, wherever they stand.
std::uint64_t weightBytes(const Original& original) {
    return original.metrics.initializerBytes + attributeTensorBytes(original.file.model);
}

std::uint64_t graphBytes(const Original& original) {
    const std::uint64_t known = weightBytes(original) + original.file.metadataBytes;
    const std::uint64_t all = original.file.fileBytes + original.file.externalBytes;
    return all > known ? all - known : 0;
}

Json signature(const Original& original, bool isOutputs) {
    const Model& model = original.file.model;
    Json list = Json::array();
    const auto add = [&](ValueId value, std::string_view name) {
        if (!value.isNone())
            list.push_back({{"name", std::string(name)}, {"type", typeText(original.types, value)}});
    };
    if (isOutputs) {
        const InputRange outputs = model.graphOutputs(model.mainGraph());
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            add(outputs[i], model.text((*model.graph(model.mainGraph()).outputs)[i].name));
        }
    } else {
        for (const ValueId input : model.graphInputs(model.mainGraph())) {
            if (!model.isInitializer(input)) add(input, model.name(input));
        }
    }
    return list;
}

Json infoJson(const Original& original) {
    const LoadedModel& file = original.file;
    const ModelHeader& header = file.model.header();
    Json info{{"format", "onnx"}, {"ir_version", header.irVersion}, {"producer", header.producerName}};
    info["opsets"] = Json::object();
    for (const OpsetImport& opset : header.opsets) {
        info["opsets"][std::string(shownDomain(opset.domain))] = opset.version;
    }
    info["nodes"] = original.metrics.nodes;
    info["values"] = countValues(file.model);
    info["initializers"] = countInitializers(file.model);
    info["functions"] = header.functions.size();
    info["bytes"] = {
        {"file", file.fileBytes},           {"external", file.externalBytes},
        {"weights", weightBytes(original)}, {"constants", attributeTensorBytes(original.file.model)},
        {"metadata", file.metadataBytes},   {"graph", graphBytes(original)}};
    info["metadata_bytes"] = file.metadataBytes;
    info["is_training_graph"] = original.roles->isTrainingGraph || original.targets.isTrainingGraph;
    const auto counts = countRoles(original);
    info["roles"] = Json::object();
    for (const Role role : kRoles)
        info["roles"][std::string(roleName(role))] = counts[static_cast<std::size_t>(role)];
    info["training_mode"] = Json::object();
    for (const OperatorCount& count : countTrainingMode(original))
        info["training_mode"][count.op] = count.nodes;
    const Stashes stashes = countStashes(original);
    info["stashes"] = {{"count", stashes.count}, {"bytes", stashes.sizes.fixedBytes()}};
    info["stashes"]["bytes_per"] = stashes.sizes.bytesPer(); // of named dimensions
    info["targets"] = candidatesJson(original);
    info["inputs"] = signature(original, false);
    info["outputs"] = signature(original, true);
    info["checkpoint"] = file.checkpoint.empty() ? Json(nullptr) : Json(file.checkpoint.string());
    info["problems"] = Json::array();
    for (const ReportProblem& problem : describeProblems(original)) {
        info["problems"].push_back(
            {{"severity", problem.severity}, {"id", problem.id}, {"text", problem.text}});
    }
    info["runtime"] = nullptr;
    return info;
}

void printHead(const Original& original, Console& console) {
    const LoadedModel& file = original.file;
    std::string opsets;
    for (const OpsetImport& opset : file.model.header().opsets) {
        opsets +=
            fmt::format("{}{} {}", opsets.empty() ? "" : ", ", shownDomain(opset.domain), opset.version);
    }
    if (opsets.empty()) opsets = message("cli.info-no-opset");
    const std::string producer = file.model.header().producerName;
    console.line(fmt::format("{}: ONNX, IR {}, opsets {}{}", file.path.filename().string(),
                             file.model.header().irVersion, opsets,
                             producer.empty() ? "" : ", by " + producer));
    console.line(
        fmt::format("  {}", formatMessage("cli.info-counts", {formatCount(original.metrics.nodes),
                                                              formatCount(countValues(file.model)),
                                                              formatCount(countInitializers(file.model))})));
    console.line(fmt::format(
        "  {}",
        formatMessage("cli.info-bytes",
                      {formatBytes(file.fileBytes + file.externalBytes), formatBytes(weightBytes(original)),
                       formatBytes(file.metadataBytes), formatBytes(graphBytes(original))})));
    constexpr std::uint64_t kWorthAWord = 1024;
    if (const std::uint64_t constants = attributeTensorBytes(file.model); constants >= kWorthAWord)
        console.line("  " + formatMessage("cli.info-constants", {formatBytes(constants)}));
    if (const auto hint = tracesHint(file.metadataBytes, file.fileBytes + file.externalBytes))
        console.line("  " + *hint);
    std::string roles;
    const auto counts = countRoles(original);
    for (const Role role : kRoles) {
        const std::uint64_t count = counts[static_cast<std::size_t>(role)];
        if (count > 0)
            roles += fmt::format("{}{} {}", roles.empty() ? "" : ", ", roleName(role), formatCount(count));
    }
    console.line(formatMessage("cli.info-roles", {roles}));
    const auto training = countTrainingMode(original);
    if (!training.empty()) {
        std::uint64_t nodes = 0;
        for (const OperatorCount& count : training)
            nodes = addCounts(nodes, count.nodes);
        const auto count = std::to_string(nodes);
        console.line(formatMessage("cli.info-training-mode", {joinCounts(training), count}));
    }
    const Stashes stashes = countStashes(original);
    if (stashes.count > 0)
        console.line(formatMessage("cli.info-stashes", {formatCount(stashes.count), stashes.sizes.text()}));
}

void printTargets(const Original& original, Console& console) {
    constexpr std::size_t kMost = 8;
    const Model& model = original.file.model;
    const bool isClear = !original.targets.clear.empty();
    console.line(std::string(message(isClear ? "cli.info-targets" : "cli.info-targets-unclear")));
    const auto candidates = candidatesJson(original);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (i == kMost) break;
        const Json& one = candidates[i];
        const ValueId value = original.targets.candidates[i].value;
        console.line(fmt::format(
            "  {} {} {:.2f}  {}  {}", one["is_clear"].get<bool>() ? "*" : " ", valueText(model, value),
            one["score"].get<double>(), one["type"].get<std::string>(),
            formatMessage("cli.info-keeps", {formatCount(one["kept_nodes"].get<std::uint64_t>())})));
        for (const auto& evidence : one["evidence"])
            console.line("        " + evidence.get<std::string>());
    }
    const std::size_t shown = std::min(kMost, candidates.size());
    const std::size_t more = candidates.size() - shown + countUnlisted(original);
    if (more > 0) console.line("  " + formatMessage("text.more", {formatCount(more)}));
}

void printProblems(const Original& original, Console& console) {
    const auto problems = describeProblems(original);
    if (problems.empty()) {
        console.line(formatMessage("report.no-problems", {formatCount(original.metrics.nodes)}));
        return;
    }
    console.line(formatMessage("cli.info-problems", {formatCount(problems.size())}));
    constexpr std::size_t kMost = 200; // --json has all
    for (std::size_t i = 0; i < std::min(kMost, problems.size()); ++i)
        console.line(fmt::format("  {}: {}", problems[i].severity, problems[i].text));
    if (problems.size() > kMost)
        console.line("  " + formatMessage("text.more", {formatCount(problems.size() - kMost)}));
}

int info(const std::string& model, const std::string& runtime, Console& console) {
    if (!runtime.empty()) return console.fail(missingHere(formatMessage("cli.no-runtime-check", {runtime})));
    const auto original = openOriginal(model, console.work());
    if (!original) return console.fail(original.error());
    if (console.isJson()) {
        // The fields stand in `info`, and at the top for short.
        const Json told = infoJson(**original);
        Json json{{"schema", 1}, {"model", (*original)->file.path.filename().string()}, {"info", told}};
        json.update(told);
        console.json(json);
        return 0;
    }
    printHead(**original, console);
    printTargets(**original, console);
    printProblems(**original, console);
    if (!(*original)->file.checkpoint.empty()) {
        console.line(formatMessage("cli.sibling-checkpoint", {(*original)->file.checkpoint.string()}));
    }
    return 0;
}

} // namespace

void addInfo(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("info", "what a model holds: counts, roles, targets, problems");
    auto model = std::make_shared<std::string>();
    auto runtime = std::make_shared<std::string>();
    addModelOption(*verb, *model);
    verb->add_option("--runtime", *runtime,
                     "what that runtime would refuse; not in this version, which answers so")
        ->check(notEmpty())
        ->type_name("NAME");
    verb->callback([model, runtime, &action] {
        action = [model, runtime](Console& console) { return info(*model, *runtime, console); };
    });
}

} // namespace secateur::cli
