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

/// Which part of a result an element of a weight goes into.
using PartOf = std::function<std::size_t(std::size_t)>;

/// A tensor of a floating-point type from numbers, each rounded once. Null where one of them is no finite
/// number of the type, or where for some part of the result what the type cannot hold near zero is more than
/// rounding explains: large weights elsewhere do not make up for it.
[[nodiscard]] TensorPtr roundedWeight(ElementType type, std::vector<std::int64_t> dims,
                                      const std::vector<double>& numbers, const PartOf& partOf);

/// Does reading a copy of the weight, with others still reading the old one, stay within the size limit?
[[nodiscard]] bool isCopyAffordable(const RuleView& view, ValueId weight);

} // namespace secateur
