// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace secateur {

/// By node: a number that it shares with exactly those that it reaches and is reached from (Tarjan's strongly
/// connected components, without recursion). `edges`: from, to. Linear.
[[nodiscard]] std::vector<std::uint32_t>
flowCycles(std::size_t count, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges);

} // namespace secateur
