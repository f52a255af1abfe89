// SPDX-License-Identifier: Apache-2.0
//
// Which nodes are drawn as a row of their reader: constants, and the integer arithmetic between Shape and
// Reshape.
#include "core/picture/union_builder.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace secateur {

namespace {

bool isShapeSource(const Model& model, NodeId node) {
    return model.isOp(node, "Shape") || model.isOp(node, "Size");
}

bool mayContinueShape(const Model& model, NodeId node) {
    static constexpr std::array<std::string_view, 14> kOps{"Add",     "Cast",   "Concat",    "Div",  "Equal",
                                                           "Floor",   "Gather", "Identity",  "Mul",  "Slice",
                                                           "Squeeze", "Sub",    "Unsqueeze", "Where"};
    return model.isDefaultDomain(node) && std::find(kOps.begin(), kOps.end(), model.op(node)) != kOps.end();
}

} // namespace

bool UnionBuilder::isShapeArithmetic(const Model& model, NodeId node) const {
    if (isShapeSource(model, node)) return true;
    if (!mayContinueShape(model, node)) return false;
    bool hasShape = false;
    for (const ValueId input : model.inputs(node)) {
        if (input.isNone() || model.isInitializer(input)) continue;
        const NodeId producer = model.producer(input);
        if (producer.isNone()) return false;
        if (m_isShape[producer.index] != 0)
            hasShape = true;
        else if (!model.isOp(producer, "Constant"))
            return false;
    }
    return hasShape;
}

bool UnionBuilder::allReadersFold(const Model& model, NodeId node) const {
    bool hasReader = false;
    for (const ValueId result : model.outputs(node)) {
        if (result.isNone()) continue;
        for (const Use use : model.uses(result)) {
            if (model.node(use.node).kind != NodeKind::operation) return false;
            hasReader = true;
        }
    }
    return hasReader;
}

void UnionBuilder::decideFolding(const Model& model) {
    m_drawn.resize(model.nodeIdCount(), Drawn::no);
    m_isShape.resize(model.nodeIdCount(), 0);
    for (const NodeId id : model.nodes(model.mainGraph())) {
        if (m_drawn[id.index] != Drawn::no)
            continue; // decided at an earlier moment: a node never changes its kind
        const bool isConstant = model.isOp(id, "Constant");
        if (!isConstant && isShapeArithmetic(model, id)) m_isShape[id.index] = 1;
        const bool mayFold = isConstant || m_isShape[id.index] != 0;
        m_drawn[id.index] = mayFold && allReadersFold(model, id) ? Drawn::asRow : Drawn::asNode;
        if (m_drawn[id.index] == Drawn::asNode) m_isShape[id.index] = 0;
    }
}

NodeId UnionBuilder::hostOf(const Model& model, NodeId node) const {
    for (const ValueId result : model.outputs(node)) {
        if (result.isNone()) continue;
        for (const Use use : model.uses(result)) {
            const NodeId reader = model.ancestorIn(model.mainGraph(), use.node);
            if (!reader.isNone()) return reader;
        }
    }
    return {};
}

void UnionBuilder::foldRows(const Model& model) {
    // Backwards, so that a chain's host is known before the links that lead to it.
    std::vector<NodeId> hidden;
    for (const NodeId id : model.nodes(model.mainGraph()))
        if (drawn(id) == Drawn::asRow && !m_folded.contains(id.index)) hidden.push_back(id);
    for (std::size_t i = hidden.size(); i-- > 0;) {
        const NodeId reader = hostOf(model, hidden[i]);
        if (reader.isNone()) continue;
        const auto chained = m_folded.find(reader.index);
        const std::uint32_t host = chained == m_folded.end() ? reader.index : chained->second;
        m_folded.emplace(hidden[i].index, host);
        if (m_isShape[hidden[i].index] != 0) ++m_shapeNodes[host];
    }
    m_out.graph.folded.clear();
    for (std::uint32_t key = 0; key < m_drawn.size() && key < model.nodeIdCount(); ++key) {
        const auto at = m_folded.find(key);
        if (at == m_folded.end()) continue;
        const auto host = m_indexOf.find(at->second);
        if (host != m_indexOf.end()) m_out.graph.folded.push_back({key, host->second});
    }
    for (LayoutNode& node : m_out.graph.nodes)
        node.folded = 0;
    for (const FoldedNode& f : m_out.graph.folded)
        ++m_out.graph.nodes[f.host].folded;
}

} // namespace secateur
