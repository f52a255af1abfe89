// SPDX-License-Identifier: Apache-2.0
// What maps each channel of a result by constants goes into the weights that made it.
//   y = BatchNormalization(Conv(x, W, b), ...)  =>  y = Conv(x, W', b')
//   y = Mul(Conv(x, W), s), Add(Gemm(a, B), t), Mul(BatchNormalization(x, ...), s) ...  =>  one node
// The nodes whose weights take it: Conv, ConvTranspose, Gemm, MatMul with a matrix on the right, and
// BatchNormalization in inference mode. Approximate: the new weights are computed in double precision and
// rounded once. Not where they would leave the numbers of their type, or where others read the result.
#include "core/passes/simplify/channel_map.h"
#include "core/passes/simplify/rules.h"
#include "core/passes/simplify/weight_numbers.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <array>

namespace secateur {
namespace {

constexpr std::array<std::string_view, 5> kTakers{"Conv", "ConvTranspose", "Gemm", "MatMul",
                                                  "BatchNormalization"};

/// The node of a kind that can take the map, behind an input of `root`.
NodeId takerBefore(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    for (std::size_t slot = 0; slot < std::min<std::size_t>(model.inputs(root).size(), 2); ++slot) {
        for (const std::string_view op : kTakers) {
            const NodeId node = view.producer(model.input(root, slot), op);
            if (!node.isNone()) return node;
        }
        if (model.isOp(root, "BatchNormalization")) break;
    }
    return {};
}

std::size_t sizeAt(const std::vector<std::int64_t>& dims, std::size_t i) {
    return static_cast<std::size_t>(dims[i]);
}

/// Where the channels of the taker's result are; none where its weight has no fitting shape.
std::optional<Channels> channelsOf(const RuleView& view, NodeId taker) {
    const Model& model = view.model();
    const auto& dims = view.constant(model.input(taker, 1))->dims;
    const std::size_t rank = dims.size();
    if (model.isOp(taker, "Conv"))
        return rank < 3 ? std::nullopt : std::optional(Channels{sizeAt(dims, 0), rank - 2, rank});
    if (model.isOp(taker, "ConvTranspose")) {
        const std::int64_t groups = model.intAttribute(taker, "group", 1);
        if (rank < 3 || groups < 1 || dims[0] % groups != 0) return std::nullopt;
        return Channels{sizeAt(dims, 1) * static_cast<std::size_t>(groups), rank - 2, rank};
    }
    if (model.isOp(taker, "BatchNormalization")) {
        const auto dataRank = view.rank(model.input(taker, 0));
        if (!dataRank || *dataRank < 2 || rank != 1) return std::nullopt;
        const auto all = static_cast<std::size_t>(*dataRank);
        return Channels{sizeAt(dims, 0), all - 2, all};
    }
    if (rank != 2) return std::nullopt;
    if (model.isOp(taker, "Gemm"))
        return Channels{sizeAt(dims, model.intAttribute(taker, "transB", 0) != 0 ? 0 : 1), 0, 2};
    const auto leftRank = view.rank(model.input(taker, 0));
    return Channels{sizeAt(dims, 1), 0, leftRank ? static_cast<std::size_t>(*leftRank) : 1};
}

/// The channel of the result that element `at` of the weight goes into.
PartOf channelOfWeight(const RuleView& view, NodeId taker) {
    const Model& model = view.model();
    const auto& dims = view.constant(model.input(taker, 1))->dims;
    std::size_t inner = 1; // elements of the weight for one pair of channels
    for (std::size_t i = 2; i < dims.size(); ++i)
        inner *= sizeAt(dims, i);
    if (model.isOp(taker, "BatchNormalization")) return [](std::size_t at) { return at; };
    if (model.isOp(taker, "Conv"))
        return [row = inner * sizeAt(dims, 1)](std::size_t at) { return at / row; };
    if (model.isOp(taker, "ConvTranspose")) {
        const auto groups = static_cast<std::size_t>(model.intAttribute(taker, "group", 1));
        return [inner, inGroup = sizeAt(dims, 0) / groups, made = sizeAt(dims, 1)](std::size_t at) {
            const std::size_t group = at / (inner * made) / inGroup;
            return group * made + at / inner % made;
        };
    }
    const bool isTransposed = model.isOp(taker, "Gemm") && model.intAttribute(taker, "transB", 0) != 0;
    return [isTransposed, columns = sizeAt(dims, 1)](std::size_t at) {
        return isTransposed ? at / columns : at % columns;
    };
}

/// The weight with the factors in it; null where it leaves the numbers of its type.
TensorPtr scaledWeight(const RuleView& view, NodeId taker, const ChannelMap& map) {
    const ValueId weight = view.model().input(taker, 1);
    const TensorPtr old = view.constant(weight);
    std::vector<double> numbers = weightNumbers(view, weight);
    const auto channelOf = channelOfWeight(view, taker);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] *= map.factors[channelOf(i)];
    return roundedWeight(old->type, old->dims, numbers, channelOf);
}

/// The summand of the node with the map in it, which may be a matrix in a Gemm: rows that differ.
TensorPtr mappedBias(const RuleView& view, NodeId taker, const ChannelMap& map) {
    const Model& model = view.model();
    const ValueId bias = model.input(taker, 2);
    const std::size_t count = map.factors.size();
    const ElementType type = view.element(model.input(taker, 1));
    std::vector<std::int64_t> dims{static_cast<std::int64_t>(count)};
    const auto each = [](std::size_t at) { return at; };
    if (bias.isNone()) return roundedWeight(type, dims, map.summands, each);
    const double beta = model.isOp(taker, "Gemm") ? model.floatAttribute(taker, "beta", 1) : 1;
    const std::vector<double> old = weightNumbers(view, bias);
    const auto& oldDims = view.constant(bias)->dims;
    const std::size_t rows = oldDims.size() == 2 ? sizeAt(oldDims, 0) : 1;
    const std::size_t columns = oldDims.empty() ? 1 : sizeAt(oldDims, oldDims.size() - 1);
    if (columns != 1 && columns != count) return nullptr;
    if (oldDims.size() == 2) dims.insert(dims.begin(), static_cast<std::int64_t>(rows));
    std::vector<double> numbers;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t c = 0; c < count; ++c) {
            const double was = old[row * columns + (columns == 1 ? 0 : c)];
            numbers.push_back(beta * was * map.factors[c] + map.summands[c]);
        }
    }
    return roundedWeight(view.element(bias), dims, numbers, each);
}

Refusal fold(const RuleView& view, RuleEdit& edit, NodeId taker, const ChannelMap& map) {
    const Model& model = view.model();
    const bool hasFactors =
        std::any_of(map.factors.begin(), map.factors.end(), [](double x) { return x != 1; });
    const bool hasBias = !model.input(taker, 2).isNone();
    const bool needsBias = hasBias || map.hasSummands();
    const TensorPtr weight = hasFactors ? scaledWeight(view, taker, map) : nullptr;
    const TensorPtr bias = needsBias ? mappedBias(view, taker, map) : nullptr;
    if ((hasFactors && !weight) || (needsBias && !bias))
        return Reason("rule.fold-into-weights.refused.range", {taker});
    std::vector<ValueId> inputs(model.inputs(taker).begin(), model.inputs(taker).end());
    if (weight) inputs[1] = edit.constant(weight);
    if (bias) {
        inputs.resize(std::max<std::size_t>(inputs.size(), 3));
        inputs[2] = edit.constant(bias);
    }
    AttributeList attributes = attributesWithout(model, taker, {"beta"}); // it is in the bias
    const bool isMatMul = model.isOp(taker, "MatMul");
    const std::string op(isMatMul && bias ? "Gemm" : model.op(taker));
    const std::string name(model.text(model.node(taker).name));
    const ValueId made = edit.node(op, inputs, attributes);
    const NodeId node = model.producer(made);
    edit.becomes(made);
    edit.editor().setNodeName(node, name); // of the node that people look for
    return kDone;
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const NodeId taker = takerBefore(view, root);
    SECATEUR_PATTERN(!taker.isNone() && view.opset(root) >= 7); // before, operands broadcast by attributes
    const bool isBatchNorm = model.isOp(taker, "BatchNormalization");
    SECATEUR_PATTERN(!isBatchNorm || isInferenceBatchNorm(view, taker));
    const ValueId data = model.output(taker, 0), weight = model.input(taker, 1), bias = model.input(taker, 2);
    // A second result, or another operand made by such a node, is another pattern.
    SECATEUR_PATTERN(!data.isNone() && view.isFloat(data));
    SECATEUR_NEAR(isWeight(view, weight) && (bias.isNone() || isWeight(view, bias)),
                  "rule.fold-into-weights.near.weights", taker);
    const auto channels = channelsOf(view, taker);
    SECATEUR_PATTERN(channels.has_value());
    const auto map = channelMap(view, root, data, *channels);
    SECATEUR_PATTERN(map.has_value());
    const bool isMatrix = view.rank(model.input(taker, 0)) == 2;
    SECATEUR_PATTERN(!model.isOp(taker, "MatMul") || !map->hasSummands() || isMatrix);
    SECATEUR_GUARD(view, view.isReadOnce(data), "rule.fold-into-weights.miss.shared", taker);
    SECATEUR_NEAR(map->isFinite(), "rule.fold-into-weights.near.finite", root);
    SECATEUR_NEAR(isCopyAffordable(view, weight), "rule.fold-into-weights.near.size", weight);
    return RuleHit{{root, taker},
                   Reason("rule.fold-into-weights.why", {root, taker}),
                   std::nullopt,
                   [&view, taker, map = *map](RuleEdit& edit) { return fold(view, edit, taker, map); }};
}

} // namespace

const Rule& foldIntoWeightsRule() {
    static const Rule rule{"fold-into-weights",
                           RuleGroup::weights,
                           Exactness::approximate,
                           {"BatchNormalization", "Mul", "Div", "Add", "Sub"},
                           match};
    return rule;
}

} // namespace secateur
