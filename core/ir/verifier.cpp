// SPDX-License-Identifier: Apache-2.0
#include "core/ir/verifier.h"

#include "core/ir/domains.h"
#include "core/ir/function_table.h"
#include "core/ir/node_order.h"
#include "core/ir/tensor_defect.h"
#include "core/ir/walk.h"
#include "core/messages/sentences.h"
#include "core/support/printable.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace secateur {
namespace {

std::string nodeText(const Model& model, NodeId id) {
    const std::string op = printable(model.op(id));
    if (model.name(id).empty()) return op;
    return formatMessage("maker.node", {op, printable(model.name(id))});
}

/// "`domain.name:overload`", as far as a function has these.
std::string functionText(const Model& model, GraphId function) {
    const GraphHeader& header = *model.graph(function).header;
    std::string text = header.domain.empty() ? header.name : header.domain + "." + header.name;
    if (!header.overload.empty()) text += ":" + header.overload;
    return "`" + printable(text) + "`";
}

/// "a -> b -> c"; of a long path both ends.
template <class Id, class Text> std::string pathText(const std::vector<Id>& path, Text text) {
    constexpr std::size_t kShown = 4; // at each end
    std::string out;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (path.size() > 2 * kShown && i == kShown) {
            out += " -> ...";
            i = path.size() - kShown;
        }
        out += (out.empty() ? "" : " -> ") + text(path[i]);
    }
    return out;
}

class ProblemFinder {
  public:
    explicit ProblemFinder(const Model& model) : m_model(model) {}

    std::vector<Problem> run() {
        for (const GraphId graph : allGraphs(m_model)) {
            findRoot(graph);
            checkNames(graph);
            for (const ValueId value : m_model.graph(graph).initializers)
                checkInitializer(value);
            for (const NodeId node : m_model.nodes(graph)) {
                checkReads(node);
                checkDomain(node);
                checkAttributes(node);
            }
            checkOutputs(graph);
        }
        reportOrders();
        reportDomains();
        checkFunctions();
        return std::move(m_problems);
    }

  private:
    enum class Weight : std::uint8_t { warning, error, fatal };

    /// The sentence of a problem has its id.
    void report(std::string id, const std::vector<std::string>& arguments, NodeId node, ValueId value,
                Weight weight = Weight::error) {
        Problem problem;
        problem.severity = weight == Weight::warning ? Problem::Severity::warning : Problem::Severity::error;
        problem.text = formatMessage(id, arguments);
        problem.id = std::move(id);
        problem.node = node;
        problem.value = value;
        problem.isFatal = weight == Weight::fatal;
        m_problems.push_back(std::move(problem));
    }
    [[nodiscard]] std::string nameOf(ValueId value) const { return printable(m_model.name(value)); }
    [[nodiscard]] std::string nameOf(GraphId graph) const {
        return printable(m_model.graph(graph).header->name);
    }

    // --- names ---

    /// What defines a value, in words.
    [[nodiscard]] std::string makerOf(ValueId value) const {
        const NodeId node = m_model.producer(value);
        if (node.isNone()) return formatMessage("maker.initializer", {});
        if (m_model.node(node).kind == NodeKind::operation) return nodeText(m_model, node);
        return formatMessage("maker.input", {});
    }

    void checkName(ValueId id, GraphId graph, std::unordered_map<std::uint32_t, ValueId>& seen) {
        if (id.isNone() || m_model.name(id).empty()) return;
        const auto [at, isNew] = seen.emplace(m_model.value(id).name.index, id);
        if (isNew || at->second == id) return;
        report("problem.duplicate-value", {nameOf(id), nameOf(graph), makerOf(at->second), makerOf(id)},
               m_model.producer(id), id, Weight::fatal);
    }

    void checkNames(GraphId graph) {
        std::unordered_map<std::uint32_t, ValueId> seen;
        for (const ValueId value : m_model.graphInputs(graph))
            checkName(value, graph, seen);
        for (const auto* list :
             {&m_model.graph(graph).initializers, &m_model.graph(graph).sparseInitializers}) {
            for (const ValueId value : *list) {
                if (m_model.isAlive(value)) checkName(value, graph, seen);
            }
        }
        for (const NodeId node : m_model.nodes(graph)) {
            for (const ValueId value : m_model.outputs(node))
                checkName(value, graph, seen);
        }
    }

    // --- reads ---

    /// Program order: an operand must be made before its reader, by a node of the reader's graph or of one
    /// around it.
    void checkReads(NodeId node) {
        for (const ValueId value : m_model.inputs(node)) {
            if (value.isNone()) continue;
            const NodeId producer = m_model.producer(value);
            if (producer.isNone()) {
                if (!m_model.isInitializer(value))
                    report("problem.missing-value", {nodeText(m_model, node), nameOf(value)}, node, value);
                continue;
            }
            if (m_model.node(producer).kind != NodeKind::operation) continue;
            checkOrder(node, producer, value);
        }
    }

    void checkOrder(NodeId node, NodeId producer, ValueId value) {
        const GraphId home = m_model.node(producer).graph;
        const NodeId here = m_model.ancestorIn(home, node);
        if (here.isNone()) {
            report("problem.out-of-scope", {nodeText(m_model, node), nameOf(value)}, node, value);
        } else if (here == producer || !m_model.isBefore(producer, here)) {
            const auto [at, isNew] = m_early.try_emplace(home, EarlyReads{node, value, 0});
            ++at->second.count;
        }
    }

    /// Nodes that read ahead of the maker: unsorted, unless they form a cycle.
    void reportOrders() {
        if (m_early.empty()) return;
        std::map<GraphId, std::vector<NodeId>> onCycles;
        for (const NodeId node : findOrders(m_model).onCycles)
            onCycles[m_model.node(node).graph].push_back(node);
        for (const auto& [graph, early] : m_early) {
            if (const auto at = onCycles.find(graph); at != onCycles.end()) {
                const auto cycle = cycleAmong(m_model, at->second);
                const auto text = [&](NodeId node) { return nodeText(m_model, node); };
                report("problem.cycle",
                       {nameOf(graph), pathText(cycle, text), std::to_string(at->second.size())},
                       cycle.front(), {}, Weight::fatal);
            } else {
                report("problem.order",
                       {nameOf(graph), std::to_string(early.count), nodeText(m_model, early.node),
                        nameOf(early.value), nodeText(m_model, m_model.producer(early.value))},
                       early.node, early.value, Weight::warning);
            }
        }
    }

    void checkOutputs(GraphId graph) {
        const NodeId holder = m_model.graph(graph).parentNode;
        for (const ValueId value : m_model.graphOutputs(graph)) {
            if (value.isNone()) continue;
            const NodeId producer = m_model.producer(value);
            if (producer.isNone() && !m_model.isInitializer(value)) {
                report("problem.missing-output", {nameOf(value), nameOf(graph)}, {}, value);
                continue;
            }
            // A body may hand out a value from around it.
            const bool isOuter = !producer.isNone() && m_model.node(producer).graph != graph &&
                                 m_model.node(producer).kind == NodeKind::operation;
            if (isOuter && !holder.isNone()) checkOrder(holder, producer, value);
        }
    }

    // --- tensors ---

    void checkTensor(const Tensor& tensor, const std::string& subject, NodeId node, ValueId value) {
        auto defect = findDefect(tensor);
        if (!defect) return;
        defect->details.insert(defect->details.begin(), subject);
        report(defect->sentence, defect->details, node, value);
    }

    void checkInitializer(ValueId id) {
        const Value& value = m_model.value(id);
        if (m_model.isAlive(id) && value.tensor)
            checkTensor(*value.tensor, formatMessage("maker.tensor", {nameOf(id)}), {}, id);
    }

    void checkAttributes(NodeId node) {
        if (!m_model.node(node).attributes) return;
        for (const Attribute& attribute : m_model.attributes(node)) {
            const auto check = [&](const TensorPtr& tensor) {
                if (!tensor) return;
                const auto subject =
                    formatMessage("maker.attribute", {attribute.name, nodeText(m_model, node)});
                checkTensor(*tensor, subject, node, {});
            };
            if (const auto* one = std::get_if<TensorPtr>(&attribute.value)) check(*one);
            if (const auto* many = std::get_if<std::vector<TensorPtr>>(&attribute.value))
                std::for_each(many->begin(), many->end(), check);
        }
    }

    // --- opsets and functions ---

    /// The graph whose imports count in `graph`.
    void findRoot(GraphId graph) {
        m_root = graph;
        while (m_model.graph(m_root).kind == GraphKind::subgraph)
            m_root = m_model.graph(m_root).parent;
        if (m_model.graph(m_root).kind != GraphKind::function) m_root = m_model.mainGraph();
    }

    void checkDomain(NodeId node) {
        const std::pair key(m_root, m_model.node(node).domain);
        const auto [at, isNew] = m_imports.try_emplace(key);
        if (isNew) {
            at->second.isImported = m_model.opsetVersion(m_model.domain(node), m_root).has_value();
            at->second.first = node;
        }
        ++at->second.nodes;
    }

    void reportDomains() {
        for (const auto& [key, import] : m_imports) {
            if (import.isImported) continue;
            const bool isFunction = m_model.graph(key.first).kind == GraphKind::function;
            const std::string scope =
                isFunction ? formatMessage("maker.function", {functionText(m_model, key.first)})
                           : formatMessage("maker.model", {});
            report("problem.missing-opset",
                   {std::string(shownDomain(m_model.domain(import.first))), scope,
                    std::to_string(import.nodes), nodeText(m_model, import.first)},
                   import.first, {});
        }
    }

    void checkFunctions() {
        const auto& functions = m_model.header().functions;
        if (functions.empty()) return;
        const FunctionTable table(m_model);
        for (const GraphId function : functions) {
            const GraphHeader& header = *m_model.graph(function).header;
            if (table.find(header.domain, header.name, header.overload) != function)
                report("problem.duplicate-function", {functionText(m_model, function)}, {}, {},
                       Weight::fatal);
        }
        findRecursion(table);
    }

    /// Depth first along calls, without recursion of our own; each way back into the path is reported.
    void findRecursion(const FunctionTable& table) {
        enum class Colour : std::uint8_t { open, done };
        struct Visit {
            GraphId function;
            std::vector<GraphId> calls;
            std::size_t next = 0;
        };
        std::map<GraphId, Colour> colours;
        for (const GraphId start : m_model.header().functions) {
            if (!colours.try_emplace(start, Colour::open).second) continue;
            std::vector<Visit> path;
            path.push_back({start, calledFunctions(m_model, start, table)});
            while (!path.empty()) {
                Visit& visit = path.back();
                if (visit.next == visit.calls.size()) {
                    colours[visit.function] = Colour::done;
                    path.pop_back();
                    continue;
                }
                const GraphId called = visit.calls[visit.next++];
                const auto [at, isNew] = colours.try_emplace(called, Colour::open);
                if (isNew) {
                    path.push_back({called, calledFunctions(m_model, called, table)});
                } else if (at->second == Colour::open) {
                    const auto first = std::find_if(
                        path.begin(), path.end(), [&](const Visit& open) { return open.function == called; });
                    std::vector<GraphId> cycle;
                    for (auto on = first; on != path.end(); ++on)
                        cycle.push_back(on->function);
                    cycle.push_back(called);
                    const auto text = [&](GraphId function) { return functionText(m_model, function); };
                    report("problem.recursive-function", {text(called), pathText(cycle, text)}, {}, {},
                           Weight::fatal);
                }
            }
        }
    }

    struct EarlyReads {
        NodeId node;
        ValueId value;
        std::size_t count = 0;
    };
    struct Import {
        bool isImported = true;
        NodeId first;
        std::size_t nodes = 0;
    };

    const Model& m_model;
    std::vector<Problem> m_problems;
    GraphId m_root;
    std::map<GraphId, EarlyReads> m_early; // by the graph whose order they break
    std::map<std::pair<GraphId, Symbol>, Import> m_imports;
};

} // namespace

std::vector<Problem> findProblems(const Model& model) {
    return ProblemFinder(model).run();
}

} // namespace secateur
