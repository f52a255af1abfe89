// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/roles.h"

#include "core/analysis/forward_mode.h"
#include "core/analysis/gradient_flow.h"
#include "core/analysis/gradient_twins.h"
#include "core/analysis/graph_index.h"
#include "core/analysis/targets.h"
#include "core/analysis/training_signs.h"
#include "core/analysis/update_tails.h"
#include "core/analysis/value_numbers.h"
#include "core/ir/walk.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace secateur {
namespace {

using Flags = GraphIndex::Flags;
constexpr std::uint32_t kNone = GraphIndex::kNone;

bool isShapeReader(const GraphIndex& index, std::uint32_t at) {
    const std::string_view op = index.model().op(index.node(at));
    return op == "Shape" || op == "Size";
}

/// Operators without a derivative: what is behind them and nothing else is a count or a comparison, no loss.
bool blocksGradients(const GraphIndex& index, std::uint32_t at) {
    static constexpr std::array<std::string_view, 16> kOps{"And",     "ArgMax",      "ArgMin",
                                                           "Equal",   "Greater",     "GreaterOrEqual",
                                                           "Less",    "LessOrEqual", "NonMaxSuppression",
                                                           "NonZero", "Not",         "Or",
                                                           "Shape",   "Sign",        "Size",
                                                           "Xor"};
    return std::binary_search(kOps.begin(), kOps.end(), index.model().op(index.node(at)));
}

class RoleSearch {
  public:
    RoleSearch(const Model& model, const TypeTable& types, std::span<const ValueId> targets)
        : m_model(model), m_types(types), m_index(model), m_signs(findTrainingSigns(m_index, types)) {
        m_analysis = findTargets(model, types);
        m_predictions = m_analysis.clear;
        if (m_predictions.empty()) m_predictions.assign(targets.begin(), targets.end());
        if (m_predictions.empty() && !m_analysis.candidates.empty())
            m_predictions = {m_analysis.candidates.front().value};
        m_roles.assign(m_index.size(), std::nullopt);
        m_chosen.assign(targets.begin(), targets.end());
    }

    RoleTable run() {
        m_table.isTrainingGraph = m_analysis.isTrainingGraph;
        m_table.isWeight = m_signs.isWeight;
        m_table.byNode.assign(m_model.nodeIdCount(), Role::forward);
        m_table.gradientOf.assign(m_model.nodeIdCount(), NodeId());
        m_table.serves.assign(m_model.nodeIdCount(), ValueId());
        m_table.backwardKinds.assign(m_model.nodeIdCount(), BackwardKind::none);
        m_table.gradientFrom.assign(m_model.nodeIdCount(), ValueId());
        m_table.isTwinSure.assign(m_model.nodeIdCount(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            if (m_signs.trainingMode[at]) m_table.inTrainingMode.push_back(m_index.node(at));
        if (!m_table.isTrainingGraph) return std::move(m_table);
        findForward();
        m_numbers = findRepeats(m_index, m_forward);
        findTainted();
        assignByOperator();
        assignTails();
        assignLoss();
        assignRecompute();
        assignBackward();
        assignRest();
        findTwins();
        pairByOrder();
        findServed();
        writeTable();
        findStashes();
        return std::move(m_table);
    }

  private:
    bool isUnassigned(std::uint32_t at) const { return !m_roles[at].has_value(); }
    bool is(std::uint32_t at, Role role) const { return m_roles[at] == role; }
    void assignWhere(const Flags& flags, Role role) {
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            if (flags[at] && isUnassigned(at)) m_roles[at] = role;
    }

    /// The forward half: what the predictions depend on, and what a person chose within or beside it.
    void findForward() {
        m_forward = m_index.coneOf(m_predictions);
        Flags training(m_index.size(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            training[at] = isTrainingOperator(at);
        training = m_index.behind(std::move(training));
        const Flags behindPrediction = behindPredictions();
        for (const ValueId target : m_chosen) {
            const auto from = m_index.producer(target);
            if (from == kNone || training[from] || behindPrediction[from]) continue;
            const Flags cone = m_index.coneOf(std::array{target});
            for (std::uint32_t at = 0; at < m_index.size(); ++at)
                if (cone[at]) m_forward[at] = true;
        }
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            if (m_forward[at] && isTrainingOperator(at)) m_forward[at] = false;
        assignWhere(m_forward, Role::forward);
    }

    Flags behindPredictions() const {
        std::vector<bool> values(m_model.valueIdCount(), false);
        for (const ValueId prediction : m_predictions)
            values[prediction.index] = true;
        return m_index.behindValues(values);
    }

    bool isTrainingOperator(std::uint32_t at) const {
        const OperatorTraits& traits = m_index.traits(at);
        return traits.isLoss || traits.isGradient || traits.isOptimizer || traits.isAccumulator ||
               m_index.isOp(at, "YieldOp");
    }

    /// Everything that carries the error: behind the predictions (or repetitions of them), the labels, the
    /// operators that only training has.
    void findTainted() {
        std::vector<bool> values(m_model.valueIdCount(), false);
        const std::set<ValueId> predictions(m_predictions.begin(), m_predictions.end());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = predictions.contains(m_numbers.original[i]);
        markLabels(values);
        Flags seeds(m_index.size(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            seeds[at] = m_index.traits(at).isLoss || m_index.traits(at).isGradient;
            for (const ValueId input : m_index.inputs(at))
                if (!m_forward[at] && input && values[input.index] && !isShapeReader(m_index, at))
                    seeds[at] = true;
        }
        m_tainted = m_index.behind(std::move(seeds));
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            if (m_forward[at]) m_tainted[at] = false;
    }

    /// Inputs without values of their own that the forward half does not read; buffers of state are no
    /// labels.
    void markLabels(std::vector<bool>& values) const {
        Flags readers(m_index.size(), false);
        std::vector<bool> isForwardInput(m_model.valueIdCount(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            for (const ValueId input : m_index.inputs(at))
                if (m_forward[at] && input) isForwardInput[input.index] = true;
        std::vector<bool> isState(m_model.valueIdCount(), false);
        for (const StateUpdate& update : m_signs.updates)
            isState[update.state.index] = true;
        for (const ValueId input : m_model.graphInputs(m_model.mainGraph())) {
            if (m_model.isInitializer(input) || isForwardInput[input.index] || isState[input.index]) continue;
            bool isRead = false;
            for (const Use use : m_model.uses(input)) {
                const auto reader = m_index.position(use.node);
                isRead = isRead || (reader != kNone && !isUpdateOperator(reader));
            }
            const Type& type = m_types.type(input);
            values[input.index] = isRead && !isSingleElement(type);
        }
    }

    bool isUpdateOperator(std::uint32_t at) const {
        return m_index.traits(at).isAccumulator || m_index.traits(at).isOptimizer;
    }

    void assignByOperator() {
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!isUnassigned(at)) continue;
            const OperatorTraits& traits = m_index.traits(at);
            if (traits.isAccumulator)
                m_roles[at] = Role::accumulator;
            else if (traits.isOptimizer)
                m_roles[at] = Role::optimizer;
            else if (traits.isGradient || m_index.isOp(at, "YieldOp"))
                m_roles[at] = Role::backward;
            else if (traits.isLoss)
                m_roles[at] = Role::loss;
        }
    }

    void assignTails() {
        m_tails = findUpdateTails(m_index, m_types, m_signs, m_forward, m_tainted);
        assignWhere(m_tails.accumulator, Role::accumulator);
        assignWhere(m_tails.optimizer, Role::optimizer);
    }

    // --- loss ---

    void assignLoss() {
        const std::vector<ValueId> losses = findLosses();
        Flags cone = m_index.coneOf(losses);
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (is(at, Role::loss)) m_lossOperators.push_back(at);
            if (cone[at] && isUnassigned(at)) m_roles[at] = Role::loss;
        }
        // What prepares the labels of a loss operator belongs to the loss, whether or not its result is an
        // output.
        std::vector<ValueId> read;
        for (const std::uint32_t at : m_lossOperators)
            for (const ValueId input : m_index.inputs(at))
                read.push_back(input);
        assignWhere(m_index.coneOf(read), Role::loss);
    }

    /// Graph outputs that are a loss: behind a loss operator, or, where the graph has none, a single number
    /// behind the prediction that gradients can flow through.
    std::vector<ValueId> findLosses() const {
        Flags byOperator(m_index.size(), false), gradients(m_index.size(), false);
        bool hasLossOperator = false;
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            byOperator[at] = m_index.traits(at).isLoss;
            hasLossOperator = hasLossOperator || byOperator[at];
            gradients[at] = m_roles[at] == Role::backward || m_roles[at] == Role::accumulator ||
                            m_roles[at] == Role::optimizer;
        }
        byOperator = m_index.behind(std::move(byOperator));
        gradients = m_index.behind(std::move(gradients));
        const Flags differentiable = hasLossOperator ? Flags() : findDifferentiable();
        const Flags readByGradients = hasLossOperator ? Flags() : findReadByGradients();
        std::vector<ValueId> losses, idle;
        for (const ValueId output : m_model.graphOutputs(m_model.mainGraph())) {
            const auto at = m_index.producer(output);
            if (at == kNone || m_forward[at] || gradients[at]) continue;
            if (hasLossOperator) {
                if (byOperator[at]) losses.push_back(output);
                continue;
            }
            if (!differentiable[at] || !isSingleElement(m_types.type(output))) continue;
            (sharesWith(output, readByGradients) ? losses : idle).push_back(output);
        }
        if (losses.empty() && !idle.empty()) losses.push_back(idle.front());
        return losses;
    }

    Flags findDifferentiable() const {
        Flags flags(m_index.size(), false);
        const std::set<ValueId> predictions(m_predictions.begin(), m_predictions.end());
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (m_forward[at] || blocksGradients(m_index, at)) continue;
            for (const ValueId input : m_index.inputs(at)) {
                if (input.isNone()) continue;
                const auto from = m_index.producer(input);
                if (predictions.contains(m_numbers.original[input.index]) || (from != kNone && flags[from]))
                    flags[at] = true;
            }
        }
        return flags;
    }

    /// Nodes with a result that the gradients of the weights are made from.
    Flags findReadByGradients() const { return m_index.coneOf(m_tails.gradients); }

    bool sharesWith(ValueId output, const Flags& others) const {
        const Flags cone = m_index.coneOf(std::array{output});
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            if (cone[at] && !m_forward[at] && m_tainted[at] && others[at]) return true;
        return false;
    }

    // --- recompute, backward, the rest ---

    /// Repetitions of forward nodes that handle data (shapes are read again without being recomputed), with
    /// the rearranged weights that they read.
    void assignRecompute() {
        Flags data = dependsOnForwardData();
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (m_numbers.repeats[at].isNone() || m_index.constantNodes()[at]) continue;
            if (isShapeReader(m_index, at) || !data[at] || isTrainingOperator(at)) continue;
            m_roles[at] = Role::recompute;
        }
        for (std::uint32_t at = m_index.size(); at-- > 0;) {
            if (!is(at, Role::recompute)) continue;
            for (const ValueId input : m_index.inputs(at)) {
                const auto from = m_index.producer(input);
                if (from != kNone && m_numbers.repeats[from] && !m_forward[from] &&
                    !is(from, Role::recompute))
                    m_roles[from] = Role::recompute;
            }
        }
    }

    Flags dependsOnForwardData() const {
        std::vector<bool> values(m_model.valueIdCount(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_forward[at]) continue;
            for (const ValueId input : m_index.inputs(at))
                if (input && m_index.producer(input) == kNone && !m_model.isInitializer(input) &&
                    !m_signs.isWeight[input.index])
                    values[input.index] = true;
        }
        return m_index.behindValues(values);
    }

    void assignBackward() {
        std::vector<ValueId> ends = m_tails.gradients;
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            const bool isEnd = is(at, Role::backward) || is(at, Role::accumulator) || is(at, Role::optimizer);
            if (!isEnd || m_tails.optimizer[at] || m_tails.accumulator[at]) continue;
            for (const ValueId input : m_index.inputs(at))
                ends.push_back(input);
        }
        const Flags cone = m_index.coneOf(ends);
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            if (cone[at] && isUnassigned(at) && !m_index.constantNodes()[at]) m_roles[at] = Role::backward;
        // Gradients that nobody needs, or that are outputs themselves.
        Flags behind(m_index.size(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            behind[at] = is(at, Role::backward) && m_tainted[at];
        behind = m_index.behind(std::move(behind));
        assignWhere(behind, Role::backward);
        assignTangents();
    }

    /// A derivative computed forwards beside the network is no less a gradient.
    void assignTangents() {
        for (const ForwardModePair& pair : findForwardModePairs(m_index, m_types, m_signs)) {
            if (std::find(m_predictions.begin(), m_predictions.end(), pair.primal) == m_predictions.end())
                continue;
            assignWhere(m_index.coneOf(std::array{pair.tangent}), Role::backward);
            m_table.hasForwardDerivative = true;
        }
    }

    void assignRest() {
        static constexpr std::array kFirst{Role::forward,  Role::recompute,   Role::loss,     Role::metric,
                                           Role::backward, Role::accumulator, Role::optimizer};
        const auto rank = [](Role role) {
            return std::find(kFirst.begin(), kFirst.end(), role) - kFirst.begin();
        };
        for (std::uint32_t at = m_index.size(); at-- > 0;) {
            if (!isUnassigned(at)) continue;
            m_roles[at] = Role::metric;
            if (!m_index.constantNodes()[at]) continue;
            std::optional<Role> best; // a constant goes with those that read it
            forEachReader(at, [&](std::uint32_t reader) {
                if (m_roles[reader] && (!best || rank(*m_roles[reader]) < rank(*best)))
                    best = m_roles[reader];
            });
            if (best)
                m_roles[at] = best;
            else if (m_signs.hasWeightUpdates && isGraphOutput(at))
                m_roles[at] = Role::optimizer; // a state handed on as it is
        }
    }

    bool isGraphOutput(std::uint32_t at) const {
        const auto outputs = m_model.outputs(m_index.node(at));
        return std::any_of(outputs.begin(), outputs.end(),
                           [&](ValueId v) { return v && m_model.isGraphOutput(v); });
    }

    template <class Visit> void forEachReader(std::uint32_t at, Visit&& visit) const {
        for (const ValueId output : m_model.outputs(m_index.node(at))) {
            if (output.isNone()) continue;
            for (const Use use : m_model.uses(output))
                if (const auto reader = m_index.position(use.node); reader != kNone) visit(reader);
        }
    }

    // --- what backward nodes belong to ---

    void findTwins() {
        Flags forward(m_index.size(), false), network(m_index.size(), false), loss(m_index.size(), false),
            backward(m_index.size(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            network[at] = is(at, Role::forward);
            loss[at] = is(at, Role::loss);
            forward[at] = network[at] || loss[at];
            backward[at] = is(at, Role::backward);
        }
        m_onlyEnds = findOnlyEnds();
        m_flow = findGradientFlow(m_index, m_types, m_numbers, network, loss, backward, m_tainted,
                                  m_predictions, m_tails.weightOf, m_onlyEnds);
        m_twins =
            findGradientTwins(m_index, m_types, m_numbers, forward, loss, backward, m_flow, m_tails.weightOf);
    }

    /// Backward nodes work for the only weight whose gradient they end in, or else for the value whose
    /// gradient they pass on; a node inside a derivative for what its reader works for.
    void findServed() {
        m_serves.assign(m_index.size(), ValueId());
        const std::vector<ValueId>& ends = m_onlyEnds;
        for (std::uint32_t at = m_index.size(); at-- > 0;) {
            if (is(at, Role::backward))
                m_serves[at] = servedByBackward(at, ends[at]);
            else if (is(at, Role::accumulator) || is(at, Role::optimizer))
                m_serves[at] = servedByUpdate(at);
            else if (is(at, Role::recompute) && m_numbers.repeats[at])
                m_serves[at] = m_model.output(m_numbers.repeats[at], 0);
        }
    }

    /// The gradients of some weights lead back to no weight: a recurrent layer reads its weights cut up and
    /// joined. Training files list weights and gradient buffers in one order, so where as many weights as
    /// buffers of one type are left, they belong together one by one.
    void pairByOrder() {
        std::map<ValueId, ValueId> gradientIn; // buffer -> gradient
        std::set<ValueId> known;               // weights
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!is(at, Role::accumulator)) continue;
            ValueId buffer, gradient, weight;
            for (const ValueId input : m_index.inputs(at)) {
                if (input.isNone()) continue;
                if (const ValueId of = weightOf(input)) weight = of;
                const auto from = m_index.producer(input);
                if (from != kNone && is(from, Role::backward)) gradient = input;
                if (from == kNone && m_model.isGraphInput(input) && !buffer) buffer = input;
            }
            if (weight)
                known.insert(weight);
            else if (buffer && gradient && hasSameStaticType(m_types.type(buffer), m_types.type(gradient)))
                gradientIn.emplace(buffer, gradient);
        }
        if (gradientIn.empty()) return;
        std::map<std::string, std::pair<std::vector<ValueId>, std::vector<ValueId>>>
            byType; // weights, buffers
        for (const ValueId input : m_model.graphInputs(m_model.mainGraph())) {
            auto& [weights, buffers] = byType[m_types.type(input).text()];
            if (isReadForward(input) && !known.contains(input)) weights.push_back(input);
            if (gradientIn.contains(input)) buffers.push_back(input);
        }
        for (const auto& [type, lists] : byType) {
            const auto& [weights, buffers] = lists;
            if (weights.size() != buffers.size()) continue;
            for (std::size_t i = 0; i < buffers.size(); ++i)
                m_tails.weightOf.emplace(gradientIn.at(buffers[i]), weights[i]);
        }
    }

    bool isReadForward(ValueId value) const {
        for (const Use use : m_model.uses(value)) {
            const auto reader = m_index.position(use.node);
            if (reader != kNone && is(reader, Role::forward)) return true;
        }
        return false;
    }

    /// By position: the gradient in which everything a backward node makes ends, where that is one.
    std::vector<ValueId> findOnlyEnds() const {
        std::vector<ValueId> end(m_index.size());
        Flags hasMany(m_index.size(), false);
        const auto join = [&](std::uint32_t at, ValueId other, bool many) {
            if (many || (end[at] && other && end[at] != other))
                hasMany[at] = true;
            else if (other)
                end[at] = other;
        };
        for (std::uint32_t at = m_index.size(); at-- > 0;) {
            for (const ValueId input : m_index.inputs(at)) {
                const auto from = m_index.producer(input);
                if (from == kNone || !is(from, Role::backward)) continue;
                if (is(at, Role::accumulator) || is(at, Role::optimizer))
                    join(from, input, false);
                else if (is(at, Role::backward))
                    join(from, end[at], hasMany[at]);
            }
        }
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            if (hasMany[at]) end[at] = ValueId();
        return end;
    }

    ValueId weightOf(ValueId gradient) const {
        if (gradient.isNone()) return {};
        if (const auto known = m_tails.weightOf.find(gradient); known != m_tails.weightOf.end())
            return known->second;
        const ValueId of = m_twins.gradientOf[gradient.index];
        return of && m_index.producer(of) == kNone ? of : ValueId();
    }

    ValueId servedByBackward(std::uint32_t at, ValueId end) const {
        if (const ValueId weight = weightOf(end)) return weight;
        for (const ValueId output : m_model.outputs(m_index.node(at)))
            if (output && m_twins.gradientOf[output.index]) return m_twins.gradientOf[output.index];
        ValueId served;
        forEachReader(at, [&](std::uint32_t reader) {
            if (!served && is(reader, Role::backward)) served = m_serves[reader];
        });
        return served;
    }

    ValueId servedByUpdate(std::uint32_t at) const {
        if (const ValueId weight = weightOf(m_tails.gradientOf[at])) return weight;
        for (const ValueId input : m_index.inputs(at))
            if (const ValueId weight = weightOf(input)) return weight;
        ValueId served;
        bool isShared = false;
        forEachReader(at, [&](std::uint32_t reader) {
            if (m_serves[reader] && served && served != m_serves[reader]) isShared = true;
            if (m_serves[reader]) served = m_serves[reader];
        });
        return isShared ? ValueId() : served;
    }

    void writeTable() {
        m_table.hasGradientOperators = m_flow.hasOperators;
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            const NodeId node = m_index.node(at);
            m_table.byNode[node.index] = *m_roles[at];
            m_table.serves[node.index] = m_serves[at];
            const bool isRepeat = is(at, Role::recompute);
            m_table.gradientOf[node.index] = isRepeat ? m_numbers.repeats[at] : m_twins.twin[at];
            m_table.isTwinSure[node.index] = isRepeat || m_twins.isSure[at];
            m_table.backwardKinds[node.index] = m_flow.kind[at];
            m_table.gradientFrom[node.index] = m_flow.from[at];
            if (!m_model.node(node).attributes) continue;
            for (const GraphId body : m_model.subgraphs(node)) {
                for (const NodeId inner : nodesWithin(m_model, body)) {
                    m_table.byNode[inner.index] = *m_roles[at];
                    m_table.serves[inner.index] = m_serves[at];
                    m_table.backwardKinds[inner.index] = m_flow.kind[at];
                    m_table.gradientFrom[inner.index] = m_flow.from[at];
                }
            }
        }
    }

    // --- stashes ---

    void findStashes() {
        std::vector<std::vector<NodeId>> readers(m_model.valueIdCount());
        std::vector<bool> isForwardValue(m_model.valueIdCount(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            const bool isForward = is(at, Role::forward) || is(at, Role::loss);
            const NodeId node = m_index.node(at);
            if (isForward) {
                for (const ValueId output : m_model.outputs(node))
                    if (output && !m_index.constantNodes()[at]) isForwardValue[output.index] = true;
                for (const ValueId input : m_index.inputs(at)) // weights and data, no constants
                    if (input && m_index.producer(input) == kNone && isWeightOrData(input))
                        isForwardValue[input.index] = true;
            }
            if (!is(at, Role::backward) || isShapeReader(m_index, at)) continue;
            for (const ValueId input : m_index.inputs(at))
                if (input && (readers[input.index].empty() || readers[input.index].back() != node))
                    readers[input.index].push_back(node);
        }
        for (std::size_t i = 0; i < readers.size(); ++i) {
            if (readers[i].empty() || !isForwardValue[i]) continue;
            const ValueId value(i);
            const auto from = m_index.producer(value);
            StashEdge edge;
            edge.value = value;
            if (from != kNone) edge.producer = m_index.node(from);
            edge.readers = std::move(readers[i]);
            edge.bytes = m_types.type(value).bytes().value_or(0);
            m_table.stashes.push_back(std::move(edge));
        }
    }

    bool isWeightOrData(ValueId value) const {
        if (m_signs.isWeight[value.index]) return true;
        return m_model.isGraphInput(value) && !m_model.isInitializer(value);
    }

    const Model& m_model;
    const TypeTable& m_types;
    GraphIndex m_index;
    TrainingSigns m_signs;
    TargetAnalysis m_analysis;
    std::vector<ValueId> m_predictions, m_chosen;
    std::vector<std::optional<Role>> m_roles; ///< by position
    std::vector<ValueId> m_serves;            ///< by position
    std::vector<std::uint32_t> m_lossOperators;
    Flags m_forward, m_tainted;
    ValueNumbers m_numbers;
    UpdateTails m_tails;
    std::vector<ValueId> m_onlyEnds; ///< by position
    GradientFlow m_flow;
    GradientTwins m_twins;
    RoleTable m_table;
};

} // namespace

RoleTable findRoles(const Model& model, const TypeTable& types, std::span<const ValueId> targets) {
    return RoleSearch(model, types, targets).run();
}

} // namespace secateur
