// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace secateur {

/// What a node is there for in a training graph.
enum class Role : std::uint8_t { forward, loss, backward, accumulator, optimizer, recompute, metric };

} // namespace secateur
