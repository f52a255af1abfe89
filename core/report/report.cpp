// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.h"

#include "core/ir/constants.h"
#include "core/ir/domains.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/picture/model_text.h"
#include "core/report/file_parts.h"
#include "core/report/pictures.h"
#include "core/report/report_steps.h"
#include "core/report/stash_sizes.h"
#include "core/session/weight_fit.h"
#include "core/support/file_names.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace secateur {
namespace {

std::string opsetsOf(const Model& model) {
    std::string text;
    for (const OpsetImport& opset : model.header().opsets) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", shownDomain(opset.domain), opset.version);
    }
    return text;
}

std::vector<ReportTarget> targetsOf(const History& history) {
    const Model& model = history.original().file.model;
    const auto& candidates = history.original().targets.candidates;
    std::vector<ReportTarget> targets;
    for (const ValueId value : history.chosenTargets()) {
        ReportTarget target;
        target.name = model.name(value);
        target.type = typeText(history.original().types, value);
        if (!history.recipe().targets.empty()) target.evidence = message("cli.target-named");
        const auto at =
            std::find_if(candidates.begin(), candidates.end(),
                         [&](const TargetCandidate& candidate) { return candidate.value == value; });
        if (at != candidates.end()) {
            target.score = at->score;
            for (const Reason& reason : at->evidence) {
                target.evidence += (target.evidence.empty() ? "" : "; ") + formatReason(reason, model);
            }
        }
        targets.push_back(std::move(target));
    }
    return targets;
}

/// Nodes by role, of the original and of those that are left; nodes that steps made are forward.
std::vector<ReportRole> rolesOf(const History& history) {
    constexpr std::array kRoles{Role::forward,     Role::loss,      Role::backward, Role::recompute,
                                Role::accumulator, Role::optimizer, Role::metric};
    std::array<std::uint64_t, kRoles.size()> before{}, after{};
    const auto count = [&](const Model& model, std::array<std::uint64_t, kRoles.size()>& into) {
        for (const NodeId node : nodesWithin(model, model.mainGraph())) {
            ++into[static_cast<std::size_t>(history.roles()->of(node))];
        }
    };
    count(history.original().file.model, before);
    count(history.model(), after);
    std::vector<ReportRole> roles;
    for (const Role role : kRoles) {
        const auto i = static_cast<std::size_t>(role);
        if (before[i] + after[i] > 0) roles.push_back({std::string(roleName(role)), before[i], after[i]});
    }
    return roles;
}

std::vector<ReportStash> stashesOf(const History& history, std::string& total) {
    const Original& original = history.original();
    StashSizes all;
    const Model& model = original.file.model;
    std::vector<ReportStash> stashes;
    for (const StashEdge* stashed : activationStashes(*history.roles())) {
        const StashEdge& edge = *stashed;
        StashSizes one;
        one.add(shownType(original.types, edge.value));
        all.add(shownType(original.types, edge.value));
        ReportStash stash;
        stash.size = one.text();
        stash.value = model.name(edge.value);
        stash.type = typeText(original.types, edge.value);
        if (!edge.producer.isNone()) stash.producer = nodeText(model, edge.producer);
        stash.bytes = edge.bytes;
        stash.readers = edge.readers.size();
        stashes.push_back(std::move(stash));
    }
    std::stable_sort(stashes.begin(), stashes.end(),
                     [](const ReportStash& a, const ReportStash& b) { return a.bytes > b.bytes; });
    total = all.text();
    return stashes;
}

/// A Constant that is a weight by its size; small ones are axes, shapes and the like.
std::optional<ReportWeight> weightOf(const Model& model, NodeId node) {
    constexpr std::uint64_t kLeastBytes = 256;
    if (!model.isOp(node, "Constant") || model.outputs(node).empty()) return std::nullopt;
    const TensorPtr tensor = constantOf(model, model.output(node, 0));
    const std::uint64_t bytes = tensor ? tensor->byteSize().value_or(0) : 0;
    if (bytes < kLeastBytes) return std::nullopt;
    return ReportWeight{std::string(model.name(model.output(node, 0))), tensor->asType().text(), bytes};
}

std::vector<ReportWeight> weightsOf(const Model& model) {
    std::vector<ReportWeight> weights;
    for (const GraphId graph : allGraphs(model)) {
        for (const ValueId value : model.graph(graph).initializers) {
            if (!model.isAlive(value) || !model.isInitializer(value)) continue;
            const Tensor& tensor = *model.value(value).tensor;
            weights.push_back(
                {std::string(model.name(value)), tensor.asType().text(), tensor.byteSize().value_or(0)});
        }
        for (const NodeId node : model.nodes(graph))
            if (const auto constant = weightOf(model, node)) weights.push_back(*constant);
    }
    std::stable_sort(weights.begin(), weights.end(),
                     [](const ReportWeight& a, const ReportWeight& b) { return a.bytes > b.bytes; });
    return weights;
}

std::string severityName(Problem::Severity severity) {
    switch (severity) {
    case Problem::Severity::note: return "note";
    case Problem::Severity::warning: return "warning";
    case Problem::Severity::error: return "error";
    }
    return "warning";
}

std::string signatureOf(const History& history, ValueId value, std::string_view name) {
    const Model& model = history.model();
    const Type inferred = shownType(history.types(), value);
    return fmt::format("{}: {}", name,
                       (inferred.kind == Type::Kind::none ? model.declaredType(value) : inferred).text());
}

void describeSignature(const History& history, Report& report) {
    const Model& model = history.model();
    for (const ValueId input : model.graphInputs(model.mainGraph())) {
        if (model.isInitializer(input)) continue;
        report.inputs.push_back(signatureOf(history, input, model.name(input)));
    }
    const auto& slots = *model.graph(model.mainGraph()).outputs;
    const InputRange outputs = model.graphOutputs(model.mainGraph());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].isNone()) continue;
        report.outputs.push_back(signatureOf(history, outputs[i], model.text(slots[i].name)));
    }
}

} // namespace

std::vector<ReportProblem> describeProblems(const Original& original) {
    std::vector<ReportProblem> problems;
    const auto add = [&](const std::vector<Problem>& found) {
        for (const Problem& problem : found) {
            problems.push_back({severityName(problem.severity), problem.id, problem.text});
        }
    };
    add(original.file.problems);
    add(original.types.problems());
    return problems;
}

std::size_t shownRows(const Report& report, std::size_t count, std::size_t most) {
    return report.listsAll ? count : std::min(count, most);
}

std::string removedText(const Report& report) {
    return formatMessage("report.removed-count", {formatCount(report.removed.size() - report.replacedNodes),
                                                  formatCount(report.replacedNodes)});
}

std::string reportTitle(const Report& report) {
    const char* sentence = report.removed.empty() ? "report.title-unchanged" : "report.title";
    return formatMessage(sentence, {report.title});
}

Report makeReport(History& history, const ReportOptions& options) {
    const std::size_t cursor = history.cursor();
    history.moveCursor(history.steps().size());
    const Original& original = history.original();
    Report report;
    report.model = original.file.path.filename().string();
    report.title = modelTitle(original.file.path);
    report.command = options.command;
    report.verified = options.verified;
    report.listsAll = options.listsAll;
    report.recipe = recipeToJson(rememberingWeights(history.countedRecipe()));
    report.opsets = opsetsOf(history.model());
    report.before = original.metrics;
    report.after = history.steps().empty() ? original.metrics : history.steps().back().after;
    report.weightBytesBefore = report.before.initializerBytes + attributeTensorBytes(original.file.model);
    report.weightBytesAfter = report.after.initializerBytes + attributeTensorBytes(history.model());
    report.fileBytes = original.file.fileBytes;
    report.externalBytes = original.file.externalBytes;
    report.metadataBytes = original.file.metadataBytes;
    report.targets = targetsOf(history);
    report.roles = rolesOf(history);
    report.steps = describeSteps(history);
    report.removed = describeRemoved(history);
    report.replacedNodes =
        static_cast<std::uint64_t>(std::count_if(report.removed.begin(), report.removed.end(),
                                                 [](const RemovedNode& node) { return node.isReplaced; }));
    report.stashes = stashesOf(history, report.stashSize);
    report.hasAddedWeights = usesWeights(history.recipe());
    report.weights = weightsOf(history.model());
    describeSignature(history, report);
    report.problems = describeProblems(original);
    for (const Reason& note : history.notes())
        report.notes.push_back(formatReason(note, original.file.model));
    if (options.hasPictures) drawPictures(history, report);
    history.moveCursor(cursor);
    return report;
}

} // namespace secateur
