// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/explain.h"
#include "app/commands/commands.h"
#include "app/commands/conversion.h"
#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/report/report_steps.h"
#include "core/session/explanation.h"
#include "core/support/text.h"

#include <algorithm>

namespace secateur::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ExplainOptions {
    ConversionOptions conversion;
    std::string node, value;
};

/// Answers questions about one history. Things of the original are asked about there; those that steps made,
/// in the model at the end.
class Explainer {
  public:
    explicit Explainer(const History& history)
        : m_history(history), m_original(history.original().file.model),
          m_reach(findReachable(m_original, history.chosenTargets())) {}

    int explainNodes(const std::string& name, Console& console) {
        const auto nodes = findNodes(name);
        if (nodes.empty()) return console.fail(noSuch("cli.no-such-node", name, nodeNames()));
        Json json{{"schema", 1}, {"nodes", Json::array()}};
        for (const NodeId node : nodes)
            json["nodes"].push_back(tell(node, console));
        // One answer is the rule; more come from a name that the file uses several times.
        const Json first = json["nodes"].front();
        json.update(first);
        console.json(json);
        return 0;
    }

    int explainValue(const std::string& name, Console& console) {
        ValueId value = findValue(m_original, name);
        const bool isOld = !value.isNone();
        const Model& model = isOld ? m_original : m_history.model();
        if (!isOld) value = findValue(model, name);
        if (value.isNone()) return console.fail(noSuch("cli.no-such-value", name, valueNames()));
        Json json{{"schema", 1}, {"value", name}};
        json["type"] = (isOld ? m_history.original().types : m_history.types()).type(value).text();
        console.line(
            formatMessage("cli.explain-value", {valueText(model, value), json["type"].get<std::string>()}));
        json["kept"] = m_history.model().isAlive(value) && isUsed(value);
        tellReaders(model, value, json, console);
        const NodeId producer = model.producer(value);
        if (!producer.isNone() && model.node(producer).kind == NodeKind::operation) {
            console.line(formatMessage("cli.explain-made-by", {nodeText(model, producer)}));
            json["made_by"] = tell(producer, console);
        } else {
            tellSource(model, value, json, console);
        }
        console.json(json);
        return 0;
    }

  private:
    [[nodiscard]] bool isUsed(ValueId value) const {
        const Model& model = m_history.model();
        return model.hasUses(value) || model.isGraphInput(value);
    }

    [[nodiscard]] std::vector<NodeId> findNodes(const std::string& name) const {
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

    static ValueId findValue(const Model& model, const std::string& name) {
        for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
            if (model.isAlive(ValueId(i)) && model.name(ValueId(i)) == name) return ValueId(i);
        }
        return {};
    }

    [[nodiscard]] std::vector<std::string> nodeNames() const {
        std::vector<std::string> names;
        for (const GraphId graph : allGraphs(m_original)) {
            for (const NodeId node : m_original.nodes(graph))
                names.push_back(nodeLabel(m_original, node));
        }
        return names;
    }

    [[nodiscard]] std::vector<std::string> valueNames() const {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < m_original.valueIdCount(); ++i) {
            const ValueId value(i);
            if (m_original.isAlive(value) && !m_original.name(value).empty())
                names.emplace_back(m_original.name(value));
        }
        return names;
    }

    static Error noSuch(const char* id, const std::string& name, const std::vector<std::string>& known) {
        const auto near = nearestNames(name, known);
        return usageError(
            formatMessage(id, {name, near.empty() ? "" : formatMessage("cli.nearest", {quotedList(near)})}));
    }

    Json tell(NodeId node, Console& console) {
        if (node.index >= m_original.nodeIdCount()) return tellCreated(node, console);
        const RewriteRecord* record = m_history.recordThatErased(node);
        const Explanation why = explainNode(m_original, *m_history.roles(), m_reach, node,
                                            record ? &reasonFor(*record, node) : nullptr);
        const auto step = m_history.stepThatErased(node);
        Json json{{"node", nodeLabel(m_original, node)}, {"op", std::string(m_original.op(node))}};
        json["role"] = std::string(roleName(why.role));
        json["kept"] = !step.has_value();
        json["removed_by"] = step ? Json(m_history.steps()[*step].pass) : Json(nullptr);
        json["reason"] = formatReason(why.reason, m_original);
        json["path"] = Json::array();
        std::string path;
        for (const NodeId one : why.path) {
            json["path"].push_back(nodeLabel(m_original, one));
            path += (path.empty() ? "" : " -> ") + nodeText(m_original, one);
        }
        json["end"] = why.end.id.empty() ? Json(nullptr) : Json(formatReason(why.end, m_original));
        json["twin"] = why.twin.isNone() ? Json(nullptr) : Json(nodeLabel(m_original, why.twin));
        console.line(
            formatMessage("cli.explain-node", {nodeText(m_original, node), std::string(roleName(why.role))}));
        console.line(step ? formatMessage("cli.explain-removed-by", {m_history.steps()[*step].pass})
                          : std::string(message("cli.explain-kept")));
        console.line(formatReason(why.reason, m_original));
        if (!why.twin.isNone())
            console.line(formatMessage("cli.explain-twin", {nodeText(m_original, why.twin)}));
        if (!path.empty()) console.line(formatMessage("cli.explain-path", {path}));
        if (!why.end.id.empty()) console.line(formatReason(why.end, m_original));
        return json;
    }

    /// A node that a step made: its rewrite says why.
    Json tellCreated(NodeId node, Console& console) {
        const Model& model = m_history.model();
        Json json{{"node", nodeLabel(model, node)},
                  {"op", std::string(model.op(node))},
                  {"role", "forward"},
                  {"kept", true}};
        console.line(formatMessage("cli.explain-node", {nodeText(model, node), "forward"}));
        for (const Step& step : m_history.steps()) {
            for (const RewriteRecord& record : step.records) {
                if (std::find(record.created.begin(), record.created.end(), node) == record.created.end())
                    continue;
                json["made_by_step"] = step.pass;
                json["reason"] = formatReason(record.reason, model);
                console.line(formatMessage("cli.explain-made-by", {"`" + step.pass + "`"}));
                console.line(formatReason(record.reason, model));
            }
        }
        return json;
    }

    void tellReaders(const Model& model, ValueId value, Json& json, Console& console) const {
        json["readers"] = Json::array();
        std::string readers;
        for (const Use use : model.uses(value)) {
            json["readers"].push_back(model.node(use.node).kind == NodeKind::operation
                                          ? nodeLabel(model, use.node)
                                          : nodeText(model, use.node));
            if (json["readers"].size() <= 8)
                readers += (readers.empty() ? "" : ", ") + nodeText(model, use.node);
        }
        const std::size_t count = json["readers"].size();
        if (count > 8) readers += ", " + formatMessage("text.more", {formatCount(count - 8)});
        console.line(count == 0 ? std::string(message("cli.explain-no-readers"))
                                : formatMessage("cli.explain-readers", {formatCount(count), readers}));
    }

    /// An input or initializer: what it is, and the rewrite that took it away.
    void tellSource(const Model& model, ValueId value, Json& json, Console& console) const {
        console.line(std::string(
            message(model.isInitializer(value) ? "cli.explain-initializer" : "cli.explain-input")));
        json["reason"] = nullptr;
        for (const Step& step : m_history.steps()) {
            for (const RewriteRecord& record : step.records) {
                if (std::find(record.erasedValues.begin(), record.erasedValues.end(), value) ==
                    record.erasedValues.end())
                    continue;
                if (m_history.model().isAlive(value)) continue;
                Reason reason = record.reason;
                for (const auto& [about, own] : record.valueReasons) {
                    if (about == value) reason = own;
                }
                json["removed_by"] = step.pass;
                json["reason"] = formatReason(reason, model);
                console.line(formatMessage("cli.explain-removed-by", {step.pass}));
                console.line(formatReason(reason, model));
                return;
            }
        }
        console.line(std::string(message("cli.explain-kept")));
    }

    const History& m_history;
    const Model& m_original;
    Reachability m_reach;
};

int explain(const ExplainOptions& options, Console& console) {
    if (!options.node.empty() && !options.value.empty())
        return console.fail(usageError(std::string(message("cli.explain-both"))));
    const auto recipe = recipeOf(options.conversion);
    if (!recipe) return console.fail(recipe.error());
    auto original = open(options.conversion, console);
    if (!original) return console.fail(original.error());
    const auto history = History::run(*original, *recipe, console.work());
    if (!history) return console.fail(history.error(), {{"candidates", candidatesJson(**original)}});
    if (const auto open = whatIsOpen(*history)) console.note(errorLine(*open));
    Explainer explainer(*history);
    if (!options.node.empty()) return explainer.explainNodes(options.node, console);
    if (!options.value.empty()) return explainer.explainValue(options.value, console);
    printSteps(*history, console);
    Json json{{"schema", 1}, {"steps", Json::array()}};
    for (const ReportStep& step : describeSteps(*history)) {
        Json one{{"pass", step.pass},
                 {"rewrites", step.rewrites},
                 {"erased", step.erased},
                 {"reasons", Json::array()}};
        for (const ReasonGroup& group : step.reasons) {
            one["reasons"].push_back({{"id", group.id}, {"count", group.count}, {"example", group.example}});
        }
        json["steps"].push_back(std::move(one));
    }
    console.json(json);
    return 0;
}

} // namespace

void addExplain(CLI::App& program, Action& action) {
    CLI::App* verb = program.add_subcommand("explain", "why a node or value stays, or went");
    auto options = std::make_shared<ExplainOptions>();
    addConversionOptions(*verb, options->conversion);
    verb->add_option("--node", options->node, "a node, by its name or that of its first result")
        ->type_name("NAME");
    verb->add_option("--value", options->value, "a value, by its name")->type_name("NAME");
    verb->add_option("--recipe", options->conversion.recipe, "recipe to ask about, instead of the conversion")
        ->type_name("FILE");
    verb->callback(
        [options, &action] { action = [options](Console& console) { return explain(*options, console); }; });
}

} // namespace secateur::cli
