// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memory/placement.h"

namespace secateur {

/// Looks at a placement without knowing how it was made: no two ranges that live at the same step share a
/// byte, offsets are aligned and not negative, the arena holds all and is not below the lower bound, which is
/// computed anew. O(n log n). An error says which ranges break which law.
Result<void> checkPlacement(std::span<const LiveRange> ranges, const Placement& placement,
                            std::int64_t alignment = 1);

} // namespace secateur
