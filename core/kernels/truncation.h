// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kernels/host_device.h"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace secateur::kernels {

/// A float as an integer of 64 bits: truncated; where it lies outside, the nearest; NaN gives 0. (The
/// standard leaves that open; a result must be the same on every machine.)
template <typename I> SECATEUR_HD I truncated(double value) {
    if (value != value) return 0;
    // The largest integer is no double; its successor is.
    constexpr double kEnd = std::is_signed_v<I> ? 0x1p63 : 0x1p64;
    if (value >= kEnd) return std::numeric_limits<I>::max();
    if (value < (std::is_signed_v<I> ? -0x1p63 : 0.0)) {
        if constexpr (std::is_signed_v<I>) return std::numeric_limits<I>::min();
        // Negative floats wrap into unsigned integers as their truncation does.
        return value > -0x1p63 ? static_cast<I>(static_cast<std::int64_t>(value)) : 0;
    }
    return static_cast<I>(value);
}

} // namespace secateur::kernels
