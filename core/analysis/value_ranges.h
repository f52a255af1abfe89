// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <cstdint>
#include <limits>
#include <unordered_map>

namespace secateur {

/// Between which numbers all elements of a tensor lie, but for those that are NaN. Infinite bounds say
/// nothing about finiteness.
struct ValueRange {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool mayBeNegativeZero = true; ///< may an element be -0? asked only where `low` is 0

    [[nodiscard]] bool isWithin(double lowest, double highest) const {
        return low >= lowest && high <= highest;
    }
};

/// Ranges of values by walking back over the operators that make them: what Relu, Sigmoid, Clip, Abs, Exp,
/// Softmax, Sqrt and the like promise whatever they read, through operators that only move elements. Each
/// value is looked at once; the walk back is bounded, and beyond it nothing is known.
class ValueRanges {
  public:
    /// Everything where nothing is known. `value` is a tensor of floating point.
    [[nodiscard]] ValueRange of(const Model& model, ValueId value);
    void clear() { m_known.clear(); }

  private:
    [[nodiscard]] ValueRange find(const Model& model, ValueId value, unsigned depth);

    std::unordered_map<std::uint32_t, ValueRange> m_known;
    bool m_isCut = false; ///< the walk met its bound
};

} // namespace secateur
