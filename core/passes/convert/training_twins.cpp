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

bool applyConcat(TwinContext& context, Editor& editor, NodeId node, RewriteRecord& record) {
    if (isResultRead(context.model, node, 1)) {
        const ValueId lengths = makeLengths(editor, node, context.model.intAttribute(node, "axis", 0));
        if (!replaceResult(editor, node, 1, lengths, record)) return false;
    }
    keepResults(editor, node, 1);
    editor.setOperator(node, "Concat");
    return true;
}

// --- SplitTraining: Split with the lengths as an input, whatever the opset ---

std::optional<Reason> whyNotSplit(const TwinContext& context, NodeId node) {
    const bool isInput = opsetOf(context.model, node) >= 13;
    if (!isInput && !constantIntegers(context.model, context.model.input(node, 1))) {
        return Reason("standard-operators.miss.split-lengths", {node});
    }
    return std::nullopt;
}

bool applySplit(TwinContext& context, Editor& editor, NodeId node, RewriteRecord&) {
    if (opsetOf(context.model, node) < 13) {
        auto lengths = *constantIntegers(context.model, context.model.input(node, 1));
        editor.setInputs(node, {context.model.input(node, 0)});
        editor.setAttribute(node, Attribute::of("split", std::move(lengths)));
    }
    editor.setOperator(node, "Split");
    return true;
}

// --- LSTMTraining and GRUTraining: the standard ones, and what the gradient needs ---

std::optional<Reason> whyNotLstm(const TwinContext& context, NodeId node) {
    return readsSaved(context.model, node, 3);
}
std::optional<Reason> whyNotGru(const TwinContext& context, NodeId node) {
    return readsSaved(context.model, node, 2);
}

bool applyLstm(TwinContext&, Editor& editor, NodeId node, RewriteRecord&) {
    keepResults(editor, node, 3);
    editor.setOperator(node, "LSTM");
    return true;
}

bool applyGru(TwinContext&, Editor& editor, NodeId node, RewriteRecord&) {
    keepResults(editor, node, 2);
    editor.setOperator(node, "GRU");
    return true;
}

// --- ReduceSumTraining: ReduceSum, axes as an input ---

std::optional<Reason> whyNotReduceSum(const TwinContext& context, NodeId node) {
    if (opsetOf(context.model, node) >= 13) return std::nullopt;
    const bool isNoop = context.model.intAttribute(node, "noop_with_empty_axes", 0) != 0;
    const auto axes = constantIntegers(context.model, context.model.input(node, 1));
    if (!axes || (axes->empty() && isNoop)) return Reason("standard-operators.miss.axes", {node});
    return std::nullopt;
}

bool applyReduceSum(TwinContext& context, Editor& editor, NodeId node, RewriteRecord&) {
    if (opsetOf(context.model, node) < 13) {
        auto axes = *constantIntegers(context.model, context.model.input(node, 1));
        editor.setInputs(node, {context.model.input(node, 0)});
        editor.removeAttribute(node, "noop_with_empty_axes");
        if (!axes.empty()) editor.setAttribute(node, Attribute::of("axes", std::move(axes)));
    }
    editor.setOperator(node, "ReduceSum");
    return true;
}

// --- Scale: x times, or divided by, a scalar ---

std::optional<Reason> whyNotScale(const TwinContext& context, NodeId node) {
    const ElementType x = context.types.element(context.model.input(node, 0));
    const ElementType factor = context.types.element(context.model.input(node, 1));
    if (x == ElementType::undefined || x != factor)
        return Reason("standard-operators.miss.mixed-types", {node});
    return std::nullopt;
}

bool applyScale(TwinContext& context, Editor& editor, NodeId node, RewriteRecord&) {
    const bool isDown = context.model.intAttribute(node, "scale_down", 0) != 0;
    editor.removeAttribute(node, "scale_down");
    editor.setOperator(node, isDown ? "Div" : "Mul");
    return true;
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
