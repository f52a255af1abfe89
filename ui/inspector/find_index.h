// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/history.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// One place that a search found.
struct FindHit {
    enum class Kind : std::uint8_t { node, value, weight, terminal };
    Kind kind = Kind::node;
    std::uint32_t key =
        0;            ///< node to select: itself, the producer of the value, the first reader of the weight
    std::string text; ///< what matched, with the operator for a node
};

/// Nodes (name, operator), values and weights whose name contains the words of `query`, case ignored;
/// whole-name hits first, then program order. At most `limit`; `total` counts all.
[[nodiscard]] std::vector<FindHit> findInModel(const Model& model, std::string_view query, std::size_t limit,
                                               std::size_t& total);

} // namespace secateur
