// SPDX-License-Identifier: Apache-2.0
//
// Which nodes are drawn as a row of their reader: constants, and the arithmetic on sizes between Shape and
// what reads it (Reshape, Expand, a scale).
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

/// Operators that compute sizes from sizes: all they read is shape arithmetic or constant.
bool mayContinueShape(const Model& model, NodeId node) {
    static constexpr std::array<std::string_view, 33> kOps{
        "Add",       "And",       "Cast",       "Ceil",    "Concat", "ConstantOfShape",
        "Div",       "Equal",     "Expand",     "Floor",   "Gather", "Greater",
        "Identity",  "Less",      "Max",        "Min",     "Mod",    "Mul",
        "Neg",       "Not",       "Or",         "Pow",     "Range",  "ReduceMax",
        "ReduceMin", "ReduceSum", "ReduceProd", "Reshape", "Slice",  "Squeeze",
        "Sub",       "Unsqueeze", "Where"};
    return model.isDefaultDomain(node) && std::find(kOps.begin(), kOps.end(), model.op(node)) != kOps.end();
}

} // namespace

bool UnionBuilder::isShapeArithmetic(const Model& model, const TypeTable& types, NodeId node) const {
    if (isShapeSource(model, node)) return true;
    const bool isRoot = model.isOp(node, "Sqrt") || model.isOp(node, "Reciprocal"); // 1 / sqrt(head size)
    const bool isTraining = model.op(node) == "ConcatTraining";                     // of com.microsoft
    if (!isRoot && !isTraining && !mayContinueShape(model, node)) return false;
    bool hasShape = false;
    for (const ValueId input : model.inputs(node)) {
        if (input.isNone() || model.isInitializer(input)) continue;
        const NodeId producer = model.producer(input);
        if (producer.isNone()) return false;
        if (m_isShape[producer.index] != 0)
            hasShape = true;
        else if (drawn(producer) != Drawn::asRow)
            return false;
    }
    return hasShape || isSmall(model, types, node);
}

/// Is the result of a node that reads constants alone a few numbers, like the sizes of a Reshape?
bool UnionBuilder::isSmall(const Model& model, const TypeTable& types, NodeId node) const {
    constexpr std::uint64_t kFew = 16;
    const ValueId result = model.output(node, 0);
    if (result.isNone()) return false;
    const auto count = types.type(result).elementCount();
    return count && *count <= kFew;
}

/// A tensor of one number whose shape is given in the file: a weight that the file does not spell out.
bool UnionBuilder::isConstantFill(const Model& model, NodeId node) const {
    if (!model.isOp(node, "ConstantOfShape")) return false;
    const ValueId shape = model.input(node, 0);
    if (shape.isNone()) return false;
    const NodeId producer = model.producer(shape);
    return model.isInitializer(shape) || (!producer.isNone() && model.isOp(producer, "Constant"));
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

void UnionBuilder::decideFolding(const Model& model, const TypeTable& types) {
    m_drawn.resize(model.nodeIdCount(), Drawn::no);
    m_isShape.resize(model.nodeIdCount(), 0);
    for (const NodeId id : model.nodes(m_graph)) {
        if (m_drawn[id.index] != Drawn::no)
            continue; // decided at an earlier moment: a node never changes its kind
        const bool isConstant = model.isOp(id, "Constant") || isConstantFill(model, id);
        if (!isConstant && isShapeArithmetic(model, types, id)) m_isShape[id.index] = 1;
        const bool mayFold = isConstant || m_isShape[id.index] != 0;
        m_drawn[id.index] = mayFold && allReadersFold(model, id) ? Drawn::asRow : Drawn::asNode;
        if (m_drawn[id.index] == Drawn::asNode) m_isShape[id.index] = 0;
    }
}

NodeId UnionBuilder::hostOf(const Model& model, NodeId node) const {
    for (const ValueId result : model.outputs(node)) {
        if (result.isNone()) continue;
        for (const Use use : model.uses(result)) {
            const NodeId reader = model.ancestorIn(m_graph, use.node);
            if (!reader.isNone()) return reader;
        }
    }
    return {};
}

/// Each hidden node goes to the first row, in program order, that shows it or the end of its chain.
void UnionBuilder::foldRows(const Model& model) {
    for (const NodeId id : model.nodes(m_graph)) {
        const auto at = m_indexOf.find(id.index);
        if (at == m_indexOf.end() || drawn(id) != Drawn::asNode) continue;
        const std::vector<LayoutRow>& rows = m_out.graph.nodes[at->second].rows;
        for (std::uint32_t r = 0; r < rows.size(); ++r)
            if (rows[r].node != kNoIndex) foldInto(model, NodeId(rows[r].node), id.index, r);
    }
    foldRest(model);
    listFolded();
}

void UnionBuilder::foldInto(const Model& model, NodeId last, std::uint32_t host, std::uint32_t row) {
    std::vector<NodeId> chain{last};
    while (!chain.empty()) {
        const NodeId id = chain.back();
        chain.pop_back();
        if (!m_folded.emplace(id.index, Chip{host, row}).second) continue;
        for (const ValueId input : model.inputs(id)) {
            const NodeId producer = input.isNone() ? NodeId() : model.producer(input);
            if (!producer.isNone() && drawn(producer) == Drawn::asRow) chain.push_back(producer);
        }
    }
}

/// Hidden nodes that no row shows (a body reads them, or a later step changed what their reader reads).
void UnionBuilder::foldRest(const Model& model) {
    std::vector<NodeId> hidden;
    for (const NodeId id : model.nodes(m_graph))
        if (drawn(id) == Drawn::asRow && !m_folded.contains(id.index)) hidden.push_back(id);
    // Backwards, so that a chain's host is known before the links that lead to it.
    for (std::size_t i = hidden.size(); i-- > 0;) {
        const NodeId reader = hostOf(model, hidden[i]);
        if (reader.isNone()) continue;
        const auto chained = m_folded.find(reader.index);
        m_folded.emplace(hidden[i].index,
                         chained == m_folded.end() ? Chip{reader.index, kNoIndex} : chained->second);
    }
}

void UnionBuilder::listFolded() {
    m_out.graph.folded.clear();
    for (LayoutNode& node : m_out.graph.nodes)
        node.folded = 0;
    for (std::uint32_t key = 0; key < m_drawn.size(); ++key) {
        const auto at = m_folded.find(key);
        if (at == m_folded.end()) continue;
        const auto host = m_indexOf.find(at->second.host);
        if (host == m_indexOf.end()) continue;
        m_out.graph.folded.push_back({key, host->second, at->second.row});
        ++m_out.graph.nodes[host->second].folded;
    }
}

} // namespace secateur
