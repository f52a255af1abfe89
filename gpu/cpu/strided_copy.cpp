// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/strided_copy.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace secateur {

StridedCopy::StridedCopy(const StridedSource& source, std::size_t cell)
    : m_offset(source.offset), m_cell(cell) {
    for (std::size_t d = 0; d < source.dims.size(); ++d) {
        if (source.dims[d] == 1) continue;
        if (!m_dims.empty() && m_strides.back() == source.strides[d] * source.dims[d]) {
            m_dims.back() *= source.dims[d];
            m_strides.back() = source.strides[d];
        } else {
            m_dims.push_back(source.dims[d]);
            m_strides.push_back(source.strides[d]);
        }
    }
    if (m_dims.empty()) {
        m_dims = {1};
        m_strides = {1};
    }
    for (std::size_t d = 0; d + 1 < m_dims.size(); ++d)
        m_rows *= m_dims[d];
}

template <typename Cell>
void StridedCopy::copyRows(const Cell* from, Cell* to, std::int64_t first, std::int64_t last) const {
    const std::int64_t width = m_dims.back(), step = m_strides.back();
    for (std::int64_t row = first; row < last; ++row) {
        std::int64_t at = row, offset = 0;
        for (std::size_t d = m_dims.size() - 1; d-- > 0;) {
            offset += at % m_dims[d] * m_strides[d];
            at /= m_dims[d];
        }
        const Cell* source = from + offset;
        Cell* target = to + row * width;
        if (step == 1) {
            std::memcpy(target, source, static_cast<std::size_t>(width) * sizeof(Cell));
        } else {
            for (std::int64_t i = 0; i < width; ++i)
                target[i] = source[i * step];
        }
    }
}

void StridedCopy::run(const std::byte* from, std::byte* to, ThreadPool& threads) const {
    from += m_offset * static_cast<std::int64_t>(m_cell);
    constexpr std::int64_t kGrain = 1 << 15; // elements
    const std::int64_t grain = std::max<std::int64_t>(1, kGrain / m_dims.back());
    threads.forRange(m_rows, grain, [&](std::int64_t first, std::int64_t last) {
        const auto copy = [&]<typename Cell>(Cell) {
            copyRows(reinterpret_cast<const Cell*>(from), reinterpret_cast<Cell*>(to), first, last);
        };
        switch (m_cell) {
        case 1: copy(std::uint8_t{}); break;
        case 2: copy(std::uint16_t{}); break;
        case 4: copy(std::uint32_t{}); break;
        case 8: copy(std::uint64_t{}); break;
        default: copy(std::array<std::uint64_t, 2>{}); break;
        }
    });
}

} // namespace secateur
