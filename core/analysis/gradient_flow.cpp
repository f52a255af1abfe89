// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/gradient_flow.h"

#include "core/analysis/training_signs.h"

#include <algorithm>
#include <string_view>

namespace secateur {
namespace {

constexpr std::size_t kMostPredictions = 64;

class FlowSearch {
  public:
    FlowSearch(const GraphIndex& index, const TypeTable& types, const ValueNumbers& numbers,
               const GraphIndex::Flags& network, const GraphIndex::Flags& loss,
               const GraphIndex::Flags& backward, const GraphIndex::Flags& tainted,
               std::span<const ValueId> predictions, const std::unordered_map<ValueId, ValueId>& weightOf,
               std::span<const ValueId> onlyEnds)
        : m_index(index), m_model(index.model()), m_types(types), m_numbers(numbers), m_network(network),
          m_loss(loss), m_backward(backward), m_tainted(tainted), m_predictions(predictions),
          m_weightOf(weightOf), m_onlyEnds(onlyEnds) {}

    GradientFlow run() {
        m_flow.kind.assign(m_index.size(), BackwardKind::none);
        m_flow.layer.assign(m_index.size(), NodeId());
        m_flow.from.assign(m_index.size(), ValueId());
        m_isNeutral.assign(m_index.size(), false);
        m_isOfLoss.assign(m_index.size(), false);
        m_carries.assign(m_index.size(), false);
        m_seen.assign(m_index.size(), 0);
        markNetworkInputs();
        findHead();
        findStarts();
        findCarriers();
        trustTheError();
        findLayers();
        followOrigins();
        return std::move(m_flow);
    }

  private:
    static constexpr std::uint32_t kNone = GraphIndex::kNone;

    bool isShapeReader(std::uint32_t at) const {
        const std::string_view op = m_model.op(m_index.node(at));
        return op == "Shape" || op == "Size";
    }
    bool makesGradients(std::uint32_t at) const {
        return m_index.traits(at).isGradient || m_index.isOp(at, "YieldOp");
    }

    // --- the derivative of the loss ---

    enum class Source { neutral, loss, network, gradient };

    /// Where a value comes from, as far as it matters here: constants and shapes say nothing.
    Source sourceOf(ValueId value) const {
        const auto from = m_index.producer(value);
        if (from == kNone) {
            if (m_model.isInitializer(value))
                return isTable(value) && isReadForward(value) ? Source::network : Source::neutral;
            return isReadForward(value) ? Source::network : Source::loss;
        }
        if (m_isNeutral[from]) return Source::neutral;
        if (isPrediction(value) || m_loss[from] || m_isOfLoss[from]) return Source::loss;
        return m_backward[from] && m_carries[from] ? Source::gradient : Source::network;
    }

    /// Could it be a weight or a statistic?
    bool isTable(ValueId value) const {
        const Type& type = m_types.type(value);
        return isFloatingPoint(type.element) && type.elementCount() != 1U;
    }
    /// Constants of the other halves, and what is made of such alone; weights are none.
    bool isPlain(std::uint32_t at) const {
        if (isShapeReader(at)) return true;
        if (!m_index.constantNodes()[at]) return false;
        const auto inputs = m_index.inputs(at);
        return std::all_of(inputs.begin(), inputs.end(), [&](ValueId v) {
            if (v.isNone()) return true;
            const auto from = m_index.producer(v);
            return from == kNone ? !isTable(v) : m_isNeutral[from];
        });
    }

    bool isPrediction(ValueId value) const {
        const ValueId original = m_numbers.original[value.index];
        return std::find(m_predictions.begin(), m_predictions.end(), original) != m_predictions.end();
    }

    bool isReadForward(ValueId value) const { return m_isNetworkInput[value.index]; }
    void markNetworkInputs() {
        m_isNetworkInput.assign(m_model.valueIdCount(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            for (const ValueId input : m_index.inputs(at))
                if (m_network[at] && input) m_isNetworkInput[input.index] = true;
    }

    /// Backward nodes that read predictions, labels and the loss, and nothing else; and those that handle
    /// shapes alone.
    void findHead() {
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (m_loss[at]) markPredictions(at);
            if (!m_backward[at]) {
                m_isNeutral[at] = isPlain(at);
                continue;
            }
            if (makesGradients(at)) {
                m_carries[at] = true;
                m_flow.hasOperators = true;
                continue;
            }
            bool isNeutral = true, isOfLoss = true;
            const auto inputs = m_index.inputs(at);
            // Of what it is cast like, only the type counts.
            const std::size_t count = m_index.isOp(at, "CastLike") ? 1 : inputs.size();
            for (std::size_t slot = 0; slot < count && slot < inputs.size(); ++slot) {
                if (inputs[slot].isNone()) continue;
                const Source source = sourceOf(inputs[slot]);
                isNeutral = isNeutral && source == Source::neutral;
                isOfLoss = isOfLoss && (source == Source::neutral || source == Source::loss);
            }
            m_isNeutral[at] = isNeutral || isShapeReader(at);
            m_isOfLoss[at] = isOfLoss && !m_isNeutral[at];
            if (m_isOfLoss[at]) markPredictions(at);
        }
    }

    /// Which predictions the results depend on, one bit each.
    void markPredictions(std::uint32_t at) {
        for (const ValueId input : m_index.inputs(at)) {
            if (input.isNone()) continue;
            for (std::size_t i = 0; i < std::min(m_predictions.size(), kMostPredictions); ++i)
                if (m_numbers.original[input.index] == m_predictions[i]) m_seen[at] |= 1ULL << i;
            if (const auto from = m_index.producer(input);
                from != kNone && (m_loss[from] || m_isOfLoss[from]))
                m_seen[at] |= m_seen[from];
        }
    }

    /// The gradients of the predictions: what the rest of the backward half, or an update, reads of the
    /// derivative of the loss, with the layout changes behind the gradient taken off.
    void findStarts() {
        std::vector<ValueId> exits;
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            const bool isBehind =
                m_backward[at] && !m_isOfLoss[at] && !m_isNeutral[at] && !makesGradients(at);
            const bool isUpdate = !m_backward[at] && !m_network[at] && !m_loss[at];
            if (!isBehind && !isUpdate) continue;
            for (const ValueId input : m_index.inputs(at)) {
                const auto from = m_index.producer(input);
                const bool isHead = from != kNone && (m_isOfLoss[from] || (isBehind && m_loss[from]));
                if (isHead && !isPrediction(input)) exits.push_back(input);
            }
        }
        std::vector<bool> seen(m_model.valueIdCount(), false);
        for (std::size_t next = 0; next < exits.size(); ++next) {
            const ValueId value = exits[next];
            if (seen[value.index]) continue;
            seen[value.index] = true;
            const std::uint32_t at = m_index.producer(value);
            if (const ValueId prediction = predictionLike(value, at)) {
                startAt(value, prediction);
                continue;
            }
            for (const ValueId input : m_index.inputs(at)) {
                const auto from = m_index.producer(input);
                if (from != kNone && m_isOfLoss[from] && !isPrediction(input)) exits.push_back(input);
            }
        }
        dropLaterStarts();
    }

    /// The prediction that a value of the derivative of the loss may be the gradient of: of the same type,
    /// and the only one that it depends on.
    ValueId predictionLike(ValueId value, std::uint32_t at) const {
        ValueId found;
        for (std::size_t i = 0; i < std::min(m_predictions.size(), kMostPredictions); ++i) {
            if ((m_seen[at] >> i & 1U) == 0) continue;
            if (m_seen[at] != 1ULL << i) return {};
            const Type &mine = m_types.type(value), &type = m_types.type(m_predictions[i]);
            if (isFloatingPoint(mine.element) && mine.element == type.element && hasSameDims(mine, type))
                found = m_predictions[i];
        }
        return found;
    }

    static bool hasSameDims(const Type& a, const Type& b) {
        if (!a.isTensor() || !b.isTensor() || !a.hasShape || !b.hasShape) return false;
        return std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                          [](const Dim& x, const Dim& y) { return x.value == y.value; });
    }

    void startAt(ValueId value, ValueId prediction) {
        m_flow.of.emplace(value, prediction);
        m_starts.push_back(value);
    }

    /// A start that is made of another one is no start: a transposed gradient of a square prediction.
    void dropLaterStarts() {
        GraphIndex::Flags behind(m_index.size(), false);
        std::sort(m_starts.begin(), m_starts.end(),
                  [&](ValueId a, ValueId b) { return m_index.producer(a) < m_index.producer(b); });
        std::vector<bool> isStart(m_model.valueIdCount(), false);
        for (const ValueId value : m_starts)
            isStart[value.index] = true;
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_isOfLoss[at] && !m_loss[at]) continue;
            for (const ValueId input : m_index.inputs(at)) {
                if (input.isNone()) continue;
                const auto from = m_index.producer(input);
                if (isStart[input.index] || (from != kNone && behind[from])) behind[at] = m_isOfLoss[at];
            }
        }
        std::erase_if(m_starts, [&](ValueId value) {
            const bool isLater = behind[m_index.producer(value)];
            if (isLater) m_flow.of.erase(value);
            return isLater;
        });
    }

    // --- what carries gradients ---

    void findCarriers() {
        std::vector<bool> isStart(m_model.valueIdCount(), false);
        for (const ValueId value : m_starts)
            isStart[value.index] = true;
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_backward[at]) continue;
            for (const ValueId input : m_index.inputs(at)) {
                if (input.isNone() || m_isNeutral[at]) continue;
                const auto from = m_index.producer(input);
                if (isStart[input.index] || (from != kNone && m_backward[from] && m_carries[from]))
                    m_carries[at] = true;
            }
            m_flow.kind[at] = m_isNeutral[at]  ? BackwardKind::shape
                              : m_carries[at]  ? BackwardKind::gradient
                              : m_isOfLoss[at] ? BackwardKind::lossDerivative
                                               : BackwardKind::preparation;
        }
    }

    void trustTheError() {
        std::vector<BackwardKind>& kinds = m_flow.kind;
        if (std::find(kinds.begin(), kinds.end(), BackwardKind::gradient) != kinds.end()) return;
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            const bool isData =
                kinds[at] == BackwardKind::preparation || kinds[at] == BackwardKind::lossDerivative;
            if (!isData || !m_tainted[at]) continue;
            kinds[at] = BackwardKind::gradient;
            m_carries[at] = true;
        }
    }

    // --- layers with weights ---

    /// The only node of the network that reads a weight, through nothing but rearrangements.
    NodeId readerOf(ValueId weight) const {
        NodeId found;
        std::vector<ValueId> pending{weight};
        for (std::size_t next = 0; next < pending.size(); ++next) {
            for (const Use use : m_model.uses(pending[next])) {
                const auto reader = m_index.position(use.node);
                if (reader == kNone || !m_network[reader]) continue;
                if (isLayoutChange(m_index, reader) && pending.size() < 16) {
                    pending.push_back(m_model.output(m_index.node(reader), 0));
                } else if (found && found != m_index.node(reader)) {
                    return {};
                } else {
                    found = m_index.node(reader);
                }
            }
        }
        return found;
    }

    /// Which nodes of the network depend on more than one weight that is trained.
    void findTrained() {
        std::vector<bool> isTrained(m_model.valueIdCount(), false);
        for (const auto& [gradient, weight] : m_weightOf)
            isTrained[weight.index] = true;
        std::vector<ValueId> first(m_index.size());
        m_hasSeveral.assign(m_index.size(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_network[at]) continue;
            for (const ValueId input : m_index.inputs(at)) {
                if (input.isNone()) continue;
                const auto from = m_index.producer(input);
                const ValueId weight = from != kNone            ? first[from]
                                       : isTrained[input.index] ? input
                                                                : ValueId();
                if (from != kNone && m_hasSeveral[from]) m_hasSeveral[at] = true;
                if (weight && first[at] && first[at] != weight) m_hasSeveral[at] = true;
                if (weight) first[at] = weight;
            }
        }
    }

    /// What makes nothing but the gradient of one weight belongs to the layer that reads it; the gradient
    /// that it works on is the one of what the layer makes.
    void findLayers() {
        std::unordered_map<ValueId, NodeId> layerOf; // by gradient
        findTrained();
        for (const auto& [gradient, weight] : m_weightOf) {
            const NodeId layer = readerOf(weight);
            // Without another weight at the layer or before it, all that comes back from the loss ends in
            // this one gradient: where the part of the layer begins cannot be told.
            if (layer && m_hasSeveral[m_index.position(layer)]) layerOf.emplace(gradient, layer);
        }
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_backward[at]) continue;
            NodeId layer;
            ValueId end = m_onlyEnds[at];
            for (const ValueId output : m_model.outputs(m_index.node(at)))
                if (output && m_weightOf.contains(output)) end = output;
            if (const auto known = layerOf.find(end); end && known != layerOf.end()) layer = known->second;
            if (layer.isNone()) continue;
            m_flow.layer[at] = layer;
            if (!m_carries[at] || makesGradients(at)) continue;
            for (const ValueId input : m_index.inputs(at))
                if (entersChain(input, end)) knowGradient(input, m_model.output(layer, 0));
        }
    }

    /// A gradient that serves more than this one weight.
    bool entersChain(ValueId value, ValueId end) const {
        const auto from = m_index.producer(value);
        if (from == kNone) return false;
        if (m_flow.of.contains(value)) return false;
        return m_backward[from] && m_carries[from] && m_onlyEnds[from] != end;
    }

    void knowGradient(ValueId gradient, ValueId of) {
        const auto mine = m_types.type(gradient).elementCount(), theirs = m_types.type(of).elementCount();
        if (mine && theirs && *mine == *theirs && *mine > 1) m_flow.of.emplace(gradient, of);
    }

    /// The known gradient nearest to the inputs of the network that each node works on.
    void followOrigins() {
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_backward[at] || !m_carries[at]) continue;
            ValueId& from = m_flow.from[at];
            for (const ValueId input : m_index.inputs(at)) {
                if (input.isNone()) continue;
                const auto maker = m_index.producer(input);
                const auto known = m_flow.of.find(input);
                const ValueId origin = known != m_flow.of.end() ? known->second
                                       : maker != kNone         ? m_flow.from[maker]
                                                                : ValueId();
                if (origin && (from.isNone() || placeOf(origin) < placeOf(from))) from = origin;
            }
        }
    }
    std::uint32_t placeOf(ValueId value) const {
        const auto maker = m_index.producer(value);
        return maker == kNone ? 0 : maker;
    }

    const GraphIndex& m_index;
    const Model& m_model;
    const TypeTable& m_types;
    const ValueNumbers& m_numbers;
    const GraphIndex::Flags &m_network, &m_loss, &m_backward, &m_tainted;
    std::span<const ValueId> m_predictions;
    const std::unordered_map<ValueId, ValueId>& m_weightOf;
    std::span<const ValueId> m_onlyEnds;
    GradientFlow m_flow;
    GraphIndex::Flags m_hasSeveral; ///< by position: depends on more than one trained weight
    GraphIndex::Flags m_isNeutral, m_isOfLoss, m_carries;
    std::vector<bool> m_isNetworkInput; ///< by ValueId index
    std::vector<std::uint64_t> m_seen;  ///< by position: predictions that it depends on
    std::vector<ValueId> m_starts;
};

} // namespace

GradientFlow findGradientFlow(const GraphIndex& index, const TypeTable& types, const ValueNumbers& numbers,
                              const GraphIndex::Flags& network, const GraphIndex::Flags& loss,
                              const GraphIndex::Flags& backward, const GraphIndex::Flags& tainted,
                              std::span<const ValueId> predictions,
                              const std::unordered_map<ValueId, ValueId>& weightOf,
                              std::span<const ValueId> onlyEnds) {
    return FlowSearch(index, types, numbers, network, loss, backward, tainted, predictions, weightOf,
                      onlyEnds)
        .run();
}

} // namespace secateur
