// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/body_model.h"

#include "core/ir/constants.h"
#include "core/ir/editor.h"
#include "core/ir/function_table.h"
#include "core/ir/journal.h"

#include <algorithm>
#include <unordered_map>

namespace secateur {
namespace {

/// Copies one graph, the graphs inside it and the functions that they call into a model of their own.
class Extractor {
  public:
    Extractor(const Model& model, const FunctionTable& functions, GraphId body, const AttributeList* given)
        : m_source(model), m_body(body), m_given(given), m_functions(functions), m_model(m_result.model),
          m_editor(m_result.model) {
        m_model.journal().setRecording(false);
    }

    BodyModel run() {
        const bool isFunction = m_source.graph(m_body).kind == GraphKind::function;
        ModelHeader header = m_source.header();
        header.functions.clear();
        header.trainingInfos.clear();
        if (isFunction) header.opsets = m_source.graph(m_body).header->opsets;
        m_editor.createGraph(GraphKind::main);
        m_graphs.emplace(m_body.index, m_model.mainGraph());
        m_pending.push_back({m_body, false});
        // What is named must be there before it is read, so nodes get their operands when all are made.
        for (std::size_t i = 0; i < m_pending.size(); ++i) {
            m_isInCalledFunction = m_pending[i].isInCalledFunction;
            makeContents(m_pending[i].graph);
        }
        for (const Pending& each : m_pending)
            connect(each.graph);
        for (const GraphId function : m_calledFunctions)
            header.functions.push_back(m_graphs.at(function.index));
        m_editor.setModelHeader(std::move(header));
        m_editor.setGraphInputs(m_model.mainGraph(), m_inputs);
        return std::move(m_result);
    }

  private:
    [[nodiscard]] Symbol copied(Symbol text) { return m_editor.intern(m_source.text(text)); }

    ValueId makeValue(ValueId of, GraphId graph) {
        const ValueId made = m_editor.createValue(graph, copied(m_source.value(of).name));
        m_values.emplace(of.index, made);
        return made;
    }

    /// Nodes, results, inputs and initializers of a graph. Inputs of the body itself have no declared type.
    void makeContents(GraphId from) {
        const GraphId to = m_graphs.at(from.index);
        const bool isBody = from == m_body;
        std::vector<ValueId> inputs;
        for (const ValueId input : m_source.graphInputs(from)) {
            if (input.isNone()) continue;
            inputs.push_back(makeValue(input, to));
            const Value& value = m_source.value(input);
            if (!isBody && value.info != nullptr) m_editor.setInfo(inputs.back(), value.info);
            if (value.tensor != nullptr) m_editor.setTensor(inputs.back(), value.tensor);
        }
        if (isBody)
            m_inputs = std::move(inputs);
        else
            m_editor.setGraphInputs(to, inputs);
        for (const ValueId value : m_source.graph(from).initializers) {
            if (!m_source.isAlive(value) || m_source.value(value).tensor == nullptr) continue;
            if (const auto known = m_values.find(value.index); known != m_values.end()) {
                m_editor.appendInitializer(to, known->second);
                continue;
            }
            const ValueId made = makeValue(value, to);
            m_editor.setTensor(made, m_source.value(value).tensor);
            m_editor.appendInitializer(to, made);
        }
        for (const NodeId node : m_source.nodes(from))
            makeNode(node, to);
    }

    void makeNode(NodeId from, GraphId graph) {
        const Node& node = m_source.node(from);
        const NodeId made = m_editor.appendNode(graph, copied(node.op), copied(node.domain),
                                                copied(node.overload), copied(node.name), Symbol(0U));
        if (m_result.origins.size() <= made.index) m_result.origins.resize(made.index + 1);
        m_result.origins[made.index] = from;
        std::vector<ValueId> results;
        for (const ValueId result : m_source.outputs(from)) {
            results.push_back(result.isNone() ? ValueId() : makeValue(result, graph));
            if (!result.isNone() && m_source.value(result).info != nullptr)
                m_editor.setInfo(results.back(), m_source.value(result).info);
        }
        m_editor.setOutputs(made, results);
        m_nodes.emplace(from.index, made);
        copyAttributes(from, made, graph);
        if (const GraphId function = m_functions.calledBy(m_source, from); !function.isNone())
            copyFunction(function);
    }

    void copyAttributes(NodeId from, NodeId to, GraphId graph) {
        const bool isShared = m_given == nullptr && m_source.subgraphs(from).empty();
        if (m_source.node(from).attributes == nullptr) return;
        if (isShared) return m_editor.shareAttributes(to, m_source.node(from).attributes);
        AttributeList attributes;
        for (Attribute attribute : m_source.attributes(from)) {
            if (m_given != nullptr && !attribute.reference.empty() && !m_isInCalledFunction) {
                const auto given = std::find_if(m_given->begin(), m_given->end(), [&](const Attribute& a) {
                    return a.name == attribute.reference;
                });
                if (given == m_given->end()) continue;
                const std::string name = attribute.name;
                attribute = *given;
                attribute.name = name;
            }
            if (auto* body = std::get_if<GraphId>(&attribute.value)) *body = copyBody(*body, graph, to);
            if (auto* bodies = std::get_if<std::vector<GraphId>>(&attribute.value))
                for (GraphId& body : *bodies)
                    body = copyBody(body, graph, to);
            attributes.push_back(std::move(attribute));
        }
        m_editor.setAttributes(to, std::move(attributes));
    }

    GraphId copyBody(GraphId from, GraphId parent, NodeId holder) {
        const GraphId made = m_editor.createGraph(GraphKind::subgraph, parent);
        m_editor.setGraphParent(made, parent, holder);
        m_graphs.emplace(from.index, made);
        m_pending.push_back({from, m_isInCalledFunction});
        return made;
    }

    void copyFunction(GraphId from) {
        if (m_graphs.contains(from.index)) return;
        const GraphId made = m_editor.createGraph(GraphKind::function);
        GraphHeader header = *m_source.graph(from).header;
        header.quantization.clear();
        m_editor.setGraphHeader(made, std::move(header));
        m_graphs.emplace(from.index, made);
        m_calledFunctions.push_back(from);
        m_pending.push_back({from, true});
    }

    /// What stands for a value that is read: its copy, or what comes in from outside.
    ValueId standIn(ValueId value) {
        if (value.isNone()) return value;
        if (const auto known = m_values.find(value.index); known != m_values.end()) return known->second;
        const GraphId main = m_model.mainGraph();
        const std::string name = m_editor.freshName(m_source.name(value));
        ValueId made;
        if (TensorPtr contents = constantOf(m_source, value)) {
            made = m_editor.createInitializer(main, name, std::move(contents));
        } else {
            made = m_editor.createValue(main, name);
            m_inputs.push_back(made);
            m_result.captured.push_back(value);
        }
        m_values.emplace(value.index, made);
        return made;
    }

    void connect(GraphId from) {
        for (const NodeId node : m_source.nodes(from)) {
            std::vector<ValueId> inputs;
            for (const ValueId input : m_source.inputs(node))
                inputs.push_back(standIn(input));
            m_editor.setInputs(m_nodes.at(node.index), inputs);
        }
        std::vector<ValueId> outputs;
        for (const ValueId output : m_source.graphOutputs(from))
            outputs.push_back(standIn(output));
        std::vector<OutputSlot> slots = *m_source.graph(from).outputs;
        for (OutputSlot& slot : slots) {
            slot.name = copied(slot.name);
            if (from == m_body) slot.info = nullptr;
        }
        m_editor.setGraphOutputs(m_graphs.at(from.index), outputs, std::move(slots));
    }

    struct Pending {
        GraphId graph;
        bool isInCalledFunction = false; ///< its references are to attributes of calls that are copied, too
    };

    const Model& m_source;
    GraphId m_body;
    const AttributeList* m_given; ///< of the call of the body, a function; null where it is none
    const FunctionTable& m_functions;
    BodyModel m_result;
    Model& m_model;
    Editor m_editor;
    std::vector<Pending> m_pending; ///< graphs that are copied, those around before those inside
    std::vector<GraphId> m_calledFunctions;
    bool m_isInCalledFunction = false;
    std::vector<ValueId> m_inputs;
    // By ids of the source, to ids of the copy.
    std::unordered_map<std::uint32_t, ValueId> m_values;
    std::unordered_map<std::uint32_t, NodeId> m_nodes;
    std::unordered_map<std::uint32_t, GraphId> m_graphs;
};

} // namespace

BodyModel bodyAsModel(const Model& model, const FunctionTable& functions, GraphId body) {
    return Extractor(model, functions, body, nullptr).run();
}

BodyModel functionAsModel(const Model& model, const FunctionTable& functions, NodeId call, GraphId function) {
    AttributeList given = model.attributes(call);
    for (const Attribute& otherwise : model.graph(function).header->attributeDefaults)
        if (std::none_of(given.begin(), given.end(),
                         [&](const Attribute& a) { return a.name == otherwise.name; }))
            given.push_back(otherwise);
    return Extractor(model, functions, function, &given).run();
}

} // namespace secateur
