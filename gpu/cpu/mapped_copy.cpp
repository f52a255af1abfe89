// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/mapped_copy.h"

#include "core/exec/broadcast.h"

#include <algorithm>

namespace secateur {

MappedCopy::MappedCopy(const Shape& operand, std::vector<std::vector<std::int64_t>> maps, float constant)
    : m_offsets(std::move(maps)), m_constant(constant) {
    const Shape strides = stridesOf(operand);
    const std::vector<std::int64_t> innermost = m_offsets.back();
    m_offsets.pop_back();
    m_width = static_cast<std::int64_t>(innermost.size());
    for (std::int64_t at = 0; at < m_width; ++at) {
        const std::int64_t from = innermost[static_cast<std::size_t>(at)];
        const bool goesOn = !m_pieces.empty() &&
                            (from == kConstant ? m_pieces.back().from == kConstant
                                               : m_pieces.back().from != kConstant &&
                                                     m_pieces.back().from + m_pieces.back().count == from);
        if (goesOn)
            ++m_pieces.back().count;
        else
            m_pieces.push_back({at, from, 1});
    }
    for (std::size_t d = 0; d < m_offsets.size(); ++d) {
        m_rows *= static_cast<std::int64_t>(m_offsets[d].size());
        for (std::int64_t& from : m_offsets[d])
            if (from != kConstant) from *= strides[d];
    }
}

std::uint64_t MappedCopy::tableBytes(const Shape& result) {
    // A map and its copy; pieces grow by doubling.
    constexpr std::uint64_t kEach = 2 * sizeof(std::int64_t) + 2 * sizeof(Piece);
    std::uint64_t positions = 0;
    for (const std::int64_t dim : result)
        positions += static_cast<std::uint64_t>(dim);
    return positions * kEach;
}

void MappedCopy::copyRow(const float* from, float* to) const {
    for (const Piece& piece : m_pieces) {
        if (piece.count == 1 && piece.from != kConstant)
            to[piece.to] = from[piece.from];
        else if (piece.from == kConstant)
            std::fill_n(to + piece.to, piece.count, m_constant);
        else
            std::copy_n(from + piece.from, piece.count, to + piece.to);
    }
}

void MappedCopy::run(const StepMemory& memory) {
    const float* x = memory.floats(0);
    float* y = memory.result();
    const std::int64_t grain = std::max<std::int64_t>(1, (1 << 15) / m_width);
    memory.threads.forRange(m_rows, grain, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row) {
            std::int64_t at = row, offset = 0;
            bool isConstant = false;
            for (std::size_t d = m_offsets.size(); d-- > 0;) {
                const auto size = static_cast<std::int64_t>(m_offsets[d].size());
                const std::int64_t from = m_offsets[d][static_cast<std::size_t>(at % size)];
                isConstant = isConstant || from == kConstant;
                offset += from;
                at /= size;
            }
            if (isConstant)
                std::fill_n(y + row * m_width, m_width, m_constant);
            else
                copyRow(x + offset, y + row * m_width);
        }
    });
}

} // namespace secateur
