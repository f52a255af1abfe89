// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/kernel.h"

#include <cstdint>

namespace secateur {

/// What ONNX Slice takes from a dense tensor: element `index` of the result lies `base` + sum of index *
/// `strides` elements behind the first.
struct SliceView {
    Shape shape, strides;
    std::int64_t base = 0;
};

/// Reads starts, ends, axes and steps of `call`, from attributes (before opset 10) or inputs, for a tensor
/// of `shape`. Bounds are clamped; a negative step walks backwards, and an end below -dim stops before the
/// first. Errors say which list or axis does not fit.
Result<SliceView> sliceViewOf(const KernelCall& call, const Shape& shape);

} // namespace secateur
