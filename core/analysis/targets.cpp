// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/targets.h"

#include "core/analysis/forward_mode.h"
#include "core/analysis/graph_index.h"
#include "core/analysis/loss_inputs.h"
#include "core/analysis/training_signs.h"
#include "core/ir/node_count.h"
#include "core/support/number_table.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

namespace secateur {
namespace {

constexpr double kClear = 0.8, kAhead = 0.2;
constexpr std::size_t kMostRejected = 12; ///< rejected outputs that are listed; a training graph has hundreds
constexpr std::size_t kMostCompared = 16; ///< outputs whose inputs are compared with each other
/// What a name may add. It breaks ties between candidates, never makes one.
constexpr double kNameHint = 0.01;

class TargetSearch {
  public:
    TargetSearch(const Model& model, const TypeTable& types)
        : m_model(model), m_types(types), m_index(model), m_signs(findTrainingSigns(m_index, types)) {}

    TargetAnalysis run() {
        m_result.isTrainingGraph = m_signs.hasTrainingOperators || m_signs.hasTrainingMode ||
                                   m_signs.hasYield || m_signs.hasWeightUpdates;
        collectOutputs();
        if (m_signs.hasYield) takeYieldInputs();
        if (!m_result.isTrainingGraph && !takeForwardModePair()) takeAllOutputs();
        if (m_result.isTrainingGraph && m_result.candidates.empty()) takePredictions();
        finish();
        return std::move(m_result);
    }

  private:
    struct Output {
        ValueId value;
        std::size_t slot = 0;
        Reason rejected; ///< empty id: still a candidate
    };

    void collectOutputs() {
        std::set<ValueId> seen;
        const auto outputs = m_model.graphOutputs(m_model.mainGraph());
        for (std::size_t slot = 0; slot < outputs.size(); ++slot)
            if (outputs[slot] && seen.insert(outputs[slot]).second)
                m_outputs.push_back({outputs[slot], slot, Reason()});
    }

    void add(ValueId value, double score, std::vector<Reason> evidence) {
        const auto next = static_cast<std::uint32_t>(m_result.candidates.size());
        if (const auto [at, isNew] = m_candidateOf.tryEmplace(value.index, next); !isNew) {
            TargetCandidate& known = m_result.candidates[*at];
            known.score = std::max(known.score, score);
            known.evidence.insert(known.evidence.end(), evidence.begin(), evidence.end());
            return;
        }
        TargetCandidate candidate;
        candidate.value = value;
        candidate.score = score;
        candidate.isGraphOutput = m_model.isGraphOutput(value);
        candidate.evidence = std::move(evidence);
        m_result.candidates.push_back(std::move(candidate));
    }

    void takeYieldInputs() {
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_index.isOp(at, "YieldOp")) continue;
            const NodeId node = m_index.node(at);
            for (const ValueId input : m_model.inputs(node))
                if (input) add(input, 0.95, {Reason("targets.yield-input", {input, node})});
        }
    }

    void takeAllOutputs() {
        for (const Output& output : m_outputs)
            add(output.value, 0.95, {Reason("targets.output-of-inference-model", {output.value})});
    }

    /// A derivative computed forwards beside the network looks just like it: a person has to say which is
    /// which.
    bool takeForwardModePair() {
        const auto pairs = findForwardModePairs(m_index, m_types, m_signs);
        if (pairs.empty()) return false;
        m_result.isTrainingGraph = true;
        std::set<ValueId> primal, tangent;
        for (const ForwardModePair& pair : pairs) {
            primal.insert(pair.primal);
            tangent.insert(pair.tangent);
        }
        for (const Output& output : m_outputs) {
            if (tangent.contains(output.value)) {
                add(output.value, 0.7,
                    {Reason("targets.may-be-derivative", {output.value, partner(pairs, output.value)})});
            } else if (primal.contains(output.value)) {
                add(output.value, 0.75,
                    {Reason("targets.has-derivative-beside", {output.value, partner(pairs, output.value)})});
            } else {
                add(output.value, 0.7, {Reason("targets.graph-output", {output.value})});
            }
        }
        return true;
    }

    static ValueId partner(const std::vector<ForwardModePair>& pairs, ValueId value) {
        for (const ForwardModePair& pair : pairs) {
            if (pair.primal == value) return pair.tangent;
            if (pair.tangent == value) return pair.primal;
        }
        return {};
    }

    // --- training graphs ---

    void takePredictions() {
        m_lossInputs = inputsOfLossOperators(m_index);
        rejectTrainingOutputs();
        rejectStatistics();
        rejectWithoutData();
        rejectLabelled();
        std::vector<Output*> remaining;
        for (Output& output : m_outputs)
            if (output.rejected.id.empty()) remaining.push_back(&output);
        if (remaining.empty() || isOnlyALoss(remaining)) {
            takeLossInputs();
            if (m_result.candidates.empty() && !remaining.empty()) takeNumbers(remaining);
        } else {
            for (const Output* output : remaining)
                add(output->value, 0.95, evidenceFor(output->value));
            takeFurtherHeads(remaining);
        }
        addRejected();
    }

    /// Outputs of the backward half and of the optimizer, and whatever a loss or a gradient flows into.
    void rejectTrainingOutputs() {
        GraphIndex::Flags gradients(m_index.size(), false), losses(m_index.size(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            const OperatorTraits& traits = m_index.traits(at);
            gradients[at] = traits.isGradient || traits.isOptimizer || traits.isAccumulator;
            losses[at] = traits.isLoss;
        }
        gradients = m_index.behind(std::move(gradients));
        losses = m_index.behind(std::move(losses));
        for (Output& output : m_outputs) {
            const auto at = m_index.producer(output.value);
            if (at == GraphIndex::kNone) continue;
            const NodeId node = m_index.node(at);
            if (m_index.traits(at).isAccumulator)
                output.rejected = Reason("targets.reject-accumulator", {output.value, node});
            else if (m_index.traits(at).isOptimizer)
                output.rejected = Reason("targets.reject-optimizer", {output.value, node});
            else if (m_index.traits(at).isLoss)
                output.rejected = Reason("targets.reject-loss", {output.value, node});
            else if (gradients[at])
                output.rejected = Reason("targets.reject-behind-gradient", {output.value});
            else if (losses[at])
                output.rejected = Reason("targets.reject-behind-loss", {output.value});
        }
        if (!m_signs.hasWeightUpdates && !m_signs.hasTrainingOperators) return;
        NumberTable outputOf;
        for (std::uint32_t i = 0; i < m_outputs.size(); ++i)
            outputOf.tryEmplace(m_outputs[i].value.index, i);
        for (const StateUpdate& update : m_signs.updates) {
            const std::uint32_t i = outputOf.find(update.output.index);
            if (i != NumberTable::kNone && m_outputs[i].rejected.id.empty())
                m_outputs[i].rejected = Reason("targets.reject-update", {update.output, update.state});
        }
    }

    /// Running statistics, saved statistics, masks and indices: results beside the first of operators known
    /// for them.
    void rejectStatistics() {
        static constexpr std::array<std::string_view, 8> kOps{
            "BatchNormInternal", "BatchNormalization", "BiasDropout", "BitmaskDropout",
            "Dropout",           "LayerNormalization", "MaxPool",     "SimplifiedLayerNormalization"};
        for (Output& output : m_outputs) {
            const auto at = m_index.producer(output.value);
            if (at == GraphIndex::kNone || !output.rejected.id.empty()) continue;
            const bool isBeside = m_model.value(output.value).resultIndex > 0;
            if (isBeside && std::binary_search(kOps.begin(), kOps.end(), m_model.op(m_index.node(at))))
                output.rejected = Reason("targets.reject-statistics", {output.value, m_index.node(at)});
        }
    }

    /// Weights and statistics that are handed through, and whatever else no data flows into.
    void rejectWithoutData() {
        std::vector<bool> isData(m_model.valueIdCount(), false);
        for (const ValueId input : m_model.graphInputs(m_model.mainGraph()))
            isData[input.index] = !m_model.isInitializer(input) && !m_signs.isWeight[input.index];
        const auto behindData = m_index.behindValues(isData);
        for (Output& output : m_outputs) {
            const auto at = m_index.producer(output.value);
            const bool hasData = at == GraphIndex::kNone ? isData[output.value.index] : behindData[at];
            if (!hasData && output.rejected.id.empty())
                output.rejected = Reason("targets.reject-no-data", {output.value});
        }
    }

    /// What an output reads: graph inputs without values of their own that are no weights. `labels` are those
    /// that flow into none of the layers on the way to the output.
    struct Reads {
        std::set<ValueId> data, labels;
    };

    Reads readsOf(ValueId output) const {
        const auto cone = m_index.coneOf(std::array{output});
        GraphIndex::Flags feeds(m_index.size(), false);
        Reads reads;
        std::set<ValueId> fed;
        for (std::uint32_t at = m_index.size(); at-- > 0;) {
            if (!cone[at]) continue;
            if (m_signs.readsWeight[at]) feeds[at] = true;
            for (const ValueId input : m_index.inputs(at)) {
                if (input.isNone()) continue;
                if (const auto from = m_index.producer(input); from != GraphIndex::kNone) {
                    if (feeds[at]) feeds[from] = true;
                } else if (m_model.isGraphInput(input) && !m_model.isInitializer(input) &&
                           !m_signs.isWeight[input.index]) {
                    reads.data.insert(input);
                    if (feeds[at]) fed.insert(input);
                }
            }
        }
        std::set_difference(reads.data.begin(), reads.data.end(), fed.begin(), fed.end(),
                            std::inserter(reads.labels, reads.labels.end()));
        return reads;
    }

    /// Losses and metrics in plain operators: they read an input that other outputs do without and that no
    /// layer reads. In a graph that trains nothing such an input may as well be a mask or a condition: there
    /// only a single number counts as a loss.
    void rejectLabelled() {
        std::vector<Output*> remaining;
        for (Output& output : m_outputs)
            if (output.rejected.id.empty()) remaining.push_back(&output);
        if (remaining.size() > kMostCompared) return;
        const bool trains = m_signs.hasTrainingOperators || m_signs.hasWeightUpdates || !m_lossInputs.empty();
        std::vector<Reads> reads;
        for (const Output* output : remaining)
            reads.push_back(readsOf(output->value));
        for (std::size_t i = 0; i < remaining.size(); ++i) {
            for (std::size_t other = 0; other < remaining.size(); ++other) {
                if (reads[other].data.empty() || reads[i].data == reads[other].data) continue;
                if (!std::includes(reads[i].data.begin(), reads[i].data.end(), reads[other].data.begin(),
                                   reads[other].data.end()))
                    continue;
                if (!trains && !isSingleElement(m_types.type(remaining[i]->value))) continue;
                for (const ValueId label : reads[i].labels)
                    if (!reads[other].data.contains(label) && remaining[i]->rejected.id.empty())
                        remaining[i]->rejected =
                            Reason("targets.reject-reads-label", {remaining[i]->value, label});
            }
        }
    }

    /// The weights that a value depends on.
    [[nodiscard]] std::set<ValueId> weightsBehind(ValueId value) const {
        const auto cone = m_index.coneOf(std::array{value});
        std::set<ValueId> weights;
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!cone[at] || !m_signs.readsWeight[at]) continue;
            for (const ValueId input : m_index.inputs(at))
                if (input && (m_signs.isWeight[input.index] || m_model.isInitializer(input)))
                    weights.insert(input);
        }
        return weights;
    }

    /// What a loss compares with labels is predicted, too, where it has layers of its own: weights that no
    /// output needs. A second computation of an output, or a step between one and the loss, has none.
    void takeFurtherHeads(const std::vector<Output*>& outputs) {
        if (m_lossInputs.empty() || outputs.size() > kMostCompared) return;
        std::set<ValueId> known;
        for (const Output* output : outputs)
            known.merge(weightsBehind(output->value));
        for (const LossInput& input : m_lossInputs) {
            const std::set<ValueId> weights = weightsBehind(input.prediction);
            if (std::includes(known.begin(), known.end(), weights.begin(), weights.end())) continue;
            std::vector<Reason> evidence{Reason("targets.input-of-loss", {input.prediction, input.meets})};
            if (input.label)
                evidence.push_back(Reason("targets.compared-with", {input.prediction, input.label}));
            add(input.prediction, 0.95, std::move(evidence));
        }
    }

    [[nodiscard]] bool isOnlyALoss(const std::vector<Output*>& remaining) {
        return std::all_of(remaining.begin(), remaining.end(), [&](const Output* output) {
            return isSingleElement(m_types.type(output->value));
        });
    }

    std::vector<Reason> evidenceFor(ValueId value) const {
        std::vector<Reason> evidence{Reason("targets.graph-output-no-loss", {value})};
        for (const LossInput& input : m_lossInputs)
            if (input.prediction == value || input.normalized == value)
                evidence.push_back(Reason("targets.read-by-loss", {value, input.meets}));
        if (m_signs.hasWeightUpdates) evidence.push_back(Reason("targets.weights-updated-beside", {value}));
        return evidence;
    }

    void takeLossInputs() {
        for (const LossInput& input : m_lossInputs) {
            std::vector<Reason> evidence{Reason("targets.input-of-loss", {input.prediction, input.meets})};
            if (input.label)
                evidence.push_back(Reason("targets.compared-with", {input.prediction, input.label}));
            addLossInput(input, std::move(evidence), 0.95);
        }
        if (!m_result.candidates.empty()) return;
        for (Output& output : m_outputs) {
            const bool isLabelled = output.rejected.id == "targets.reject-reads-label";
            if (!isSingleElement(m_types.type(output.value)) || (!output.rejected.id.empty() && !isLabelled))
                continue;
            for (const LossInput& input : inputsOfPlainLoss(m_index, m_types, m_signs, output.value)) {
                addLossInput(input,
                             {Reason("targets.meets-label",
                                     {input.prediction, input.label, input.meets, output.value})},
                             input.isCertain ? 0.9 : 0.65);
                if (output.rejected.id.empty())
                    output.rejected = Reason("targets.reject-reads-label", {output.value, input.label});
            }
        }
    }

    void addLossInput(const LossInput& input, std::vector<Reason> evidence, double score) {
        add(input.prediction, score, std::move(evidence));
        if (input.normalized == input.prediction) return;
        add(input.normalized, score - 0.35,
            {Reason("targets.normalized-for-loss", {input.normalized, input.prediction})});
    }

    /// Single numbers that nothing shows to be a loss: what the graph computes, where only its mode is that
    /// of training.
    void takeNumbers(const std::vector<Output*>& outputs) {
        const bool hasBackwardHalf = m_signs.hasTrainingOperators || m_signs.hasWeightUpdates;
        for (const Output* output : outputs) {
            if (hasBackwardHalf)
                add(output->value, 0.6, {Reason("targets.single-number", {output->value})});
            else
                add(output->value, 0.9, {Reason("targets.graph-output-no-loss", {output->value})});
        }
    }

    void addRejected() {
        std::size_t count = 0;
        for (const Output& output : m_outputs) {
            const bool isTaken = m_candidateOf.find(output.value.index) != NumberTable::kNone;
            if (output.rejected.id.empty() || isTaken || count++ >= kMostRejected) continue;
            add(output.value, output.rejected.id == "targets.reject-accumulator" ? 0.05 : 0.15,
                {output.rejected});
        }
    }

    // --- ranking ---

    void finish() {
        NodeCounter counter(m_model);
        std::vector<std::uint32_t> seenBy(m_index.size(), GraphIndex::kNone); // by node: the last that saw it
        for (std::uint32_t c = 0; c < m_result.candidates.size(); ++c)
            m_result.candidates[c].keptNodes = counter.of(keptBy(c, seenBy));
        const auto hint = [&](const TargetCandidate& c) {
            const std::string_view name = m_model.name(c.value);
            return name == "output" || name == "logits" || name == "prediction" ? kNameHint : 0.0;
        };
        std::stable_sort(m_result.candidates.begin(), m_result.candidates.end(),
                         [&](const TargetCandidate& a, const TargetCandidate& b) {
                             return a.score + hint(a) > b.score + hint(b);
                         });
        chooseClear();
    }

    /// The nodes that a candidate depends on: as long as that takes, and not as long as the graph is. There
    /// may be tens of thousands of outputs.
    std::vector<NodeId> keptBy(std::uint32_t candidate, std::vector<std::uint32_t>& seenBy) const {
        std::vector<std::uint32_t> found;
        const auto see = [&](ValueId value) {
            const std::uint32_t at = value.isNone() ? GraphIndex::kNone : m_index.producer(value);
            if (at == GraphIndex::kNone || seenBy[at] == candidate) return;
            seenBy[at] = candidate;
            found.push_back(at);
        };
        see(m_result.candidates[candidate].value);
        for (std::size_t i = 0; i < found.size(); ++i)
            for (const ValueId input : m_index.inputs(found[i]))
                see(input);
        std::sort(found.begin(), found.end());
        std::vector<NodeId> kept;
        for (const std::uint32_t at : found)
            kept.push_back(m_index.node(at));
        return kept;
    }

    void chooseClear() {
        const auto& candidates = m_result.candidates;
        if (candidates.empty() || candidates.front().score < kClear) return;
        const double best = candidates.front().score;
        std::size_t taken = 0;
        while (taken < candidates.size() && candidates[taken].score >= best - 0.05)
            ++taken;
        if (taken < candidates.size() && candidates[taken].score > best - kAhead) return;
        for (std::size_t i = 0; i < taken; ++i)
            m_result.clear.push_back(candidates[i].value);
        keepOutputOrder();
    }

    /// Outputs that are taken keep the order in which the graph lists them.
    void keepOutputOrder() {
        std::map<ValueId, std::size_t> slotOf;
        for (const Output& output : m_outputs)
            slotOf.emplace(output.value, output.slot);
        const auto rank = [&](ValueId value) {
            const auto at = slotOf.find(value);
            return at == slotOf.end() ? slotOf.size() : at->second;
        };
        std::stable_sort(m_result.clear.begin(), m_result.clear.end(),
                         [&](ValueId a, ValueId b) { return rank(a) < rank(b); });
    }

    const Model& m_model;
    const TypeTable& m_types;
    GraphIndex m_index;
    TrainingSigns m_signs;
    std::vector<Output> m_outputs;
    std::vector<LossInput> m_lossInputs;
    TargetAnalysis m_result;
    NumberTable m_candidateOf; ///< by value
};

} // namespace

TargetAnalysis findTargets(const Model& model, const TypeTable& types) {
    return TargetSearch(model, types).run();
}

ValueId resolveTarget(const Model& model, std::string_view name, std::vector<std::string>& nearest) {
    nearest.clear();
    if (const ValueId found = model.findValue(name); found && !name.empty()) return found;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model.valueIdCount(); ++i) {
        const ValueId value(i);
        if (model.isAlive(value) && model.value(value).graph == model.mainGraph() &&
            !model.name(value).empty())
            names.emplace_back(model.name(value));
    }
    nearest = nearestNames(name, names);
    return {};
}

} // namespace secateur
