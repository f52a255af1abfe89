// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/name_resolver.h"

#include "core/onnx/tensor_wire.h"
#include "core/onnx/wire.h"
#include "core/onnx/wire_schema.h"

#include <string>

namespace secateur {

void NameResolver::closeInputs(NodeId node, std::size_t begin) {
    if (m_ofNode.size() <= node.index) m_ofNode.resize(node.index + 1U);
    m_ofNode[node.index] = {static_cast<std::uint32_t>(begin),
                            static_cast<std::uint32_t>(m_inputs.size() - begin), false};
}

UnresolvedGraph& NameResolver::graph(GraphId id) {
    if (m_graphs.size() <= id.index) m_graphs.resize(id.index + 1U);
    return m_graphs[id.index];
}

void NameResolver::define(Symbol name, ValueId value) {
    if (m_current.size() <= name.index) m_current.resize(name.index + 1024U);
    m_undo.emplace_back(name, m_current[name.index]);
    m_current[name.index] = value;
}

void NameResolver::rollBack(std::size_t mark) {
    for (; m_undo.size() > mark; m_undo.pop_back())
        m_current[m_undo.back().first.index] = m_undo.back().second;
}

/// Before its nodes are walked, each name of a graph stands for an input or initializer, else for its last
/// definition.
void NameResolver::defineAll(GraphId id) {
    const Model& model = m_editor.model();
    const auto add = [&](ValueId value) { define(model.value(value).name, value); };
    for (const ValueId value : model.graphInputs(id))
        add(value);
    for (const ValueId value : model.graph(id).initializers) {
        if (!model.isGraphInput(value)) add(value);
    }
    for (const ValueId value : model.graph(id).sparseInitializers)
        add(value);
    for (const NodeId node : model.nodes(id)) {
        for (const ValueId value : model.outputs(node)) {
            if (value.isNone()) continue;
            const ValueId now = current(model.value(value).name);
            const bool isOuter = now.isNone() || model.value(now).graph != id;
            const NodeId producer = isOuter ? NodeId() : model.producer(now);
            if (isOuter || (!producer.isNone() && model.node(producer).kind == NodeKind::operation))
                add(value);
        }
    }
}

ValueId NameResolver::read(GraphId graph, Symbol name) {
    if (name == Symbol(0U)) return {};
    ValueId value = current(name);
    if (value.isNone()) {
        value = m_editor.createValue(graph, name);
        define(name, value);
    }
    return value;
}

void NameResolver::resolveNode(GraphId graph, NodeId node) {
    const Model& model = m_editor.model();
    const NodeInputs inputs = m_ofNode[node.index];
    if (inputs.count != 0) {
        m_operands.clear();
        for (std::uint32_t i = 0; i < inputs.count; ++i)
            m_operands.push_back(read(graph, m_inputs[inputs.begin + i]));
        m_editor.setInputs(node, m_operands);
    }
    if (inputs.hasBodies) {
        for (const GraphId body : model.subgraphs(node))
            resolveGraph(body);
    }
    for (const ValueId value : model.outputs(node)) {
        if (!value.isNone() && current(model.value(value).name) != value)
            define(model.value(value).name, value);
    }
}

void NameResolver::resolveGraph(GraphId id) {
    const std::size_t mark = m_undo.size();
    defineAll(id);
    UnresolvedGraph mine = std::move(graph(id));
    for (const Attribute& attribute : mine.header.attributeDefaults) {
        if (const auto* body = std::get_if<GraphId>(&attribute.value)) resolveGraph(*body);
        if (const auto* bodies = std::get_if<std::vector<GraphId>>(&attribute.value)) {
            for (const GraphId body : *bodies)
                resolveGraph(body);
        }
    }
    for (const NodeId node : m_editor.model().nodes(id))
        resolveNode(id, node);
    resolveOutputs(id, mine);
    resolveInfos(id, mine);
    resolveAnnotations(id, mine);
    m_editor.setGraphHeader(id, std::move(mine.header));
    if (m_editor.model().graph(id).kind != GraphKind::main) rollBack(mark);
}

void NameResolver::resolveOutputs(GraphId id, UnresolvedGraph& graph) {
    std::vector<ValueId> values;
    std::vector<OutputSlot> slots;
    const bool isFunction = m_editor.model().graph(id).kind == GraphKind::function;
    for (const std::string_view bytes : graph.outputs) {
        ValueInfoReader::Result output{bytes, nullptr, 0};
        if (!isFunction) output = m_infos.read(bytes, false);
        m_metadataBytes += output.metadataBytes;
        const Symbol name = m_editor.intern(output.name);
        values.push_back(read(id, name));
        slots.push_back({name, std::move(output.info)});
    }
    if (!values.empty()) m_editor.setGraphOutputs(id, values, std::move(slots));
}

/// A value keeps one declaration. An input that is listed with another type besides, and a name that no node
/// makes, get a value of their own that only carries the declaration.
void NameResolver::resolveInfos(GraphId id, const UnresolvedGraph& graph) {
    const Model& model = m_editor.model();
    for (const std::string_view bytes : graph.valueInfos) {
        const ValueInfoReader::Result listed = m_infos.read(bytes, true);
        m_metadataBytes += listed.metadataBytes;
        const Symbol name = m_editor.intern(listed.name);
        ValueId value = name == Symbol(0U) ? ValueId() : current(name);
        const auto isTaken = [&] {
            const ValueInfoPtr& has = model.value(value).info;
            if (!has) return model.isGraphInput(value) && !valueInfoBody(*listed.info).empty();
            return has->isListed || valueInfoBody(*has) != valueInfoBody(*listed.info);
        };
        if (value.isNone() || model.value(value).graph != id || isTaken())
            value = m_editor.createValue(id, name);
        m_editor.setInfo(value, listed.info);
        m_editor.listValueInfo(id, value);
    }
}

ValueId NameResolver::mentioned(GraphId graph, std::string_view name) {
    const Symbol symbol = m_editor.intern(name);
    const ValueId value = symbol == Symbol(0U) ? ValueId() : current(symbol);
    return value.isNone() ? m_editor.createValue(graph, symbol) : value;
}

void NameResolver::resolveAnnotations(GraphId id, UnresolvedGraph& graph) {
    for (const std::string_view bytes : graph.annotations) {
        QuantizationAnnotation annotation;
        bool isPlain = true;
        const auto parameters = readEntries(bytes, 2, isPlain);
        const auto name = wire::findBytes(bytes, 1);
        if (!isPlain || !name) {
            annotation.rest = wire::canonicalize(wire::Message::annotation, bytes);
        } else {
            annotation.tensor = mentioned(id, *name);
            for (const auto& [key, value] : parameters)
                annotation.parameters.emplace_back(key, mentioned(id, value));
            std::string rest;
            wire::Reader reader(bytes);
            for (wire::Field field; reader.next(field);) {
                if (!wire::isKnown(wire::Message::annotation, field)) rest += field.whole;
            }
            annotation.rest = wire::canonicalize(wire::Message::annotation, rest);
        }
        graph.header.quantization.push_back(std::move(annotation));
    }
}

} // namespace secateur
