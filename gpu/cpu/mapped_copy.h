// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/cpu/cpu_kernel.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// A copy of floats where each position of each axis of the result comes from a position of that axis of the
/// operand, or is a constant: Pad, and Resize to the nearest element.
class MappedCopy : public CpuKernel {
  public:
    static constexpr std::int64_t kConstant = -1;

    /// `maps`: by axis of the operand's shape as it lies in memory, the source of each result position.
    MappedCopy(const Shape& operand, std::vector<std::vector<std::int64_t>> maps, float constant);
    void run(const StepMemory& memory) override;

    /// Bytes of the tables of a copy to `result`, at most.
    [[nodiscard]] static std::uint64_t tableBytes(const Shape& result);
    /// Their charge, kept for as long as they live.
    void hold(std::shared_ptr<void> charged) { m_charged = std::move(charged); }

  private:
    /// Positions of the innermost axis that lie side by side in the operand, or are constant.
    struct Piece {
        std::int64_t to = 0, from = 0, count = 0;
    };
    void copyRow(const float* from, float* to) const;

    std::vector<std::vector<std::int64_t>> m_offsets; ///< by axis but the last: in elements of the operand
    std::vector<Piece> m_pieces;
    std::int64_t m_width = 1, m_rows = 1;
    float m_constant;
    std::shared_ptr<void> m_charged;
};

} // namespace secateur
