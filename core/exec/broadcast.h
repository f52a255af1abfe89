// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/tensor_data.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace secateur {

/// Cells from one element to the next along each dimension of a dense row-major tensor.
[[nodiscard]] Shape stridesOf(std::span<const std::int64_t> shape);
/// The shape that both broadcast to (ONNX Broadcasting: numpy's rule); none where they do not fit.
[[nodiscard]] std::optional<Shape> broadcastShape(std::span<const std::int64_t> a,
                                                  std::span<const std::int64_t> b);

/// A walk over a result and up to three operands broadcast to it, in rows: dimensions that lie on in all
/// operands are joined, so that dense operands are one row.
class BroadcastWalk {
  public:
    static constexpr std::size_t kMostOperands = 3;
    /// One piece of the walk: where each operand starts, its stride in cells, and how many elements.
    struct Row {
        std::int64_t result = 0;
        std::array<std::int64_t, kMostOperands> offset{}, stride{};
        std::size_t count = 0;
    };

    /// `operands` each broadcast to `result`.
    BroadcastWalk(const Shape& result, std::span<const Shape* const> operands);

    /// Calls `visit(row)` for all elements in order, rows cut to at most `most` elements.
    template <typename Visit> void forEachRow(std::size_t most, Visit visit) const;

  private:
    std::size_t m_operands = 0;
    std::vector<std::int64_t> m_dims; ///< joined dimensions, outermost first; never empty
    std::vector<std::array<std::int64_t, kMostOperands>> m_strides;
    bool m_isEmpty = false;
};

template <typename Visit> void BroadcastWalk::forEachRow(std::size_t most, Visit visit) const {
    if (m_isEmpty) return;
    const std::size_t last = m_dims.size() - 1;
    std::vector<std::int64_t> index(m_dims.size(), 0);
    Row row;
    row.stride = m_strides[last];
    std::array<std::int64_t, kMostOperands> base{};
    for (std::int64_t result = 0;; result += m_dims[last]) {
        for (std::int64_t done = 0; done < m_dims[last]; done += static_cast<std::int64_t>(most)) {
            row.result = result + done;
            row.count = static_cast<std::size_t>(
                std::min<std::int64_t>(static_cast<std::int64_t>(most), m_dims[last] - done));
            for (std::size_t k = 0; k < m_operands; ++k)
                row.offset[k] = base[k] + done * row.stride[k];
            visit(static_cast<const Row&>(row));
        }
        std::size_t d = last;
        while (d > 0) {
            --d;
            for (std::size_t k = 0; k < m_operands; ++k)
                base[k] += m_strides[d][k];
            if (++index[d] < m_dims[d]) break;
            for (std::size_t k = 0; k < m_operands; ++k)
                base[k] -= m_strides[d][k] * m_dims[d];
            index[d] = 0;
            if (d == 0) return;
        }
        if (last == 0) return;
    }
}

} // namespace secateur
