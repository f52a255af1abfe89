// SPDX-License-Identifier: Apache-2.0
//
// Axes and orders of dimensions as nodes give them: defaults filled in, negative ones counted.
#pragma once

#include "core/rewrite/rule_view.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace secateur {

/// The axes from 0 on, in rising order.
[[nodiscard]] std::vector<std::int64_t> sortedAxes(std::vector<std::int64_t> axes, std::int64_t rank);

/// Attribute `axis` of the node, from 0 on; `otherwise` where it has none. None where it cannot be counted,
/// or is no axis of input 0.
[[nodiscard]] std::optional<std::int64_t> axisOf(const RuleView& view, NodeId node, std::int64_t otherwise);

/// The order of dimensions that a Transpose gives: without the attribute the reverse, where the rank is
/// known. None where it is no permutation.
[[nodiscard]] std::optional<std::vector<std::int64_t>> orderOf(const RuleView& view, NodeId transpose);

/// What a Slice takes: one entry an axis, axes from 0 on.
struct Cut {
    std::vector<std::int64_t> starts, ends, axes, steps;
};

/// None where it is computed, or malformed.
[[nodiscard]] std::optional<Cut> cutOf(const RuleView& view, NodeId slice);

} // namespace secateur
