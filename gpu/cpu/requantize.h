// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/cpu/cpu_kernel.h"

#include <cstdint>

namespace secateur {

/// The 8 bit number in an input of one element; `otherwise` where it is omitted.
[[nodiscard]] inline std::int32_t byteIn(const StepMemory& memory, std::size_t slot, bool isSigned,
                                         std::int32_t otherwise = 0) {
    if (slot >= memory.inputs.size() || memory.inputs[slot] == nullptr) return otherwise;
    const std::byte cell = *memory.inputs[slot];
    return isSigned ? static_cast<std::int8_t>(cell) : static_cast<std::uint8_t>(cell);
}

/// Rounds halves to even, adds the zero point, and keeps what 8 bits can hold; NaN becomes the zero point.
class Quantizer {
  public:
    Quantizer(std::int32_t zero, bool isSigned)
        : m_zero(zero), m_low(isSigned ? -128 : 0), m_high(isSigned ? 127 : 255) {}

    [[nodiscard]] std::byte operator()(double scaled) const {
        constexpr double kShift = 6755399441055744.0; // 1.5 * 2^52: adding it rounds to a whole number
        constexpr double kFar = 1e6;
        const double near = scaled < -kFar ? -kFar : scaled > kFar ? kFar : scaled;
        const double step = (near + kShift - kShift) + m_zero;
        const double low = step < m_low ? m_low : step, inside = low > m_high ? m_high : low;
        return static_cast<std::byte>(static_cast<std::int32_t>(scaled != scaled ? m_zero : inside));
    }

  private:
    double m_zero, m_low, m_high;
};

} // namespace secateur
