// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/size_inference.h"

#include "core/onnx/size_expression.h"

#include <onnx/defs/tensor_proto_util.h>

#include <optional>
#include <vector>

namespace secateur {
namespace {

using Shape = onnx::TensorShapeProto;
using Size = std::optional<SizeExpression>;

const Shape* shapeOf(const onnx::TypeProto* type) {
    const bool hasShape = type && type->has_tensor_type() && type->tensor_type().has_shape();
    return hasShape ? &type->tensor_type().shape() : nullptr;
}

bool isOpen(const Shape::Dimension& dim) {
    return !dim.has_dim_value() && dim.dim_param().empty();
}

/// The product of the dimensions from `begin` to `end`.
Size product(const Shape& shape, int begin, int end) {
    Size all = SizeExpression::number(1);
    for (int i = begin; i < end && all; ++i) {
        const Size dim = SizeExpression::of(shape.dim(i));
        all = dim ? all->times(*dim) : std::nullopt;
    }
    return all;
}

void fill(Shape::Dimension& dim, const Size& size) {
    if (size && size->isNeverNegative() && isOpen(dim)) dim = size->dimension();
}

/// Is the element of the target that stands for this dimension -1? A number that only running the model tells
/// says of itself what the dimension is.
bool isInferred(const onnx::InferenceContext& context, int dim) {
    if (context.getNumInputs() < 2) return false;
    if (const Shape* known = context.getSymbolicInput(1))
        return dim < known->dim_size() && known->dim(dim).has_dim_value() &&
               known->dim(dim).dim_value() == -1;
    const onnx::TensorProto* constant = context.getInputData(1);
    if (constant == nullptr) return false;
    const auto numbers = onnx::ParseData<std::int64_t>(constant);
    return static_cast<std::size_t>(dim) < numbers.size() && numbers[static_cast<std::size_t>(dim)] == -1;
}

/// As many elements before as after: the one open dimension is what the others leave.
void completeReshape(const onnx::InferenceContext& context, const Shape& input, Shape& output) {
    int open = -1;
    Size rest = SizeExpression::number(1);
    for (int i = 0; i < output.dim_size() && rest; ++i) {
        if (isOpen(output.dim(i))) {
            if (open >= 0) return;
            open = i;
            continue;
        }
        const Size dim = SizeExpression::of(output.dim(i));
        rest = dim ? rest->times(*dim) : std::nullopt;
    }
    const Size all = product(input, 0, input.dim_size());
    if (open >= 0 && all && rest && isInferred(context, open))
        fill(*output.mutable_dim(open), all->over(*rest));
}

void completeFlatten(const onnx::InferenceContext& context, const Shape& input, Shape& output) {
    const auto* given = context.getAttribute("axis");
    std::int64_t axis = given ? given->i() : 1;
    axis += axis < 0 ? input.dim_size() : 0;
    if (output.dim_size() != 2 || axis < 0 || axis > input.dim_size()) return;
    fill(*output.mutable_dim(0), product(input, 0, static_cast<int>(axis)));
    fill(*output.mutable_dim(1), product(input, static_cast<int>(axis), input.dim_size()));
}

void completeConcat(const onnx::InferenceContext& context, Shape& output) {
    const auto* given = context.getAttribute("axis");
    std::int64_t axis = given ? given->i() : 1; // below opset 4
    axis += axis < 0 ? output.dim_size() : 0;
    if (axis < 0 || axis >= output.dim_size()) return;
    Size sum = SizeExpression::number(0);
    for (std::size_t i = 0; i < context.getNumInputs() && sum; ++i) {
        const Shape* shape = shapeOf(context.getInputType(i));
        const bool isFit = shape && shape->dim_size() == output.dim_size();
        const Size dim = isFit ? SizeExpression::of(shape->dim(static_cast<int>(axis))) : std::nullopt;
        sum = dim ? sum->plus(*dim) : std::nullopt;
    }
    fill(*output.mutable_dim(static_cast<int>(axis)), sum);
}

std::vector<std::int64_t> integersOf(const onnx::InferenceContext& context, const char* name,
                                     std::size_t count, std::int64_t otherwise) {
    const auto* given = context.getAttribute(name);
    if (given == nullptr) return std::vector<std::int64_t>(count, otherwise);
    return {given->ints().begin(), given->ints().end()};
}

/// With ceil_mode, a last window that would start behind the data and the pads in front of it is no window
/// (MaxPool-22, AveragePool-22, LpPool-22). The inference of earlier versions counts it.
void correctPool(const onnx::InferenceContext& context, const Shape& input, Shape& output) {
    const auto* ceil = context.getAttribute("ceil_mode");
    const auto* automatic = context.getAttribute("auto_pad");
    if (ceil == nullptr || ceil->i() == 0 || input.dim_size() < 3) return;
    if (automatic != nullptr && automatic->s() != "NOTSET" && automatic->s() != "VALID") return;
    const auto spatial = static_cast<std::size_t>(input.dim_size() - 2);
    const auto kernel = integersOf(context, "kernel_shape", 0, 1);
    const auto strides = integersOf(context, "strides", spatial, 1);
    const auto dilations = integersOf(context, "dilations", spatial, 1);
    auto pads = integersOf(context, "pads", 2 * spatial, 0);
    if (automatic != nullptr && automatic->s() == "VALID") pads.assign(2 * spatial, 0);
    const bool isSound = kernel.size() == spatial && strides.size() == spatial &&
                         dilations.size() == spatial && pads.size() == 2 * spatial &&
                         output.dim_size() == input.dim_size();
    if (!isSound) return;
    for (std::size_t i = 0; i < spatial; ++i) {
        const auto& in = input.dim(static_cast<int>(i) + 2);
        auto& out = *output.mutable_dim(static_cast<int>(i) + 2);
        if (!in.has_dim_value() || !out.has_dim_value() || strides[i] < 1) continue;
        const bool isBehind = (out.dim_value() - 1) * strides[i] >= in.dim_value() + pads[i];
        if (isBehind && out.dim_value() > 1) out.set_dim_value(out.dim_value() - 1);
    }
}

/// Without the attribute only the first half of the frequencies is given (STFT-17: onesided is 1).
void correctSpectrum(const onnx::InferenceContext& context, Shape& output) {
    if (context.getAttribute("onesided") != nullptr || output.dim_size() != 4) return;
    auto& bins = *output.mutable_dim(2);
    if (!bins.has_dim_value()) return;
    const onnx::TensorProto* length = context.getNumInputs() > 3 ? context.getInputData(3) : nullptr;
    const Shape* window = context.getNumInputs() > 2 ? shapeOf(context.getInputType(2)) : nullptr;
    std::optional<std::int64_t> size;
    if (length != nullptr) {
        if (length->data_type() == onnx::TensorProto::INT64)
            size = onnx::ParseData<std::int64_t>(length).at(0);
        if (length->data_type() == onnx::TensorProto::INT32)
            size = onnx::ParseData<std::int32_t>(length).at(0);
    } else if (window != nullptr && window->dim_size() == 1 && window->dim(0).has_dim_value()) {
        size = window->dim(0).dim_value();
    }
    if (size && *size >= 0)
        bins.set_dim_value(*size / 2 + 1);
    else
        bins.clear_dim_value();
}

} // namespace

void completeShape(std::string_view op, onnx::InferenceContext& context) {
    const bool isPool = op == "MaxPool" || op == "AveragePool" || op == "LpPool";
    if (op != "Reshape" && op != "Flatten" && op != "Concat" && op != "STFT" && !isPool) return;
    if (context.getNumOutputs() == 0 || shapeOf(context.getOutputType(0)) == nullptr) return;
    Shape& output = *context.getOutputType(0)->mutable_tensor_type()->mutable_shape();
    if (op == "Concat") return completeConcat(context, output);
    if (op == "STFT") return correctSpectrum(context, output);
    const Shape* input = context.getNumInputs() > 0 ? shapeOf(context.getInputType(0)) : nullptr;
    if (input == nullptr) return;
    if (op == "Reshape") return completeReshape(context, *input, output);
    if (isPool) {
        correctPool(context, *input, output);
        // Places come in the same shape.
        if (context.getNumOutputs() > 1 && context.hasOutput(1) &&
            shapeOf(context.getOutputType(1)) != nullptr)
            *context.getOutputType(1)->mutable_tensor_type()->mutable_shape() = output;
        return;
    }
    completeFlatten(context, *input, output);
}

} // namespace secateur
