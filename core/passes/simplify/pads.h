// SPDX-License-Identifier: Apache-2.0
//
// What a Pad does, by input or attribute.
#pragma once

#include "core/rewrite/rule_view.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace secateur {

/// Does it put in a constant, and not what lies near the edge?
[[nodiscard]] bool padsWithConstant(const Model& model, NodeId pad);

/// How far each side of each dimension is padded: all beginnings, then all ends. None where it is computed,
/// or malformed.
[[nodiscard]] std::optional<std::vector<std::int64_t>> padAmounts(const RuleView& view, NodeId pad);

/// The number that is put in, 0 where none is given; none where it is computed.
[[nodiscard]] std::optional<double> padFilling(const RuleView& view, NodeId pad);

} // namespace secateur
