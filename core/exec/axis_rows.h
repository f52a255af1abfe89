// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/broadcast.h"
#include "core/exec/tensor_data.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// A tensor as rows along some of its axes: for each position on the other axes, the elements along these, in
/// row-major order. What reductions, softmax and sorting along an axis have in common.
class AxisRows {
  public:
    /// `isAlong[d]` says whether dimension d lies along the rows.
    AxisRows(const Shape& shape, const std::vector<bool>& isAlong);
    /// Rows along one axis.
    AxisRows(const Shape& shape, std::size_t axis);

    [[nodiscard]] std::size_t rows() const { return m_starts; }
    [[nodiscard]] std::size_t length() const { return m_offsets.size(); }
    /// Where row `row` starts, and how far from there its elements lie.
    [[nodiscard]] std::size_t start(std::size_t row) const;
    [[nodiscard]] const std::vector<std::size_t>& offsets() const { return m_offsets; }

    template <typename C> void read(const std::vector<C>& cells, std::size_t row, std::vector<C>& out) const {
        const std::size_t from = start(row);
        out.resize(m_offsets.size());
        for (std::size_t i = 0; i < m_offsets.size(); ++i)
            out[i] = cells[from + m_offsets[i]];
    }
    template <typename C> void write(const std::vector<C>& in, std::size_t row, std::vector<C>& cells) const {
        const std::size_t to = start(row);
        for (std::size_t i = 0; i < m_offsets.size(); ++i)
            cells[to + m_offsets[i]] = in[i];
    }

  private:
    Shape m_outerShape, m_outerStrides;
    std::vector<std::size_t> m_offsets;
    std::size_t m_starts = 1;
};

} // namespace secateur
