// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rewrite/rule_view.h"

#include <optional>

namespace secateur {

/// What a Clip or Relu does as numbers: Relu is [0, +inf]. A bound that is left out is the lowest or highest
/// finite number of the type, not an infinity.
struct ClipBounds {
    double low = 0, high = 0;
};

/// None where a bound is computed, or the type has no such numbers.
[[nodiscard]] std::optional<ClipBounds> clipBounds(const RuleView& view, NodeId node);

/// Lowest and highest finite number of a floating point type; none for others.
[[nodiscard]] std::optional<ClipBounds> finiteBounds(ElementType type);

/// The smallest normal number of a floating point type.
[[nodiscard]] double smallestNormal(ElementType type);

} // namespace secateur
