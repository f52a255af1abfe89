// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layered.h"
#include "core/layout/layout_graph.h"
#include "tests/core/layout/layout_checks.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

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

/// Layers of a transformer with their gradients and accumulators: three matrix products side by side, two
/// residual edges, a stash of each product.
class TransformerBuilder {
  public:
    static constexpr std::uint32_t kNodesOfALayer = 38;

    LayoutGraph build(std::uint32_t layers) {
        m_last = m_b.node("x");
        m_b.at(m_last).kind = OperatorKind::input;
        for (std::uint32_t i = 0; i < layers; ++i)
            addLayer();
        const std::uint32_t loss = m_b.node("SoftmaxCrossEntropyLoss", NodeRole::loss);
        m_b.edge(m_last, loss);
        std::uint32_t gradient = m_b.node("SoftmaxCrossEntropyLossGrad", NodeRole::backward, loss);
        m_b.edge(loss, gradient, EdgeClass::stash);
        // In program order the gradients come last: the steps of all layers from the loss upward.
        for (auto step = m_steps.rbegin(); step != m_steps.rend(); ++step)
            addGradient(*step, gradient);
        return m_b.build();
    }
    /// By node: its layer.
    [[nodiscard]] const std::vector<std::uint32_t>& layerOf() const { return m_layerOf; }

  private:
    struct Step {
        std::uint32_t node = 0;
        std::vector<std::uint32_t> inputs;
        bool hasWeight = false;
        std::uint32_t layer = 0;
    };

    std::uint32_t step(const char* title, std::vector<std::uint32_t> inputs, bool hasWeight = false) {
        const std::uint32_t n = m_b.node(title);
        if (hasWeight) m_b.at(n).rows.push_back({LayoutRow::Kind::weight, "W", "w [64,64]", kNoIndex});
        for (std::uint16_t slot = 0; slot < inputs.size(); ++slot)
            m_b.edge(inputs[slot], n, EdgeClass::data, slot);
        m_steps.push_back({n, std::move(inputs), hasWeight, m_layer});
        note(n, m_layer);
        return n;
    }
    void note(std::uint32_t node, std::uint32_t layer) {
        m_layerOf.resize(node + std::size_t{1}, layer);
        m_layerOf[node] = layer;
    }

    void addLayer() {
        const std::uint32_t norm = step("LayerNormalization", {m_last});
        const std::uint32_t q = step("MatMul", {norm}, true), k = step("MatMul", {norm}, true);
        const std::uint32_t v = step("MatMul", {norm}, true);
        const std::uint32_t softmax = step("Softmax", {step("MatMul", {q, k})});
        const std::uint32_t out = step("MatMul", {step("MatMul", {softmax, v})}, true);
        const std::uint32_t sum = step("Add", {out, m_last});
        const std::uint32_t up = step("MatMul", {step("LayerNormalization", {sum})}, true);
        m_last = step("Add", {step("MatMul", {step("Gelu", {up})}, true), sum});
        ++m_layer;
    }

    void addGradient(const Step& forward, std::uint32_t loss) {
        std::vector<std::uint32_t>& readers = m_gradientsOf[forward.node];
        if (readers.empty()) readers.push_back(loss);
        const std::uint32_t n =
            m_b.node(m_b.at(forward.node).title + "Grad", NodeRole::backward, forward.node);
        note(n, forward.layer);
        for (std::uint16_t slot = 0; slot < readers.size(); ++slot)
            m_b.edge(readers[slot], n, EdgeClass::gradient, slot);
        m_b.edge(forward.inputs.front(), n, EdgeClass::stash, 7);
        for (const std::uint32_t input : forward.inputs)
            m_gradientsOf[input].push_back(n);
        if (!forward.hasWeight) return;
        const std::uint32_t dw = m_b.node("MatMul", NodeRole::backward, forward.node);
        const std::uint32_t accumulator = m_b.node("InPlaceAccumulatorV2", NodeRole::accumulator);
        note(dw, forward.layer);
        note(accumulator, forward.layer);
        m_b.edge(readers.front(), dw, EdgeClass::gradient);
        m_b.edge(forward.inputs.front(), dw, EdgeClass::stash, 1);
        m_b.edge(dw, accumulator, EdgeClass::gradient);
    }

    GraphBuilder m_b;
    std::uint32_t m_last = 0, m_layer = 0;
    std::vector<Step> m_steps;
    std::map<std::uint32_t, std::vector<std::uint32_t>> m_gradientsOf; ///< by forward node: who gives them
    std::vector<std::uint32_t> m_layerOf;
};

/// A training graph of about that many nodes in equal layers, and a group tree by names.
struct RepeatedGraph {
    LayoutGraph graph;
    HierarchyHints hints;
    Hierarchy hierarchy;
    ExpandState allOpen;
};

inline RepeatedGraph repeatedBlocks(std::uint32_t nodes) {
    RepeatedGraph repeated;
    TransformerBuilder builder;
    repeated.graph = builder.build(nodes / TransformerBuilder::kNodesOfALayer);
    for (std::uint32_t n = 0; n < repeated.graph.nodes.size(); ++n) {
        const std::uint32_t layer = n < builder.layerOf().size() ? builder.layerOf()[n] : 0;
        repeated.hints.nodeNames.push_back("/layer." + std::to_string(layer) + "/node");
    }
    repeated.hierarchy = buildHierarchy(repeated.graph, repeated.hints);
    repeated.allOpen.open.assign(repeated.hierarchy.groups.size(), true);
    return repeated;
}

inline Layout layoutAllOpen(const RepeatedGraph& repeated) {
    return layoutGraph(repeated.graph, repeated.hierarchy, repeated.allOpen);
}

} // namespace secateur
