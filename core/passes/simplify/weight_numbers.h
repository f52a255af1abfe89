// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on weights: in double precision, rounded once.
#pragma once

#include "core/rewrite/rule_view.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace secateur {

/// Does the value hold as many floating-point numbers as a rule may compute with, known ahead of time?
[[nodiscard]] bool isWeight(const RuleView& view, ValueId value);

/// The numbers of a weight.
[[nodiscard]] std::vector<double> weightNumbers(const RuleView& view, ValueId value);

/// A tensor of a floating-point type from numbers, each rounded once. Null where one of them is no finite
/// number of the type, or where what the type cannot hold near zero is more than rounding explains.
[[nodiscard]] TensorPtr roundedWeight(ElementType type, std::vector<std::int64_t> dims,
                                      const std::vector<double>& numbers);

/// Does reading a copy of the weight, with others still reading the old one, stay within the size limit?
[[nodiscard]] bool isCopyAffordable(const RuleView& view, ValueId weight);

} // namespace secateur
