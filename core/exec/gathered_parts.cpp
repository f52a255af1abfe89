// SPDX-License-Identifier: Apache-2.0
#include "core/exec/gathered_parts.h"

#include "core/exec/slabs.h"

#include <algorithm>

namespace secateur {
namespace {

/// Bytes up to which pieces grow; a larger part is a piece of its own.
constexpr std::size_t kLargestPiece = std::size_t{1} << 20U;

std::size_t partsOf(const TensorData& piece) {
    return static_cast<std::size_t>(piece.shape().front());
}

} // namespace

Result<void> GatheredParts::add(const KernelCall& call, const TensorData& part) {
    if (m_count == 0) {
        m_type = part.type();
        m_shape = part.shape();
        m_each = static_cast<std::size_t>(part.count());
    } else if (part.type() != m_type) {
        return call.fail("exec.types-differ", {elementTypeName(m_type), elementTypeName(part.type())});
    } else if (part.shape() != m_shape) {
        return call.fail("exec.shapes-differ", {shapeText(m_shape), shapeText(part.shape())});
    }
    if (m_free == 0) {
        const std::size_t bytes =
            std::max<std::size_t>(part.isString() ? m_each * sizeof(std::string) : part.byteSize(), 1);
        m_free = std::clamp<std::size_t>(kLargestPiece / bytes, 1, std::max<std::size_t>(m_count, 1));
        Shape shape = m_shape;
        shape.insert(shape.begin(), static_cast<std::int64_t>(m_free));
        m_pieces.push_back(TRY(call.make(m_type, std::move(shape))));
    }
    TensorData& piece = m_pieces.back();
    copyElements(part, 0, piece, (partsOf(piece) - m_free) * m_each, m_each);
    --m_free;
    ++m_count;
    return {};
}

Result<TensorData> GatheredParts::stacked(const KernelCall& call, std::size_t axis, bool isReversed) const {
    if (m_count == 0) return call.fail("exec.nothing-to-join");
    Shape shape = m_shape;
    if (axis > shape.size())
        return call.fail("exec.bad-axis", {std::to_string(axis), std::to_string(shape.size() + 1)});
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), static_cast<std::int64_t>(m_count));
    const AxisBlocks around(shape, axis);
    TensorData all = TRY(call.make(m_type, std::move(shape)));
    std::size_t number = 0;
    for (const TensorData& piece : m_pieces) {
        for (std::size_t i = 0; i < partsOf(piece) && number < m_count; ++i, ++number) {
            const std::size_t place = isReversed ? m_count - 1 - number : number;
            for (std::size_t b = 0; b < around.before; ++b)
                copyElements(piece, i * m_each + b * around.behind, all,
                             (b * around.along + place) * around.behind, around.behind);
        }
    }
    return all;
}

} // namespace secateur
