// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace secateur {

/// Functions that call functions multiply what they stand for without end. A count goes up to this number,
/// which stands for itself and all above, and is written "over 10^18".
constexpr std::uint64_t kMostCounted = 1'000'000'000'000'000'000;

/// The sum of two counts.
[[nodiscard]] constexpr std::uint64_t addCounts(std::uint64_t a, std::uint64_t b) {
    // Neither is above the most, so that their sum still fits.
    return std::min(std::min(a, kMostCounted) + std::min(b, kMostCounted), kMostCounted);
}

} // namespace secateur
