// SPDX-License-Identifier: Apache-2.0
#include "core/exec/axis_rows.h"

namespace secateur {
namespace {

std::vector<bool> onlyAxis(std::size_t rank, std::size_t axis) {
    std::vector<bool> isAlong(rank, false);
    isAlong[axis] = true;
    return isAlong;
}

} // namespace

AxisRows::AxisRows(const Shape& shape, std::size_t axis) : AxisRows(shape, onlyAxis(shape.size(), axis)) {}

AxisRows::AxisRows(const Shape& shape, const std::vector<bool>& isAlong) : m_offsets{0} {
    const Shape strides = stridesOf(shape);
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (!isAlong[d]) {
            m_outerShape.push_back(shape[d]);
            m_outerStrides.push_back(strides[d]);
            m_starts *= static_cast<std::size_t>(shape[d]);
            continue;
        }
        std::vector<std::size_t> wider;
        wider.reserve(m_offsets.size() * static_cast<std::size_t>(shape[d]));
        for (const std::size_t offset : m_offsets) {
            for (std::int64_t i = 0; i < shape[d]; ++i)
                wider.push_back(offset + static_cast<std::size_t>(i * strides[d]));
        }
        m_offsets = std::move(wider);
    }
}

std::size_t AxisRows::start(std::size_t row) const {
    std::size_t at = 0;
    for (std::size_t d = m_outerShape.size(); d-- > 0;) {
        const auto dim = static_cast<std::size_t>(m_outerShape[d]);
        at += row % dim * static_cast<std::size_t>(m_outerStrides[d]);
        row /= dim;
    }
    return at;
}

} // namespace secateur
