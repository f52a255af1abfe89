// SPDX-License-Identifier: Apache-2.0
#include "core/ir/editor.h"

#include "core/ir/journal.h"
#include "core/ir/output_names.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

namespace secateur {
namespace {

template <class T> EditPayload payload(std::shared_ptr<const T> before, std::shared_ptr<const T> after) {
    return {std::move(before), std::move(after)};
}

bool contains(std::span<const ValueId> values, ValueId value) {
    return std::find(values.begin(), values.end(), value) != values.end();
}

} // namespace

Symbol Editor::intern(std::string_view text) {
    return m_model.m_strings->intern(text);
}

// --- nodes ---

NodeId Editor::pushNode(GraphId graph, NodeKind kind) {
    const NodeId id(m_model.m_nodes.size());
    Node node;
    node.op = node.domain = node.overload = node.name = node.rest = Symbol(0U);
    node.graph = graph;
    node.kind = kind;
    node.isErased = kind == NodeKind::operation; // until it is linked
    m_model.m_nodes.push_back(std::move(node));
    Journal::perform(m_model, {EditKind::createNode, 0, id.index});
    return id;
}

NodeId Editor::createNode(GraphId graph, const NodeSpec& spec, NodeId before) {
    const NodeId id = pushNode(graph, NodeKind::operation);
    link(id, graph, before);
    setOperator(id, spec.op, spec.domain);
    if (!spec.name.empty()) setNodeName(id, spec.name);
    if (!spec.attributes.empty()) setAttributes(id, spec.attributes);
    if (!spec.inputs.empty()) setInputs(id, spec.inputs);
    std::vector<ValueId> results;
    for (const std::string& name : spec.outputs) {
        results.push_back(name.empty() ? ValueId() : createValue(graph, name));
    }
    if (!results.empty()) setResults(id, results);
    return id;
}

void Editor::reserve(std::size_t nodes, std::size_t values, std::size_t operands) {
    m_model.m_nodes.reserve(nodes);
    m_model.m_values.reserve(values);
    m_model.m_results.reserve(values);
    m_model.m_operands.reserve(operands);
}

NodeId Editor::appendNode(GraphId graph, Symbol op, Symbol domain, Symbol overload, Symbol name,
                          Symbol rest) {
    const NodeId id = pushNode(graph, NodeKind::operation);
    link(id, graph, NodeId());
    const Node& node = m_model.node(id);
    setNodeSymbol(id, 0, node.op, op);
    setNodeSymbol(id, 1, node.domain, domain);
    setNodeSymbol(id, 2, node.overload, overload);
    setNodeSymbol(id, 3, node.name, name);
    setNodeSymbol(id, 4, node.rest, rest);
    return id;
}

void Editor::link(NodeId id, GraphId graphId, NodeId before) {
    const Graph& graph = m_model.graph(graphId);
    const NodeId prev = before.isNone() ? graph.tail : m_model.node(before).prev;
    const GraphId was = m_model.node(id).graph;
    Journal::perform(m_model,
                     {EditKind::linkNode, 0, id.index, graphId.index, prev.index, before.index, was.index});
}

void Editor::eraseOne(NodeId id) {
    clearInputs(id);
    for (std::size_t i = 0; i < m_model.node(id).resultCount; ++i) {
        const ValueId result = m_model.output(id, i);
        if (!result.isNone() && m_model.producer(result) == id) setErased(result);
    }
    const Node& node = m_model.node(id);
    Journal::perform(m_model,
                     {EditKind::unlinkNode, 0, id.index, node.graph.index, node.prev.index, node.next.index});
}

/// Bodies are taken apart from the last node to the first, so that readers go before what they read.
void Editor::eraseBodies(NodeId id) {
    std::vector<GraphId> pending = m_model.subgraphs(id);
    std::vector<GraphId> all;
    while (!pending.empty()) {
        const GraphId graph = pending.back();
        pending.pop_back();
        all.push_back(graph);
        for (const NodeId inner : m_model.nodes(graph)) {
            const auto nested = m_model.subgraphs(inner);
            pending.insert(pending.end(), nested.begin(), nested.end());
        }
    }
    for (const GraphId graph : all) {
        clearInputs(m_model.graph(graph).exit);
        for (NodeId at = m_model.graph(graph).tail; !at.isNone(); at = m_model.graph(graph).tail)
            eraseOne(at);
        for (const ValueId value : m_model.graphInputs(graph)) {
            if (!value.isNone()) setErased(value);
        }
        for (const ValueId value : m_model.graph(graph).initializers) {
            if (m_model.isAlive(value)) setErased(value);
        }
    }
}

void Editor::eraseNode(NodeId id) {
    eraseNodes(std::span(&id, 1));
}

void Editor::eraseNodes(std::span<const NodeId> nodes) {
    const std::vector<NodeId> all(nodes.begin(), nodes.end());
    for (const NodeId node : all) {
        assert(m_model.node(node).kind == NodeKind::operation && m_model.isAlive(node));
        eraseBodies(node);
        clearInputs(node);
    }
    for (const NodeId node : all) {
        for ([[maybe_unused]] const ValueId result : m_model.outputs(node)) {
            assert((result.isNone() || m_model.producer(result) != node || !m_model.hasUses(result)) &&
                   "a node whose results are read cannot be erased");
        }
        eraseOne(node);
    }
}

void Editor::moveNode(NodeId id, GraphId graph, NodeId before) {
    if (before == id) return;
    const Node& node = m_model.node(id);
    Journal::perform(m_model,
                     {EditKind::unlinkNode, 0, id.index, node.graph.index, node.prev.index, node.next.index});
    link(id, graph, before);
    for (std::size_t i = 0; i < m_model.node(id).resultCount; ++i) {
        const ValueId result = m_model.output(id, i);
        if (!result.isNone()) setValueGraph(result, graph);
    }
    for (const GraphId body : m_model.subgraphs(id))
        setGraphParent(body, graph, id);
}

void Editor::setNodeSymbol(NodeId id, std::uint8_t field, Symbol old, Symbol now) {
    if (old != now)
        Journal::perform(m_model, {EditKind::setNodeSymbol, field, id.index, old.index, now.index});
}

void Editor::setOperator(NodeId id, std::string_view op, std::string_view domain, std::string_view overload) {
    setNodeSymbol(id, 0, m_model.node(id).op, intern(op));
    setNodeSymbol(id, 1, m_model.node(id).domain, intern(domain));
    setNodeSymbol(id, 2, m_model.node(id).overload, intern(overload));
}

void Editor::setNodeName(NodeId id, std::string_view name) {
    setNodeSymbol(id, 3, m_model.node(id).name, intern(name));
}

void Editor::setNodeRest(NodeId id, std::string_view rest) {
    setNodeSymbol(id, 4, m_model.node(id).rest, intern(rest));
}

void Editor::setAttributes(NodeId id, AttributeList attributes) {
    AttributeListPtr now;
    if (!attributes.empty()) now = std::make_shared<const AttributeList>(std::move(attributes));
    Journal::perform(m_model, {EditKind::setNodeAttributes, 0, id.index},
                     payload(m_model.node(id).attributes, now));
}

void Editor::shareAttributes(NodeId id, AttributeListPtr attributes) {
    Journal::perform(m_model, {EditKind::setNodeAttributes, 0, id.index},
                     payload(m_model.node(id).attributes, std::move(attributes)));
}

void Editor::setAttribute(NodeId id, Attribute attribute) {
    AttributeList list = m_model.attributes(id);
    const auto at =
        std::find_if(list.begin(), list.end(), [&](const Attribute& a) { return a.name == attribute.name; });
    if (at == list.end())
        list.push_back(std::move(attribute));
    else
        *at = std::move(attribute);
    setAttributes(id, std::move(list));
}

void Editor::removeAttribute(NodeId id, std::string_view name) {
    AttributeList list = m_model.attributes(id);
    if (std::erase_if(list, [&](const Attribute& a) { return a.name == name; }) != 0)
        setAttributes(id, std::move(list));
}

// --- data flow ---

void Editor::setOperand(OperandId id, ValueId value) {
    const Operand& operand = m_model.m_operands[id.index];
    if (operand.value == value) return;
    Journal::perform(m_model, {EditKind::setOperand, 0, id.index, operand.value.index, value.index,
                               operand.prevUse.index, operand.nextUse.index});
}

void Editor::clearInputs(NodeId id) {
    const Node node = m_model.node(id);
    for (std::uint32_t i = 0; i < node.operandCount; ++i)
        setOperand(OperandId(node.operandBegin + i), ValueId());
}

void Editor::setInputs(NodeId id, std::span<const ValueId> values) {
    const std::vector<ValueId> wanted(values.begin(),
                                      values.end()); // may point into the arena that grows below
    const Node node = m_model.node(id);
    std::uint32_t begin = node.operandBegin;
    const auto count = static_cast<std::uint32_t>(wanted.size());
    if (count > node.operandCount) {
        clearInputs(id);
        begin = static_cast<std::uint32_t>(m_model.m_operands.size());
        for (std::uint32_t i = 0; i < count; ++i) {
            Operand operand;
            operand.node = id;
            operand.slot = i;
            m_model.m_operands.push_back(operand);
        }
        Journal::perform(m_model, {EditKind::createOperands, 0, begin, count, id.index});
    }
    for (std::uint32_t i = count; i < node.operandCount; ++i)
        setOperand(OperandId(node.operandBegin + i), ValueId());
    if (begin != node.operandBegin || count != node.operandCount) {
        Journal::perform(m_model, {EditKind::setOperandRange, 0, id.index, node.operandBegin,
                                   node.operandCount, begin, count});
    }
    for (std::uint32_t i = 0; i < count; ++i)
        setOperand(OperandId(begin + i), wanted[i]);
}

void Editor::setInput(NodeId id, std::size_t slot, ValueId value) {
    const Node& node = m_model.node(id);
    if (slot < node.operandCount) return setOperand(OperandId(node.operandBegin + slot), value);
    std::vector<ValueId> values;
    for (const ValueId input : m_model.inputs(id))
        values.push_back(input);
    values.resize(slot + 1);
    values[slot] = value;
    setInputs(id, values);
}

void Editor::setProducer(ValueId id, NodeId node, std::uint32_t index) {
    const Value& value = m_model.value(id);
    if (value.producer == node && value.resultIndex == index) return;
    Journal::perform(m_model, {EditKind::setProducer, 0, id.index, value.producer.index, value.resultIndex,
                               node.index, index});
}

void Editor::setResults(NodeId id, std::span<const ValueId> values) {
    const std::vector<ValueId> wanted(values.begin(), values.end());
    const Node node = m_model.node(id);
    const auto begin = static_cast<std::uint32_t>(m_model.m_results.size());
    const auto count = static_cast<std::uint32_t>(wanted.size());
    m_model.m_results.insert(m_model.m_results.end(), wanted.begin(), wanted.end());
    Journal::perform(m_model, {EditKind::createResults, 0, begin, count});
    Journal::perform(
        m_model, {EditKind::setResultRange, 0, id.index, node.resultBegin, node.resultCount, begin, count});
    for (std::uint32_t i = 0; i < count; ++i) {
        if (wanted[i].isNone()) continue;
        setProducer(wanted[i], id, i);
        setValueGraph(wanted[i], node.graph);
    }
}

void Editor::setOutputs(NodeId id, std::span<const ValueId> values) {
    const auto old = m_model.outputs(id);
    const std::vector<ValueId> before(old.begin(), old.end());
    setResults(id, values);
    for (const ValueId result : before) {
        if (result.isNone() || contains(m_model.outputs(id), result)) continue;
        assert(!m_model.hasUses(result) && "a result that is read cannot be dropped");
        setErased(result);
    }
}

void Editor::takeResult(NodeId id, std::size_t slot, ValueId value) {
    [[maybe_unused]] const NodeId from = m_model.producer(value);
    assert(!from.isNone() && m_model.node(from).kind == NodeKind::operation && from != id);
    assert(m_model.node(from).graph == m_model.node(id).graph);
    const ValueId there = m_model.output(id, slot);
    std::vector<Use> readers;
    if (!there.isNone()) {
        for (const Use use : m_model.uses(there))
            readers.push_back(use);
    }
    for (const Use use : readers) {
        assert(m_model.node(use.node).kind == NodeKind::operation && "an output's name belongs to its slot");
        setInput(use.node, use.slot, value);
    }
    const auto now = m_model.outputs(id);
    std::vector<ValueId> made(now.begin(), now.end());
    made.resize(std::max(made.size(), slot + 1));
    made[slot] = value;
    setResults(id, made);
    if (!there.isNone()) setErased(there);
}

bool Editor::canTakeOutputName(ValueId id, GraphId graph) const {
    return canFillOutput(m_model, id, graph);
}

bool Editor::replaceOutput(Use use, ValueId old, ValueId with) {
    const GraphId graph = m_model.node(use.node).graph;
    const bool isOuter = m_model.value(old).graph != graph;
    // A body that hands an outer value on calls its output after that value: a name that is not the body's to
    // give to a value of its own. Outputs of bodies go by place, so the slot takes another name.
    if (isOuter && (*m_model.graph(graph).outputs)[use.slot].name == m_model.value(old).name)
        renameOutputSlot(graph, use.slot, freshName(m_model.name(old)));
    const Symbol slotName = (*m_model.graph(graph).outputs)[use.slot].name;
    // An output that is listed twice is one value under one name: the first slot has settled it.
    const InputRange outputs = m_model.graphOutputs(graph);
    for (std::size_t slot = 0; slot < outputs.size(); ++slot) {
        const ValueId settled = outputs[slot];
        const bool isSame = slot != use.slot && (*m_model.graph(graph).outputs)[slot].name == slotName;
        if (!isSame || settled.isNone() || settled == old || m_model.value(settled).name != slotName)
            continue;
        setInput(use.node, use.slot, settled);
        return true;
    }
    const bool holdsName = !isOuter && m_model.value(old).name == slotName;
    if (holdsName && m_model.isGraphInput(old)) return false;
    if (canTakeOutputName(with, graph)) {
        const Symbol free = m_model.value(with).name;
        Journal::perform(m_model, {EditKind::setValueName, 0, with.index, free.index, slotName.index});
        if (holdsName)
            Journal::perform(m_model, {EditKind::setValueName, 0, old.index, slotName.index, free.index});
        setInput(use.node, use.slot, with);
        return true;
    }
    const std::string name(m_model.text(slotName));
    if (holdsName) rename(old, freshName(name));
    const NodeId identity = createNode(graph, {"Identity", "", "", {with}, {name}, {}});
    setInput(use.node, use.slot, m_model.output(identity, 0));
    return true;
}

void Editor::renameOutputSlot(GraphId graph, std::size_t slot, std::string_view name) {
    std::vector<OutputSlot> slots = *m_model.graph(graph).outputs;
    slots[slot].name = intern(name);
    std::vector<ValueId> values;
    for (const ValueId value : m_model.graphOutputs(graph))
        values.push_back(value);
    setGraphOutputs(graph, values, std::move(slots));
}

bool Editor::replace(ValueId old, ValueId with) {
    if (old == with) return true;
    std::vector<Use> uses;
    for (const Use use : m_model.uses(old))
        uses.push_back(use);
    bool isComplete = true;
    for (const Use use : uses) {
        if (m_model.node(use.node).kind == NodeKind::exit)
            isComplete = replaceOutput(use, old, with) && isComplete;
        else
            setInput(use.node, use.slot, with);
    }
    return isComplete;
}

// --- values ---

ValueId Editor::createValue(GraphId graph, std::string_view name) {
    return createValue(graph, intern(name));
}

ValueId Editor::createValue(GraphId graph, Symbol name) {
    const ValueId id(m_model.m_values.size());
    Value value;
    value.name = name;
    value.graph = graph;
    noteName(value.name);
    m_model.m_values.push_back(std::move(value));
    Journal::perform(m_model, {EditKind::createValue, 0, id.index});
    return id;
}

ValueId Editor::createInitializer(GraphId graph, std::string_view name, TensorPtr tensor) {
    const ValueId id = createValue(graph, name);
    setTensor(id, std::move(tensor));
    appendInitializer(graph, id);
    return id;
}

void Editor::appendInitializer(GraphId graph, ValueId value) {
    Journal::perform(m_model, {EditKind::appendInitializer, 0, graph.index, value.index});
}

void Editor::setTensor(ValueId id, TensorPtr tensor) {
    Journal::perform(m_model, {EditKind::setValueTensor, 0, id.index},
                     payload(m_model.value(id).tensor, tensor));
}

void Editor::setInfo(ValueId id, ValueInfoPtr info) {
    Journal::perform(m_model, {EditKind::setValueInfo, 0, id.index}, payload(m_model.value(id).info, info));
}

void Editor::rename(ValueId id, std::string_view name) {
    const Symbol now = intern(name);
    noteName(now);
    if (now == m_model.value(id).name) return;
    Journal::perform(m_model, {EditKind::setValueName, 0, id.index, m_model.value(id).name.index, now.index});
}

void Editor::setErased(ValueId id) {
    Journal::perform(m_model, {EditKind::setValueErased, 0, id.index, 0, 1});
}

void Editor::setValueGraph(ValueId id, GraphId graph) {
    const GraphId was = m_model.value(id).graph;
    if (was != graph)
        Journal::perform(m_model, {EditKind::setValueGraph, 0, id.index, was.index, graph.index});
}

void Editor::eraseValue(ValueId id) {
    assert(m_model.producer(id).isNone() && !m_model.hasUses(id));
    setErased(id);
}

void Editor::noteName(Symbol name) {
    if (!m_hasTakenNames) return;
    if (name.index >= m_takenNames.size()) m_takenNames.resize(name.index + 1024U, false);
    m_takenNames[name.index] = true;
}

std::string Editor::freshName(std::string_view hint) {
    if (!m_hasTakenNames) {
        m_hasTakenNames = true;
        for (const Value& value : m_model.m_values)
            noteName(value.name);
        for (const Graph& graph : m_model.m_graphs) {
            for (const OutputSlot& slot : *graph.outputs)
                noteName(slot.name);
        }
    }
    const auto isTaken = [&](const std::string& name) {
        const Symbol symbol = m_model.findSymbol(name);
        return !symbol.isNone() && symbol.index < m_takenNames.size() && m_takenNames[symbol.index];
    };
    const std::string stem(hint.empty() ? "value" : hint);
    if (!isTaken(stem)) return stem;
    const auto numbered = [&](std::uint64_t number) { return stem + "_" + std::to_string(number); };
    // Thousands of values may share a stem. Their numbers mostly have no gaps: the end of them is found by
    // doubling, then halving.
    std::uint64_t taken = 0, free = 1;
    while (isTaken(numbered(free))) {
        taken = free;
        free *= 2;
    }
    while (free - taken > 1) {
        const std::uint64_t middle = taken + (free - taken) / 2;
        (isTaken(numbered(middle)) ? taken : free) = middle;
    }
    return numbered(free);
}

// --- graphs and model ---

GraphId Editor::createGraph(GraphKind kind, GraphId parent) {
    const GraphId id(m_model.m_graphs.size());
    Graph graph;
    graph.kind = kind;
    graph.parent = parent;
    graph.header = std::make_shared<const GraphHeader>();
    graph.outputs = std::make_shared<const std::vector<OutputSlot>>();
    graph.entry = pushNode(id, NodeKind::entry);
    graph.exit = pushNode(id, NodeKind::exit);
    m_model.m_graphs.push_back(std::move(graph));
    Journal::perform(m_model, {EditKind::createGraph, 0, id.index});
    return id;
}

void Editor::setGraphParent(GraphId id, GraphId parent, NodeId parentNode) {
    const Graph& graph = m_model.graph(id);
    Journal::perform(m_model, {EditKind::setGraphParent, 0, id.index, graph.parent.index, parent.index,
                               graph.parentNode.index, parentNode.index});
}

void Editor::setGraphHeader(GraphId id, GraphHeader header) {
    Journal::perform(m_model, {EditKind::setGraphHeader, 0, id.index},
                     payload(m_model.graph(id).header,
                             GraphHeaderPtr(std::make_shared<const GraphHeader>(std::move(header)))));
}

void Editor::setModelHeader(ModelHeader header) {
    Journal::perform(
        m_model, {EditKind::setModelHeader, 0, 0},
        payload(m_model.m_header, ModelHeaderPtr(std::make_shared<const ModelHeader>(std::move(header)))));
}

void Editor::setGraphInputs(GraphId id, std::span<const ValueId> values) {
    const NodeId entry = m_model.graph(id).entry;
    const auto old = m_model.outputs(entry);
    const std::vector<ValueId> before(old.begin(), old.end());
    setResults(entry, values);
    std::vector<bool> isKept(m_model.valueIdCount(), false);
    for (const ValueId value : values)
        isKept[value.index] = true;
    std::vector<bool> isListed(m_model.valueIdCount(), false);
    for (const ValueId value : m_model.graph(id).initializers)
        isListed[value.index] = true;
    for (const ValueId value : before) {
        if (isKept[value.index]) continue;
        setProducer(value, NodeId(), 0);
        if (m_model.isInitializer(value)) {
            if (isListed[value.index]) continue;
            Journal::perform(m_model, {EditKind::appendInitializer, 0, id.index, value.index});
        } else {
            assert(!m_model.hasUses(value) && "an input that is read cannot be removed");
            setErased(value);
        }
    }
}

void Editor::setGraphOutputs(GraphId id, std::span<const ValueId> values, std::vector<OutputSlot> slots) {
    assert(values.size() == slots.size());
    for (const OutputSlot& slot : slots)
        noteName(slot.name);
    setInputs(m_model.graph(id).exit, values);
    auto now = std::make_shared<const std::vector<OutputSlot>>(std::move(slots));
    Journal::perform(m_model, {EditKind::setGraphOutputs, 0, id.index},
                     payload(m_model.graph(id).outputs, now));
}

void Editor::appendGraphOutput(GraphId id, ValueId value, std::string_view name, ValueInfoPtr info) {
    std::vector<ValueId> values;
    for (const ValueId output : m_model.graphOutputs(id))
        values.push_back(output);
    std::vector<OutputSlot> slots = *m_model.graph(id).outputs;
    values.push_back(value);
    slots.push_back({intern(name), std::move(info)});
    setGraphOutputs(id, values, std::move(slots));
}

void Editor::setPresence(NodeId id, std::uint8_t presence) {
    const std::uint8_t was = m_model.node(id).presence;
    if (was != presence) Journal::perform(m_model, {EditKind::setNodePresence, 0, id.index, was, presence});
}

void Editor::listValueInfo(GraphId id, ValueId value) {
    Journal::perform(m_model, {EditKind::appendValueInfo, 0, id.index, value.index});
}

void Editor::listSparseInitializer(GraphId id, ValueId value) {
    Journal::perform(m_model, {EditKind::appendSparseInitializer, 0, id.index, value.index});
}

} // namespace secateur
