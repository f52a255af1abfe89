// SPDX-License-Identifier: Apache-2.0
#include "core/report/report_steps.h"

#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/passes/registry.h"
#include "core/session/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace secateur {
namespace {

constexpr std::size_t kMostMisses = 20;

void addReason(std::vector<ReasonGroup>& groups, std::map<std::string, std::size_t>& index,
               const Reason& reason, const Model& model, std::uint64_t count = 1) {
    const auto [at, isNew] = index.emplace(reason.id, groups.size());
    if (isNew) groups.push_back({reason.id, 0, formatReason(reason, model)});
    groups[at->second].count += count;
}

/// Every erased node counts by its own reason where it has one, the others with their rewrite by the one that
/// it gives.
std::vector<ReasonGroup> groupReasons(const Step& step, const Model& model) {
    std::vector<ReasonGroup> groups;
    std::map<std::string, std::size_t> index;
    for (const RewriteRecord& record : step.records) {
        if (record.isSkipped) continue;
        for (const auto& [node, reason] : record.nodeReasons)
            addReason(groups, index, reason, model);
        // Nodes without a reason of their own go by the one of the rewrite.
        const bool hasOwn = !record.erased.empty() && record.nodeReasons.size() >= record.erased.size();
        if (!hasOwn) addReason(groups, index, record.reason, model);
    }
    std::stable_sort(groups.begin(), groups.end(),
                     [](const ReasonGroup& a, const ReasonGroup& b) { return a.count > b.count; });
    return groups;
}

/// Each miss in a sentence; of very many, one for each kind.
std::vector<std::string> sentencesOf(const std::vector<RewriteMiss>& misses, const Model& model) {
    std::vector<std::string> sentences;
    std::map<std::string, std::pair<std::size_t, std::size_t>> kinds; // place, count
    const bool isGrouped = misses.size() > kMostMisses;
    for (const RewriteMiss& miss : misses) {
        if (isGrouped) {
            const auto [at, isNew] = kinds.try_emplace(miss.reason.id, sentences.size(), 0);
            ++at->second.second;
            if (!isNew) continue;
        }
        const std::string where = miss.node.isNone() ? "" : nodeText(model, miss.node) + ": ";
        sentences.push_back(where + formatReason(miss.reason, model));
    }
    for (const auto& [id, kind] : kinds) {
        if (kind.second > 1)
            sentences[kind.first] += formatMessage("report.more-misses", {std::to_string(kind.second - 1)});
    }
    return sentences;
}

/// The class of a step: of a pass that keeps what the model computes, that of its loosest rewrite.
char letterOf(const PassInfo& info, const Step& step) {
    if (info.isConversion) return exactnessLetter(info.exactness);
    Exactness loosest = Exactness::exact;
    for (const RewriteRecord& record : step.records) {
        if (!record.isSkipped) loosest = std::max(loosest, record.exactness);
    }
    return exactnessLetter(loosest);
}

ReportStep describeStep(const Step& step, const Model& model) {
    ReportStep out;
    out.pass = step.pass;
    if (const Pass* pass = findPass(step.pass)) {
        out.title = message(pass->info().titleId);
        out.summary = message(pass->info().summaryId);
        out.exactness = letterOf(pass->info(), step);
    }
    out.isOn = step.isOn;
    out.before = step.before;
    out.after = step.after;
    out.seconds = step.seconds;
    for (const RewriteRecord& record : step.records) {
        ++(record.isSkipped ? out.skipped : out.rewrites);
        out.erased += record.erased.size();
        out.created += record.created.size();
    }
    out.reasons = groupReasons(step, model);
    for (const Question& question : step.questions)
        out.questions.push_back(formatReason(question.text, model));
    out.misses = sentencesOf(step.misses, model);
    if (step.failure) out.failure = step.failure->toString();
    return out;
}

/// The way of a removed node and what stands at its end; of a long way no more than `mostNames` from its two
/// ends.
void tellWay(RemovedNode& removed, const NodeStory& story, std::size_t mostNames) {
    const std::vector<NodeId>& path = story.why.path;
    removed.pathNodes = path.size();
    removed.stoodOnPath = story.why.stoodOnWay;
    removed.end = formatReason(story.why.end, *story.model);
    const std::size_t half = path.size() <= mostNames ? path.size() : mostNames / 2;
    for (std::size_t i = 0; i < half; ++i)
        removed.path.push_back(nodeLabel(*story.model, path[i]));
    for (std::size_t i = std::max(half, path.size() - half); i < path.size(); ++i)
        removed.path.push_back(nodeLabel(*story.model, path[i]));
}

} // namespace

std::string nodeLabel(const Model& model, NodeId node) {
    if (!model.name(node).empty()) return std::string(model.name(node));
    for (const ValueId value : model.outputs(node)) {
        if (!value.isNone() && !model.name(value).empty()) return std::string(model.name(value));
    }
    return "#" + std::to_string(node.index);
}

std::vector<bool> replacedNodes(const History& history) {
    std::vector<bool> isReplaced(history.original().file.model.nodeIdCount(), false);
    for (const Step& step : history.steps()) {
        for (const RewriteRecord& record : step.records) {
            for (const NodeId node : replacedBy(record)) {
                if (node.index < isReplaced.size()) isReplaced[node.index] = true;
            }
        }
    }
    return isReplaced;
}

std::vector<ReportStep> describeSteps(const History& history) {
    std::vector<ReportStep> steps;
    for (const Step& step : history.steps())
        steps.push_back(describeStep(step, history.model()));
    return steps;
}

std::string classesInWords(std::string_view letters) {
    std::string text;
    for (const char letter : std::string_view("EVAC")) {
        if (letters.find(letter) == std::string_view::npos) continue;
        text += (text.empty() ? "" : "; ") +
                std::string(message(fmt::format("class.{}", static_cast<char>(letter - 'A' + 'a'))));
    }
    return text;
}

std::vector<RemovedNode> describeRemoved(const History& history) {
    constexpr std::uint64_t kMostNames =
        200'000; // of all whole paths; beyond that their middles are left out
    constexpr std::size_t kShortPath = 8;
    const Model& model = history.original().file.model;
    const std::vector<bool> isReplaced = replacedNodes(history);
    const Storyteller stories(history);
    std::vector<NodeId> gone;
    std::uint64_t names = 0;
    for (const GraphId graph : allGraphs(model)) {
        for (const NodeId node : model.nodes(graph)) {
            if (!history.stepThatErased(node)) continue;
            gone.push_back(node);
            names += stories.pathLength(node);
        }
    }
    std::vector<RemovedNode> removed;
    for (const NodeId node : gone) {
        const NodeStory story = stories.tell(node);
        RemovedNode one;
        one.node = node;
        one.name = nodeLabel(model, node);
        one.op = model.op(node);
        one.role = roleName(story.why.role);
        one.pass = history.steps()[*story.erasedBy].pass;
        one.isReplaced = isReplaced[node.index];
        one.reason = reasonText(story.why.reason, *story.model, history.model());
        tellWay(one, story, names > kMostNames ? kShortPath : kMostNames);
        removed.push_back(std::move(one));
    }
    return removed;
}

} // namespace secateur
