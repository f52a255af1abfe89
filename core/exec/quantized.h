// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/kernel.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// Along what a zero point of more than one element lies: rows or columns of the last two dimensions, or
/// dimension 0 (filters of a convolution).
enum class ZeroPointAxis : std::uint8_t { row, column, first };

/// The elements of an integer tensor with its zero point subtracted; null is 0.
Result<std::vector<std::int64_t>> withoutZeroPoint(const KernelCall& call, const TensorData& x,
                                                   const TensorData* zeroPoint, ZeroPointAxis axis);
/// The numbers of a floating tensor input.
Result<std::vector<double>> scalesIn(const KernelCall& call, std::size_t slot);
/// Rounds halves to even, adds the zero point, and writes what the integer type can hold, saturating.
void writeQuantized(const std::vector<double>& scaled, std::int64_t zeroPoint, TensorData& y);
/// One number so.
[[nodiscard]] std::int64_t quantizedNumber(double scaled, std::int64_t zeroPoint, ElementType type);

} // namespace secateur
