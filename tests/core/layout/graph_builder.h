// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layered.h"
#include "core/layout/layout_graph.h"
#include "tests/core/layout/layout_checks.h"

#include <string>
#include <utility>

namespace secateur {

/// Writes small layout graphs by hand.
class GraphBuilder {
  public:
    std::uint32_t node(const std::string& title, NodeRole role = NodeRole::forward,
                       std::uint32_t twin = kNoIndex) {
        LayoutNode n;
        n.key = n.order = static_cast<std::uint32_t>(m_graph.nodes.size());
        n.title = title;
        n.role = role;
        n.twin = twin;
        m_graph.nodes.push_back(std::move(n));
        return m_graph.nodes.back().key;
    }
    void edge(std::uint32_t from, std::uint32_t to, EdgeClass edgeClass = EdgeClass::data,
              std::uint16_t toSlot = 0) {
        LayoutEdge e;
        e.from = from;
        e.to = to;
        e.edgeClass = edgeClass;
        e.toSlot = toSlot;
        e.label = "float[32,4096]";
        e.bytes = 524288;
        m_graph.edges.push_back(std::move(e));
    }
    LayoutNode& at(std::uint32_t node) { return m_graph.nodes[node]; }

    LayoutGraph build() {
        measureNodes(m_graph);
        m_graph.indexKeys();
        return std::move(m_graph);
    }

  private:
    LayoutGraph m_graph;
};

/// `blocks` times MatMul, Gelu with their gradients and accumulators: the figure of a training graph, any
/// length. Per block: 0 MatMul, 1 Gelu, 2 GeluGrad, 3 dX, 4 dW, 5 accumulator (indices block * 6 + k, after
/// the input).
inline LayoutGraph trainingGraph(std::uint32_t blocks) {
    GraphBuilder b;
    const std::uint32_t input = b.node("x");
    b.at(input).kind = OperatorKind::input;
    std::uint32_t before = input;
    for (std::uint32_t i = 0; i < blocks; ++i) {
        const std::uint32_t matmul = b.node("MatMul");
        b.at(matmul).rows.push_back(
            {LayoutRow::Kind::weight, "W", "w" + std::to_string(i) + " [4096,4096]", kNoIndex});
        const std::uint32_t gelu = b.node("Gelu");
        const std::uint32_t geluGrad = b.node("GeluGrad", NodeRole::backward, gelu);
        const std::uint32_t dx = b.node("MatMul", NodeRole::backward, matmul);
        const std::uint32_t dw = b.node("MatMul", NodeRole::backward, matmul);
        const std::uint32_t sum = b.node("InPlaceAccumulatorV2", NodeRole::accumulator);
        b.edge(before, matmul);
        b.edge(matmul, gelu);
        b.edge(matmul, geluGrad, EdgeClass::stash, 1);
        b.edge(before, dw, EdgeClass::stash, 1);
        b.edge(geluGrad, dx, EdgeClass::gradient);
        b.edge(geluGrad, dw, EdgeClass::gradient);
        b.edge(dw, sum, EdgeClass::gradient);
        if (i > 0) b.edge(input + (i * 6) + 4, input + (i - 1) * 6 + 3, EdgeClass::gradient);
        before = gelu;
    }
    const std::uint32_t loss = b.node("SoftmaxCrossEntropyLoss", NodeRole::loss);
    const std::uint32_t lossGrad = b.node("SoftmaxCrossEntropyLossGrad", NodeRole::backward, loss);
    b.edge(before, loss);
    b.edge(loss, lossGrad, EdgeClass::stash);
    if (blocks > 0) b.edge(lossGrad, input + (blocks - 1) * 6 + 3, EdgeClass::gradient);
    return b.build();
}

/// A training graph of about that many nodes, and names that tell its blocks of 20 layers.
struct RepeatedGraph {
    LayoutGraph graph;
    Hierarchy hierarchy;
    ExpandState allOpen;
};

inline RepeatedGraph repeatedBlocks(std::uint32_t nodes) {
    constexpr std::uint32_t kNodesOfALayer = 6, kNodesOfABlock = 120;
    RepeatedGraph repeated;
    repeated.graph = trainingGraph(nodes / kNodesOfALayer);
    HierarchyHints hints;
    for (std::uint32_t n = 0; n < repeated.graph.nodes.size(); ++n)
        hints.nodeNames.push_back("/block." + std::to_string(n / kNodesOfABlock) + "/node");
    repeated.hierarchy = buildHierarchy(repeated.graph, hints);
    repeated.allOpen.open.assign(repeated.hierarchy.groups.size(), true);
    return repeated;
}

inline Layout layoutAllOpen(const RepeatedGraph& repeated) {
    return layoutGraph(repeated.graph, repeated.hierarchy, repeated.allOpen);
}

} // namespace secateur
