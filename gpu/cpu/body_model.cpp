// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/body_model.h"

#include "core/ir/constants.h"
#include "core/ir/editor.h"
#include "core/ir/journal.h"
#include "core/ir/walk.h"

#include <algorithm>
#include <unordered_map>

namespace secateur {
namespace {

class Extractor {
  public:
    Extractor(const Model& model, GraphId body)
        : m_source(model), m_body(body), m_result{model.clone(), {}}, m_editor(m_result.model) {
        m_result.model.journal().setRecording(false);
    }

    void replaceAttributes(const AttributeList& given) {
        Model& model = m_result.model;
        for (const NodeId node : nodesWithin(model, m_body)) {
            AttributeList attributes;
            for (Attribute attribute : model.attributes(node)) {
                if (!attribute.reference.empty()) {
                    const auto from = std::find_if(given.begin(), given.end(), [&](const Attribute& a) {
                        return a.name == attribute.reference;
                    });
                    if (from == given.end()) continue;
                    const std::string name = attribute.name;
                    attribute = *from;
                    attribute.name = name;
                }
                attributes.push_back(std::move(attribute));
            }
            m_editor.setAttributes(node, std::move(attributes));
        }
    }

    BodyModel run() {
        Model& model = m_result.model;
        const GraphId main = model.mainGraph();
        std::vector<NodeId> old;
        for (const NodeId node : model.nodes(main))
            old.push_back(node);
        for (const ValueId parameter : model.graphInputs(m_body))
            if (!parameter.isNone()) addInput(parameter);
        const auto inner = graphsWithin(model, m_body);
        for (const NodeId node : nodesWithin(model, m_body))
            redirect(node);
        for (const GraphId graph : inner)
            redirect(model.graph(graph).exit);
        adopt(main);
        m_editor.eraseNodes(old);
        m_editor.setGraphInputs(main, m_inputs);
        return std::move(m_result);
    }

  private:
    ValueId addInput(ValueId of) {
        Model& model = m_result.model;
        const ValueId made = m_editor.createValue(model.mainGraph(), m_editor.freshName(model.name(of)));
        m_replaced.emplace(of.index, made);
        m_inputs.push_back(made);
        return made;
    }

    /// What stands for a value that the body reads; itself where the body makes it.
    ValueId standIn(ValueId value) {
        if (value.isNone()) return value;
        if (const auto known = m_replaced.find(value.index); known != m_replaced.end()) return known->second;
        Model& model = m_result.model;
        const bool isInner = model.isInside(model.value(value).graph, m_body);
        const bool isInitializer = model.isInitializer(value);
        if (isInner && !(isInitializer && model.value(value).graph == m_body)) return value;
        TensorPtr contents = isInner ? model.value(value).tensor : constantOf(m_source, value);
        if (contents != nullptr) {
            const ValueId made = m_editor.createInitializer(
                model.mainGraph(), m_editor.freshName(model.name(value)), std::move(contents));
            m_replaced.emplace(value.index, made);
            return made;
        }
        m_result.captured.push_back(value);
        return addInput(value);
    }

    void redirect(NodeId node) {
        const auto inputs = m_result.model.inputs(node);
        std::vector<ValueId> values(inputs.begin(), inputs.end());
        for (std::size_t slot = 0; slot < values.size(); ++slot)
            if (const ValueId with = standIn(values[slot]); with != values[slot])
                m_editor.setInput(node, slot, with);
    }

    /// Moves the nodes and outputs of the body into the main graph.
    void adopt(GraphId main) {
        Model& model = m_result.model;
        const auto results = model.graphOutputs(m_body);
        const std::vector<ValueId> outputs(results.begin(), results.end());
        std::vector<OutputSlot> slots = *model.graph(m_body).outputs;
        for (OutputSlot& slot : slots)
            slot.info = nullptr;
        m_editor.setGraphOutputs(m_body, {}, {});
        std::vector<NodeId> nodes;
        for (const NodeId node : model.nodes(m_body))
            nodes.push_back(node);
        for (const NodeId node : nodes)
            m_editor.moveNode(node, main);
        m_editor.setGraphOutputs(main, outputs, std::move(slots));
    }

    const Model& m_source;
    GraphId m_body;
    BodyModel m_result;
    Editor m_editor;
    std::unordered_map<std::uint32_t, ValueId> m_replaced;
    std::vector<ValueId> m_inputs;
};

} // namespace

BodyModel bodyAsModel(const Model& model, GraphId body) {
    return Extractor(model, body).run();
}

BodyModel functionAsModel(const Model& model, NodeId call, GraphId function) {
    AttributeList given = model.attributes(call);
    for (const Attribute& otherwise : model.graph(function).header->attributeDefaults)
        if (std::none_of(given.begin(), given.end(),
                         [&](const Attribute& a) { return a.name == otherwise.name; }))
            given.push_back(otherwise);
    Extractor extractor(model, function);
    extractor.replaceAttributes(given);
    BodyModel body = extractor.run();
    ModelHeader header = body.model.header();
    header.opsets = model.graph(function).header->opsets;
    Editor(body.model).setModelHeader(std::move(header));
    return body;
}

} // namespace secateur
