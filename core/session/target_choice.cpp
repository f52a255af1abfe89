// SPDX-License-Identifier: Apache-2.0
#include "core/session/target_choice.h"

#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/messages/value_list.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace secateur {
namespace {

constexpr std::array kPassesWithTargets{"choose-targets", "prune-backward"};

/// What a name that is no value of the main graph may mean: a node, which makes values, or a value in a body.
class Meant {
  public:
    explicit Meant(const Model& model) : m_model(model) {
        for (const GraphId graph : allGraphs(model)) {
            for (const NodeId node : model.nodes(graph))
                if (const auto name = model.name(node); !name.empty()) m_nodes.emplace(name, node);
        }
        for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
            const ValueId value(i);
            if (!model.isAlive(value) || model.name(value).empty()) continue;
            m_names.emplace_back(model.name(value));
            if (model.value(value).graph != model.mainGraph()) m_inner.emplace(model.name(value), value);
        }
        for (const auto& [name, node] : m_nodes)
            m_names.push_back(name);
    }

    [[nodiscard]] std::string hintFor(const std::string& name) const {
        if (const auto node = m_nodes.find(name); node != m_nodes.end())
            return formatMessage("error.target-is-node", {printable(name), resultsOf(node->second)});
        if (m_inner.contains(name))
            return formatMessage("error.target-is-inner", {printable(name), holderOf(m_inner.at(name))});
        std::string list;
        for (const std::string& near : nearestNames(name, m_names))
            list += (list.empty() ? "" : ", ") + described(near);
        return list.empty() ? std::string(message("error.target-list"))
                            : formatMessage("error.nearest", {list});
    }

  private:
    [[nodiscard]] std::string resultsOf(NodeId node) const {
        std::vector<std::string> results;
        for (const ValueId result : m_model.outputs(node))
            if (!result.isNone()) results.emplace_back(m_model.name(result));
        return quotedList(results, 3);
    }
    [[nodiscard]] std::string holderOf(ValueId inner) const {
        const NodeId holder = m_model.graph(m_model.value(inner).graph).parentNode;
        return holder.isNone() ? "`" + printable(m_model.graph(m_model.value(inner).graph).header->name) + "`"
                               : nodeText(m_model, holder);
    }
    /// A near name, and what it is where it is no value of the main graph.
    [[nodiscard]] std::string described(const std::string& name) const {
        const std::string text = "`" + printable(name) + "`";
        if (m_model.findValue(name)) return text;
        if (const auto node = m_nodes.find(name); node != m_nodes.end())
            return formatMessage("error.near-node", {text, resultsOf(node->second)});
        return formatMessage("error.near-inner", {text, holderOf(m_inner.at(name))});
    }

    const Model& m_model;
    std::map<std::string, NodeId, std::less<>> m_nodes;
    std::map<std::string, ValueId, std::less<>> m_inner;
    std::vector<std::string> m_names;
};

Error unknownTarget(const Original& original, const std::string& name) {
    const std::string hint = Meant(original.file.model).hintFor(name);
    return usageError(formatMessage("error.unknown-target", {printable(name), hint}),
                      original.file.path.string());
}

/// What stands in the model without a node that makes it leaves no node to keep.
bool isMadeByNode(const Model& model, ValueId value) {
    const NodeId producer = model.producer(value);
    return !producer.isNone() && model.node(producer).kind == NodeKind::operation;
}

Error nothingRemains(const Original& original, const std::vector<ValueId>& targets) {
    const Model& model = original.file.model;
    std::vector<std::string> names;
    for (const ValueId value : targets)
        names.emplace_back(model.name(value));
    const char* sentence =
        model.isInitializer(targets.front()) ? "error.target-is-weight" : "error.target-is-input";
    return usageError(formatMessage(sentence, {quotedList(names), std::to_string(names.size())}),
                      original.file.path.string());
}

Error noClearTarget(const Original& original, const Recipe& recipe) {
    const auto lines = candidateLines(original);
    if (lines.empty())
        return usageError(std::string(message("error.no-target")), original.file.path.string());
    std::string list;
    for (const std::string& line : lines)
        list += "\n  " + line;
    const auto gone = missingPins(original, recipe);
    const std::string pins = gone.empty() ? "" : formatMessage("error.pins-gone", {quotedList(gone)});
    return usageError(pins + formatMessage("error.no-clear-target", {list}), original.file.path.string());
}

} // namespace

bool needsTargets(const Recipe& recipe) {
    return std::any_of(recipe.steps.begin(), recipe.steps.end(), [](const RecipeStep& step) {
        return step.isOn && std::find(kPassesWithTargets.begin(), kPassesWithTargets.end(), step.pass) !=
                                kPassesWithTargets.end();
    });
}

Result<std::vector<ValueId>> chooseTargets(const Original& original, const Recipe& recipe) {
    const bool isPinned = !recipe.pinnedTargets.empty() && missingPins(original, recipe).empty();
    if (recipe.targets.empty() && !isPinned) {
        if (original.targets.clear.empty() && needsTargets(recipe)) return noClearTarget(original, recipe);
        return original.targets.clear;
    }
    std::vector<ValueId> targets;
    for (const std::string& name : recipe.targets.empty() ? recipe.pinnedTargets : recipe.targets) {
        std::vector<std::string> nearest;
        const ValueId value = resolveTarget(original.file.model, name, nearest);
        if (value.isNone()) return unknownTarget(original, name);
        if (std::find(targets.begin(), targets.end(), value) == targets.end()) targets.push_back(value);
    }
    const Model& model = original.file.model;
    const bool remains = std::any_of(targets.begin(), targets.end(),
                                     [&](ValueId value) { return isMadeByNode(model, value); });
    if (!remains && needsTargets(recipe)) return nothingRemains(original, targets);
    return targets;
}

std::vector<std::string> missingPins(const Original& original, const Recipe& recipe) {
    std::vector<std::string> missing, nearest;
    if (!recipe.targets.empty()) return missing;
    for (const std::string& name : recipe.pinnedTargets) {
        if (resolveTarget(original.file.model, name, nearest).isNone()) missing.push_back(name);
    }
    return missing;
}

std::vector<Reason> pinNotes(const Original& original, const Recipe& recipe) {
    if (!recipe.targets.empty() || recipe.pinnedTargets.empty() || !needsTargets(recipe)) return {};
    const Model& model = original.file.model;
    const std::string clear = valueList(model, original.targets.clear);
    const auto missing = missingPins(original, recipe);
    if (!missing.empty()) {
        return {Reason("note.target-gone", {quotedList(missing), clear})};
    }
    const auto chosen = chooseTargets(original, recipe);
    const bool isSame = !chosen || clear.empty() ||
                        std::set<ValueId>(chosen->begin(), chosen->end()) ==
                            std::set<ValueId>(original.targets.clear.begin(), original.targets.clear.end());
    if (isSame) return {};
    return {Reason("note.target-pinned", {quotedList(recipe.pinnedTargets), clear})};
}

std::vector<std::string> namesOfTargets(const History& history) {
    const Model& model = history.original().file.model;
    std::vector<std::string> names;
    for (const ValueId target : history.chosenTargets()) {
        if (model.name(target).empty()) return {};
        names.emplace_back(model.name(target));
    }
    return names;
}

std::vector<std::string> candidateLines(const Original& original, std::size_t most) {
    std::vector<std::string> lines;
    const Model& model = original.file.model;
    for (const TargetCandidate& candidate : original.targets.candidates) {
        if (lines.size() == most) {
            lines.push_back(
                formatMessage("text.more", {formatCount(original.targets.candidates.size() - most)}));
            break;
        }
        std::string evidence;
        for (const Reason& reason : candidate.evidence) {
            evidence += (evidence.empty() ? "" : "; ") + formatReason(reason, model);
        }
        lines.push_back(
            fmt::format("{} ({:.2f}): {}", valueText(model, candidate.value), candidate.score, evidence));
    }
    return lines;
}

} // namespace secateur
