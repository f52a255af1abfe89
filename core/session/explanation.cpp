// SPDX-License-Identifier: Apache-2.0
#include "core/session/explanation.h"

#include "core/messages/messages.h"

#include <map>
#include <set>

namespace secateur {
namespace {

/// The chosen targets at the cursor: as they were chosen while they are there, then as they are at the end.
std::vector<ValueId> targetsAtCursor(const History& history) {
    std::vector<ValueId> targets = history.targets();
    if (history.cursor() == history.steps().size()) return targets;
    const auto& chosen = history.chosenTargets();
    for (std::size_t i = 0; i < chosen.size() && i < targets.size(); ++i)
        if (history.model().isAlive(chosen[i])) targets[i] = chosen[i];
    return targets;
}

/// Follows the results of bypassed nodes to what stands for them in the model at the end of the history.
class Bypassed {
  public:
    Bypassed(const History& history, const std::map<ValueId, EqualValue>& equalValues)
        : m_history(history), m_original(history.original().file.model), m_model(history.model()),
          m_equal(equalValues) {}

    std::vector<Feed> feedsOf(NodeId node) {
        std::vector<NodeId> pending{node};
        std::set<NodeId> seen{node};
        for (std::size_t at = 0; at < pending.size(); ++at) {
            for (const ValueId result : m_original.outputs(pending[at])) {
                const ValueId now = result.isNone() ? ValueId() : standsFor(result);
                if (now.isNone() || now == result) continue;
                tellTargets(result, now);
                for (const Use use : m_original.uses(result)) {
                    if (m_original.node(use.node).kind != NodeKind::operation) continue;
                    if (m_model.isAlive(use.node))
                        add({now, use.node});
                    else if (!tellReplacements(use.node, now) && seen.insert(use.node).second)
                        pending.push_back(use.node); // bypassed itself: its readers are those that count
                }
            }
        }
        return std::move(m_feeds);
    }

  private:
    ValueId standsFor(ValueId value) const {
        for (auto at = m_equal.find(value); at != m_equal.end() && at->second.step < m_history.cursor();
             at = m_equal.find(value))
            value = at->second.value;
        return m_model.isAlive(value) ? value : ValueId();
    }
    void add(Feed feed) {
        if (m_known.insert(feed).second) m_feeds.push_back(feed);
    }
    void tellTargets(ValueId result, ValueId now) {
        const auto& chosen = m_history.chosenTargets();
        if (std::find(chosen.begin(), chosen.end(), result) != chosen.end()) add({now, NodeId()});
    }
    /// Nodes that read `now` and stand in the place of `reader`; false where it has none.
    bool tellReplacements(NodeId reader, ValueId now) {
        const RewriteRecord* record = m_history.recordThatErased(reader);
        if (record == nullptr) return true;
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
    const std::map<ValueId, EqualValue>& m_equal;
    std::vector<Feed> m_feeds;
    std::set<Feed> m_known; ///< the same
};

} // namespace

std::vector<NodeId> replacedBy(const RewriteRecord& record) {
    std::vector<NodeId> replaced;
    if (record.created.empty()) return replaced;
    const std::set<NodeId> matched(record.matched.begin(), record.matched.end());
    for (const NodeId node : record.erased)
        if (matched.contains(node)) replaced.push_back(node);
    return replaced;
}

Storyteller::Storyteller(const History& history)
    : m_history(&history), m_before(findReachable(history.original().file.model, history.chosenTargets())),
      m_ends(history.original().file.model) {
    const auto room = [](auto& list, NodeId node) -> decltype(list[0]) {
        if (node.index >= list.size()) list.resize(node.index + 1U);
        return list[node.index];
    };
    for (std::size_t s = 0; s < history.steps().size(); ++s) {
        for (const RewriteRecord& record : history.steps()[s].records) {
            for (const auto& [old, now] : record.equalValues)
                m_equalValues.emplace(old, EqualValue{now, s});
            for (const NodeId node : record.created)
                room(m_makers, node) = {s, &record};
            for (const NodeId node : replacedBy(record))
                room(m_isReplaced, node) = history.recordThatErased(node) == &record;
            for (const auto& [node, reason] : record.nodeReasons) {
                if (history.recordThatErased(node) != &record) continue;
                room(m_ownReasons, node) = &reason;
            }
        }
    }
}

const Reachability& Storyteller::now() const {
    if (m_lookedAt != m_history->cursor()) {
        m_now = findReachable(m_history->model(), targetsAtCursor(*m_history));
        m_lookedAt = m_history->cursor();
    }
    return m_now;
}

/// The reason that the rewrite which took a node away gives: the node's own, else the rewrite's.
const Reason& Storyteller::reasonOf(NodeId node, const RewriteRecord& record) const {
    const bool hasOwn = node.index < m_ownReasons.size() && m_ownReasons[node.index] != nullptr;
    return hasOwn ? *m_ownReasons[node.index] : record.reason;
}

void Storyteller::tellMaking(NodeStory& story) const {
    const History& history = *m_history;
    const NodeId node = story.why.node;
    if (node.index < m_makers.size() && m_makers[node.index].record != nullptr) {
        const auto& [step, record] = m_makers[node.index];
        story.madeBy = step;
        story.replaced = replacedBy(*record);
        story.why.reason = record->reason;
        if (!story.replaced.empty()) story.why.role = history.roles()->of(story.replaced.front());
    }
    if (const RewriteRecord* record = history.recordThatErased(story.why.node))
        story.why.reason = reasonOf(story.why.node, *record);
}

NodeStory Storyteller::tell(NodeId node) const {
    const History& history = *m_history;
    const Model& original = history.original().file.model;
    NodeStory story;
    story.erasedBy = history.stepThatErased(node);
    story.model = &history.model();
    const bool isNeededNow = !story.erasedBy && now().isReached(node);
    if (isNeededNow) story.why = explainNeed(history.model(), *history.roles(), now(), node);
    if (node.index >= original.nodeIdCount()) {
        story.why.node = node;
        story.why.isKept = !story.erasedBy;
        tellMaking(story);
        return story;
    }
    if (isNeededNow) {
        story.why.twin = history.roles()->sureTwinOf(node);
        return story;
    }
    story.model = &original;
    const RewriteRecord* record = history.recordThatErased(node);
    story.why = explainNode(original, *history.roles(), m_before, m_ends, node,
                            record != nullptr ? &reasonOf(node, *record) : nullptr);
    if (record == nullptr) return story; // no target depends on it, and no step took it away
    if (node.index < m_isReplaced.size() && m_isReplaced[node.index]) story.replacements = record->created;
    if (m_before.isReached(node) && *story.erasedBy < history.cursor())
        story.nowFeeds = Bypassed(history, m_equalValues).feedsOf(node);
    return story;
}

std::optional<Need> Storyteller::need(NodeId node) const {
    if (m_history->stepThatErased(node)) return std::nullopt;
    const bool isNow = now().isReached(node);
    const Reachability& reach = isNow ? now() : m_before;
    const Model& model = isNow ? m_history->model() : m_history->original().file.model;
    if (!reach.isReached(node) || reach.targets.empty()) return std::nullopt;
    Need need{reach.targets.front(), reach.nodeDistance[node.index], &model};
    if (reach.targets.size() == 1) return need;
    const NodeId last = pathToTarget(reach, node).back();
    for (const ValueId target : reach.targets)
        if (model.isAlive(target) && model.producer(target) == last) need.target = target;
    return need;
}

std::uint64_t Storyteller::pathLength(NodeId node) const {
    return m_before.isReached(node) ? m_before.nodeDistance[node.index] + 1U : m_ends.pathLength(node);
}

NodeId Storyteller::nearestReader(ValueId value) const {
    const auto nearest = [value](const Model& model, const Reachability& reach, bool isReachedOnly) {
        NodeId best;
        if (value.index >= model.valueIdCount() || !model.isAlive(value)) return best;
        for (const Use use : model.uses(value)) {
            if (model.node(use.node).kind != NodeKind::operation) continue;
            if (isReachedOnly && !reach.isReached(use.node)) continue;
            if (best.isNone() || reach.nodeDistance[use.node.index] < reach.nodeDistance[best.index])
                best = use.node;
        }
        return best;
    };
    const NodeId now = nearest(m_history->model(), this->now(), true);
    return now.isNone() ? nearest(m_history->original().file.model, m_before, false) : now;
}

std::string reasonText(const Reason& reason, const Model& first, const Model& then) {
    std::vector<std::string> texts;
    for (const ReasonArgument& argument : reason.arguments) {
        const auto* node = std::get_if<NodeId>(&argument);
        const auto* value = std::get_if<ValueId>(&argument);
        const bool isLater = (node != nullptr && !node->isNone() && node->index >= first.nodeIdCount()) ||
                             (value != nullptr && !value->isNone() && value->index >= first.valueIdCount());
        texts.push_back(argumentText(argument, isLater ? then : first));
    }
    return formatMessage(reason.id, texts);
}

} // namespace secateur
