// SPDX-License-Identifier: Apache-2.0
#include "core/exec/slabs.h"

namespace secateur {

Result<std::size_t> axisOf(const KernelCall& call, std::int64_t axis, std::size_t rank) {
    const auto signedRank = static_cast<std::int64_t>(rank);
    if (axis < -signedRank || axis >= signedRank)
        return call.fail("exec.bad-axis", {std::to_string(axis), std::to_string(rank)});
    return static_cast<std::size_t>(axis < 0 ? axis + signedRank : axis);
}

Result<void> chargeItems(const KernelCall& call, SequenceData& sequence, std::size_t count) {
    constexpr std::size_t kEachItem = 320; // a value, its shape, and what holds its elements and their charge
    sequence.charged = TRY(call.chargeScratch(count, kEachItem));
    return {};
}

Result<TensorData> partAlong(const KernelCall& call, const TensorData& tensor, std::size_t axis,
                             std::int64_t from, std::int64_t size) {
    Shape shape = tensor.shape();
    const AxisBlocks around(shape, axis);
    shape[axis] = size;
    TensorData part = TRY(call.make(tensor.type(), std::move(shape)));
    const std::size_t row = static_cast<std::size_t>(size) * around.behind;
    for (std::size_t i = 0; i < around.before; ++i)
        copyElements(tensor, (i * around.along + static_cast<std::size_t>(from)) * around.behind, part,
                     i * row, row);
    return part;
}

Result<TensorData> sliceAlong(const KernelCall& call, const TensorData& tensor, std::size_t axis,
                              std::int64_t index) {
    const TensorData part = TRY(partAlong(call, tensor, axis, index, 1));
    Shape shape = part.shape();
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    return part.reshaped(std::move(shape));
}

Result<TensorData> stackAlong(const KernelCall& call, const std::vector<TensorData>& parts,
                              std::size_t axis) {
    std::vector<TensorData> widened;
    for (const TensorData& part : parts) {
        Shape shape = part.shape();
        if (axis > shape.size())
            return call.fail("exec.bad-axis", {std::to_string(axis), std::to_string(shape.size() + 1)});
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
        widened.push_back(part.reshaped(std::move(shape)));
    }
    return joinAlong(call, widened, axis);
}

Result<TensorData> joinAlong(const KernelCall& call, const std::vector<TensorData>& parts, std::size_t axis) {
    if (parts.empty()) return call.fail("exec.nothing-to-join");
    const TensorData& first = parts.front();
    Shape shape = first.shape();
    shape[axis] = 0;
    for (const TensorData& part : parts) {
        Shape other = part.shape();
        if (part.type() != first.type())
            return call.fail("exec.types-differ",
                             {elementTypeName(first.type()), elementTypeName(part.type())});
        if (other.size() != shape.size())
            return call.fail("exec.shapes-differ", {shapeText(first.shape()), shapeText(other)});
        shape[axis] += other[axis];
        other[axis] = shape[axis];
        if (other != shape)
            return call.fail("exec.shapes-differ", {shapeText(first.shape()), shapeText(part.shape())});
    }
    TensorData joined = TRY(call.make(first.type(), shape));
    const AxisBlocks around(shape, axis);
    const std::size_t row = static_cast<std::size_t>(shape[axis]) * around.behind;
    std::size_t at = 0;
    for (const TensorData& part : parts) {
        const std::size_t piece = static_cast<std::size_t>(part.shape()[axis]) * around.behind;
        for (std::size_t i = 0; i < around.before; ++i)
            copyElements(part, i * piece, joined, i * row + at, piece);
        at += piece;
    }
    return joined;
}

} // namespace secateur
