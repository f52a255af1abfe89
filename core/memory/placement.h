// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/support/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace secateur {

/// A piece of memory that is needed from step `first` to step `last`, both included.
struct LiveRange {
    std::int64_t size = 0; ///< bytes; 0 needs no place
    std::int64_t first = 0, last = 0;
};

/// Where each live range lies in one arena.
struct Placement {
    std::vector<std::int64_t> offsets; ///< by range, in bytes; 0 for ranges of no size
    std::int64_t arena = 0;            ///< bytes that hold all
    std::int64_t lowerBound = 0;       ///< the most bytes that live at one step: no arena can be smaller
    std::string strategy;              ///< which order and fit it came from: "size, best fit"

    /// No other placement has a smaller arena.
    [[nodiscard]] bool isOptimal() const { return arena == lowerBound; }
};

/// Places ranges that live at the same time side by side (Dynamic Storage Allocation, which is NP-complete):
/// several greedy orders (size, size times duration, duration, start, breadth ...) each by first and by best
/// fit, and the best of them; then, for as long as that helps, what lies on top is placed earlier. Sizes
/// count rounded up to `alignment`. The same ranges give the same places. Time O(n * overlaps) for each
/// order; beyond 5 million overlapping pairs the order of the steps alone, in O(n log n). Fails with
/// `invalidInput` on negative sizes, on ranges that end before they begin, and where bytes do not fit 63
/// bits.
Result<Placement> placeRanges(std::span<const LiveRange> ranges, std::int64_t alignment = 1);

/// The most bytes that live at one step, sizes rounded up to `alignment`. O(n log n). Fails as placeRanges.
Result<std::int64_t> mostLiveBytes(std::span<const LiveRange> ranges, std::int64_t alignment = 1);

} // namespace secateur
