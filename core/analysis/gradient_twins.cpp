// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/gradient_twins.h"

#include "core/analysis/training_signs.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace secateur {
namespace {

constexpr std::size_t kMostStashes = 6; ///< forward values remembered per node that only prepares them
constexpr std::size_t kMostReaders =
    64; ///< forward readers looked at per value (a learning rate has thousands)

class TwinSearch {
  public:
    TwinSearch(const GraphIndex& index, const TypeTable& types, const ValueNumbers& numbers,
               const GraphIndex::Flags& forward, const GraphIndex::Flags& loss,
               const GraphIndex::Flags& backward, const GradientFlow& flow,
               const std::unordered_map<ValueId, ValueId>& weightOf)
        : m_index(index), m_model(index.model()), m_types(types), m_numbers(numbers), m_forward(forward),
          m_loss(loss), m_backward(backward), m_flow(flow), m_weightOf(weightOf) {}

    GradientTwins run() {
        m_twins.twin.assign(m_index.size(), NodeId());
        m_twins.gradientOf.assign(m_model.valueIdCount(), ValueId());
        m_labels.assign(m_model.valueIdCount(), Label());
        m_stashes.resize(m_index.size());
        // Where the gradients come out of the derivative of the loss, no node is there to label them.
        for (const auto& [gradient, of] : m_flow.of)
            if (const auto maker = m_index.producer(of); maker != kNone)
                m_labels[gradient.index] = {of, maker, false};
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (!m_backward[at]) continue;
            collectStashes(at);
            if (isCarrier(at)) place(at);
        }
        placeDerivativeOfLoss();
        placePreparations();
        tellSure();
        return std::move(m_twins);
    }

  private:
    static constexpr std::uint32_t kNone = GraphIndex::kNone;

    /// What is known of a backward value: it is the gradient of `of`, or (partial) on its way to one, inside
    /// the derivative of the forward node at `via`.
    struct Label {
        ValueId of;
        std::uint32_t via = kNone;
        bool isPartial = true;
    };

    [[nodiscard]] bool isCarrier(std::uint32_t at) const { return m_flow.kind[at] == BackwardKind::gradient; }

    /// The forward value that `value` is, or repeats; none for constants and for backward values.
    ValueId forwardValue(ValueId value) const {
        if (value.isNone()) return {};
        const ValueId original = m_numbers.original[value.index];
        const auto from = m_index.producer(original);
        if (from == kNone) {
            const TensorPtr& tensor = m_model.value(original).tensor;
            if (!tensor) return m_model.isGraphInput(original) ? original : ValueId();
            // A number or a list of axes, shared by nodes that have nothing to do with each other, tells
            // nothing.
            return isFloatingPoint(tensor->type) && tensor->elementCount().value_or(0) > 1 ? original
                                                                                           : ValueId();
        }
        return m_forward[from] && !m_index.constantNodes()[from] ? original : ValueId();
    }

    void collectStashes(std::uint32_t at) {
        std::vector<ValueId>& stashes = m_stashes[at];
        const auto add = [&](ValueId value) {
            if (stashes.size() < kMostStashes &&
                std::find(stashes.begin(), stashes.end(), value) == stashes.end())
                stashes.push_back(value);
        };
        for (const ValueId input : m_index.inputs(at)) {
            if (const ValueId value = forwardValue(input)) {
                add(value);
            } else if (const auto from = m_index.producer(input);
                       from != kNone && m_backward[from] && !isCarrier(from)) {
                for (const ValueId passed : m_stashes[from])
                    add(passed);
            }
        }
    }

    /// Does the forward node at `f` make or read `value`?
    bool touches(std::uint32_t f, ValueId value) const {
        if (m_index.producer(value) == f) return true;
        const auto inputs = m_index.inputs(f);
        return std::find(inputs.begin(), inputs.end(), value) != inputs.end();
    }
    std::size_t countTouched(std::uint32_t f, const std::vector<ValueId>& stashes) const {
        return static_cast<std::size_t>(
            std::count_if(stashes.begin(), stashes.end(), [&](ValueId v) { return touches(f, v); }));
    }

    /// Forward nodes that make or read one of the stashes.
    std::vector<std::uint32_t> touching(const std::vector<ValueId>& stashes) const {
        std::vector<std::uint32_t> out;
        const auto add = [&](std::uint32_t f) {
            if (f != kNone && m_forward[f] && std::find(out.begin(), out.end(), f) == out.end())
                out.push_back(f);
        };
        for (const ValueId value : stashes) {
            add(m_index.producer(value));
            std::size_t count = 0;
            for (const Use use : m_model.uses(value)) {
                if (++count > kMostReaders) break;
                add(m_index.position(use.node));
            }
        }
        return out;
    }

    struct Context {
        Label label;           ///< of the gradient that the node goes on with
        bool isInside = false; ///< several inputs are parts of the same derivative
        bool hasGradient = false;
        bool isSum = false; ///< every input is a gradient
    };

    Context contextOf(std::uint32_t at) const {
        Context context;
        std::size_t gradients = 0, others = 0;
        bool hasOneVia = true;
        for (const ValueId input : m_index.inputs(at)) {
            if (input.isNone()) continue;
            const Label& label = m_labels[input.index];
            if (label.via == kNone) {
                ++others;
                continue;
            }
            ++gradients;
            hasOneVia = hasOneVia && (!context.hasGradient || label.via == context.label.via);
            // The gradient nearest to the inputs of the network leads on; a partial one only where there is
            // no other.
            if (!context.hasGradient || isFurther(label, context.label)) context.label = label;
            context.hasGradient = true;
        }
        context.isInside = gradients > 1 && hasOneVia;
        context.isSum = gradients > 1 && others == 0 && !hasOneVia;
        return context;
    }

    bool isFurther(const Label& a, const Label& b) const {
        if (a.isPartial != b.isPartial) return b.isPartial;
        return placeOf(a) < placeOf(b);
    }
    std::uint32_t placeOf(const Label& label) const {
        const auto maker = label.isPartial ? label.via : m_index.producer(label.of);
        return maker == kNone ? label.via : maker;
    }

    /// Operators whose derivative may hand the gradient on as it is.
    bool mayPassOn(std::uint32_t maker) const {
        static constexpr std::string_view kOps[] = {
            "Add", "Cast",    "Clip",  "Dropout", "Flatten", "Identity", "Max",       "Mean",
            "Min", "Reshape", "Slice", "Squeeze", "Sub",     "Sum",      "Unsqueeze", "Where"};
        return std::binary_search(std::begin(kOps), std::end(kOps), m_model.op(m_index.node(maker)));
    }

    /// An Identity behind a finished gradient is the last node of a derivative, unless the next one can be a
    /// mere copy.
    bool isTrailingCopy(std::uint32_t at, const Context& context) const {
        if (!context.hasGradient || context.label.isPartial || !m_index.isOp(at, "Identity")) return false;
        const auto maker = m_index.producer(context.label.of);
        return maker == kNone || !mayPassOn(maker);
    }

    void place(std::uint32_t at) {
        const Context context = contextOf(at);
        if (const NodeId layer = m_flow.layer[at]; !layer.isNone() && !m_index.traits(at).isGradient) {
            m_twins.twin[at] = layer;
            return labelResults(at, m_index.position(layer));
        }
        if (isTrailingCopy(at, context)) {
            m_twins.twin[at] = m_index.node(context.label.via);
            setLabel(m_model.output(m_index.node(at), 0), context.label);
            return;
        }
        const std::uint32_t twin = chooseTwin(at, context);
        if (twin == kNone) return;
        m_twins.twin[at] = m_index.node(twin);
        if (context.isSum && !context.label.isPartial) {
            const ValueId result = m_model.output(m_index.node(at), 0);
            if (result) setLabel(result, {context.label.of, context.label.via, false});
            return;
        }
        labelResults(at, twin);
    }

    /// The forward operators that a gradient operator is the derivative of are told by its name: ReluGrad by
    /// Relu.
    bool isDerivativeOf(std::uint32_t at, std::uint32_t f) const {
        const std::string_view gradient = m_model.op(m_index.node(at)), forward = m_model.op(m_index.node(f));
        const std::string_view root = gradient.substr(0, gradient.find("Grad"));
        if (root == "BatchNormalization" && forward == "BatchNormInternal") return true;
        return root.find(forward) != std::string_view::npos || forward.find(root) != std::string_view::npos;
    }

    std::uint32_t chooseTwin(std::uint32_t at, const Context& context) const {
        const std::vector<ValueId>& stashes = m_stashes[at];
        const auto candidates = touching(stashes);
        if (m_index.traits(at).isGradient) {
            std::vector<std::uint32_t> fitting;
            std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(fitting),
                         [&](std::uint32_t f) { return isDerivativeOf(at, f); });
            // In a chain of equal operators two neighbours fit: the gradient that comes in says which.
            const bool isKnown = context.hasGradient && !context.label.isPartial;
            const std::uint32_t maker = isKnown ? m_index.producer(context.label.of) : kNone;
            if (maker != kNone && std::find(fitting.begin(), fitting.end(), maker) != fitting.end())
                return maker;
            if (const auto best = latestOf(fitting, stashes); best != kNone) return best;
        }
        if (!context.hasGradient) return latestOf(candidates, stashes);
        const std::uint32_t via = context.label.via;
        const std::uint32_t maker = context.label.isPartial ? kNone : m_index.producer(context.label.of);
        if (context.isInside || maker == kNone || !m_forward[maker]) {
            if (countTouched(via, stashes) > 0 || stashes.empty()) return via;
        }
        if (maker != kNone && m_forward[maker] && (stashes.empty() || countTouched(maker, stashes) > 0))
            return maker;
        const std::uint32_t limit = maker == kNone ? via : maker;
        const std::uint32_t nearest = nearestBefore(candidates, stashes, limit);
        if (nearest != kNone) return nearest;
        return maker != kNone && m_forward[maker] ? maker : via;
    }

    /// Where the error begins: the last forward node that the node has to do with, the one with most in
    /// common first.
    std::uint32_t latestOf(const std::vector<std::uint32_t>& candidates,
                           const std::vector<ValueId>& stashes) const {
        std::uint32_t best = kNone;
        std::size_t most = 0;
        for (const std::uint32_t f : candidates) {
            const std::size_t count = countTouched(f, stashes);
            if (best == kNone || count > most || (count == most && f > best)) {
                best = f;
                most = count;
            }
        }
        return best;
    }

    std::uint32_t nearestBefore(const std::vector<std::uint32_t>& candidates,
                                const std::vector<ValueId>& stashes, std::uint32_t limit) const {
        std::vector<std::uint32_t> before;
        std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(before),
                     [&](std::uint32_t f) { return f <= limit; });
        return latestOf(before, stashes);
    }

    // --- which gradient a node makes ---

    void labelResults(std::uint32_t at, std::uint32_t twin) {
        const NodeId node = m_index.node(at);
        const auto results = m_model.outputs(node);
        for (std::size_t slot = 0; slot < results.size(); ++slot) {
            // No gradient is a truth value or an index.
            if (results[slot].isNone() || !isFloatingPoint(m_types.type(results[slot]).element)) continue;
            const ValueId of = gradientMadeBy(at, twin, results[slot], results.size() > 1 ? slot : SIZE_MAX);
            const NodeId twinNode = m_index.node(twin);
            if (of)
                setLabel(results[slot], {of, twin, false});
            else
                setLabel(results[slot], {m_model.output(twinNode, 0), twin, true});
        }
    }

    void setLabel(ValueId value, Label label) {
        if (const auto known = m_weightOf.find(value); known != m_weightOf.end()) {
            label.of = known->second;
            label.isPartial = false;
        } else if (const auto sure = m_flow.of.find(value); sure != m_flow.of.end()) {
            label.of = sure->second;
            label.isPartial = false;
        }
        m_labels[value.index] = label;
        if (!label.isPartial) m_twins.gradientOf[value.index] = label.of;
    }

    /// The input of the forward node that has the type of the result; where several have, one that nobody has
    /// the gradient of yet, and that the node does not read itself (the derivative of a product reads the
    /// other factor).
    ValueId gradientMadeBy(std::uint32_t at, std::uint32_t twin, ValueId result, std::size_t slot) {
        const auto inputs = m_index.inputs(twin);
        const Type& wanted = m_types.type(result);
        std::vector<std::size_t> fitting;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (inputs[i] && !isConstantInput(inputs[i]) && fits(wanted, m_types.type(inputs[i])))
                fitting.push_back(i);
        if (fitting.empty()) return {};
        const auto prefer = [&](auto&& isGood) {
            std::vector<std::size_t> good;
            std::copy_if(fitting.begin(), fitting.end(), std::back_inserter(good), isGood);
            if (!good.empty()) fitting = std::move(good);
        };
        const bool isProduct = isMultiplication(twin);
        prefer([&](std::size_t i) { return wanted == m_types.type(inputs[i]); });
        prefer([&](std::size_t i) { return slot == SIZE_MAX || i == slot; });
        prefer([&](std::size_t i) { return !isProduct || !reads(at, inputs[i]); });
        prefer([&](std::size_t i) { return !m_taken.contains({twin, i}); });
        m_taken.insert({twin, fitting.front()});
        return inputs[fitting.front()];
    }

    bool isMultiplication(std::uint32_t twin) const {
        static constexpr std::string_view kOps[] = {"Conv", "ConvTranspose", "FusedMatMul",
                                                    "Gemm", "MatMul",        "Mul"};
        return std::binary_search(std::begin(kOps), std::end(kOps), m_model.op(m_index.node(twin)));
    }
    bool reads(std::uint32_t at, ValueId value) const {
        return std::find(m_stashes[at].begin(), m_stashes[at].end(), value) != m_stashes[at].end();
    }
    bool isConstantInput(ValueId value) const {
        const auto from = m_index.producer(value);
        return from != kNone && m_index.constantNodes()[from] && m_index.isOp(from, "Constant");
    }
    /// Could the two be the same type? Whatever stands where a dimension is no number.
    static bool fits(const Type& a, const Type& b) {
        if (!a.isTensor() || !b.isTensor() || a.element != b.element || !a.hasShape || !b.hasShape)
            return false;
        return std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                          [](const Dim& x, const Dim& y) { return x.value == y.value; });
    }

    /// Steps of the derivative of the loss go with the steps of the loss that they have to do with.
    void placeDerivativeOfLoss() {
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (m_flow.kind[at] != BackwardKind::lossDerivative || m_twins.twin[at]) continue;
            auto candidates = touching(m_stashes[at]);
            std::erase_if(candidates, [&](std::uint32_t f) { return !m_loss[f]; });
            const auto best = latestOf(candidates, m_stashes[at]);
            if (best != kNone) m_twins.twin[at] = m_index.node(best);
        }
    }

    /// Gradient operators name their twin, and layers are known by their weights. Where a half has operators
    /// of its own, its plain nodes stand between them.
    void tellSure() {
        m_twins.isSure.assign(m_index.size(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            m_twins.isSure[at] = m_twins.twin[at] && (m_flow.hasOperators || m_flow.layer[at]);
    }

    /// Nodes that only prepare stashes (shapes, transposed weights, masks) go where their readers are.
    void placePreparations() {
        for (std::uint32_t at = m_index.size(); at-- > 0;) {
            if (!m_backward[at] || m_twins.twin[at]) continue;
            for (const ValueId output : m_model.outputs(m_index.node(at))) {
                if (output.isNone() || m_twins.twin[at]) continue;
                for (const Use use : m_model.uses(output)) {
                    const auto reader = m_index.position(use.node);
                    if (reader == kNone || !m_backward[reader] || m_twins.twin[reader].isNone()) continue;
                    m_twins.twin[at] = m_twins.twin[reader];
                    break;
                }
            }
            if (m_twins.twin[at]) continue;
            const auto best = latestOf(touching(m_stashes[at]), m_stashes[at]);
            if (best != kNone) m_twins.twin[at] = m_index.node(best);
        }
    }

    const GraphIndex& m_index;
    const Model& m_model;
    const TypeTable& m_types;
    const ValueNumbers& m_numbers;
    const GraphIndex::Flags &m_forward, &m_loss, &m_backward;
    const GradientFlow& m_flow;
    const std::unordered_map<ValueId, ValueId>& m_weightOf;
    GradientTwins m_twins;
    std::vector<Label> m_labels; ///< by ValueId index
    std::vector<std::vector<ValueId>>
        m_stashes; ///< by position: forward values that the node reads, or that came to it
    std::set<std::pair<std::uint32_t, std::size_t>>
        m_taken; ///< inputs of forward nodes whose gradient is found
};

} // namespace

GradientTwins findGradientTwins(const GraphIndex& index, const TypeTable& types, const ValueNumbers& numbers,
                                const GraphIndex::Flags& forward, const GraphIndex::Flags& loss,
                                const GraphIndex::Flags& backward, const GradientFlow& flow,
                                const std::unordered_map<ValueId, ValueId>& weightOf) {
    return TwinSearch(index, types, numbers, forward, loss, backward, flow, weightOf).run();
}

} // namespace secateur
