// SPDX-License-Identifier: Apache-2.0
#include "core/ir/verifier.h"

#include "core/ir/walk.h"
#include "core/messages/sentences.h"

#include <string>
#include <unordered_map>

namespace secateur {
namespace {

std::string nodeText(const Model& model, NodeId id) {
    const std::string op(model.op(id));
    if (model.name(id).empty()) return op;
    return formatMessage("maker.node", {op, std::string(model.name(id))});
}

class ProblemFinder {
  public:
    explicit ProblemFinder(const Model& model) : m_model(model) {}

    std::vector<Problem> run() {
        for (const GraphId graph : allGraphs(m_model)) {
            checkNames(graph);
            for (const NodeId node : m_model.nodes(graph))
                checkReads(node);
            checkOutputs(graph);
        }
        return std::move(m_problems);
    }

  private:
    /// The sentence of a problem has its id.
    void report(std::string id, const std::vector<std::string>& arguments, NodeId node, ValueId value) {
        std::string text = formatMessage(id, arguments);
        m_problems.push_back({Problem::Severity::error, std::move(id), std::move(text), node, value});
    }
    [[nodiscard]] std::string nameOf(ValueId value) const { return std::string(m_model.name(value)); }
    [[nodiscard]] std::string nameOf(GraphId graph) const { return m_model.graph(graph).header->name; }

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
               m_model.producer(id), id);
    }

    void checkNames(GraphId graph) {
        std::unordered_map<std::uint32_t, ValueId> seen;
        for (const ValueId value : m_model.graphInputs(graph))
            checkName(value, graph, seen);
        for (const ValueId value : m_model.graph(graph).initializers) {
            if (m_model.isAlive(value)) checkName(value, graph, seen);
        }
        for (const NodeId node : m_model.nodes(graph)) {
            for (const ValueId value : m_model.outputs(node))
                checkName(value, graph, seen);
        }
    }

    /// Program order: an operand must be made before its reader, by a node of the reader's graph or of one
    /// around it.
    void checkReads(NodeId node) {
        for (const ValueId value : m_model.inputs(node)) {
            if (value.isNone()) continue;
            const NodeId producer = m_model.producer(value);
            if (producer.isNone()) {
                if (!m_model.isInitializer(value)) reportMissing(node, value);
                continue;
            }
            if (m_model.node(producer).kind != NodeKind::operation) continue;
            const NodeId here = m_model.ancestorIn(m_model.node(producer).graph, node);
            if (here.isNone())
                reportOutOfScope(node, value);
            else if (here == producer || !m_model.isBefore(producer, here))
                reportOrder(node, value, producer);
        }
    }

    void reportMissing(NodeId node, ValueId value) {
        report("problem.missing-value", {nodeText(m_model, node), nameOf(value)}, node, value);
    }
    void reportOutOfScope(NodeId node, ValueId value) {
        report("problem.out-of-scope", {nodeText(m_model, node), nameOf(value)}, node, value);
    }
    void reportOrder(NodeId node, ValueId value, NodeId producer) {
        report("problem.order", {nodeText(m_model, node), nameOf(value), nodeText(m_model, producer)}, node,
               value);
    }

    void checkOutputs(GraphId graph) {
        for (const ValueId value : m_model.graphOutputs(graph)) {
            if (value.isNone() || !m_model.producer(value).isNone() || m_model.isInitializer(value)) continue;
            report("problem.missing-output", {nameOf(value), nameOf(graph)}, {}, value);
        }
    }

    const Model& m_model;
    std::vector<Problem> m_problems;
};

class InvariantChecker {
  public:
    explicit InvariantChecker(const Model& model) : m_model(model), m_slots(model.valueIdCount(), 0) {}

    std::vector<std::string> run() {
        for (std::size_t i = 0; i < m_model.nodeIdCount(); ++i)
            countSlots(NodeId(i));
        for (std::size_t i = 0; i < m_model.valueIdCount(); ++i)
            checkUses(ValueId(i));
        for (const GraphId graph : allGraphs(m_model))
            checkGraph(graph);
        return std::move(m_broken);
    }

  private:
    /// Words are made only for what is broken: this runs after every step.
    void expect(bool holds, std::string_view sentence, std::uint32_t index) {
        if (!holds) m_broken.push_back(formatMessage(sentence, {std::to_string(index)}));
    }

    void countSlots(NodeId id) {
        for (const ValueId value : m_model.inputs(id)) {
            if (value.isNone()) continue;
            ++m_slots[value.index];
            expect(m_model.isAlive(id), "invariant.erased-reader", id.index);
            expect(m_model.isAlive(value), "invariant.erased-value", id.index);
        }
    }

    void checkUses(ValueId id) {
        std::uint32_t walked = 0;
        for (const Use use : m_model.uses(id)) {
            ++walked;
            expect(m_model.input(use.node, use.slot) == id, "invariant.use-list", id.index);
            if (walked > m_slots[id.index]) break;
        }
        expect(walked == m_slots[id.index] && m_model.useCount(id) == walked, "invariant.use-count",
               id.index);
        const NodeId producer = m_model.producer(id);
        if (producer.isNone() || !m_model.isAlive(id)) return;
        expect(m_model.output(producer, m_model.value(id).resultIndex) == id, "invariant.producer", id.index);
    }

    void checkGraph(GraphId id) {
        const Graph& graph = m_model.graph(id);
        std::uint32_t count = 0;
        NodeId last;
        for (const NodeId node : m_model.nodes(id)) {
            const Node& n = m_model.node(node);
            expect(n.prev == last && n.graph == id && !n.isErased, "invariant.node-link", node.index);
            expect(last.isNone() || m_model.isBefore(last, node), "invariant.node-order", node.index);
            last = node;
            if (++count > graph.nodeCount) break;
        }
        expect(count == graph.nodeCount && graph.tail == last, "invariant.node-list", id.index);
        expect(graph.outputs->size() == m_model.graphOutputs(id).size(), "invariant.output-slots", id.index);
    }

    const Model& m_model;
    std::vector<std::uint32_t> m_slots;
    std::vector<std::string> m_broken;
};

} // namespace

std::vector<Problem> findProblems(const Model& model) {
    return ProblemFinder(model).run();
}

std::vector<std::string> brokenInvariants(const Model& model) {
    return InvariantChecker(model).run();
}

} // namespace secateur
