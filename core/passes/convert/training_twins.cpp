// SPDX-License-Identifier: Apache-2.0
// Operators that ONNX Runtime puts in place of standard ones while it trains, and keeps results of for the
// backward half.
#include "core/ir/constants.h"
#include "core/passes/convert/node_parts.h"
#include "core/passes/convert/operator_twin.h"

#include <array>

namespace secateur {
namespace {

constexpr std::string_view kVendor = "com.microsoft";

std::optional<Reason> readsSaved(const Model& model, NodeId node, std::size_t firstSaved) {
    for (std::size_t slot = firstSaved; slot < model.outputs(node).size(); ++slot) {
        if (isResultRead(model, node, slot)) {
            return Reason("standard-operators.miss.saved-result", {node, model.output(node, slot)});
        }
    }
    return std::nullopt;
}

// --- ConcatTraining: Concat, and the length of each input along the axis ---

std::optional<Reason> whyNotConcat(const TwinContext&, NodeId) {
    return std::nullopt;
}

/// One length for each input: Gather(Shape(input), axis) of all inputs, joined.
ValueId makeLengths(Editor& editor, NodeId node, std::int64_t axis) {
    const Model& model = editor.model();
    const ValueId index = makeConstant(editor, node, "concat_axis", makeInt64Tensor({1}, {axis}));
    std::vector<ValueId> inputs, lengths;
    for (const ValueId input : model.inputs(node))
        inputs.push_back(input);
    for (const ValueId input : inputs) {
        const ValueId shape = addNode(editor, node, "Shape", {input}, "concat_shape");
        lengths.push_back(addNode(editor, node, "Gather", {shape, index}, "concat_length"));
    }
    return addNode(editor, node, "Concat", lengths, "concat_lengths",
                   {Attribute::of("axis", std::int64_t{0})});
}

Refusal applyConcat(TwinContext& context, Editor& editor, NodeId node) {
    if (isResultRead(context.model, node, 1))
        takeOver(editor, node, 1, makeLengths(editor, node, context.model.intAttribute(node, "axis", 0)));
    replaceNode(editor, node, "Concat", 1);
    return kDone;
}

// --- SplitTraining: Split with the lengths as an input, whatever the opset ---

std::optional<Reason> whyNotSplit(const TwinContext& context, NodeId node) {
    const bool isInput = opsetOf(context.model, node) >= 13;
    if (!isInput && !constantIntegers(context.model, context.model.input(node, 1))) {
        return Reason("standard-operators.miss.split-lengths", {node});
    }
    return std::nullopt;
}

Refusal applySplit(TwinContext& context, Editor& editor, NodeId node) {
    const NodeId split = replaceNode(editor, node, "Split");
    if (opsetOf(context.model, split) >= 13) return kDone;
    auto lengths = *constantIntegers(context.model, context.model.input(split, 1));
    editor.setInputs(split, {context.model.input(split, 0)});
    editor.setAttribute(split, Attribute::of("split", std::move(lengths)));
    return kDone;
}

// --- LSTMTraining and GRUTraining: the standard ones, and what the gradient needs ---

std::optional<Reason> whyNotLstm(const TwinContext& context, NodeId node) {
    return readsSaved(context.model, node, 3);
}
std::optional<Reason> whyNotGru(const TwinContext& context, NodeId node) {
    return readsSaved(context.model, node, 2);
}

Refusal applyLstm(TwinContext&, Editor& editor, NodeId node) {
    replaceNode(editor, node, "LSTM", 3);
    return kDone;
}

Refusal applyGru(TwinContext&, Editor& editor, NodeId node) {
    replaceNode(editor, node, "GRU", 2);
    return kDone;
}

// --- ReduceSumTraining: ReduceSum, axes as an input ---

std::optional<Reason> whyNotReduceSum(const TwinContext& context, NodeId node) {
    if (opsetOf(context.model, node) >= 13) return std::nullopt;
    const bool isNoop = context.model.intAttribute(node, "noop_with_empty_axes", 0) != 0;
    const auto axes = constantIntegers(context.model, context.model.input(node, 1));
    if (!axes || (axes->empty() && isNoop)) return Reason("standard-operators.miss.axes", {node});
    return std::nullopt;
}

Refusal applyReduceSum(TwinContext& context, Editor& editor, NodeId node) {
    const NodeId sum = replaceNode(editor, node, "ReduceSum");
    if (opsetOf(context.model, sum) >= 13) return kDone;
    auto axes = *constantIntegers(context.model, context.model.input(sum, 1));
    editor.setInputs(sum, {context.model.input(sum, 0)});
    editor.removeAttribute(sum, "noop_with_empty_axes");
    if (!axes.empty()) editor.setAttribute(sum, Attribute::of("axes", std::move(axes)));
    return kDone;
}

// --- Scale: x times, or divided by, a scalar ---

std::optional<Reason> whyNotScale(const TwinContext& context, NodeId node) {
    const ElementType x = elementOf(context.types, context.model.input(node, 0));
    const ElementType factor = elementOf(context.types, context.model.input(node, 1));
    if (x == ElementType::undefined || x != factor)
        return Reason("standard-operators.miss.mixed-types", {node});
    return std::nullopt;
}

Refusal applyScale(TwinContext& context, Editor& editor, NodeId node) {
    const bool isDown = context.model.intAttribute(node, "scale_down", 0) != 0;
    editor.removeAttribute(replaceNode(editor, node, isDown ? "Div" : "Mul"), "scale_down");
    return kDone;
}

constexpr std::array<OperatorTwin, 6> kTwins{{
    {kVendor, "ConcatTraining", 0, false, whyNotConcat, applyConcat, Exactness::exact},
    {kVendor, "SplitTraining", 0, false, whyNotSplit, applySplit, Exactness::exact},
    {kVendor, "LSTMTraining", 0, false, whyNotLstm, applyLstm, Exactness::exact},
    {kVendor, "GRUTraining", 0, false, whyNotGru, applyGru, Exactness::exact},
    {kVendor, "ReduceSumTraining", 0, false, whyNotReduceSum, applyReduceSum, Exactness::exact},
    {kVendor, "Scale", 0, false, whyNotScale, applyScale, Exactness::exact},
}};

} // namespace

std::span<const OperatorTwin> trainingTwins() {
    return kTwins;
}

} // namespace secateur
