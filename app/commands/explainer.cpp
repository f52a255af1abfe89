// SPDX-License-Identifier: Apache-2.0
#include "app/commands/explainer.h"

#include "app/commands/words.h"
#include "core/analysis/value_kinds.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/messages/value_list.h"
#include "core/report/report_steps.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <algorithm>
#include <map>

namespace secateur::cli {
namespace {

constexpr std::size_t kMostReaders = 8;

ValueId findValue(const Model& model, const std::string& name) {
    for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
        if (model.isAlive(ValueId(i)) && model.name(ValueId(i)) == name) return ValueId(i);
    }
    return {};
}

/// Of all nodes and values, bodies included, nodes first or last.
std::vector<std::string> allNames(const Model& model, bool areNodesFirst) {
    std::vector<std::string> names, nodes;
    for (const GraphId graph : allGraphs(model)) {
        for (const NodeId node : model.nodes(graph))
            nodes.push_back(nodeLabel(model, node));
    }
    if (areNodesFirst) names = nodes;
    for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
        const ValueId value(i);
        if (model.isAlive(value) && !model.name(value).empty()) names.emplace_back(model.name(value));
    }
    if (!areNodesFirst) names.insert(names.end(), nodes.begin(), nodes.end());
    return names;
}

/// ": the nearest names are ...", or nothing.
std::string nearestText(const std::string& name, const std::vector<std::string>& known) {
    const auto near = nearestNames(name, known);
    return near.empty() ? std::string() : formatMessage("cli.nearest", {quotedList(near)});
}

} // namespace

Explainer::Explainer(const History& history, Console& console)
    : m_history(history), m_original(history.original().file.model), m_stories(history), m_console(console) {}

int Explainer::explainNode(const std::string& name) {
    auto nodes = findNodes(name);
    if (nodes.empty()) {
        nodes = findMakers(name);
        if (!nodes.empty()) m_console.line(formatMessage("cli.explain-by-result", {printable(name)}));
    }
    if (nodes.empty()) return m_console.fail(noSuchNode(name));
    Json json{{"schema", 1}, {"nodes", Json::array()}};
    for (const NodeId node : nodes) {
        if (!json["nodes"].empty()) m_console.line("");
        json["nodes"].push_back(tell(node));
    }
    // One answer is the rule; more come from a name that the file uses several times.
    const Json first = json["nodes"].front();
    json.update(first);
    m_console.json(json);
    return 0;
}

int Explainer::explainValue(const std::string& name) {
    ValueId value = findValue(m_original, name);
    const bool isOld = !value.isNone();
    const Model& model = isOld ? m_original : m_history.model();
    if (!isOld) value = findValue(model, name);
    if (value.isNone()) return m_console.fail(noSuchValue(name));
    Json json{{"schema", 1}, {"value", name}};
    json["type"] = (isOld ? m_history.original().types : m_history.types()).type(value).text();
    m_console.line(
        formatMessage("cli.explain-value", {valueText(model, value), json["type"].get<std::string>()}));
    json["kept"] = m_history.model().isAlive(value) && isUsed(value);
    tellReaders(model, value, json);
    // What is told of its node below may be about another result of it, which stays.
    if (!json["kept"].get<bool>()) m_console.line(std::string(message("cli.explain-value-gone")));
    const NodeId producer = model.producer(value);
    if (!producer.isNone() && model.node(producer).kind == NodeKind::operation) {
        m_console.line(formatMessage("cli.explain-made-by", {nodeText(model, producer)}));
        json["made_by"] = tell(producer);
    } else {
        tellSource(model, value, json);
    }
    m_console.json(json);
    return 0;
}

int Explainer::explainAll() {
    Json json{{"schema", 1}};
    m_console.line(changeLine(m_history));
    tellTargets(json);
    tellRoles(json);
    printSteps(m_history, m_console);
    json["steps"] = Json::array();
    for (const ReportStep& step : describeSteps(m_history)) {
        Json one{{"pass", step.pass},
                 {"rewrites", step.rewrites},
                 {"erased", step.erased},
                 {"reasons", Json::array()}};
        for (const ReasonGroup& group : step.reasons)
            one["reasons"].push_back({{"id", group.id}, {"count", group.count}, {"example", group.example}});
        json["steps"].push_back(std::move(one));
    }
    m_console.line(std::string(message("cli.explain-ask")));
    m_console.json(json);
    return 0;
}

void Explainer::tellTargets(Json& json) {
    json["targets"] = Json::array();
    for (const ValueId target : m_history.chosenTargets()) {
        const auto& candidates = m_history.original().targets.candidates;
        const auto at = std::find_if(candidates.begin(), candidates.end(),
                                     [&](const TargetCandidate& one) { return one.value == target; });
        Json evidence = Json::array();
        const bool isNamed = !m_history.recipe().targets.empty();
        std::string why = isNamed ? ": " + std::string(message("cli.target-named")) : "";
        if (at != candidates.end()) {
            for (const Reason& reason : at->evidence) {
                evidence.push_back(formatReason(reason, m_original));
                why += (why.empty() ? ": " : "; ") + evidence.back().get<std::string>();
            }
        }
        json["targets"].push_back(
            {{"name", std::string(m_original.name(target))}, {"is_named", isNamed}, {"evidence", evidence}});
        m_console.line(formatMessage("cli.explain-target", {valueText(m_original, target), why}));
    }
    tellUntakenTargets();
}

/// Where a person named the targets: what the model by itself would have been cut down to.
void Explainer::tellUntakenTargets() {
    const auto& clear = m_history.original().targets.clear;
    const auto& chosen = m_history.chosenTargets();
    const bool isSame = std::is_permutation(clear.begin(), clear.end(), chosen.begin(), chosen.end());
    if (m_history.recipe().targets.empty() || clear.empty() || isSame) return;
    m_console.line(formatMessage("cli.target-else", {valueList(m_original, clear)}));
}

void Explainer::tellRoles(Json& json) {
    std::map<Role, std::pair<std::uint64_t, std::uint64_t>> byRole; // kept, removed
    const std::vector<bool> isReplaced = replacedNodes(m_history);
    std::map<std::string, std::uint64_t> replacedBy;
    for (const NodeId node : nodesWithin(m_original, m_original.mainGraph())) {
        auto& [kept, removed] = byRole[m_history.roles()->of(node)];
        if (m_history.stepThatErased(node) && isReplaced[node.index])
            ++replacedBy[std::string(roleName(m_history.roles()->of(node)))];
        else
            ++(m_history.stepThatErased(node) ? removed : kept);
    }
    json["kept"] = Json::object();
    json["removed"] = Json::object();
    json["replaced"] = replacedBy;
    std::string kept, removed, replaced;
    const auto add = [](std::string& text, std::string_view role, std::uint64_t count) {
        if (count > 0) text += (text.empty() ? "" : ", ") + formatCount(count) + " " + std::string(role);
    };
    for (const auto& [role, counts] : byRole) {
        const std::string name(roleName(role));
        if (counts.first > 0) json["kept"][name] = counts.first;
        if (counts.second > 0) json["removed"][name] = counts.second;
        add(kept, name, counts.first);
        add(removed, name, counts.second);
    }
    for (const auto& [role, count] : replacedBy)
        add(replaced, role, count);
    const std::string none(message("cli.explain-nothing"));
    m_console.line(formatMessage("cli.explain-stays", {kept.empty() ? none : kept}));
    m_console.line(formatMessage("cli.explain-goes", {removed.empty() ? none : removed}));
    if (!replaced.empty()) m_console.line(formatMessage("cli.explain-replaced", {replaced}));
    if (removed.empty() && replaced.empty()) m_console.line(std::string(message("cli.explain-simplify")));
}

bool Explainer::isUsed(ValueId value) const {
    const Model& model = m_history.model();
    return model.hasUses(value) || model.isGraphInput(value);
}

std::vector<NodeId> Explainer::findNodes(const std::string& name) const {
    std::vector<NodeId> found;
    const auto look = [&](const Model& model, std::size_t from) {
        for (const GraphId graph : allGraphs(model)) {
            for (const NodeId node : model.nodes(graph)) {
                if (node.index >= from && nodeLabel(model, node) == name) found.push_back(node);
            }
        }
    };
    look(m_original, 0);
    look(m_history.model(), m_original.nodeIdCount());
    return found;
}

std::vector<NodeId> Explainer::findMakers(const std::string& result) const {
    for (const Model* model : {&m_original, &m_history.model()}) {
        const ValueId value = findValue(*model, result);
        if (value.isNone()) continue;
        const NodeId node = model->producer(value);
        if (!node.isNone() && model->node(node).kind == NodeKind::operation) return {node};
    }
    return {};
}

Error Explainer::noSuchNode(const std::string& name) const {
    if (!findValue(m_original, name).isNone() || !findValue(m_history.model(), name).isNone())
        return usageError(formatMessage("cli.node-is-value", {printable(name)}));
    return usageError(
        formatMessage("cli.no-such-node", {printable(name), nearestText(name, allNames(m_original, true))}));
}

Error Explainer::noSuchValue(const std::string& name) const {
    if (!findNodes(name).empty()) return usageError(formatMessage("cli.value-is-node", {printable(name)}));
    return usageError(formatMessage("cli.no-such-value",
                                    {printable(name), nearestText(name, allNames(m_original, false))}));
}

Explainer::Json Explainer::tell(NodeId node) {
    const NodeStory story = m_stories.tell(node);
    const Model& model = *story.model;
    const Explanation& why = story.why;
    Json json{{"node", nodeLabel(model, node)}, {"op", std::string(model.op(node))}};
    json["role"] = std::string(roleName(why.role));
    json["kept"] = !story.erasedBy.has_value();
    json["removed_by"] = passOf(story.erasedBy);
    json["made_by_step"] = passOf(story.madeBy);
    json["reason"] = reasonText(why.reason, model, m_history.model());
    m_console.line(
        formatMessage("cli.explain-node", {nodeText(model, node), std::string(roleName(why.role))}));
    tellFate(story, json);
    m_console.line(json["reason"].get<std::string>());
    json["twin"] = why.twin.isNone() ? Json(nullptr) : Json(nodeLabel(model, why.twin));
    tellTwin(model, why);
    tellPath(story, json);
    tellFeeds(story, json);
    tellMisses(node, json);
    return json;
}

/// What nearly applied to a node, and what was missing.
void Explainer::tellMisses(NodeId node, Json& json) {
    json["misses"] = Json::array();
    for (const Step& step : m_history.steps()) {
        for (const RewriteMiss& miss : step.misses) {
            if (miss.node != node) continue;
            const std::string why = formatReason(miss.reason, m_history.model());
            json["misses"].push_back({{"pass", step.pass}, {"rule", miss.rule}, {"reason", why}});
            m_console.line(formatMessage("cli.explain-miss", {miss.rule, why}));
        }
    }
}

/// A step of the derivative of the loss belongs to the whole of it: which of its parts it goes with says
/// nothing.
void Explainer::tellTwin(const Model& model, const Explanation& why) {
    if (why.twin.isNone() || m_history.roles()->of(why.twin) == Role::loss) return;
    const bool isRecomputed = why.role == Role::recompute;
    m_console.line(formatMessage(isRecomputed ? "cli.explain-repeats" : "cli.explain-twin",
                                 {nodeText(model, why.twin)}));
}

Explainer::Json Explainer::passOf(std::optional<std::size_t> step) const {
    return step ? Json(m_history.steps()[*step].pass) : Json(nullptr);
}

/// Kept, removed by which step, replaced by what, or made by a step in whose place.
void Explainer::tellFate(const NodeStory& story, Json& json) {
    const auto list = [&](const char* field, const std::vector<NodeId>& nodes, const Model& model) {
        json[field] = Json::array();
        for (const NodeId node : nodes)
            json[field].push_back(nodeLabel(model, node));
        return nodeList(model, nodes);
    };
    // Only the model at the end knows the nodes that steps made; it can still name those that are gone.
    const std::string replacements = list("replaced_by", story.replacements, m_history.model());
    const std::string replaced = list("replaces", story.replaced, m_history.model());
    const auto pass = [&](std::size_t step) { return m_history.steps()[step].pass; };
    if (story.madeBy) m_console.line(formatMessage("cli.explain-made-by", {"`" + pass(*story.madeBy) + "`"}));
    if (!replaced.empty()) m_console.line(formatMessage("cli.explain-replaces", {replaced}));
    if (!story.erasedBy)
        m_console.line(std::string(message("cli.explain-kept")));
    else if (story.isReplaced())
        m_console.line(formatMessage("cli.explain-replaced-by", {pass(*story.erasedBy), replacements}));
    else
        m_console.line(formatMessage("cli.explain-removed-by", {pass(*story.erasedBy)}));
}

void Explainer::tellPath(const NodeStory& story, Json& json) {
    const Model& model = *story.model;
    const Explanation& why = story.why;
    json["path"] = Json::array();
    std::string path;
    for (const NodeId one : why.path) {
        json["path"].push_back(nodeLabel(model, one));
        path += (path.empty() ? "" : " -> ") + nodeText(model, one);
    }
    json["end"] = why.end.id.empty() ? Json(nullptr) : Json(formatReason(why.end, model));
    // The way of a kept node that makes the target itself is no news.
    if (path.empty() || (why.path.size() == 1 && !story.erasedBy)) return;
    m_console.line(formatMessage(why.stoodOnWay ? "cli.explain-stood" : "cli.explain-path", {path}));
    if (!why.end.id.empty()) m_console.line(json["end"].get<std::string>());
}

/// What the readers of a bypassed node read now.
void Explainer::tellFeeds(const NodeStory& story, Json& json) {
    json["now_feeds"] = Json::array();
    const Model& model = m_history.model();
    std::map<ValueId, std::vector<NodeId>> readersOf;
    for (const Feed& feed : story.nowFeeds)
        readersOf[feed.value].push_back(feed.reader);
    for (const auto& [value, readers] : readersOf) {
        const NodeId maker = model.producer(value);
        const bool isMade = !maker.isNone() && model.node(maker).kind == NodeKind::operation;
        const std::string from = isMade ? nodeText(model, maker) : valueText(model, value);
        std::string list;
        for (std::size_t i = 0; i < readers.size(); ++i) {
            const NodeId reader = readers[i];
            json["now_feeds"].push_back(
                {{"value", std::string(model.name(value))},
                 {"from", isMade ? Json(nodeLabel(model, maker)) : Json(nullptr)},
                 {"to", reader.isNone() ? Json(nullptr) : Json(nodeLabel(model, reader))}});
            if (i >= kMostReaders) continue;
            list +=
                (list.empty() ? "" : ", ") +
                (reader.isNone() ? std::string(message("cli.explain-the-output")) : nodeText(model, reader));
        }
        if (readers.size() > kMostReaders)
            list += ", " + formatMessage("text.more", {formatCount(readers.size() - kMostReaders)});
        m_console.line(formatMessage("cli.explain-now-feeds", {from, list}));
    }
}

void Explainer::tellReaders(const Model& model, ValueId value, Json& json) {
    json["readers"] = Json::array();
    std::string readers;
    for (const Use use : model.uses(value)) {
        json["readers"].push_back(model.node(use.node).kind == NodeKind::operation
                                      ? nodeLabel(model, use.node)
                                      : nodeText(model, use.node));
        if (json["readers"].size() <= kMostReaders)
            readers += (readers.empty() ? "" : ", ") + nodeText(model, use.node);
    }
    const std::size_t count = json["readers"].size();
    if (count > kMostReaders)
        readers += ", " + formatMessage("text.more", {formatCount(count - kMostReaders)});
    m_console.line(count == 0 ? std::string(message("cli.explain-no-readers"))
                              : formatMessage("cli.explain-readers", {formatCount(count), readers}));
}

/// "an input of the model: labels, which ...".
void Explainer::tellKind(const Model& model, ValueId value, Json& json) {
    const char* source = model.isInitializer(value) ? "cli.explain-initializer" : "cli.explain-input";
    if (&model != &m_original || model.value(value).graph != model.mainGraph()) {
        m_console.line(std::string(message(source)));
        return;
    }
    const ValueUse use = useOf(m_original, m_history.original().types, *m_history.roles(), value);
    const std::string id = "kind." + std::string(valueKindName(use.kind));
    json["kind"] = std::string(valueKindName(use.kind));
    json["kind_of"] = use.of.isNone() ? Json(nullptr) : Json(std::string(model.name(use.of)));
    const std::string kind =
        use.of.isNone() ? std::string(message(id)) : formatMessage(id + "-of", {valueText(model, use.of)});
    m_console.line(use.kind == ValueKind::unread ? std::string(message(source))
                                                 : std::string(message(source)) + ": " + kind);
}

/// An input or initializer: what it is, and the rewrite that took it away.
void Explainer::tellSource(const Model& model, ValueId value, Json& json) {
    tellKind(model, value, json);
    json["reason"] = nullptr;
    for (const Step& step : m_history.steps()) {
        for (const RewriteRecord& record : step.records) {
            const auto& erased = record.erasedValues;
            if (std::find(erased.begin(), erased.end(), value) == erased.end()) continue;
            if (m_history.model().isAlive(value)) continue;
            Reason reason = record.reason;
            for (const auto& [about, own] : record.valueReasons) {
                if (about == value) reason = own;
            }
            json["removed_by"] = step.pass;
            json["reason"] = formatReason(reason, model);
            m_console.line(formatMessage("cli.explain-removed-by", {step.pass}));
            m_console.line(formatReason(reason, model));
            return;
        }
    }
    m_console.line(std::string(message("cli.explain-kept")));
    tellAttached(value, json);
    tellNeed(value, json);
}

/// A parameter that a step gave its trained values: an input of the opened model, none of the result.
void Explainer::tellAttached(ValueId value, Json& json) {
    const bool isGiven = value.index < m_original.valueIdCount() && m_original.isGraphInput(value) &&
                         !m_original.isInitializer(value) && m_history.model().isInitializer(value);
    json["has_attached_values"] = isGiven;
    if (!isGiven) return;
    m_console.line(formatMessage("cli.explain-attached", {printable(m_history.recipe().weightsPath)}));
    if (!m_history.model().isGraphInput(value))
        m_console.line(std::string(message("cli.explain-no-input-now")));
}

/// Why an input or weight stays: what reads it, and where that leads.
void Explainer::tellNeed(ValueId value, Json& json) {
    const Model& model = m_history.model();
    if (!model.isAlive(value)) return;
    const NodeId reader = m_stories.nearestReader(value);
    if (!reader.isNone() && model.isAlive(reader)) {
        const NodeStory story = m_stories.tell(reader);
        std::string text = formatMessage("cli.explain-stays-for", {nodeText(model, reader)});
        text += " " + reasonText(story.why.reason, *story.model, m_history.model());
        json["reason"] = text;
        m_console.line(text);
        return;
    }
    json["reason"] = message(model.isGraphOutput(value) ? "cli.explain-is-output" : "cli.explain-idle");
    m_console.line(json["reason"].get<std::string>());
}

} // namespace secateur::cli
