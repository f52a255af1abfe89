// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <onnx/defs/shape_inference.h>

#include <string_view>

namespace secateur {

/// Fills in the dimensions that libonnx's inference leaves open where they are sums, products or quotients of
/// named ones: the -1 of a Reshape, both dimensions of a Flatten, the axis of a Concat. `op` is of the
/// default domain, and its inference function has run. Dimensions that it knows are not touched, but where
/// it is wrong: windows of pools with ceil_mode below opset 22, frequencies of an STFT.
void completeShape(std::string_view op, onnx::InferenceContext& context);

} // namespace secateur
