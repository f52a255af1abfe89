// SPDX-License-Identifier: Apache-2.0
#include "core/ir/verifier.h"
#include "core/ir/walk.h"
#include "core/messages/sentences.h"

#include <string>

namespace secateur {
namespace {

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
            for (const ValueId result : m_model.outputs(node))
                expect(result.isNone() || m_model.producer(result) == node, "invariant.results", node.index);
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

std::vector<std::string> brokenInvariants(const Model& model) {
    return InvariantChecker(model).run();
}

} // namespace secateur
