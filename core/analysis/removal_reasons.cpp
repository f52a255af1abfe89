// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/removal_reasons.h"

#include "core/analysis/explain.h"
#include "core/analysis/training_signs.h"
#include "core/onnx/operator_traits.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace secateur {
namespace {

constexpr int kDeepestConstant = 3;
constexpr std::size_t kMostReaders = 32; ///< readers looked at; a constant may have thousands

bool isShapeOp(std::string_view op) {
    return op == "Shape" || op == "Size";
}

bool isRearrangement(std::string_view op) {
    static constexpr std::array<std::string_view, 15> kOps{
        "Cast",  "CastLike",      "Concat",  "Expand", "Flatten",   "Pad",       "Reshape", "Slice",
        "Split", "SplitTraining", "Squeeze", "Tile",   "Transpose", "Unsqueeze", "View"};
    return std::binary_search(kOps.begin(), kOps.end(), op);
}

class RemovalReason {
  public:
    RemovalReason(const Model& model, const RoleTable& roles, const Reachability& reach, NodeId node)
        : m_model(model), m_roles(roles), m_node(node), m_op(model.op(node)),
          m_traits(traitsOf(model.domain(node), m_op)), m_served(roles.servedBy(node)),
          m_twin(roles.sureTwinOf(node)), m_from(roles.gradientFromOf(node)), m_target(firstTarget(reach)) {}

    Reason run() const {
        switch (m_roles.of(m_node)) {
        case Role::backward:
            return isConstant() ? Reason("removed.constant", {m_node, m_target}) : ofBackward();
        case Role::accumulator: return ofAccumulator();
        case Role::optimizer: return ofOptimizer();
        case Role::loss: return ofLoss();
        case Role::metric: return ofMetric();
        case Role::recompute:
            return m_served ? ofRecompute() : Reason("removed.constant", {m_node, m_target});
        case Role::forward: return Reason("removed.forward-beside", {m_node, m_target});
        }
        return Reason("removed.forward-beside", {m_node, m_target});
    }

  private:
    bool isConstant() const { return isConstantMade(m_node, kDeepestConstant); }
    /// A Constant, or a few nodes that do nothing but rearrange one.
    bool isConstantMade(NodeId node, int depth) const {
        if (m_model.isOp(node, "Constant")) return true;
        const auto inputs = m_model.inputs(node);
        if (depth == 0 || inputs.empty()) return false;
        return std::all_of(inputs.begin(), inputs.end(), [&](ValueId v) {
            if (v.isNone()) return true;
            const NodeId producer = m_model.producer(v);
            if (producer.isNone()) return isNumber(v);
            return m_model.node(producer).kind == NodeKind::operation && isConstantMade(producer, depth - 1);
        });
    }
    /// A parameter: labels and data are leaves, too.
    bool isWeight(ValueId value) const {
        if (value.isNone() || roleOfProducer(value) != Maker::leaf) return false;
        if (m_model.isInitializer(value)) return true;
        if (value.index < m_roles.isWeight.size() && m_roles.isWeight[value.index]) return true;
        const Type& type = m_model.declaredType(value);
        return type.isTensor() && isFloatingPoint(type.element) && type.elementCount().has_value();
    }

    enum class Maker { leaf, forward, backward, other };
    Maker roleOfProducer(ValueId value) const {
        const NodeId producer = m_model.producer(value);
        if (producer.isNone() || m_model.node(producer).kind != NodeKind::operation) return Maker::leaf;
        switch (m_roles.of(producer)) {
        case Role::forward:
        case Role::recompute: return Maker::forward;
        case Role::backward: return Maker::backward;
        case Role::loss:
        case Role::metric:
        case Role::accumulator:
        case Role::optimizer: return Maker::other;
        }
        return Maker::other;
    }

    /// Calls `test(reader)` for the first readers of the results; true when it is true for one.
    template <class Test> bool anyReader(Test&& test) const {
        std::size_t count = 0;
        for (const ValueId output : m_model.outputs(m_node)) {
            if (output.isNone()) continue;
            for (const Use use : m_model.uses(output))
                if (++count > kMostReaders)
                    return false;
                else if (test(use.node))
                    return true;
        }
        return false;
    }
    /// A result that fills an output of the graph.
    ValueId graphOutput() const {
        for (const ValueId output : m_model.outputs(m_node)) {
            if (output.isNone()) continue;
            for (const Use use : m_model.uses(output))
                if (m_model.node(use.node).kind == NodeKind::exit) return output;
        }
        return {};
    }

    Reason ofRecompute() const {
        if (m_served == m_target) return Reason("removed.recompute-target", {m_node, m_target});
        return Reason("removed.recompute", {m_node, m_served, m_target});
    }

    // --- backward ---

    Reason ofBackward() const {
        if (m_op == "YieldOp") return Reason("removed.yield", {m_node, m_target});
        if (m_roles.hasForwardDerivative)
            return m_roles.twinOf(m_node)
                       ? Reason("removed.tangent-of", {m_node, m_roles.twinOf(m_node), m_target})
                       : Reason("removed.tangent", {m_node, m_target});
        if (isShapeOp(m_op) && m_model.input(m_node, 0)) return ofShapeReader();
        if (m_twin && m_roles.of(m_twin) == Role::loss && m_traits.isGradient && m_served)
            return Reason("removed.gradient-of-loss", {m_node, m_served, m_target});
        const BackwardKind kind = m_roles.backwardKindOf(m_node);
        const bool isData = kind != BackwardKind::preparation && kind != BackwardKind::shape;
        if (isData && feedsUpdate() && isWeight(m_served))
            return Reason("removed.gradient-of-weight", {m_node, m_served, m_target});
        if (const ValueId output = graphOutput())
            return Reason("removed.gradient-output", {m_node, output, m_target});
        switch (kind) {
        case BackwardKind::shape: return Reason("removed.shape-helper", {m_node, m_target});
        case BackwardKind::lossDerivative: return Reason("removed.loss-derivative", {m_node, m_target});
        case BackwardKind::preparation: return ofPreparation();
        case BackwardKind::gradient:
        case BackwardKind::none: break;
        }
        return ofGradient();
    }

    Reason ofShapeReader() const {
        const ValueId read = m_model.input(m_node, 0);
        if (m_twin) return Reason("removed.shape-for-gradient", {m_node, read, m_twin, m_target});
        return Reason("removed.shape-for-backward", {m_node, read, m_target});
    }

    Reason ofPreparation() const {
        const ValueId stash = preparedStash();
        if (stash && m_twin) return Reason("removed.prepares-stash", {m_node, stash, m_twin, m_target});
        if (stash) return Reason("removed.prepares", {m_node, stash, m_target});
        if (const ValueId behind = stashBehind())
            return Reason("removed.prepares-step", {m_node, behind, m_target});
        return Reason("removed.prepares-part", {m_node, m_target});
    }

    /// A value of the forward half, or a weight, that a preparation begins with.
    ValueId stashBehind() const {
        std::vector<NodeId> pending{m_node};
        for (std::size_t next = 0; next < pending.size() && next < kMostReaders; ++next) {
            for (const ValueId input : m_model.inputs(pending[next])) {
                if (input.isNone() || isNumber(input)) continue;
                const Maker maker = roleOfProducer(input);
                if (maker == Maker::forward || maker == Maker::leaf) return input;
                const NodeId producer = m_model.producer(input);
                if (m_roles.backwardKindOf(producer) == BackwardKind::preparation)
                    pending.push_back(producer);
            }
        }
        return {};
    }

    Reason ofGradient() const {
        if (m_twin && m_served && m_roles.hasGradientOperators) return ofServingBackward();
        if (m_twin && isWeight(m_served))
            return Reason("removed.part-of-weight-gradient", {m_node, m_served, m_target});
        if (m_twin) return Reason("removed.derivative-of", {m_node, m_twin, m_target});
        if (isBehindDataOfLayer())
            return Reason("removed.part-of-weight-gradient", {m_node, m_served, m_target});
        if (m_from.isNone()) return Reason("removed.backward", {m_node, m_target});
        if (isSumOfGradients()) return Reason("removed.adds-back", {m_node, m_from, m_target});
        if (isRearrangement(m_op) || m_op == "Identity")
            return Reason("removed.rearranges-back", {m_node, m_from, m_target});
        if (m_op.starts_with("Reduce")) return Reason("removed.reduces-back", {m_node, m_from, m_target});
        return Reason("removed.gradient-back", {m_node, m_from, m_target});
    }

    Reason ofServingBackward() const {
        const bool isItself = isGradientOfServed();
        if (isItself && isSumOfGradients())
            return Reason("removed.sums-gradients", {m_node, m_served, m_target});
        if (isItself && m_op == "Identity")
            return Reason("removed.passes-gradient", {m_node, m_served, m_target});
        if (isItself && m_op.starts_with("ReduceSum"))
            return Reason("removed.reduces-broadcast", {m_node, m_served, m_target});
        if (isWeight(m_served))
            return Reason("removed.part-of-weight-gradient", {m_node, m_served, m_target});
        if (isItself && isRearrangement(m_op))
            return Reason("removed.rearranges-gradient", {m_node, m_served, m_target});
        if (readsOf(m_twin, m_served))
            return Reason("removed.gradient-through", {m_node, m_twin, m_served, m_target});
        return Reason("removed.derivative-of", {m_node, m_twin, m_target});
    }

    /// Is the result the gradient of what the node works for, not of something on the way to that? Whatever
    /// reads it for the same value only arranges or adds then.
    bool isGradientOfServed() const {
        std::vector<NodeId> pending{m_node};
        for (std::size_t next = 0; next < pending.size(); ++next) {
            if (next == kMostReaders) return false;
            for (const ValueId output : m_model.outputs(pending[next])) {
                if (output.isNone()) continue;
                for (const Use use : m_model.uses(output)) {
                    if (m_roles.of(use.node) != Role::backward || m_roles.servedBy(use.node) != m_served ||
                        isShapeOp(m_model.op(use.node)))
                        continue;
                    if (!keepsGradient(m_model.op(use.node))) return false;
                    pending.push_back(use.node);
                }
            }
        }
        return true;
    }
    /// Of a gradient such an operator makes one of the same value; after a sum along axes another sum may
    /// follow.
    bool keepsGradient(std::string_view op) const {
        static constexpr std::array<std::string_view, 10> kOps{"Add",       "Cast",    "Flatten", "Identity",
                                                               "Reshape",   "Squeeze", "Sum",     "Transpose",
                                                               "Unsqueeze", "View"};
        return std::binary_search(kOps.begin(), kOps.end(), op) ||
               (m_op.starts_with("ReduceSum") && op.starts_with("ReduceSum"));
    }

    // The first layer's data have no gradient, so all that comes back ends in its weight: its own part begins
    // where the data are read.

    bool isBehindDataOfLayer() const {
        return isWeight(m_served) && leadsOnlyToServed() && reads(dataBesideServed());
    }
    bool leadsOnlyToServed() const {
        std::vector<NodeId> pending{m_node};
        for (std::size_t next = 0; next < pending.size(); ++next) {
            if (next == kMostReaders) return false;
            for (const ValueId output : m_model.outputs(pending[next])) {
                if (output.isNone()) continue;
                for (const Use use : m_model.uses(output)) {
                    const Role role = m_roles.of(use.node);
                    const bool isUpdate = role == Role::optimizer || role == Role::accumulator;
                    const bool isStep =
                        role == Role::backward && m_model.node(use.node).kind == NodeKind::operation;
                    if (isUpdate || (isStep && isShapeOp(m_model.op(use.node)))) continue;
                    if (!isStep || m_roles.servedBy(use.node) != m_served) return false;
                    pending.push_back(use.node);
                }
            }
        }
        return true;
    }
    /// What the layers that read the weight read beside it.
    std::vector<ValueId> dataBesideServed() const {
        std::vector<ValueId> pending{m_served}, data;
        for (std::size_t next = 0; next < pending.size() && next < kMostReaders; ++next) {
            for (const Use use : m_model.uses(pending[next])) {
                if (m_roles.of(use.node) != Role::forward ||
                    m_model.node(use.node).kind != NodeKind::operation)
                    continue;
                const std::string_view op = m_model.op(use.node);
                if (isRearrangement(op) || op == "Identity") {
                    pending.push_back(m_model.output(use.node, 0));
                    continue;
                }
                for (const ValueId input : m_model.inputs(use.node))
                    if (input && input != pending[next] && !m_model.isInitializer(input))
                        data.push_back(input);
            }
        }
        return data;
    }
    /// Does the node, or one that its gradient comes through, read one of `values`, as it is or prepared?
    bool reads(const std::vector<ValueId>& values) const {
        std::vector<NodeId> pending{m_node};
        for (std::size_t next = 0; next < pending.size() && next < kMostReaders; ++next) {
            for (const ValueId input : m_model.inputs(pending[next])) {
                if (input.isNone()) continue;
                const NodeId producer = m_model.producer(input);
                const bool isRepeat = producer && m_roles.of(producer) == Role::recompute;
                const ValueId read = isRepeat ? m_roles.servedBy(producer) : input;
                if (std::find(values.begin(), values.end(), read) != values.end()) return true;
                if (producer.isNone() || m_roles.of(producer) != Role::backward) continue;
                const BackwardKind kind = m_roles.backwardKindOf(producer);
                if (kind == BackwardKind::preparation ||
                    (kind == BackwardKind::gradient && m_roles.servedBy(producer) == m_served))
                    pending.push_back(producer);
            }
        }
        return false;
    }

    bool readsOf(NodeId node, ValueId value) const {
        const auto inputs = m_model.inputs(node);
        return std::find(inputs.begin(), inputs.end(), value) != inputs.end();
    }

    bool feedsUpdate() const {
        return anyReader([&](NodeId reader) {
            return m_roles.of(reader) == Role::accumulator || m_roles.of(reader) == Role::optimizer;
        });
    }

    /// The forward value that the node makes ready for the backward half, where it reads no gradient.
    ValueId preparedStash() const {
        ValueId stash;
        for (const ValueId input : m_model.inputs(m_node)) {
            if (input.isNone()) continue;
            const Maker maker = roleOfProducer(input);
            if (maker == Maker::forward || maker == Maker::leaf) {
                if (stash.isNone() && !m_model.isInitializer(input))
                    stash = input;
                else if (stash.isNone() && maker == Maker::leaf && !isNumber(input))
                    stash = input;
                continue;
            }
            const NodeId producer = m_model.producer(input);
            const bool isNeutral = m_roles.backwardKindOf(producer) == BackwardKind::shape ||
                                   isConstantMade(producer, kDeepestConstant);
            if (!isNeutral) return {};
        }
        return stash;
    }
    bool isNumber(ValueId value) const {
        const TensorPtr& tensor = m_model.value(value).tensor;
        return tensor ? tensor->elementCount().value_or(0) <= 8
                      : m_model.declaredType(value).elementCount() == 1U;
    }

    bool isSumOfGradients() const {
        if (m_op != "Sum" && m_op != "Add") return false;
        const auto inputs = m_model.inputs(m_node);
        return inputs.size() > 1 && std::all_of(inputs.begin(), inputs.end(), [&](ValueId v) {
                   return v && roleOfProducer(v) == Maker::backward &&
                          m_roles.backwardKindOf(m_model.producer(v)) == BackwardKind::gradient;
               });
    }

    // --- accumulator, optimizer ---

    Reason ofAccumulator() const {
        if (m_op == "ZeroGradient") return Reason("removed.clears-gradient", {m_node, m_target});
        if (m_served.isNone()) return Reason("removed.accumulates-unknown", {m_node, m_target});
        if (!m_traits.isAccumulator && graphOutput().isNone())
            return Reason("removed.accumulator-part", {m_node, m_served, m_target});
        return Reason("removed.accumulates", {m_node, m_served, m_target});
    }

    Reason ofOptimizer() const {
        if (isConstant()) return Reason("removed.optimizer-number", {m_node, m_target});
        const ValueId output = graphOutput();
        if (m_traits.isOptimizer && m_served.isNone())
            return Reason("removed.optimizer-operator", {m_node, m_target});
        if (m_served.isNone() && output) return ofUnservedOutput(output);
        if (m_served.isNone()) {
            const auto inputs = m_model.inputs(m_node);
            const bool readsGradient = std::any_of(inputs.begin(), inputs.end(), [&](ValueId v) {
                return v && roleOfProducer(v) == Maker::backward;
            });
            return Reason(readsGradient ? "removed.optimizer-shared" : "removed.optimizer-helper",
                          {m_node, m_target});
        }
        if (output.isNone()) return ofUpdatePart();
        const ValueId state = directState();
        if (state && state != m_served)
            return Reason("removed.writes-state", {m_node, output, state, m_served, m_target});
        return Reason("removed.writes-weight", {m_node, m_served, m_target});
    }

    /// An output of the optimizer that belongs to no weight: a count of steps, or a state that stays as it
    /// is.
    Reason ofUnservedOutput(ValueId output) const {
        if (m_op == "Identity" || isRearrangement(m_op))
            return Reason("removed.hands-on-state", {m_node, output, m_target});
        for (const ValueId input : m_model.inputs(m_node))
            if (input && roleOfProducer(input) == Maker::leaf && !m_model.value(input).tensor)
                return Reason("removed.writes-number", {m_node, input, m_target});
        for (const ValueId input : m_model.inputs(m_node))
            if (input && roleOfProducer(input) == Maker::leaf)
                return Reason("removed.writes-number", {m_node, input, m_target});
        return Reason("removed.writes-output", {m_node, output, m_target});
    }

    Reason ofUpdatePart() const {
        bool readsGradient = false;
        for (const ValueId input : m_model.inputs(m_node)) {
            if (input.isNone()) continue;
            if (input == m_served)
                return Reason(m_op == "Mul" ? "removed.weight-decay" : "removed.reads-weight",
                              {m_node, m_served, m_target});
            const Maker maker = roleOfProducer(input);
            readsGradient = readsGradient || maker == Maker::backward;
            if (maker == Maker::leaf && !isNumber(input))
                return Reason("removed.moment-part", {m_node, input, m_served, m_target});
        }
        return Reason(readsGradient ? "removed.applies-gradient" : "removed.update-part",
                      {m_node, m_served, m_target});
    }

    /// The weight or moment that a node which makes an output updates: a leaf that it reads, or that its
    /// inputs are made of.
    ValueId directState() const {
        const auto leafAmong = [&](NodeId node) {
            ValueId leaf;
            for (const ValueId input : m_model.inputs(node)) {
                if (input.isNone() || roleOfProducer(input) != Maker::leaf || isNumber(input)) continue;
                if (input == m_served) return input;
                if (leaf.isNone()) leaf = input;
            }
            return leaf;
        };
        if (const ValueId leaf = leafAmong(m_node)) return leaf;
        for (const ValueId input : m_model.inputs(m_node)) {
            const NodeId producer = input ? m_model.producer(input) : NodeId();
            if (producer.isNone() || m_roles.of(producer) != Role::optimizer || graphOutputOf(producer))
                continue;
            if (const ValueId leaf = leafAmong(producer)) return leaf;
        }
        return {};
    }
    bool graphOutputOf(NodeId node) const {
        const auto outputs = m_model.outputs(node);
        return std::any_of(outputs.begin(), outputs.end(),
                           [&](ValueId v) { return v && m_model.isGraphOutput(v); });
    }

    // --- loss, metric ---

    Reason ofLoss() const {
        if (m_traits.isLoss) return Reason("removed.loss", {m_node, m_target});
        if (const ValueId output = graphOutput())
            return Reason("removed.loss-result", {m_node, output, m_target});
        if (const ValueId label = labelRead())
            return Reason(readsData() ? "removed.loss-compares" : "removed.loss-labels",
                          {m_node, label, m_target});
        return isConstant() ? Reason("removed.constant", {m_node, m_target})
                            : Reason("removed.loss-part", {m_node, m_target});
    }

    /// An input of the model that the node reads, and that no part of the network does.
    ValueId labelRead() const {
        for (const ValueId input : m_model.inputs(m_node)) {
            const bool isInput = input && m_model.isGraphInput(input) && !m_model.isInitializer(input);
            if (!isInput || m_model.declaredType(input).elementCount() == 1U) continue;
            std::size_t count = 0;
            bool isForward = false;
            for (const Use use : m_model.uses(input))
                isForward = isForward || (++count <= kMostReaders && m_roles.of(use.node) == Role::forward);
            if (!isForward) return input;
        }
        return {};
    }
    /// Does it read anything but that label and constants?
    bool readsData() const {
        const auto inputs = m_model.inputs(m_node);
        return std::any_of(inputs.begin(), inputs.end(), [&](ValueId v) {
            const NodeId producer = v ? m_model.producer(v) : NodeId();
            return producer && m_model.node(producer).kind == NodeKind::operation &&
                   dependsOnPrediction(producer);
        });
    }
    /// Made of the forward half, or through steps of the loss that are.
    bool dependsOnPrediction(NodeId node) const {
        std::vector<NodeId> pending{node};
        for (std::size_t next = 0; next < pending.size() && next < kMostReaders; ++next) {
            const Role role = m_roles.of(pending[next]);
            if (role == Role::forward || role == Role::recompute) return true;
            for (const ValueId input : m_model.inputs(pending[next])) {
                const NodeId producer = input ? m_model.producer(input) : NodeId();
                if (producer && m_model.node(producer).kind == NodeKind::operation &&
                    !isConstantMade(producer, kDeepestConstant))
                    pending.push_back(producer);
            }
        }
        return false;
    }

    Reason ofMetric() const {
        if (const ValueId output = graphOutput())
            return Reason("removed.metric-output", {m_node, output, m_target});
        const auto path = pathToDeadEnd(m_model, m_node);
        for (const ValueId output : m_model.outputs(path.back()))
            if (output && m_model.isGraphOutput(output))
                return Reason("removed.metric-output", {m_node, output, m_target});
        return Reason("removed.unread", {m_node, m_target});
    }

    const Model& m_model;
    const RoleTable& m_roles;
    NodeId m_node;
    std::string_view m_op;
    OperatorTraits m_traits;
    ValueId m_served;
    NodeId m_twin;  ///< only where it is certain
    ValueId m_from; ///< the forward value whose gradient comes in
    ValueId m_target;
};

} // namespace

Reason reasonForRemoval(const Model& model, const RoleTable& roles, const Reachability& reach, NodeId node) {
    return RemovalReason(model, roles, reach, node).run();
}

} // namespace secateur
