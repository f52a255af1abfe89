// SPDX-License-Identifier: Apache-2.0
#include "core/session/explanation.h"

#include <algorithm>

namespace secateur {
namespace {

bool contains(const std::vector<NodeId>& nodes, NodeId node) {
    return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

/// The targets in every model of the history: as chosen, and as they are at the end.
std::vector<ValueId> targetsOf(const History& history) {
    std::vector<ValueId> targets = history.targets();
    for (const ValueId target : history.chosenTargets())
        if (std::find(targets.begin(), targets.end(), target) == targets.end()) targets.push_back(target);
    return targets;
}

void tellMaking(const History& history, NodeStory& story) {
    for (std::size_t at = 0; at < history.steps().size(); ++at) {
        for (const RewriteRecord& record : history.steps()[at].records) {
            if (!contains(record.created, story.why.node)) continue;
            story.madeBy = at;
            story.replaced = replacedBy(record);
            story.why.reason = record.reason;
            if (!story.replaced.empty()) story.why.role = history.roles()->of(story.replaced.front());
            return;
        }
    }
}

} // namespace

const Reason& reasonFor(const RewriteRecord& record, NodeId node) {
    for (const auto& [about, reason] : record.nodeReasons)
        if (about == node) return reason;
    return record.reason;
}

std::vector<NodeId> replacedBy(const RewriteRecord& record) {
    std::vector<NodeId> replaced;
    if (record.created.empty()) return replaced;
    for (const NodeId node : record.erased)
        if (contains(record.matched, node)) replaced.push_back(node);
    return replaced;
}

NodeStory tellStory(const History& history, const Reachability& reach, NodeId node) {
    const Model& original = history.original().file.model;
    NodeStory story;
    story.erasedBy = history.stepThatErased(node);
    story.model = &history.model();
    if (node.index >= original.nodeIdCount()) {
        story.why.node = node;
        story.why.isKept = !story.erasedBy;
        tellMaking(history, story);
        return story;
    }
    if (const RewriteRecord* record = history.recordThatErased(node)) {
        story.model = &original;
        story.why = explainNode(original, *history.roles(), reach, node, &reasonFor(*record, node));
        if (contains(replacedBy(*record), node)) story.replacements = record->created;
        return story;
    }
    story.why = explainNode(original, *history.roles(), reach, node);
    if (!story.why.isKept) {
        story.model = &original;
        return story; // it goes nowhere, and no step took it away: say where it ends
    }
    Explanation now = explainNeed(history.model(), *history.roles(), targetsOf(history), node);
    if (now.path.empty()) {
        story.model = &original;
        return story;
    }
    now.twin = story.why.twin;
    story.why = std::move(now);
    return story;
}

} // namespace secateur
