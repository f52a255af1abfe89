// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_graph.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace secateur {

/// Finds the period of a sequence of operator types: a short run of types that comes back at the same
/// distance at least four times. Returns the number of the block that each position belongs to (kNoIndex:
/// before the first block); all kNoIndex when nothing repeats. Linear.
std::vector<std::uint32_t> findRepeatedBlocks(const std::vector<std::string_view>& types);

} // namespace secateur
