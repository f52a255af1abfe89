// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/defs/shape_inference.h>

#include <cstdint>
#include <string_view>

namespace secateur {

/// Carries the known elements of small integer tensors through operators of the default domain for which
/// libonnx has no data propagation: exporters compute shapes with them (Div, Where, ConstantOfShape,
/// ReduceProd ...), or one without names in it (Add, Sub, Mul, Size). A symbol stands for a dimension, which
/// is a number of 0 or more, or for what was computed of dimensions (size_expression.h).
void propagateOwn(std::string_view op, onnx::DataPropagationContext& context);

/// What is known of an element in a tensor of the element type (TensorProto.DataType): nothing where the type
/// cannot hold the number, or might not hold the size that a symbol stands for. Casts wrap and round, and so
/// do sums and products in types narrower than those that sizes are counted in.
[[nodiscard]] onnx::TensorShapeProto::Dimension heldBy(std::int32_t type,
                                                       onnx::TensorShapeProto::Dimension element);

/// Is the propagation here better than that of libonnx, where both have one?
[[nodiscard]] bool isPropagatedHere(std::string_view op);

} // namespace secateur
