// SPDX-License-Identifier: Apache-2.0
#include "core/picture/node_face.h"

#include <algorithm>

namespace secateur {

NodeFace faceOf(const LayoutNode& node) {
    return {node.title, node.name, node.kind, node.rows};
}

std::uint8_t rowsNotIn(const NodeFace& face, const NodeFace& other) {
    constexpr std::size_t kBits = 8;
    std::uint8_t bits = 0;
    for (std::size_t row = 0; row < face.rows.size() && row < kBits; ++row) {
        const bool isThere = std::any_of(other.rows.begin(), other.rows.end(), [&](const LayoutRow& it) {
            return it.kind == face.rows[row].kind && it.label == face.rows[row].label &&
                   it.value == face.rows[row].value;
        });
        if (!isThere) bits = static_cast<std::uint8_t>(bits | (1U << row));
    }
    return bits;
}

} // namespace secateur
