// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training_signs.h"

#include "core/analysis/operator_mode.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace secateur {
namespace {

constexpr std::size_t kLongestUpdate = 256; ///< nodes of one update; AdamW in plain operators takes about 20

template <std::size_t N> bool isAmong(std::string_view op, const std::array<std::string_view, N>& sortedOps) {
    return std::binary_search(sortedOps.begin(), sortedOps.end(), op);
}

bool isDefault(const GraphIndex& index, std::uint32_t at) {
    return index.model().isDefaultDomain(index.node(at));
}

/// Input slots in which an operator reads weights: [first, last].
struct Slots {
    std::string_view op;
    std::size_t first, last;
};
constexpr std::array<Slots, 21> kWeightSlots{{{"BatchNormInternal", 1, 4},
                                              {"BatchNormalization", 1, 4},
                                              {"Conv", 1, 2},
                                              {"ConvTranspose", 1, 2},
                                              {"EmbedLayerNormalization", 2, 6},
                                              {"FusedMatMul", 1, 1},
                                              {"GRU", 1, 3},
                                              {"GRUTraining", 1, 3},
                                              {"Gather", 0, 0},
                                              {"Gemm", 1, 2},
                                              {"GroupNormalization", 1, 2},
                                              {"InstanceNormalization", 1, 2},
                                              {"LSTM", 1, 3},
                                              {"LSTMTraining", 1, 3},
                                              {"LayerNormalization", 1, 2},
                                              {"MatMul", 1, 1},
                                              {"PRelu", 1, 1},
                                              {"RMSNormalization", 1, 1},
                                              {"RNN", 1, 3},
                                              {"SimplifiedLayerNormalization", 1, 1},
                                              {"SkipLayerNormalization", 2, 4}}};

class WeightSearch {
  public:
    WeightSearch(const GraphIndex& index, const TypeTable& types, TrainingSigns& signs)
        : m_index(index), m_types(types), m_signs(signs), m_leaves(index.size()) {}

    void run() {
        m_signs.isWeight.assign(m_index.model().valueIdCount(), false);
        m_signs.readsWeight.assign(m_index.size(), false);
        m_isData.assign(m_index.model().valueIdCount(), false);
        for (std::uint32_t at = 0; at < m_index.size(); ++at) {
            if (isLayoutChange(m_index, at)) followLayout(at);
            markData(at);
        }
        for (std::uint32_t at = 0; at < m_index.size(); ++at)
            markWeights(at);
    }

  private:
    /// The weight behind a value that at most was rearranged; none for anything computed from data.
    ValueId weightBehind(ValueId value) const {
        if (value.isNone()) return {};
        const auto from = m_index.producer(value);
        if (from != GraphIndex::kNone) return m_leaves[from];
        if (m_index.model().isInitializer(value)) return value;
        const Type& type = m_types.type(value);
        const bool isStatic =
            !m_isData[value.index] && type.isTensor() && type.hasShape && isFloatingPoint(type.element) &&
            std::all_of(type.dims.begin(), type.dims.end(), [](const Dim& d) { return d.isKnown(); });
        return isStatic ? value : ValueId();
    }

    void followLayout(std::uint32_t at) {
        const auto inputs = m_index.inputs(at);
        const bool joins = m_index.model().op(m_index.node(at)).starts_with("Concat");
        if (inputs.empty()) return;
        ValueId leaf = weightBehind(inputs[0]);
        for (std::size_t i = 1; joins && i < inputs.size(); ++i)
            if (weightBehind(inputs[i]).isNone()) leaf = ValueId();
        m_leaves[at] = leaf;
        if (!joins || leaf.isNone()) return;
        m_joined.resize(m_index.size());
        for (const ValueId input : inputs)
            m_joined[at].push_back(weightBehind(input));
    }

    const Slots* slotsOf(std::uint32_t at) const {
        const std::string_view op = m_index.model().op(m_index.node(at));
        const auto slots = std::lower_bound(kWeightSlots.begin(), kWeightSlots.end(), op,
                                            [](const Slots& s, std::string_view o) { return s.op < o; });
        return slots == kWeightSlots.end() || slots->op != op ? nullptr : &*slots;
    }

    /// What an operator reads where data are read is data, even if the gradient of the weights reads it
    /// elsewhere.
    void markData(std::uint32_t at) {
        const Slots* slots = slotsOf(at);
        const auto inputs = m_index.inputs(at);
        if (slots == nullptr || slots->first == 0 || inputs.empty()) return;
        const ValueId leaf = weightBehind(inputs[0]);
        if (leaf && !m_index.model().isInitializer(leaf)) m_isData[leaf.index] = true;
    }

    void markWeights(std::uint32_t at) {
        const Slots* slots = slotsOf(at);
        if (slots == nullptr) return;
        const std::string_view op = slots->op;
        const auto inputs = m_index.inputs(at);
        // An operator over nothing but constants (a table looked up at a fixed place) is no layer.
        if (m_index.constantNodes()[at]) return;
        if (op == "Gather" && (inputs.size() < 2 || isFixed(inputs[1]))) return;
        for (std::size_t slot = slots->first; slot <= slots->last && slot < inputs.size(); ++slot)
            mark(at, inputs[slot]);
    }

    bool isFixed(ValueId value) const {
        if (value.isNone()) return true;
        const auto from = m_index.producer(value);
        return from == GraphIndex::kNone ? m_index.model().isInitializer(value)
                                         : m_index.constantNodes()[from];
    }

    void mark(std::uint32_t at, ValueId value) {
        const ValueId leaf = weightBehind(value);
        if (leaf.isNone() || m_isData[leaf.index]) return;
        m_signs.readsWeight[at] = true;
        m_signs.isWeight[leaf.index] = true;
        const auto from = m_index.producer(value);
        // Parts that were joined on the way are weights, all of them.
        for (std::uint32_t step = from; step != GraphIndex::kNone;) {
            if (step < m_joined.size())
                for (const ValueId part : m_joined[step])
                    m_signs.isWeight[part.index] = true;
            const auto inputs = m_index.inputs(step);
            step = inputs.empty() ? GraphIndex::kNone : m_index.producer(inputs[0]);
        }
    }

    const GraphIndex& m_index;
    const TypeTable& m_types;
    TrainingSigns& m_signs;
    std::vector<bool> m_isData;                 ///< by ValueId index
    std::vector<ValueId> m_leaves;              ///< by position: the weight that a layout change rearranges
    std::vector<std::vector<ValueId>> m_joined; ///< by position: the weights that a Concat joins
};

bool dropoutTrains(const Model& model, NodeId node) {
    const auto form = dropoutForm(model, node);
    if (!form) return false;
    const DropoutMode mode = dropoutMode(model, node, *form);
    return mode == DropoutMode::training || mode == DropoutMode::computed;
}

/// Random numbers compared with a threshold: the mask of a dropout or of stochastic depth in plain operators.
bool drawsMask(const GraphIndex& index, std::uint32_t at) {
    static constexpr std::array<std::string_view, 8> kThresholds{
        "Ceil", "Floor", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "Round", "Where"};
    const Model& model = index.model();
    std::vector<ValueId> front{model.output(index.node(at), 0)};
    for (std::size_t next = 0; next < front.size() && next < 8; ++next) {
        if (front[next].isNone()) continue;
        for (const Use use : model.uses(front[next])) {
            if (model.node(use.node).kind != NodeKind::operation) continue;
            const std::string_view op = model.op(use.node);
            if (isAmong(op, kThresholds)) return true;
            if (op == "Add" || op == "Cast" || op == "Sub") front.push_back(model.output(use.node, 0));
        }
    }
    return false;
}

bool isInTrainingMode(const GraphIndex& index, std::uint32_t at) {
    static constexpr std::array<std::string_view, 4> kTwins{"ConcatTraining", "GRUTraining", "LSTMTraining",
                                                            "SplitTraining"};
    const Model& model = index.model();
    const NodeId node = index.node(at);
    if (dropoutTrains(model, node) || takesBatchStatistics(model, node)) return true;
    const std::string_view op = model.op(node);
    if (!isDefault(index, at)) return isAmong(op, kTwins);
    return op == "Bernoulli" || (op.starts_with("RandomUniform") && drawsMask(index, at));
}

/// The input or initializer of the output's own type that an element by element computation of it reads
/// nearest.
ValueId stateBehind(const GraphIndex& index, const TypeTable& types, ValueId output) {
    const Model& model = index.model();
    std::vector<std::uint32_t> queue;
    const Type& wanted = types.type(output);
    const auto push = [&](std::uint32_t at) {
        if (at != GraphIndex::kNone && isElementwise(index, at) &&
            std::find(queue.begin(), queue.end(), at) == queue.end())
            queue.push_back(at);
    };
    push(index.producer(output));
    for (std::size_t next = 0; next < queue.size() && next < kLongestUpdate; ++next) {
        for (const ValueId input : index.inputs(queue[next])) {
            if (input.isNone()) continue;
            const auto from = index.producer(input);
            if (from != GraphIndex::kNone) {
                push(from);
            } else if ((model.isGraphInput(input) || model.isInitializer(input)) &&
                       hasSameStaticType(types.type(input), wanted)) {
                return input;
            }
        }
    }
    return {};
}

/// By ValueId index: inputs of the graph that flow into its layers. A residual connection may add one of them
/// to an output of the same type, which makes it no state.
std::vector<bool> findDataOfLayers(const GraphIndex& index, const TrainingSigns& signs) {
    GraphIndex::Flags feeds = signs.readsWeight;
    std::vector<bool> isData(index.model().valueIdCount(), false);
    for (std::uint32_t at = index.size(); at-- > 0;) {
        if (!feeds[at]) continue;
        for (const ValueId input : index.inputs(at)) {
            if (const auto from = index.producer(input); from != GraphIndex::kNone)
                feeds[from] = true;
            else if (!input.isNone() && !index.model().isInitializer(input) && !signs.isWeight[input.index])
                isData[input.index] = true;
        }
    }
    return isData;
}

/// The single number that an output is the next value of: a sum of it and a constant.
ValueId countBehind(const GraphIndex& index, const TypeTable& types, ValueId output) {
    const auto at = index.producer(output);
    if (!index.isOp(at, "Add") || !isSingleElement(types.type(output))) return {};
    const auto inputs = index.inputs(at);
    for (std::size_t slot = 0; slot < 2 && inputs.size() == 2; ++slot) {
        const ValueId number = inputs[slot], other = inputs[1 - slot];
        if (number.isNone() || other.isNone() || index.producer(number) != GraphIndex::kNone) continue;
        const auto from = index.producer(other);
        const bool isConstant =
            from == GraphIndex::kNone ? index.model().isInitializer(other) : index.constantNodes()[from];
        if (isConstant && index.model().isGraphInput(number) && isSingleElement(types.type(number)))
            return number;
    }
    return {};
}

void findUpdates(const GraphIndex& index, const TypeTable& types, TrainingSigns& signs) {
    const Model& model = index.model();
    const auto layers = index.behind(signs.readsWeight);
    const auto isData = findDataOfLayers(index, signs);
    const auto outputs = model.graphOutputs(model.mainGraph());
    std::vector<StateUpdate> counts;
    for (std::size_t slot = 0; slot < outputs.size(); ++slot) {
        const auto at = index.producer(outputs[slot]);
        if (at == GraphIndex::kNone) continue;
        if (!layers[at]) {
            if (const ValueId number = countBehind(index, types, outputs[slot]))
                counts.push_back({slot, outputs[slot], number, false});
            continue;
        }
        const ValueId state = stateBehind(index, types, outputs[slot]);
        if (state.isNone() || isData[state.index]) continue;
        signs.updates.push_back({slot, outputs[slot], state, signs.isWeight[state.index]});
        signs.hasWeightUpdates = signs.hasWeightUpdates || signs.isWeight[state.index];
    }
    // Only beside updated weights is a number plus one a count of steps.
    if (signs.hasWeightUpdates) signs.updates.insert(signs.updates.end(), counts.begin(), counts.end());
}

} // namespace

TrainingSigns findTrainingSigns(const GraphIndex& index, const TypeTable& types) {
    TrainingSigns signs;
    WeightSearch(index, types, signs).run();
    signs.trainingMode.assign(index.size(), false);
    for (std::uint32_t at = 0; at < index.size(); ++at) {
        const OperatorTraits& traits = index.traits(at);
        signs.trainingMode[at] = isInTrainingMode(index, at);
        signs.hasTrainingMode = signs.hasTrainingMode || signs.trainingMode[at];
        signs.hasTrainingOperators = signs.hasTrainingOperators || traits.isGradient || traits.isLoss ||
                                     traits.isOptimizer || traits.isAccumulator;
        signs.hasYield = signs.hasYield || (!isDefault(index, at) && index.isOp(at, "YieldOp"));
    }
    findUpdates(index, types, signs);
    return signs;
}

bool hasSameStaticType(const Type& a, const Type& b) {
    if (!a.isTensor() || !b.isTensor() || a.element != b.element || !a.hasShape || !b.hasShape) return false;
    if (a.dims.size() != b.dims.size()) return false;
    for (std::size_t i = 0; i < a.dims.size(); ++i)
        if (!a.dims[i].isKnown() || a.dims[i].value != b.dims[i].value) return false;
    return true;
}

bool isSingleElement(const Type& type) {
    return type.isTensor() && type.hasShape && type.elementCount() == 1U;
}

bool isFloatingPoint(ElementType type) {
    return type == ElementType::float32 || type == ElementType::float16 || type == ElementType::float64 ||
           type == ElementType::bfloat16;
}

bool isElementwise(const GraphIndex& index, std::uint32_t position) {
    static constexpr std::array<std::string_view, 18> kOps{
        "Abs", "Add", "Cast", "CastLike",   "Clip", "Div",  "Identity", "Max", "Min",
        "Mul", "Neg", "Pow",  "Reciprocal", "Sign", "Sqrt", "Sub",      "Sum", "Where"};
    return isDefault(index, position) && isAmong(index.model().op(index.node(position)), kOps);
}

bool isLayoutChange(const GraphIndex& index, std::uint32_t position) {
    static constexpr std::array<std::string_view, 13> kOps{
        "Cast",    "Concat", "ConcatTraining", "DequantizeLinear", "Expand",    "Flatten",  "Identity",
        "Reshape", "Slice",  "Split",          "Squeeze",          "Transpose", "Unsqueeze"};
    return isAmong(index.model().op(index.node(position)), kOps);
}

} // namespace secateur
