// SPDX-License-Identifier: Apache-2.0
#include "core/picture/path_proof.h"

#include "core/messages/messages.h"

#include <algorithm>

namespace secateur {
namespace {

bool isOperator(std::uint32_t key) {
    return (key & (kInputKeyBit | kOutputKeyBit)) == 0;
}

bool isTarget(const Reachability& reach, std::uint32_t value) {
    return std::find(reach.targets.begin(), reach.targets.end(), ValueId(value)) != reach.targets.end();
}

class ProofBuilder {
  public:
    ProofBuilder(const UnionGraph& united, const Model& original, const Reachability& reach)
        : m_united(united), m_model(original), m_reach(reach) {}

    PathProof build(std::uint32_t key) {
        if ((key & kOutputKeyBit) != 0) return {};
        NodeId from(key);
        if ((key & kInputKeyBit) != 0) {
            from = nearestReader(ValueId(key & ~kInputKeyBit));
            add(m_united.graph.find(key));
        }
        if (from.isNone() || from.index >= m_model.nodeIdCount() || !m_model.isAlive(from)) return {};
        const bool isKept = m_reach.isReached(from);
        const std::vector<NodeId> path = isKept ? pathToTarget(m_reach, from) : pathToDeadEnd(m_model, from);
        for (const NodeId node : path)
            add(m_united.graph.find(node.index));
        if (!path.empty()) finish(path.back(), isKept);
        return std::move(m_proof);
    }

  private:
    void add(std::uint32_t node) {
        if (node != kNoIndex && (m_proof.nodes.empty() || m_proof.nodes.back() != node))
            m_proof.nodes.push_back(node);
    }

    /// The reader of a graph input that is nearest to a target, else the first.
    NodeId nearestReader(ValueId input) const {
        NodeId best;
        for (const Use use : m_model.uses(input)) {
            if (m_model.node(use.node).kind != NodeKind::operation) continue;
            const bool isBetter = best.isNone() || distanceOf(use.node) < distanceOf(best);
            if (isBetter) best = use.node;
        }
        return best;
    }
    std::uint32_t distanceOf(NodeId node) const {
        return node.index < m_reach.nodeDistance.size() ? m_reach.nodeDistance[node.index]
                                                        : Reachability::kUnreached;
    }

    /// The output of the graph that a result of the last node leaves through, and what that says.
    void finish(NodeId last, bool isKept) {
        m_proof.end = isKept ? PathProof::End::target : PathProof::End::unread;
        for (const ValueId result : m_model.outputs(last)) {
            if (result.isNone() || (isKept && !isTarget(m_reach, result.index))) continue;
            if (isKept) {
                m_proof.endText = formatMessage("picture.path-target", {nameOf(result)});
                addOutputOf(result);
                return;
            }
            for (const Use use : m_model.uses(result)) {
                if (m_model.node(use.node).kind != NodeKind::exit) continue;
                m_proof.end = PathProof::End::otherOutput;
                m_proof.endText = formatMessage("picture.path-output", {nameOf(result)});
                addOutputOf(result);
                return;
            }
        }
        m_proof.endText = std::string(message(isKept ? "picture.path-kept" : "picture.path-unread"));
    }

    /// As sentences call it, without the ticks that set names apart there: a tag is drawn in one face.
    [[nodiscard]] std::string nameOf(ValueId value) const {
        std::string text = valueText(m_model, value);
        std::erase(text, '`');
        return text;
    }

    void addOutputOf(ValueId value) {
        for (const LayoutEdge& edge : m_united.graph.edges) {
            if (edge.value != value.index || isOperator(m_united.graph.nodes[edge.to].key)) continue;
            // Of outputs that a step renamed only the original stands at the end of a path in the original.
            if (m_united.createdBy[edge.to] == 0) return add(edge.to);
        }
    }

    const UnionGraph& m_united;
    const Model& m_model;
    const Reachability& m_reach;
    PathProof m_proof;
};

} // namespace

PathProof pathProof(const UnionGraph& united, const Model& original, const Reachability& reach,
                    std::uint32_t key) {
    return ProofBuilder(united, original, reach).build(key);
}

WalkWaves walkWaves(const UnionGraph& united, const Reachability& reach) {
    const LayoutGraph& graph = united.graph;
    WalkWaves waves;
    waves.waveOf.assign(graph.nodes.size(), kNoIndex);
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        const std::uint32_t key = graph.nodes[n].key;
        if (!isOperator(key) || !reach.isReached(NodeId(key))) continue;
        const std::uint32_t wave = reach.nodeDistance[key] + 1;
        waves.waveOf[n] = wave;
        if (waves.sizes.size() <= wave) waves.sizes.resize(wave + 1, 0);
        ++waves.sizes[wave];
    }
    // Inputs and outputs of the graph are no nodes of the model: their waves follow from their neighbours'.
    for (const LayoutEdge& edge : graph.edges) {
        const bool isFromInput = (graph.nodes[edge.from].key & kInputKeyBit) != 0;
        const bool isToOutput = (graph.nodes[edge.to].key & kOutputKeyBit) != 0;
        if (isToOutput && isTarget(reach, edge.value)) waves.waveOf[edge.to] = 0;
        const std::uint32_t reader = waves.waveOf[edge.to];
        if (isFromInput && reader != kNoIndex)
            waves.waveOf[edge.from] = std::min(waves.waveOf[edge.from], reader + 1);
    }
    // The last wave may hold nothing but graph inputs.
    for (const std::uint32_t wave : waves.waveOf)
        if (wave != kNoIndex && waves.sizes.size() <= wave) waves.sizes.resize(wave + 1, 0);
    return waves;
}

} // namespace secateur
