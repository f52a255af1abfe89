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
    /// The same for elements [from, to) of the result.
    template <typename Visit>
    void forEachRowIn(std::int64_t from, std::int64_t to, std::size_t most, Visit visit) const;
    /// Elements of the result.
    [[nodiscard]] std::int64_t count() const { return m_isEmpty ? 0 : m_count; }

  private:
    std::size_t m_operands = 0;
    std::vector<std::int64_t> m_dims; ///< joined dimensions, outermost first; never empty
    std::vector<std::array<std::int64_t, kMostOperands>> m_strides;
    std::int64_t m_count = 1;
    bool m_isEmpty = false;
};

template <typename Visit>
void BroadcastWalk::forEachRowIn(std::int64_t from, std::int64_t to, std::size_t most, Visit visit) const {
    if (m_isEmpty || from >= to) return;
    const std::size_t last = m_dims.size() - 1;
    const std::int64_t width = m_dims[last];
    std::vector<std::int64_t> index(m_dims.size(), 0);
    std::array<std::int64_t, kMostOperands> base{};
    std::int64_t rest = from / width;
    for (std::size_t d = last; d-- > 0;) {
        index[d] = rest % m_dims[d];
        rest /= m_dims[d];
        for (std::size_t k = 0; k < m_operands; ++k)
            base[k] += index[d] * m_strides[d][k];
    }
    Row row;
    row.stride = m_strides[last];
    for (std::int64_t done = from % width; from < to; done = 0) {
        const std::int64_t end = std::min(width, done + to - from);
        for (; done < end; done += static_cast<std::int64_t>(row.count)) {
            row.result = from;
            row.count =
                static_cast<std::size_t>(std::min<std::int64_t>(static_cast<std::int64_t>(most), end - done));
            for (std::size_t k = 0; k < m_operands; ++k)
                row.offset[k] = base[k] + done * row.stride[k];
            visit(static_cast<const Row&>(row));
            from += static_cast<std::int64_t>(row.count);
        }
        for (std::size_t d = last; d-- > 0;) {
            for (std::size_t k = 0; k < m_operands; ++k)
                base[k] += m_strides[d][k];
            if (++index[d] < m_dims[d]) break;
            for (std::size_t k = 0; k < m_operands; ++k)
                base[k] -= m_strides[d][k] * m_dims[d];
            index[d] = 0;
        }
    }
}

template <typename Visit> void BroadcastWalk::forEachRow(std::size_t most, Visit visit) const {
    forEachRowIn(0, m_count, most, visit);
}

} // namespace secateur
