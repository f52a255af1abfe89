// SPDX-License-Identifier: Apache-2.0
// Gelu and its relatives of com.microsoft in the arithmetic of their definitions, or as Gelu-20 where the
// opset has it.
#include "core/passes/convert/node_parts.h"
#include "core/passes/convert/operator_twin.h"

#include <array>
#include <cmath>
#include <string>

namespace secateur {
namespace {

constexpr std::string_view kVendor = "com.microsoft";
constexpr std::int64_t kGeluOpset = 20;

std::optional<Reason> whyNotArithmetic(const TwinContext& context, NodeId node, std::int64_t leastOpset) {
    const ValueId x = context.model.input(node, 0);
    if (x.isNone()) return Reason("standard-operators.miss.no-input", {node});
    if (opsetOf(context.model, node) < leastOpset)
        return Reason("standard-operators.miss.opset", {node, leastOpset});
    if (!context.scalars.canMake(node, x)) return Reason("standard-operators.miss.type-unknown", {node, x});
    return std::nullopt;
}
std::optional<Reason> whyNotErf(const TwinContext& context, NodeId node) {
    return whyNotArithmetic(context, node, 9);
}
std::optional<Reason> whyNotTanh(const TwinContext& context, NodeId node) {
    return whyNotArithmetic(context, node, 7);
}

std::string hintOf(const Model& model, NodeId node) {
    return std::string(model.name(model.output(node, 0)));
}

/// x * 0.5 * (1 + erf(x * sqrt(0.5))), in the order of the operator's own body.
ValueId erfGelu(TwinContext& context, Editor& editor, NodeId node, ValueId x, ValueId like) {
    const std::string hint = hintOf(context.model, node);
    const ValueId root = context.scalars.make(editor, node, like, std::sqrt(0.5), "sqrt_half");
    const ValueId one = context.scalars.make(editor, node, like, 1, "one");
    const ValueId half = context.scalars.make(editor, node, like, 0.5, "half");
    const ValueId scaled = addNode(editor, node, "Mul", {root, x}, hint + "_scaled");
    const ValueId erf = addNode(editor, node, "Erf", {scaled}, hint + "_erf");
    const ValueId plusOne = addNode(editor, node, "Add", {erf, one}, hint + "_erf_plus_one");
    const ValueId phi = addNode(editor, node, "Mul", {plusOne, half}, hint + "_phi");
    return addNode(editor, node, "Mul", {x, phi}, hint);
}

/// x * 0.5 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), in the order of the operator's own body.
ValueId tanhGelu(TwinContext& context, Editor& editor, NodeId node, ValueId x, ValueId like) {
    const std::string hint = hintOf(context.model, node);
    const ValueId half = context.scalars.make(editor, node, like, 0.5, "half");
    const ValueId outer = context.scalars.make(editor, node, like, 0.7978845608028654, "sqrt_two_over_pi");
    const ValueId inner = context.scalars.make(editor, node, like, 0.035677408136300125, "cubic_factor");
    const ValueId square = addNode(editor, node, "Mul", {x, x}, hint + "_square");
    const ValueId cubic = addNode(editor, node, "Mul", {inner, square}, hint + "_cubic");
    const ValueId sum = addNode(editor, node, "Add", {outer, cubic}, hint + "_sum");
    const ValueId argument = addNode(editor, node, "Mul", {x, sum}, hint + "_argument");
    const ValueId tanh = addNode(editor, node, "Tanh", {argument}, hint + "_tanh");
    const ValueId halfTanh = addNode(editor, node, "Mul", {half, tanh}, hint + "_half_tanh");
    const ValueId phi = addNode(editor, node, "Add", {half, halfTanh}, hint + "_phi");
    return addNode(editor, node, "Mul", {x, phi}, hint);
}

ValueId standardGelu(TwinContext& context, Editor& editor, NodeId node, ValueId x, std::string approximate) {
    AttributeList attributes;
    if (approximate != "none") attributes.push_back(Attribute::of("approximate", std::move(approximate)));
    return addNode(editor, node, "Gelu", {x}, hintOf(context.model, node), std::move(attributes));
}

void finish(Editor& editor, NodeId node, ValueId result) {
    retire(editor, node, takeOver(editor, node, 0, result));
}

/// x, plus the bias of the fused forms.
ValueId biased(TwinContext& context, Editor& editor, NodeId node) {
    const ValueId x = context.model.input(node, 0), bias = context.model.input(node, 1);
    return bias.isNone() ? x
                         : addNode(editor, node, "Add", {x, bias}, hintOf(context.model, node) + "_biased");
}

void applyGelu(TwinContext& context, Editor& editor, NodeId node) {
    const ValueId like = context.model.input(node, 0);
    const ValueId x = biased(context, editor, node);
    const bool isStandard = opsetOf(context.model, node) >= kGeluOpset;
    const ValueId y =
        isStandard ? standardGelu(context, editor, node, x, "none") : erfGelu(context, editor, node, x, like);
    finish(editor, node, y);
}

void applyFastGelu(TwinContext& context, Editor& editor, NodeId node) {
    const ValueId like = context.model.input(node, 0);
    const ValueId x = biased(context, editor, node);
    const bool isStandard = opsetOf(context.model, node) >= kGeluOpset;
    const ValueId y = isStandard ? standardGelu(context, editor, node, x, "tanh")
                                 : tanhGelu(context, editor, node, x, like);
    finish(editor, node, y);
}

/// x * sigmoid(alpha * x)
void applyQuickGelu(TwinContext& context, Editor& editor, NodeId node) {
    const std::string hint = hintOf(context.model, node);
    const ValueId x = context.model.input(node, 0);
    const double alpha = static_cast<double>(context.model.floatAttribute(node, "alpha", 1.702F));
    const ValueId factor = context.scalars.make(editor, node, x, alpha, "alpha");
    const ValueId scaled = addNode(editor, node, "Mul", {x, factor}, hint + "_scaled");
    const ValueId gate = addNode(editor, node, "Sigmoid", {scaled}, hint + "_gate");
    finish(editor, node, addNode(editor, node, "Mul", {x, gate}, hint));
}

/// Softmax(x + bias) over the axes from `axis` on: one Softmax below opset 13, or where that is the last
/// axis.
std::optional<Reason> whyNotBiasSoftmax(const TwinContext& context, NodeId node) {
    const std::int64_t axis = context.model.intAttribute(node, "axis", 1);
    const auto rank = rankOf(context.types, context.model.input(node, 0));
    const std::int64_t opset = opsetOf(context.model, node);
    const bool isPlain = opset < 13 || axis == -1 || (rank && axis == *rank - 1);
    if (!isPlain || opset < 7) return Reason("standard-operators.miss.softmax-axis", {node});
    return std::nullopt;
}

void applyBiasSoftmax(TwinContext& context, Editor& editor, NodeId node) {
    const std::int64_t axis = context.model.intAttribute(node, "axis", 1);
    const ValueId sum = biased(context, editor, node);
    const ValueId y =
        addNode(editor, node, "Softmax", {sum}, hintOf(context.model, node), {Attribute::of("axis", axis)});
    finish(editor, node, y);
}

constexpr std::array<OperatorTwin, 5> kTwins{{
    {kVendor, "Gelu", 0, true, whyNotErf, applyGelu, Exactness::value},
    {kVendor, "BiasGelu", 0, true, whyNotErf, applyGelu, Exactness::value},
    {kVendor, "FastGelu", 0, true, whyNotTanh, applyFastGelu, Exactness::value},
    {kVendor, "QuickGelu", 0, true, whyNotTanh, applyQuickGelu, Exactness::value},
    {kVendor, "BiasSoftmax", 0, true, whyNotBiasSoftmax, applyBiasSoftmax, Exactness::value},
}};

} // namespace

std::span<const OperatorTwin> activationTwins() {
    return kTwins;
}

} // namespace secateur
