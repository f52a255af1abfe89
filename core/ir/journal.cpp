// SPDX-License-Identifier: Apache-2.0
#include "core/ir/journal.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace secateur {
namespace {

constexpr std::uint32_t kNone = NodeId::kNone;
constexpr std::uint64_t kOrderGap = 1ULL << 20;

bool hasPayload(EditKind kind) {
    switch (kind) {
    case EditKind::setNodeAttributes:
    case EditKind::setValueTensor:
    case EditKind::setValueInfo:
    case EditKind::setGraphHeader:
    case EditKind::setGraphOutputs:
    case EditKind::setModelHeader: return true;
    case EditKind::createNode:
    case EditKind::createValue:
    case EditKind::createGraph:
    case EditKind::createOperands:
    case EditKind::createResults:
    case EditKind::linkNode:
    case EditKind::unlinkNode:
    case EditKind::setOperand:
    case EditKind::setOperandRange:
    case EditKind::setResultRange:
    case EditKind::setProducer:
    case EditKind::setNodeSymbol:
    case EditKind::setValueName:
    case EditKind::setValueGraph:
    case EditKind::setValueErased:
    case EditKind::setGraphParent:
    case EditKind::appendInitializer:
    case EditKind::appendSparseInitializer:
    case EditKind::appendValueInfo:
    case EditKind::setNodePresence: return false;
    }
    return false;
}

template <class T> std::shared_ptr<const T> as(const std::shared_ptr<const void>& payload) {
    return std::static_pointer_cast<const T>(payload);
}

Symbol& symbolField(Node& node, std::uint8_t field) {
    switch (field) {
    case 0: return node.op;
    case 1: return node.domain;
    case 2: return node.overload;
    case 3: return node.name;
    default: return node.rest;
    }
}

template <class T> T popBack(std::vector<T>& from) {
    T last = std::move(from.back());
    from.pop_back();
    return last;
}

/// The arenas of a model, with the list surgery that edits are made of. Unlinked nodes and operands keep
/// their neighbours, so linking them again in reverse order restores every list exactly (Knuth's dancing
/// links).
struct Arenas {
    std::vector<Node>& nodes;
    std::vector<Value>& values;
    std::vector<Operand>& operands;
    std::vector<Graph>& graphs;

    void linkUse(OperandId id, OperandId prev, OperandId next) {
        Operand& operand = operands[id.index];
        Value& value = values[operand.value.index];
        operand.prevUse = prev;
        operand.nextUse = next;
        (prev.isNone() ? value.firstUse : operands[prev.index].nextUse) = id;
        (next.isNone() ? value.lastUse : operands[next.index].prevUse) = id;
        ++value.useCount;
    }

    void unlinkUse(OperandId id) {
        const Operand& operand = operands[id.index];
        Value& value = values[operand.value.index];
        (operand.prevUse.isNone() ? value.firstUse : operands[operand.prevUse.index].nextUse) =
            operand.nextUse;
        (operand.nextUse.isNone() ? value.lastUse : operands[operand.nextUse.index].prevUse) =
            operand.prevUse;
        --value.useCount;
    }

    void linkNode(NodeId id, GraphId graphId, NodeId prev, NodeId next) {
        Node& node = nodes[id.index];
        Graph& graph = graphs[graphId.index];
        node.graph = graphId;
        node.prev = prev;
        node.next = next;
        node.isErased = false;
        (prev.isNone() ? graph.head : nodes[prev.index].next) = id;
        (next.isNone() ? graph.tail : nodes[next.index].prev) = id;
        ++graph.nodeCount;
        number(node, graph);
    }

    void unlinkNode(NodeId id) {
        Node& node = nodes[id.index];
        Graph& graph = graphs[node.graph.index];
        (node.prev.isNone() ? graph.head : nodes[node.prev.index].next) = node.next;
        (node.next.isNone() ? graph.tail : nodes[node.next.index].prev) = node.prev;
        node.isErased = true;
        --graph.nodeCount;
    }

    /// Order numbers leave gaps; where two neighbours have none between them the whole list is numbered anew.
    void number(Node& node, Graph& graph) {
        const std::uint64_t low = node.prev.isNone() ? 0 : nodes[node.prev.index].order;
        const std::uint64_t high = node.next.isNone() ? low + 2 * kOrderGap : nodes[node.next.index].order;
        node.order = low + (high - low) / 2;
        if (node.order != low && node.order != high) return;
        std::uint64_t order = 0;
        for (NodeId at = graph.head; !at.isNone(); at = nodes[at.index].next)
            nodes[at.index].order = order += kOrderGap;
    }
};

} // namespace

std::size_t EditLog::bytes() const {
    return m_edits.capacity() * sizeof(Edit) + m_payloads.capacity() * sizeof(EditPayload) +
           m_nodes.capacity() * sizeof(Node) + m_values.capacity() * sizeof(Value) +
           m_results.capacity() * sizeof(ValueId) + m_graphs.capacity() * sizeof(Graph);
}

std::size_t Journal::bytes() const {
    return m_edits.capacity() * sizeof(Edit) + m_payloads.capacity() * sizeof(EditPayload);
}

void Journal::perform(Model& model, Edit edit) {
    apply(model, edit, nullptr);
    if (model.m_journal->m_isRecording) model.m_journal->m_edits.push_back(edit);
}

void Journal::perform(Model& model, Edit edit, EditPayload payload) {
    apply(model, edit, &payload);
    if (!model.m_journal->m_isRecording) return;
    model.m_journal->m_edits.push_back(edit);
    model.m_journal->m_payloads.push_back(std::move(payload));
}

// The create edits have pushed their arena item before (Editor) or push it back from the log (reapply);
// applying them changes nothing more. Meaning of the numbers: setOperand a old value, b new value, c and d
// the old neighbours among the uses; linkNode a graph, b previous, c next neighbour, d the graph it was in;
// set*Range a, b old begin and count, c, d new ones; setProducer a, b old node and result index, c, d new
// ones; all other kinds a old, b new.
void Journal::apply(Model& model, const Edit& edit, const EditPayload* payload) {
    Arenas arenas{model.m_nodes, model.m_values, model.m_operands, model.m_graphs};
    switch (edit.kind) {
    case EditKind::createNode:
    case EditKind::createValue:
    case EditKind::createGraph:
    case EditKind::createOperands:
    case EditKind::createResults: return;
    case EditKind::linkNode:
        arenas.linkNode(NodeId(edit.id), GraphId(edit.a), NodeId(edit.b), NodeId(edit.c));
        return;
    case EditKind::unlinkNode: arenas.unlinkNode(NodeId(edit.id)); return;
    case EditKind::setOperand: {
        Operand& operand = model.m_operands[edit.id];
        if (edit.a != kNone) arenas.unlinkUse(OperandId(edit.id));
        operand.value = ValueId(edit.b);
        if (edit.b != kNone) arenas.linkUse(OperandId(edit.id), model.m_values[edit.b].lastUse, OperandId());
        return;
    }
    case EditKind::setOperandRange:
        model.m_nodes[edit.id].operandBegin = edit.c;
        model.m_nodes[edit.id].operandCount = edit.d;
        return;
    case EditKind::setResultRange:
        model.m_nodes[edit.id].resultBegin = edit.c;
        model.m_nodes[edit.id].resultCount = edit.d;
        return;
    case EditKind::setProducer:
        model.m_values[edit.id].producer = NodeId(edit.c);
        model.m_values[edit.id].resultIndex = edit.d;
        return;
    case EditKind::setNodeSymbol: symbolField(model.m_nodes[edit.id], edit.field) = Symbol(edit.b); return;
    case EditKind::setNodeAttributes:
        model.m_nodes[edit.id].attributes = as<AttributeList>(payload->after);
        return;
    case EditKind::setValueName: model.m_values[edit.id].name = Symbol(edit.b); return;
    case EditKind::setValueTensor: model.m_values[edit.id].tensor = as<Tensor>(payload->after); return;
    case EditKind::setValueInfo: model.m_values[edit.id].info = as<ValueInfo>(payload->after); return;
    case EditKind::setValueGraph: model.m_values[edit.id].graph = GraphId(edit.b); return;
    case EditKind::setValueErased: model.m_values[edit.id].isErased = edit.b != 0; return;
    case EditKind::setGraphHeader: model.m_graphs[edit.id].header = as<GraphHeader>(payload->after); return;
    case EditKind::setGraphOutputs:
        model.m_graphs[edit.id].outputs = as<std::vector<OutputSlot>>(payload->after);
        return;
    case EditKind::setGraphParent:
        model.m_graphs[edit.id].parent = GraphId(edit.b);
        model.m_graphs[edit.id].parentNode = NodeId(edit.d);
        return;
    case EditKind::appendInitializer: model.m_graphs[edit.id].initializers.push_back(ValueId(edit.a)); return;
    case EditKind::appendSparseInitializer:
        model.m_graphs[edit.id].sparseInitializers.push_back(ValueId(edit.a));
        return;
    case EditKind::appendValueInfo: model.m_graphs[edit.id].valueInfos.push_back(ValueId(edit.a)); return;
    case EditKind::setNodePresence:
        model.m_nodes[edit.id].presence = static_cast<std::uint8_t>(edit.b);
        return;
    case EditKind::setModelHeader: model.m_header = as<ModelHeader>(payload->after); return;
    }
}

void Journal::revert(Model& model, const Edit& edit, const EditPayload* payload, EditLog& log) {
    Arenas arenas{model.m_nodes, model.m_values, model.m_operands, model.m_graphs};
    switch (edit.kind) {
    case EditKind::createNode: log.m_nodes.push_back(popBack(model.m_nodes)); return;
    case EditKind::createValue: log.m_values.push_back(popBack(model.m_values)); return;
    case EditKind::createGraph: log.m_graphs.push_back(popBack(model.m_graphs)); return;
    case EditKind::createOperands: model.m_operands.resize(edit.id); return;
    case EditKind::createResults:
        for (std::uint32_t i = 0; i < edit.a; ++i)
            log.m_results.push_back(popBack(model.m_results));
        return;
    case EditKind::linkNode:
        arenas.unlinkNode(NodeId(edit.id));
        model.m_nodes[edit.id].graph = GraphId(edit.d);
        return;
    case EditKind::unlinkNode: {
        const Node& node = model.m_nodes[edit.id];
        arenas.linkNode(NodeId(edit.id), node.graph, NodeId(edit.b), NodeId(edit.c));
        return;
    }
    case EditKind::setOperand: {
        Operand& operand = model.m_operands[edit.id];
        if (edit.b != kNone) arenas.unlinkUse(OperandId(edit.id));
        operand.value = ValueId(edit.a);
        if (edit.a != kNone) arenas.linkUse(OperandId(edit.id), OperandId(edit.c), OperandId(edit.d));
        return;
    }
    case EditKind::setOperandRange:
        model.m_nodes[edit.id].operandBegin = edit.a;
        model.m_nodes[edit.id].operandCount = edit.b;
        return;
    case EditKind::setResultRange:
        model.m_nodes[edit.id].resultBegin = edit.a;
        model.m_nodes[edit.id].resultCount = edit.b;
        return;
    case EditKind::setProducer:
        model.m_values[edit.id].producer = NodeId(edit.a);
        model.m_values[edit.id].resultIndex = edit.b;
        return;
    case EditKind::setNodeSymbol: symbolField(model.m_nodes[edit.id], edit.field) = Symbol(edit.a); return;
    case EditKind::setNodeAttributes:
        model.m_nodes[edit.id].attributes = as<AttributeList>(payload->before);
        return;
    case EditKind::setValueName: model.m_values[edit.id].name = Symbol(edit.a); return;
    case EditKind::setValueTensor: model.m_values[edit.id].tensor = as<Tensor>(payload->before); return;
    case EditKind::setValueInfo: model.m_values[edit.id].info = as<ValueInfo>(payload->before); return;
    case EditKind::setValueGraph: model.m_values[edit.id].graph = GraphId(edit.a); return;
    case EditKind::setValueErased: model.m_values[edit.id].isErased = edit.a != 0; return;
    case EditKind::setGraphHeader: model.m_graphs[edit.id].header = as<GraphHeader>(payload->before); return;
    case EditKind::setGraphOutputs:
        model.m_graphs[edit.id].outputs = as<std::vector<OutputSlot>>(payload->before);
        return;
    case EditKind::setGraphParent:
        model.m_graphs[edit.id].parent = GraphId(edit.a);
        model.m_graphs[edit.id].parentNode = NodeId(edit.c);
        return;
    case EditKind::appendInitializer: model.m_graphs[edit.id].initializers.pop_back(); return;
    case EditKind::appendSparseInitializer: model.m_graphs[edit.id].sparseInitializers.pop_back(); return;
    case EditKind::appendValueInfo: model.m_graphs[edit.id].valueInfos.pop_back(); return;
    case EditKind::setNodePresence:
        model.m_nodes[edit.id].presence = static_cast<std::uint8_t>(edit.a);
        return;
    case EditKind::setModelHeader: model.m_header = as<ModelHeader>(payload->before); return;
    }
}

EditLog Journal::unwind(Model& model, JournalMark mark) {
    Journal& journal = *model.m_journal;
    assert(mark.edits <= journal.m_edits.size());
    EditLog log;
    std::size_t payloads = journal.m_payloads.size();
    for (std::size_t i = journal.m_edits.size(); i-- > mark.edits;) {
        const Edit& edit = journal.m_edits[i];
        const EditPayload* payload = hasPayload(edit.kind) ? &journal.m_payloads[--payloads] : nullptr;
        revert(model, edit, payload, log);
    }
    const auto editsBegin = journal.m_edits.begin() + static_cast<std::ptrdiff_t>(mark.edits);
    const auto payloadsBegin = journal.m_payloads.begin() + static_cast<std::ptrdiff_t>(payloads);
    log.m_edits.assign(editsBegin, journal.m_edits.end());
    log.m_payloads.assign(std::make_move_iterator(payloadsBegin),
                          std::make_move_iterator(journal.m_payloads.end()));
    journal.m_edits.erase(editsBegin, journal.m_edits.end());
    journal.m_payloads.erase(payloadsBegin, journal.m_payloads.end());
    return log;
}

void Journal::reapply(Model& model, EditLog log) {
    std::size_t payload = 0;
    for (const Edit& edit : log.m_edits) {
        switch (edit.kind) {
        case EditKind::createNode: model.m_nodes.push_back(popBack(log.m_nodes)); break;
        case EditKind::createValue: model.m_values.push_back(popBack(log.m_values)); break;
        case EditKind::createGraph: model.m_graphs.push_back(popBack(log.m_graphs)); break;
        case EditKind::createResults:
            for (std::uint32_t i = 0; i < edit.a; ++i)
                model.m_results.push_back(popBack(log.m_results));
            break;
        case EditKind::createOperands:
            assert(model.m_operands.size() == edit.id);
            for (std::uint32_t i = 0; i < edit.a; ++i) {
                Operand operand;
                operand.node = NodeId(edit.b);
                operand.slot = i;
                model.m_operands.push_back(operand);
            }
            break;
        default: break;
        }
        if (hasPayload(edit.kind))
            perform(model, edit, std::move(log.m_payloads[payload++]));
        else
            perform(model, edit);
    }
}

} // namespace secateur
