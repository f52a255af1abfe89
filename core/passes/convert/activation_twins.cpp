// SPDX-License-Identifier: Apache-2.0
// Gelu and its relatives of com.microsoft: Gelu-20 where the opset has it, else the body that ONNX Runtime
// gives for them.
#include "core/passes/convert/node_parts.h"
#include "core/passes/convert/operator_twin.h"

#include <array>
#include <string>

namespace secateur {
namespace {

constexpr std::string_view kVendor = "com.microsoft";
constexpr std::int64_t kGeluOpset = 20;

std::optional<Reason> whyNotBody(const TwinContext& context, NodeId node, std::int64_t leastOpset) {
    const ValueId x = context.model.input(node, 0);
    if (x.isNone()) return Reason("standard-operators.miss.no-input", {node});
    if (opsetOf(context.model, node) < leastOpset)
        return Reason("standard-operators.miss.opset", {node, leastOpset});
    if (!context.scalars.canMake(node, x)) return Reason("standard-operators.miss.type-unknown", {node, x});
    return std::nullopt;
}
std::optional<Reason> whyNotErf(const TwinContext& context, NodeId node) {
    return whyNotBody(context, node, 9);
}
std::optional<Reason> whyNotTanh(const TwinContext& context, NodeId node) {
    return whyNotBody(context, node, 7);
}

/// x, plus the bias of the fused forms.
ValueId biased(const TwinContext& context, Editor& editor, NodeId node) {
    const ValueId x = context.model.input(node, 0), bias = context.model.input(node, 1);
    if (bias.isNone()) return x;
    const std::string hint(context.model.name(context.model.output(node, 0)));
    return addNode(editor, node, "Add", {x, bias}, hint + "_biased");
}

Refusal applyGelu(TwinContext& context, Editor& editor, NodeId node) {
    if (opsetOf(context.model, node) < kGeluOpset) return writeBody(context, editor, node);
    const bool isFast = context.model.op(node) == "FastGelu";
    const ValueId x = biased(context, editor, node);
    const NodeId gelu = replaceNode(editor, node, "Gelu");
    editor.setInputs(gelu, {x});
    editor.setAttributes(gelu, isFast ? AttributeList{Attribute::of("approximate", std::string("tanh"))}
                                      : AttributeList{});
    return kDone;
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

Refusal applyBiasSoftmax(TwinContext& context, Editor& editor, NodeId node) {
    const std::int64_t axis = context.model.intAttribute(node, "axis", 1);
    const ValueId sum = biased(context, editor, node);
    const NodeId softmax = replaceNode(editor, node, "Softmax");
    editor.setInputs(softmax, {sum});
    editor.setAttributes(softmax, {Attribute::of("axis", axis)});
    return kDone;
}

constexpr std::array<OperatorTwin, 5> kTwins{{
    {kVendor, "Gelu", 0, true, whyNotErf, applyGelu, Exactness::value},
    {kVendor, "BiasGelu", 0, true, whyNotErf, applyGelu, Exactness::value},
    {kVendor, "FastGelu", 0, true, whyNotTanh, applyGelu, Exactness::value},
    {kVendor, "QuickGelu", 0, true, whyNotTanh, writeBody, Exactness::value},
    {kVendor, "BiasSoftmax", 0, true, whyNotBiasSoftmax, applyBiasSoftmax, Exactness::value},
}};

} // namespace

std::span<const OperatorTwin> activationTwins() {
    return kTwins;
}

} // namespace secateur
