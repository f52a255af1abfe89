// SPDX-License-Identifier: Apache-2.0
#include "core/picture/union_builder.h"

#include "core/ir/walk.h"
#include "core/layout/twins.h"
#include "core/messages/sentences.h"
#include "core/onnx/rest_fields.h"
#include "core/picture/model_text.h"
#include "core/picture/node_print.h"
#include "core/session/explanation.h"
#include "core/support/printable.h"

#include <algorithm>

namespace secateur {

namespace {

NodeRole toNodeRole(Role role) {
    switch (role) {
    case Role::forward: return NodeRole::forward;
    case Role::loss: return NodeRole::loss;
    case Role::backward: return NodeRole::backward;
    case Role::accumulator: return NodeRole::accumulator;
    case Role::optimizer: return NodeRole::optimizer;
    case Role::recompute: return NodeRole::recompute;
    case Role::metric: return NodeRole::metric;
    }
    return NodeRole::forward;
}

bool isGradientSide(NodeRole role) {
    return role == NodeRole::backward || role == NodeRole::recompute;
}

std::uint64_t edgeKey(std::uint32_t to, std::uint32_t slot, ValueId value) {
    // Three fields mixed into 64 bits; a node has few slots, values and nodes stay far below 2^26.
    return (static_cast<std::uint64_t>(to) << 38U) ^ (static_cast<std::uint64_t>(slot) << 30U) ^ value.index;
}

void setFace(LayoutNode& node, NodeFace face) {
    node.title = std::move(face.title);
    node.name = std::move(face.name);
    node.kind = face.kind;
    node.rows = std::move(face.rows);
}

/// A weight that the file does not spell out.
bool isFill(const Model& model, const LayoutRow& row) {
    return row.kind == LayoutRow::Kind::constant && row.node != kNoIndex &&
           model.isOp(NodeId(row.node), "ConstantOfShape");
}

} // namespace

UnionBuilder::UnionBuilder(const Original& original, History* history, GraphId graph)
    : m_original(original), m_history(history),
      m_roles(history && history->roles() ? *history->roles() : *original.roles), m_graph(graph) {
    m_out.modelGraph = graph;
}

UnionGraph UnionBuilder::build() {
    const std::size_t cursor = m_history ? m_history->cursor() : 0;
    if (m_history) {
        m_history->moveCursor(m_history->steps().size());
        m_equal = EqualValues(*m_history);
    }
    collectWeightNames(m_original.file.model);
    addMoment(m_original.file.model, m_original.types, 0);
    if (m_history) {
        for (std::size_t step = 1; step <= m_history->steps().size(); ++step) {
            const Step& done = m_history->steps()[step - 1];
            if (done.begin == done.end) continue;
            m_history->moveCursor(step);
            noteErased(m_history->model(), static_cast<std::uint32_t>(step));
            addMoment(m_history->model(), m_history->types(), static_cast<std::uint32_t>(step));
        }
        m_history->moveCursor(cursor);
        addReplacements();
    }
    m_out.graph.indexKeys();
    addTwins();
    measureNodes(m_out.graph);
    return std::move(m_out);
}

void UnionBuilder::addMoment(const Model& model, const TypeTable& types, std::uint32_t step) {
    if (m_graph.index >= model.graphIdCount()) return; // a body that a later step makes
    decideFolding(model, types);
    addInputs(model, types, step);
    addNodes(model, types, step);
    addOutputs(model, step);
    addEdges(model, types);
    foldRows(model);
    noteChanges(model, types, step);
}

std::uint32_t UnionBuilder::addNode(LayoutNode node, std::uint32_t step, NameHints names) {
    const auto index = static_cast<std::uint32_t>(m_out.graph.nodes.size());
    node.order = m_order++;
    m_indexOf.emplace(node.key, index);
    m_out.graph.nodes.push_back(std::move(node));
    m_out.hints.nodeNames.push_back(std::move(names.node));
    m_out.hints.parameterNames.push_back(std::move(names.parameter));
    m_out.hints.scopes.push_back(std::move(names.scope));
    m_out.createdBy.push_back(step);
    m_out.erasedBy.push_back(0);
    m_out.isReplaced.push_back(0);
    return index;
}

void UnionBuilder::addInputs(const Model& model, const TypeTable& types, std::uint32_t step) {
    for (const ValueId input : model.graphInputs(m_graph)) {
        if (input.isNone() || isParameterLike(model, m_roles, input)) continue;
        if (step > 0 && !model.hasUses(input)) continue; // a buffer whose last reader a step took away
        // What was a row at first stays one: a buffer does not turn into an input when its last reader goes.
        if (step > 0 && m_original.file.model.isAlive(input)) continue;
        addInput(model, types, input, step);
    }
    addCaptures(model, types, step);
}

void UnionBuilder::addInput(const Model& model, const TypeTable& types, ValueId value, std::uint32_t step) {
    const std::uint32_t key = kInputKeyBit | value.index;
    if (m_indexOf.contains(key)) return;
    LayoutNode node;
    node.key = key;
    setFace(node, faceOfInput(model, types, value));
    addNode(std::move(node), step, {});
}

/// Values of the graphs around that the nodes of a body read.
void UnionBuilder::addCaptures(const Model& model, const TypeTable& types, std::uint32_t step) {
    if (model.graph(m_graph).kind != GraphKind::subgraph) return;
    const auto isOutside = [&](ValueId value) {
        return !value.isNone() && !model.isInside(model.value(value).graph, m_graph) &&
               !isParameterLike(model, m_roles, value);
    };
    for (const NodeId id : model.nodes(m_graph)) {
        for (const ValueId value : model.inputs(id))
            if (isOutside(value)) addInput(model, types, value, step);
        if (model.subgraphs(id).empty()) continue;
        for (const ValueId value : capturesOf(model, id))
            if (isOutside(value)) addInput(model, types, value, step);
    }
    for (const ValueId value : model.graphOutputs(m_graph))
        if (isOutside(value)) addInput(model, types, value, step);
}

void UnionBuilder::addOutputs(const Model& model, std::uint32_t step) {
    const Graph& main = model.graph(m_graph);
    if (!main.outputs) return;
    const InputRange values = model.graphOutputs(m_graph);
    for (std::size_t slot = 0; slot < main.outputs->size() && slot < values.size(); ++slot) {
        const std::string name(model.text((*main.outputs)[slot].name));
        const auto number = static_cast<std::uint32_t>(m_out.outputNames.size());
        if (!m_outputOf.emplace(name, number).second) continue;
        m_out.outputNames.push_back(name);
        LayoutNode node;
        node.key = kOutputKeyBit | number;
        node.title = printable(name);
        node.name = name;
        node.kind = OperatorKind::output;
        const NodeId producer = values[slot].isNone() ? NodeId() : model.producer(values[slot]);
        if (!producer.isNone()) node.role = toNodeRole(m_roles.of(producer));
        addNode(std::move(node), step, {});
    }
}

void UnionBuilder::addNodes(const Model& model, const TypeTable& types, std::uint32_t step) {
    for (const NodeId id : model.nodes(m_graph)) {
        if (m_indexOf.contains(id.index) || drawn(id) != Drawn::asNode) continue;
        LayoutNode node;
        node.key = id.index;
        node.role = toNodeRole(m_roles.of(id));
        setFace(node, faceOfNode(model, types, id));
        NameHints names;
        names.node = node.name;
        names.scope = std::string(nodeMetadata(model, id, "pkg.torch.onnx.name_scopes"));
        if (names.scope.empty()) names.scope = std::string(nodeMetadata(model, id, "namespace"));
        for (const LayoutRow& row : node.rows)
            if (row.kind == LayoutRow::Kind::weight || isFill(model, row)) {
                names.parameter = std::string(model.name(ValueId(row.key)));
                break;
            }
        addNode(std::move(node), step, std::move(names));
        for (const GraphId body : model.subgraphs(id))
            for (const NodeId inner : nodesWithin(model, body))
                m_folded.emplace(inner.index, Chip{id.index, kNoIndex});
    }
}

void UnionBuilder::noteChanges(const Model& model, const TypeTable& types, std::uint32_t step) {
    m_said.resize(m_out.graph.nodes.size());
    for (std::uint32_t i = 0; i < m_out.graph.nodes.size(); ++i) {
        const std::uint32_t key = m_out.graph.nodes[i].key;
        if (m_out.erasedBy[i] != 0 || (key & kOutputKeyBit) != 0) continue;
        const bool isInput = (key & kInputKeyBit) != 0;
        const ValueId input(key & ~kInputKeyBit);
        const NodeId node(key);
        const TypeTable& known = isInput ? knowing(types, input) : types;
        const std::uint64_t print = isInput ? printOfInput(model, known, input) : printOf(model, types, node);
        if (print == m_said[i].print) continue;
        m_said[i].print = print;
        const std::uint64_t meaning = isInput ? 0 : meaningOf(model, node, m_equal);
        if (m_out.createdBy[i] == step)
            m_said[i].meaning = meaning;
        else
            noteChange(i, step, meaning,
                       isInput ? faceOfInput(model, types, input) : faceOfNode(model, types, node));
    }
}

void UnionBuilder::noteChange(std::uint32_t node, std::uint32_t step, std::uint64_t meaning, NodeFace face) {
    Said& said = m_said[node];
    const std::uint32_t before = said.moment == kNoIndex ? kNoIndex : m_out.moments[said.moment].face;
    const bool isSameFace =
        face == (before == kNoIndex ? faceOf(m_out.graph.nodes[node]) : m_out.faces[before]);
    if (isSameFace && meaning == said.meaning) return;
    if (said.moment == kNoIndex)
        m_out.moments.push_back({node, m_out.createdBy[node], said.meaning, kNoIndex});
    std::uint32_t now = before;
    if (!isSameFace) {
        LayoutNode& drawnNode = m_out.graph.nodes[node];
        const CardSize size = measureCard(face.title, face.rows, face.kind);
        drawnNode.least.width = std::max(drawnNode.least.width, size.width);
        drawnNode.least.height = std::max(drawnNode.least.height, size.height);
        now = static_cast<std::uint32_t>(m_out.faces.size());
        m_out.faces.push_back(std::move(face));
    }
    said.moment = static_cast<std::uint32_t>(m_out.moments.size());
    said.meaning = meaning;
    m_out.moments.push_back({node, step, meaning, now});
}

void UnionBuilder::addEdges(const Model& model, const TypeTable& types) {
    for (const NodeId id : model.nodes(m_graph)) {
        if (drawn(id) != Drawn::asNode) continue;
        const std::uint32_t to = m_indexOf.at(id.index);
        const InputRange inputs = model.inputs(id);
        for (std::size_t slot = 0; slot < inputs.size(); ++slot)
            if (!inputs[slot].isNone())
                addEdge(model, types, inputs[slot], to, static_cast<std::uint32_t>(slot), false);
        if (model.subgraphs(id).empty()) continue;
        const std::vector<ValueId> captures = capturesOf(model, id);
        for (std::size_t i = 0; i < captures.size(); ++i)
            addEdge(model, types, captures[i], to, static_cast<std::uint32_t>(inputs.size() + i), true);
    }
    const Graph& main = model.graph(m_graph);
    if (!main.outputs) return;
    const InputRange values = model.graphOutputs(m_graph);
    for (std::size_t slot = 0; slot < main.outputs->size() && slot < values.size(); ++slot) {
        if (values[slot].isNone()) continue;
        const std::string name(model.text((*main.outputs)[slot].name));
        addEdge(model, types, values[slot], m_indexOf.at(kOutputKeyBit | m_outputOf.at(name)), 0, false);
    }
}

void UnionBuilder::addEdge(const Model& model, const TypeTable& types, ValueId value, std::uint32_t to,
                           std::uint32_t slot, bool isCapture) {
    const NodeId producer = model.producer(value);
    if (producer.isNone()) return;
    const bool isFromOutside = model.node(producer).graph != m_graph;
    const bool isInput = isFromOutside || model.node(producer).kind == NodeKind::entry;
    const auto from = m_indexOf.find(isInput ? (kInputKeyBit | value.index) : producer.index);
    if (from == m_indexOf.end()) return;
    // A node that takes the place of another hands on the same value: an edge of its own.
    const auto [seen, isFirst] = m_edgeFrom.emplace(edgeKey(to, slot, value), from->second);
    if (!isFirst && seen->second == from->second) return;
    seen->second = from->second;
    LayoutEdge edge;
    edge.from = from->second;
    edge.to = to;
    edge.fromSlot =
        static_cast<std::uint16_t>(std::min<std::uint32_t>(model.value(value).resultIndex, 0xFFFFU));
    edge.toSlot = static_cast<std::uint16_t>(std::min<std::uint32_t>(slot, 0xFFFFU));
    edge.edgeClass = isCapture || isFromOutside ? EdgeClass::capture : classOf(edge.from, to);
    edge.value = value.index;
    edge.label = typeText(knowing(types, value), value);
    const TensorSize size = tensorSize(knowing(types, value), value);
    (size.factor.empty() ? edge.bytes : edge.bytesForOne) = size.bytes;
    edge.factor = size.factor;
    m_out.graph.edges.push_back(std::move(edge));
}

EdgeClass UnionBuilder::classOf(std::uint32_t from, std::uint32_t to) const {
    const LayoutNode& source = m_out.graph.nodes[from];
    const LayoutNode& reader = m_out.graph.nodes[to];
    if (isGradientSide(source.role)) return EdgeClass::gradient;
    const bool isInput = source.kind == OperatorKind::input;
    return isGradientSide(reader.role) && !isInput ? EdgeClass::stash : EdgeClass::data;
}

void UnionBuilder::noteErased(const Model& model, std::uint32_t step) {
    if (m_graph.index >= model.graphIdCount()) return;
    std::vector<std::uint8_t> hasOutput(m_out.outputNames.size(), 0);
    if (const auto& outputs = model.graph(m_graph).outputs)
        for (const OutputSlot& slot : *outputs) {
            const auto at = m_outputOf.find(std::string(model.text(slot.name)));
            if (at != m_outputOf.end()) hasOutput[at->second] = 1;
        }
    for (std::size_t i = 0; i < m_out.graph.nodes.size(); ++i) {
        if (m_out.erasedBy[i] != 0) continue;
        const std::uint32_t key = m_out.graph.nodes[i].key;
        bool isAlive = false;
        if (key & kInputKeyBit) {
            const ValueId value(key & ~kInputKeyBit);
            isAlive =
                model.isAlive(value) && (model.isGraphInput(value) || model.value(value).graph != m_graph);
        } else if (key & kOutputKeyBit) {
            isAlive = hasOutput[key & ~kOutputKeyBit] != 0;
        } else {
            isAlive = model.isAlive(NodeId(key));
        }
        if (!isAlive) m_out.erasedBy[i] = step;
    }
}

void UnionBuilder::addReplacements() {
    for (const Step& step : m_history->steps())
        for (const RewriteRecord& record : step.records) {
            if (record.isSkipped || record.created.empty()) continue;
            std::vector<std::uint32_t> from;
            for (const NodeId node : replacedBy(record))
                if (const auto at = m_indexOf.find(node.index); at != m_indexOf.end())
                    from.push_back(at->second);
            for (const std::uint32_t index : from)
                m_out.isReplaced[index] = 1;
            for (const NodeId node : record.created) {
                const auto at = m_indexOf.find(node.index);
                if (at == m_indexOf.end()) continue;
                m_out.graph.nodes[at->second].replaces = from;
                if (!from.empty()) m_out.graph.nodes[at->second].role = m_out.graph.nodes[from.front()].role;
            }
        }
}

void UnionBuilder::addTwins() {
    for (LayoutNode& node : m_out.graph.nodes) {
        if (node.key >= m_roles.gradientOf.size()) continue;
        const NodeId twin = m_roles.gradientOf[node.key];
        if (twin.isNone()) continue;
        if (const auto at = m_indexOf.find(twin.index); at != m_indexOf.end()) node.twin = at->second;
    }
    chooseTwins(m_out.graph); // roles name a twin for every gradient; only evidence puts it beside that
    addHomes();
}

/// Whom each node works for: the layer of the weight that it updates or whose gradient it makes, its twin,
/// what it replaces.
void UnionBuilder::addHomes() {
    std::vector<LayoutNode>& nodes = m_out.graph.nodes;
    std::unordered_map<std::uint32_t, std::uint32_t> readerOf; // weight -> its first forward reader
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
        if (columnOf(nodes[n].role) != 0) continue;
        for (const LayoutRow& row : nodes[n].rows)
            if (row.kind == LayoutRow::Kind::weight && row.key != kNoIndex) readerOf.emplace(row.key, n);
    }
    const Model& model = m_original.file.model;
    m_out.hints.homes.assign(nodes.size(), kNoIndex);
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
        std::uint32_t& home = m_out.hints.homes[n];
        if (!nodes[n].replaces.empty()) home = nodes[n].replaces.front();
        if (home != kNoIndex || columnOf(nodes[n].role) == 0) continue;
        const bool isNode = nodes[n].key < model.nodeIdCount();
        const ValueId served = isNode ? m_roles.servedBy(NodeId(nodes[n].key)) : ValueId();
        const auto reader = served.isNone() ? readerOf.end() : readerOf.find(served.index);
        home = reader != readerOf.end() ? reader->second : nodes[n].twin;
    }
}

} // namespace secateur
