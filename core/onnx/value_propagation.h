// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/defs/shape_inference.h>

#include <string_view>

namespace secateur {

/// Carries the known elements of small integer tensors through operators of the default domain for which
/// libonnx has no data propagation: exporters compute shapes with them (Div, Where, ConstantOfShape,
/// ReduceProd ...). A symbol stands for a dimension: it is a number of 0 or more.
void propagateOwn(std::string_view op, onnx::DataPropagationContext& context);

} // namespace secateur
