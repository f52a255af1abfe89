// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/kernel.h"

#include <vector>

namespace secateur {

/// Results that a loop gathers, one part an iteration. The parts lie side by side in a few large pieces, so
/// that what they take is what is counted, however small and many they are.
class GatheredParts {
  public:
    /// Fails where the part has another type or shape than the ones before, and beyond the limit of the pool.
    Result<void> add(const KernelCall& call, const TensorData& part);
    [[nodiscard]] bool isEmpty() const { return m_count == 0; }
    /// Of one part; there must be one.
    [[nodiscard]] std::size_t rank() const { return m_shape.size(); }
    /// All parts along a new axis, the last one first where asked. There must be one.
    Result<TensorData> stacked(const KernelCall& call, std::size_t axis, bool isReversed = false) const;

  private:
    ElementType m_type = ElementType::undefined;
    Shape m_shape;                       ///< of one part
    std::size_t m_each = 0;              ///< elements of one part
    std::vector<TensorData> m_pieces;    ///< of many parts each, the last one not full
    std::size_t m_count = 0, m_free = 0; ///< parts in all, and for which the last piece has room
};

} // namespace secateur
