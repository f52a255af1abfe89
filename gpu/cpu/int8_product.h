// SPDX-License-Identifier: Apache-2.0
//
// Products of 8 bit matrices in whole numbers.
#pragma once

#include "gpu/cpu/thread_pool.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace secateur {

/// The cells of a matrix of 8 bit numbers as a product reads them: cell (k, c) lies at k * stepInner + c *
/// stepColumn.
struct Int8Matrix {
    const std::byte* cells = nullptr;
    bool isSigned = false;
    std::int64_t inner = 0, columns = 0;
    std::int64_t stepInner = 0, stepColumn = 1;
};

/// The right side of a product, in an order made for it once. Sums wrap around as 32 bit numbers do; they are
/// the same whatever the machine and the number of threads.
class Int8Weights {
  public:
    Int8Weights() = default;
    /// `zeros` is subtracted from the cells: one number, or one for each column.
    Int8Weights(const Int8Matrix& matrix, const std::vector<std::int32_t>& zeros);

    [[nodiscard]] std::int64_t columns() const { return m_columns; }
    /// Numbers in a row of the left side: the inner dimension, filled up with a zero where it is odd.
    [[nodiscard]] std::int64_t rowLength() const { return 2 * m_pairs; }
    /// Bytes that weights of this size take.
    [[nodiscard]] static std::uint64_t bytesFor(std::int64_t inner, std::int64_t columns);

    /// y[row * stepOfY + c] = sum of a[row * rowLength() + k] * (cell(k, c) - zero). Numbers of `a` lie
    /// within -255 to 255. `threads` null: in this thread.
    void multiply(const std::int16_t* a, std::int64_t rows, std::int32_t* y, std::int64_t stepOfY,
                  ThreadPool* threads) const;

  private:
    void multiplyPanel(const std::int16_t* a, std::int64_t rows, std::int64_t panel, std::int32_t* y,
                       std::int64_t stepOfY) const;

    static constexpr std::int64_t kPanel = 16; ///< columns side by side
    std::int64_t m_columns = 0, m_pairs = 0;
    std::vector<std::int8_t> m_cells;  ///< by panel, pair of inner numbers, column, number of the pair
    std::vector<std::int32_t> m_zeros; ///< by column, filled up to whole panels
};

/// Cells less their zero point as rows for `multiply`: `inner` numbers each, filled up to `length`.
void widenRows(const std::byte* cells, bool isSigned, std::int32_t zero, std::int64_t rows,
               std::int64_t inner, std::int64_t length, std::int16_t* to);

} // namespace secateur
