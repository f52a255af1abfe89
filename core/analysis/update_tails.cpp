// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/update_tails.h"

#include <algorithm>

namespace secateur {
namespace {

class TailSearch {
  public:
    TailSearch(const GraphIndex& index, const TypeTable& types, const TrainingSigns& signs,
               const GraphIndex::Flags& forward, const GraphIndex::Flags& tainted)
        : m_index(index), m_model(index.model()), m_types(types), m_signs(signs), m_forward(forward),
          m_tainted(tainted) {}

    UpdateTails run() {
        m_tails.optimizer.assign(m_index.size(), false);
        m_tails.accumulator.assign(m_index.size(), false);
        m_tails.gradientOf.assign(m_index.size(), ValueId());
        findCandidates();
        findGradients();
        cutBehindGradients();
        nameWeights();
        collectGradients();
        findAccumulators();
        return std::move(m_tails);
    }

  private:
    static constexpr std::uint32_t kNone = GraphIndex::kNone;

    bool isTainted(ValueId value) const {
        const auto from = m_index.producer(value);
        return from != kNone && m_tainted[from];
    }
    /// Made of the forward half's data, without the error in it: gradient arithmetic reads such values,
    /// optimizers do not.
    bool isActivation(ValueId value) const {
        const auto from = m_index.producer(value);
        if (from == kNone) return m_isFixed[value.index];
        return !m_tainted[from] && m_dependsOnData[from];
    }

    /// May the node belong to a tail? Element by element, on gradients, states and numbers; or, as for the
    /// norm of all gradients, a reduction to one number.
    bool canBelong(std::uint32_t at) const {
        if (m_forward[at] || !m_tainted[at]) return false;
        const auto inputs = m_index.inputs(at);
        if (std::any_of(inputs.begin(), inputs.end(), [&](ValueId v) { return v && isActivation(v); }))
            return false;
        if (isElementwise(m_index, at)) return true;
        const std::string_view op = m_model.op(m_index.node(at));
        const ValueId result = m_model.output(m_index.node(at), 0);
        return op.starts_with("Reduce") && result && isSingleElement(m_types.type(result)) && m_feedsMany[at];
    }

    /// Marks everything that may lie between the gradients and the new states, from the outputs backwards.
    void findCandidates() {
        markDependence();
        m_isCandidate.assign(m_index.size(), false);
        m_feedsMany.assign(m_index.size(), false);
        for (const StateUpdate& update : m_signs.updates)
            if (const auto at = m_index.producer(update.output); canBelong(at)) m_isCandidate[at] = true;
        for (std::uint32_t at = m_index.size(); at-- > 0;) {
            if (!m_isCandidate[at]) continue;
            const ValueId result = m_model.output(m_index.node(at), 0);
            const bool isNumber = result && isSingleElement(m_types.type(result));
            for (const ValueId input : m_index.inputs(at)) {
                const auto from = m_index.producer(input);
                if (from == kNone) continue;
                // A single number that works on tensors, or on other such numbers.
                if (isSingleElement(m_types.type(input)) && (!isNumber || m_feedsMany[at]))
                    m_feedsMany[from] = true;
                if (canBelong(from)) m_isCandidate[from] = true;
            }
        }
    }

    /// Tables of the network that no gradient updates: running statistics, frozen weights. What is made of
    /// them belongs to derivatives (1 / sqrt(variance + epsilon)), never to an optimizer.
    void findFixed() {
        m_isFixed.assign(m_model.valueIdCount(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_forward[at]) continue;
            for (const ValueId input : m_index.inputs(at)) {
                if (input.isNone() || m_index.producer(input) != kNone) continue;
                const Type& type = m_types.type(input);
                m_isFixed[input.index] = isFloatingPoint(type.element) && !isSingleElement(type);
            }
        }
        for (const StateUpdate& update : m_signs.updates)
            if (isTainted(update.output)) m_isFixed[update.state.index] = false;
    }

    /// What depends on the data of the network at all, or on its fixed tables; states and what is made of
    /// them alone does not.
    void markDependence() {
        findFixed();
        GraphIndex::Flags seeds(m_index.size(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            for (const ValueId input : m_index.inputs(at))
                if (input && m_isFixed[input.index]) seeds[at] = true;
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_forward[at]) continue;
            for (const ValueId input : m_index.inputs(at)) {
                if (input && m_index.producer(input) == kNone && m_model.isGraphInput(input) &&
                    !m_model.isInitializer(input) && !m_signs.isWeight[input.index])
                    seeds[at] = true;
            }
        }
        m_dependsOnData = m_index.behind(std::move(seeds));
    }

    /// Follows each gradient forwards through the candidates. Where two gradients are added before any state
    /// came in, it is the sum that is the gradient, and the tail begins behind it.
    void findGradients() {
        m_hasState.assign(m_index.size(), false);
        m_isSum.assign(m_index.size(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_isCandidate[at]) continue;
            ValueId gradient;
            bool isMixed = false, hasState = false;
            for (const ValueId input : m_index.inputs(at)) {
                if (input.isNone()) continue;
                const auto from = m_index.producer(input);
                if (!isTainted(input)) {
                    hasState = hasState || !isSingleElement(m_types.type(input));
                    continue;
                }
                hasState = hasState || m_hasState[from];
                if (isSingleElement(m_types.type(input))) continue;
                const ValueId entered = m_isCandidate[from] ? m_tails.gradientOf[from] : input;
                isMixed = isMixed || (gradient && entered && gradient != entered);
                if (entered) gradient = entered;
            }
            m_hasState[at] = hasState;
            m_tails.gradientOf[at] = gradient;
            if (!isMixed) continue;
            const ValueId result = m_model.output(m_index.node(at), 0);
            m_isSum[at] = !hasState;
            m_tails.gradientOf[at] = hasState ? ValueId() : result;
        }
    }

    void cutBehindGradients() {
        GraphIndex::Flags& tail = m_tails.optimizer;
        for (const StateUpdate& update : m_signs.updates)
            keep(m_index.producer(update.output));
        for (std::uint32_t at = m_index.size(); at-- > 0;) {
            if (!tail[at]) continue;
            for (const ValueId input : m_index.inputs(at)) {
                const auto from = m_index.producer(input);
                if (from == kNone || m_forward[from]) continue;
                if (m_isCandidate[from])
                    keep(from);
                else if (!m_tainted[from] && !m_dependsOnData[from] && isReadByTailsOnly(from))
                    tail[from] = true; // learning rate and kin
            }
        }
    }

    void keep(std::uint32_t at) {
        if (at != kNone && m_isCandidate[at] && !m_isSum[at]) m_tails.optimizer[at] = true;
    }

    bool isReadByTailsOnly(std::uint32_t at) const {
        for (const ValueId output : m_model.outputs(m_index.node(at))) {
            if (output.isNone()) continue;
            for (const Use use : m_model.uses(output)) {
                const auto reader = m_index.position(use.node);
                if (reader != kNone && !m_tails.optimizer[reader]) return false;
            }
        }
        return true;
    }

    bool isReadForward(ValueId value) const {
        for (const Use use : m_model.uses(value)) {
            const auto reader = m_index.position(use.node);
            if (reader != kNone && m_forward[reader]) return true;
        }
        return false;
    }

    void nameWeights() {
        for (const StateUpdate& update : m_signs.updates) {
            const auto at = m_index.producer(update.output);
            if (at == kNone || !isReadForward(update.state)) continue;
            const ValueId gradient = m_tails.optimizer[at] ? m_tails.gradientOf[at] : update.output;
            if (gradient) m_tails.weightOf.emplace(gradient, update.state);
        }
    }

    void collectGradients() {
        std::vector<bool> seen(m_model.valueIdCount(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_tails.optimizer[at]) continue;
            for (const ValueId input : m_index.inputs(at)) {
                if (input.isNone() || seen[input.index] || !isTainted(input) ||
                    m_tails.optimizer[m_index.producer(input)])
                    continue;
                seen[input.index] = true;
                m_tails.gradients.push_back(input);
            }
        }
    }

    /// A tail that does nothing but add the gradient to a buffer that no weight update reads.
    void findAccumulators() {
        for (const StateUpdate& update : m_signs.updates) {
            const auto at = m_index.producer(update.output);
            if (at == kNone || !m_tails.optimizer[at] || isReadForward(update.state)) continue;
            if (m_model.useCount(update.output) != 1) continue; // the exit alone reads it
            if (addsGradient(at, update.state)) m_tails.accumulator[at] = true;
        }
        for (std::uint32_t at = m_index.size(); at-- > 0;) {
            if (!m_tails.optimizer[at] || m_tails.accumulator[at]) continue;
            if (feedsAccumulatorsOnly(at)) m_tails.accumulator[at] = true;
        }
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            if (m_tails.accumulator[at]) m_tails.optimizer[at] = false;
    }

    /// state + gradient, each at most chosen or cleared on the way: Add, Sum, or a Where around one.
    bool addsGradient(std::uint32_t at, ValueId state) const {
        const std::string_view op = m_model.op(m_index.node(at));
        const auto inputs = m_index.inputs(at);
        const bool readsGradient = std::any_of(inputs.begin(), inputs.end(), [&](ValueId v) {
            return v && isTainted(v) && !m_tails.optimizer[m_index.producer(v)];
        });
        if (op == "Add" || op == "Sum") return readsGradient;
        if (op != "Where" && op != "Identity") return false;
        return std::any_of(inputs.begin(), inputs.end(), [&](ValueId v) {
            const auto from = m_index.producer(v);
            return from != kNone && m_tails.optimizer[from] && m_model.op(m_index.node(from)) == "Add" &&
                   addsGradient(from, state);
        });
    }

    bool feedsAccumulatorsOnly(std::uint32_t at) const {
        bool feeds = false;
        for (const ValueId output : m_model.outputs(m_index.node(at))) {
            if (output.isNone()) continue;
            for (const Use use : m_model.uses(output)) {
                const auto reader = m_index.position(use.node);
                if (reader == kNone || !m_tails.accumulator[reader]) return false;
                feeds = true;
            }
        }
        return feeds;
    }

    const GraphIndex& m_index;
    const Model& m_model;
    const TypeTable& m_types;
    const TrainingSigns& m_signs;
    const GraphIndex::Flags &m_forward, &m_tainted;
    UpdateTails m_tails;
    std::vector<bool> m_isFixed; ///< by ValueId index
    GraphIndex::Flags m_dependsOnData, m_isCandidate, m_feedsMany, m_hasState, m_isSum;
};

} // namespace

UpdateTails findUpdateTails(const GraphIndex& index, const TypeTable& types, const TrainingSigns& signs,
                            const GraphIndex::Flags& forward, const GraphIndex::Flags& tainted) {
    return TailSearch(index, types, signs, forward, tainted).run();
}

} // namespace secateur
