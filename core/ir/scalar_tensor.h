// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/tensor.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// A tensor of one element, `value` rounded to `type`, to the nearest and ties to even: float64, float32,
/// float16, bfloat16 (subnormals included), or an integer type. Null for other types.
[[nodiscard]] TensorPtr scalarTensor(ElementType type, double value, std::vector<std::int64_t> dims = {});

/// A tensor of float64, float32, float16 or bfloat16 from as many numbers as `dims` say, each rounded as
/// above. Null for other types.
[[nodiscard]] TensorPtr roundedTensor(ElementType type, std::vector<std::int64_t> dims,
                                      const std::vector<double>& numbers);

} // namespace secateur
