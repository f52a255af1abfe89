// SPDX-License-Identifier: Apache-2.0
#include "core/session/explanation.h"

#include <algorithm>
#include <map>

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

/// Follows the results of bypassed nodes to what stands for them in the model at the end of the history.
class Bypassed {
  public:
    explicit Bypassed(const History& history)
        : m_history(history), m_original(history.original().file.model), m_model(history.model()) {
        for (const Step& step : history.steps())
            for (const RewriteRecord& record : step.records)
                m_equal.insert(record.equalValues.begin(), record.equalValues.end());
    }

    std::vector<Feed> feedsOf(NodeId node) {
        std::vector<NodeId> pending{node};
        for (std::size_t at = 0; at < pending.size(); ++at) {
            for (const ValueId result : m_original.outputs(pending[at])) {
                const ValueId now = result.isNone() ? ValueId() : standsFor(result);
                if (now.isNone() || now == result) continue;
                tellTargets(result, now);
                for (const Use use : m_original.uses(result)) {
                    if (m_original.node(use.node).kind != NodeKind::operation) continue;
                    if (m_model.isAlive(use.node))
                        add({now, use.node});
                    else if (!tellReplacements(use.node, now) &&
                             std::find(pending.begin(), pending.end(), use.node) == pending.end())
                        pending.push_back(use.node); // bypassed itself: its readers are those that count
                }
            }
        }
        return std::move(m_feeds);
    }

  private:
    ValueId standsFor(ValueId value) const {
        for (auto at = m_equal.find(value); at != m_equal.end(); at = m_equal.find(value))
            value = at->second;
        return m_model.isAlive(value) ? value : ValueId();
    }
    void add(Feed feed) {
        if (std::find(m_feeds.begin(), m_feeds.end(), feed) == m_feeds.end()) m_feeds.push_back(feed);
    }
    void tellTargets(ValueId result, ValueId now) {
        const auto& chosen = m_history.chosenTargets();
        if (std::find(chosen.begin(), chosen.end(), result) != chosen.end()) add({now, NodeId()});
    }
    /// Nodes that read `now` and stand in the place of `reader`; false where it has none.
    bool tellReplacements(NodeId reader, ValueId now) {
        const RewriteRecord* record = m_history.recordThatErased(reader);
        if (record == nullptr) return true; // its step is behind the cursor
        bool isReplaced = false;
        for (const NodeId made : record->created) {
            if (!m_model.isAlive(made)) continue;
            isReplaced = true;
            const auto inputs = m_model.inputs(made);
            if (std::find(inputs.begin(), inputs.end(), now) != inputs.end()) add({now, made});
        }
        return isReplaced;
    }

    const History& m_history;
    const Model &m_original, &m_model;
    std::map<ValueId, ValueId> m_equal;
    std::vector<Feed> m_feeds;
};

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
        if (reach.isReached(node)) story.nowFeeds = Bypassed(history).feedsOf(node);
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
