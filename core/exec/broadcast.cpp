// SPDX-License-Identifier: Apache-2.0
#include "core/exec/broadcast.h"

namespace secateur {

Shape stridesOf(std::span<const std::int64_t> shape) {
    Shape strides(shape.size(), 1);
    for (std::size_t d = shape.size(); d-- > 1;)
        strides[d - 1] = strides[d] * shape[d];
    return strides;
}

std::optional<Shape> broadcastShape(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
    if (a.size() < b.size()) std::swap(a, b);
    Shape shape(a.begin(), a.end());
    const std::size_t lead = a.size() - b.size();
    for (std::size_t d = 0; d < b.size(); ++d) {
        std::int64_t& dim = shape[lead + d];
        if (dim == b[d] || b[d] == 1) continue;
        if (dim != 1) return std::nullopt;
        dim = b[d];
    }
    return shape;
}

BroadcastWalk::BroadcastWalk(const Shape& result, std::span<const Shape* const> operands)
    : m_operands(operands.size()) {
    assert(operands.size() <= kMostOperands);
    std::vector<Shape> strides;
    for (const Shape* shape : operands) {
        Shape own = stridesOf(*shape);
        for (std::size_t d = 0; d < own.size(); ++d) {
            if ((*shape)[d] == 1) own[d] = 0;
        }
        own.insert(own.begin(), result.size() - own.size(), 0);
        strides.push_back(std::move(own));
    }
    for (std::size_t d = 0; d < result.size(); ++d) {
        if (result[d] == 0) m_isEmpty = true;
        if (result[d] == 1) continue;
        std::array<std::int64_t, kMostOperands> here{};
        for (std::size_t k = 0; k < m_operands; ++k)
            here[k] = strides[k][d];
        bool isJoined = !m_dims.empty();
        for (std::size_t k = 0; k < m_operands && isJoined; ++k)
            isJoined = m_strides.back()[k] == here[k] * result[d];
        if (isJoined) {
            m_dims.back() *= result[d];
            m_strides.back() = here;
        } else {
            m_dims.push_back(result[d]);
            m_strides.push_back(here);
        }
    }
    if (m_dims.empty()) {
        m_dims.push_back(1);
        m_strides.push_back({});
    }
    for (const std::int64_t dim : m_dims)
        m_count *= dim;
}

} // namespace secateur
