// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace secateur {

/// What the card of a node says. A node that a step changes has one face before it and another after it.
struct NodeFace {
    std::string title;
    std::string name;
    OperatorKind kind = OperatorKind::generic;
    std::vector<LayoutRow> rows;
    friend bool operator==(const NodeFace&, const NodeFace&) = default;
};

/// The face that a node has in the graph itself.
[[nodiscard]] NodeFace faceOf(const LayoutNode& node);

/// Bit i: row i of `face` stands nowhere in `other`. Rows from the ninth on have no bit.
[[nodiscard]] std::uint8_t rowsNotIn(const NodeFace& face, const NodeFace& other);

} // namespace secateur
