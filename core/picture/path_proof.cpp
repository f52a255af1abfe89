// SPDX-License-Identifier: Apache-2.0
#include "core/picture/path_proof.h"

#include "core/messages/messages.h"

#include <algorithm>

namespace secateur {
namespace {

bool isOperator(std::uint32_t key) {
    return (key & (kInputKeyBit | kOutputKeyBit)) == 0;
}

bool isTarget(const std::vector<ValueId>& targets, std::uint32_t value) {
    return std::find(targets.begin(), targets.end(), ValueId(value)) != targets.end();
}

class ProofBuilder {
  public:
    ProofBuilder(const UnionGraph& united, const Storyteller& stories)
        : m_united(united), m_stories(stories) {}

    PathProof build(std::uint32_t key) {
        if ((key & kOutputKeyBit) != 0) return {};
        NodeId from(key);
        if ((key & kInputKeyBit) != 0) {
            from = m_stories.nearestReader(ValueId(key & ~kInputKeyBit));
            if (from.isNone()) return {};
            add(m_united.graph.find(key));
        }
        const NodeStory story = m_stories.tell(from);
        for (const NodeId node : story.why.path)
            add(m_united.graph.find(node.index));
        if (!story.why.path.empty()) finish(story);
        return std::move(m_proof);
    }

  private:
    void add(std::uint32_t node) {
        if (node != kNoIndex && (m_proof.nodes.empty() || m_proof.nodes.back() != node))
            m_proof.nodes.push_back(node);
    }

    /// The output of the graph that a result of the last node leaves through, and what that says.
    void finish(const NodeStory& story) {
        const Model& model = *story.model;
        // Also of one that was taken from the way to a target: that is where it stood.
        const bool isToTarget = story.why.isKept || story.why.stoodOnWay;
        const bool isNow = story.model == &m_stories.history().model();
        const std::vector<ValueId>& targets = isNow ? m_stories.targets() : m_stories.targetsBefore();
        m_proof.end = isToTarget ? PathProof::End::target : PathProof::End::unread;
        for (const ValueId result : model.outputs(story.why.path.back())) {
            if (result.isNone() || (isToTarget && !isTarget(targets, result.index))) continue;
            if (isToTarget) {
                m_proof.endText = formatMessage("picture.path-target", {nameOf(model, result)});
                addOutputOf(result, story);
                return;
            }
            for (const Use use : model.uses(result)) {
                if (model.node(use.node).kind != NodeKind::exit) continue;
                m_proof.end = PathProof::End::otherOutput;
                m_proof.endText = formatMessage("picture.path-output", {nameOf(model, result)});
                addOutputOf(result, story);
                return;
            }
        }
        m_proof.endText = std::string(message(isToTarget ? "picture.path-kept" : "picture.path-unread"));
    }

    /// As sentences call it, without the ticks that set names apart there: a tag is drawn in one face.
    [[nodiscard]] static std::string nameOf(const Model& model, ValueId value) {
        std::string text = valueText(model, value);
        std::erase(text, '`');
        return text;
    }

    /// Of outputs that steps renamed the one stands at the end that is there in the model of the story.
    void addOutputOf(ValueId value, const NodeStory& story) {
        const History& history = m_stories.history();
        const std::size_t moment = story.model == &history.model() ? history.cursor() : 0;
        for (const LayoutEdge& edge : m_united.graph.edges) {
            if (edge.value != value.index || isOperator(m_united.graph.nodes[edge.to].key)) continue;
            const std::uint32_t made = m_united.createdBy[edge.to], erased = m_united.erasedBy[edge.to];
            if (made <= moment && (erased == 0 || erased > moment)) return add(edge.to);
        }
    }

    const UnionGraph& m_united;
    const Storyteller& m_stories;
    PathProof m_proof;
};

} // namespace

PathProof pathProof(const UnionGraph& united, const Storyteller& stories, std::uint32_t key) {
    return ProofBuilder(united, stories).build(key);
}

WalkWaves walkWaves(const UnionGraph& united, const Reachability& reach) {
    const LayoutGraph& graph = united.graph;
    WalkWaves waves;
    waves.waveOf.assign(graph.nodes.size(), kNoIndex);
    const auto count = [&waves](std::uint32_t wave) {
        if (waves.sizes.size() <= wave) waves.sizes.resize(wave + 1, 0);
        ++waves.sizes[wave];
    };
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        const std::uint32_t key = graph.nodes[n].key;
        if (!isOperator(key) || !reach.isReached(NodeId(key))) continue;
        const std::uint32_t wave = reach.nodeDistance[key] + 1;
        waves.waveOf[n] = wave;
        count(wave);
    }
    // What is drawn as a row is reached with the node that shows it.
    for (const FoldedNode& folded : graph.folded) {
        const std::uint32_t host = waves.waveOf[folded.host];
        std::uint32_t wave = kNoIndex;
        if (reach.isReached(NodeId(folded.key)))
            wave = host != kNoIndex ? host : reach.nodeDistance[folded.key] + 1;
        waves.waveOfFolded.push_back(wave);
        if (wave != kNoIndex) count(wave);
    }
    // Inputs and outputs of the graph are no nodes of the model: their waves follow from their neighbours'.
    for (const LayoutEdge& edge : graph.edges) {
        const bool isFromInput = (graph.nodes[edge.from].key & kInputKeyBit) != 0;
        const bool isToOutput = (graph.nodes[edge.to].key & kOutputKeyBit) != 0;
        if (isToOutput && isTarget(reach.targets, edge.value)) waves.waveOf[edge.to] = 0;
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
