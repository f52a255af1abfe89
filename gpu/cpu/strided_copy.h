// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/cpu/cpu_kernel.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// Where a dense result takes its elements from: element (i, j, ...) of the result is the element at
/// `offset` + i * strides[0] + j * strides[1] ... of the operand. Stride 0 repeats, a negative one goes
/// backwards. Transpose, Slice, Split and Expand are such copies.
struct StridedSource {
    Shape dims; ///< of the result
    std::int64_t offset = 0;
    std::vector<std::int64_t> strides;
};

/// Copies elements of `cell` bytes (1, 2, 4, 8 or 16); dimensions that lie on in the operand are joined
/// first.
class StridedCopy {
  public:
    StridedCopy(const StridedSource& source, std::size_t cell);
    void run(const std::byte* from, std::byte* to, ThreadPool& threads) const;

  private:
    template <typename Cell>
    void copyRows(const Cell* from, Cell* to, std::int64_t first, std::int64_t last) const;

    std::int64_t m_offset;
    std::size_t m_cell;
    Shape m_dims;
    std::vector<std::int64_t> m_strides;
    std::int64_t m_rows = 1;
};

} // namespace secateur
