// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace secateur {

/// A strong 32-bit index into one of the arenas of a Model. A default-constructed id is "none": it stands for
/// an omitted optional input or an absent producer, and is never the index of anything.
template <class Tag> struct Id {
    static constexpr std::uint32_t kNone = UINT32_MAX;
    std::uint32_t index = kNone;

    constexpr Id() = default;
    constexpr explicit Id(std::uint32_t i) : index(i) {}
    constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) {}
    [[nodiscard]] constexpr bool isNone() const { return index == kNone; }
    [[nodiscard]] constexpr explicit operator bool() const { return index != kNone; }
    friend constexpr auto operator<=>(Id, Id) = default;
};

struct NodeTag {};
struct ValueTag {};
struct GraphTag {};
struct OperandTag {};
struct SymbolTag {};

using NodeId = Id<NodeTag>;       ///< one operator call (or the entry or exit of a graph)
using ValueId = Id<ValueTag>;     ///< one tensor, sequence, map or optional flowing between nodes
using GraphId = Id<GraphTag>;     ///< main graph, control-flow body, function body or training graph
using OperandId = Id<OperandTag>; ///< one input slot of one node
using Symbol = Id<SymbolTag>;     ///< one interned string of a Model

} // namespace secateur

template <class Tag> struct std::hash<secateur::Id<Tag>> {
    std::size_t operator()(secateur::Id<Tag> id) const noexcept {
        return std::hash<std::uint32_t>{}(id.index);
    }
};
