// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/body_writing.h"

#include "core/ir/constants.h"
#include "core/ir/node_edits.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace secateur {
namespace {

/// Copies the nodes of a body in front of the node that they replace.
class BodyCopier {
  public:
    BodyCopier(Editor& editor, NodeId call, const BodySource& body)
        : m_editor(editor), m_call(call), m_body(body), m_from(body.model) {
        const Model& model = editor.model();
        m_stem = model.name(call);
        for (const ValueId output : model.outputs(call)) {
            if (m_stem.empty() && !output.isNone()) m_stem = model.name(output);
        }
        if (m_stem.empty()) m_stem = model.op(call);
    }

    std::vector<NodeId> run() {
        const Model& to = m_editor.model();
        const auto formals = m_from.graphInputs(m_body.graph);
        for (std::size_t i = 0; i < formals.size(); ++i)
            m_values[formals[i].index] = to.input(m_call, i);
        copyNodes(m_body.graph, to.node(m_call).graph, m_call);
        handOver();
        return std::move(m_made);
    }

  private:
    /// The results of the call become results of the copies, where these make them, and are read from
    /// elsewhere where the body hands an input or a constant on.
    void handOver() {
        const Model& model = m_editor.model();
        const std::vector<ValueId> formals = outputsOf(m_body.graph);
        std::unordered_set<std::uint32_t> copies, results; // nodes, and what they make now
        for (const NodeId node : m_made)
            copies.insert(node.index);
        ValueId first;
        for (std::size_t slot = 0; slot < formals.size(); ++slot) {
            const ValueId result = model.output(m_call, slot);
            if (result.isNone() || mapped(formals[slot]).isNone()) continue;
            const ValueId made = mapped(formals[slot]);
            const bool isCopied = copies.contains(model.producer(made).index);
            if (!isCopied || results.contains(made.index)) {
                m_editor.replace(result, made);
                continue;
            }
            const ValueId taken = takeOver(m_editor, m_call, slot, made);
            results.insert(taken.index);
            if (first.isNone()) first = taken;
            m_values[formals[slot].index] = result; // the body may give it twice
        }
        retire(m_editor, m_call, first);
    }

    /// The outputs of a graph that is read from, as a list: edits of the same model move what a range of it
    /// looks at.
    [[nodiscard]] std::vector<ValueId> outputsOf(GraphId graph) const {
        std::vector<ValueId> outputs;
        for (const ValueId output : m_from.graphOutputs(graph))
            outputs.push_back(output);
        return outputs;
    }

    [[nodiscard]] std::string freshName(std::string_view part) {
        return m_editor.freshName(m_stem + "/" + std::string(part));
    }

    [[nodiscard]] ValueId mapped(ValueId value) const {
        const auto at = value.isNone() ? m_values.end() : m_values.find(value.index);
        return at == m_values.end() ? ValueId() : at->second;
    }

    void copyNodes(GraphId from, GraphId to, NodeId before) {
        for (const NodeId node : m_from.nodes(from)) {
            const ValueId result = m_from.output(node, 0);
            const TensorPtr constant = constantOf(m_from, result);
            if (constant && (!before.isNone() || canStandOutside(result)))
                m_values[result.index] = constantFor(result, constant);
            else
                copyNode(node, to, before);
        }
    }

    /// Can a constant in a body stand outside of it? What a body gives has to be made there.
    [[nodiscard]] bool canStandOutside(ValueId constant) const {
        return m_body.shared != nullptr && !m_from.isGraphOutput(constant);
    }

    [[nodiscard]] ValueId constantFor(ValueId value, const TensorPtr& tensor) {
        if (m_body.shared == nullptr) return m_body.constants(m_editor, m_call, m_from.name(value), tensor);
        if (const ValueId known = m_body.shared->find(m_editor.model(), value); !known.isNone()) return known;
        const ValueId made = m_body.constants(m_editor, m_call, m_from.name(value), tensor);
        m_body.shared->note(m_editor.model(), value, made);
        return made;
    }

    /// What the call gives for an attribute that the body leaves to it; none where it gives nothing.
    [[nodiscard]] std::optional<Attribute> resolved(const Attribute& attribute) const {
        if (attribute.reference.empty() || !m_body.resolve) return attribute;
        const Attribute* given = m_body.resolve(attribute.reference);
        if (given == nullptr) return std::nullopt;
        Attribute made = *given;
        made.name = attribute.name;
        return made;
    }

    void copyNode(NodeId node, GraphId to, NodeId before) {
        NodeSpec spec;
        spec.op = m_from.op(node);
        spec.domain = m_from.domain(node);
        for (const ValueId input : m_from.inputs(node))
            spec.inputs.push_back(mapped(input));
        for (const ValueId output : m_from.outputs(node)) {
            spec.outputs.push_back(output.isNone() ? "" : freshName(m_from.name(output)));
        }
        for (const Attribute& attribute : m_from.attributes(node)) {
            const std::optional<Attribute> given = resolved(attribute);
            if (!given) continue;
            Attribute& made = spec.attributes.emplace_back(*given);
            if (auto* body = std::get_if<GraphId>(&made.value)) *body = copyBody(*body, to);
            if (auto* bodies = std::get_if<std::vector<GraphId>>(&made.value)) {
                for (GraphId& each : *bodies)
                    each = copyBody(each, to);
            }
        }
        const NodeId made = m_editor.createNode(to, spec, before);
        m_made.push_back(made);
        if (const std::string overload(m_from.text(m_from.node(node).overload)); !overload.empty())
            m_editor.setOperator(made, spec.op, spec.domain, overload);
        if (m_body.keepsNotes) {
            m_editor.setNodeRest(made, std::string(m_from.text(m_from.node(node).rest)));
            if (!m_from.name(node).empty())
                m_editor.setNodeName(made, m_stem + "/" + std::string(m_from.name(node)));
        }
        for (const GraphId body : m_editor.model().subgraphs(made))
            m_editor.setGraphParent(body, to, made);
        for (std::size_t i = 0; i < spec.outputs.size(); ++i) {
            const ValueId output = m_from.output(node, i);
            if (!output.isNone()) m_values[output.index] = m_editor.model().output(made, i);
        }
    }

    GraphId copyBody(GraphId from, GraphId parent) {
        const GraphId to = m_editor.createGraph(GraphKind::subgraph, parent);
        GraphHeader header = *m_from.graph(from).header;
        header.quantization.clear();
        m_editor.setGraphHeader(to, std::move(header));
        copyInputs(from, to);
        copyInitializers(from, to);
        copyNodes(from, to, {});
        std::vector<OutputSlot> slots = *m_from.graph(from).outputs;
        std::vector<ValueId> outputs = outputsOf(from);
        for (std::size_t slot = 0; slot < outputs.size(); ++slot) {
            outputs[slot] = mapped(outputs[slot]);
            if (!outputs[slot].isNone()) slots[slot].name = m_editor.model().value(outputs[slot]).name;
        }
        m_editor.setGraphOutputs(to, outputs, std::move(slots));
        return to;
    }

    void copyInputs(GraphId from, GraphId to) {
        const auto formals = m_from.graphInputs(from);
        const std::vector<ValueId> given(formals.begin(), formals.end());
        std::vector<ValueId> inputs;
        for (const ValueId input : given) {
            inputs.push_back(m_editor.createValue(to, freshName(m_from.name(input))));
            m_editor.setInfo(inputs.back(), m_from.value(input).info);
            m_values[input.index] = inputs.back();
        }
        m_editor.setGraphInputs(to, inputs);
    }

    void copyInitializers(GraphId from, GraphId to) {
        for (const ValueId value : m_from.graph(from).initializers) {
            if (!m_from.isAlive(value)) continue;
            const TensorPtr tensor = m_from.value(value).tensor;
            if (const ValueId input = mapped(value); !input.isNone()) { // an input with a default
                m_editor.setTensor(input, tensor);
                m_editor.appendInitializer(to, input);
                continue;
            }
            m_values[value.index] =
                canStandOutside(value)
                    ? constantFor(value, tensor)
                    : m_editor.createInitializer(to, freshName(m_from.name(value)), tensor);
        }
        for (const ValueId value : m_from.graph(from).sparseInitializers) {
            if (!m_from.isAlive(value)) continue;
            const ValueId made = m_editor.createValue(to, freshName(m_from.name(value)));
            m_editor.setTensor(made, m_from.value(value).tensor);
            m_editor.listSparseInitializer(to, made);
            m_values[value.index] = made;
        }
    }

    Editor& m_editor;
    NodeId m_call;
    const BodySource& m_body;
    const Model& m_from;
    std::string m_stem; ///< of the names it makes
    std::vector<NodeId> m_made;
    std::unordered_map<std::uint32_t, ValueId> m_values; // of `m_from` to those of the model that is written
};

} // namespace

ValueId SharedConstants::find(const Model& model, ValueId constant) const {
    const auto at = m_known.find(constant.index);
    if (at == m_known.end()) return {};
    const auto& [value, tensor] = at->second;
    return model.isAlive(value) && model.value(value).tensor == tensor ? value : ValueId();
}

void SharedConstants::note(const Model& model, ValueId constant, ValueId made) {
    const Value& value = model.value(made);
    const bool isForAll = value.tensor && value.producer.isNone() && value.graph == model.mainGraph();
    if (isForAll) m_known[constant.index] = {made, value.tensor};
}

std::vector<NodeId> writeBody(Editor& editor, NodeId call, const BodySource& body) {
    return BodyCopier(editor, call, body).run();
}

} // namespace secateur
