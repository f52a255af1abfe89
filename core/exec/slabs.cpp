// SPDX-License-Identifier: Apache-2.0
#include "core/exec/slabs.h"

namespace secateur {
namespace {

/// Products of the dimensions before and behind an axis.
struct Around {
    std::size_t before = 1, behind = 1;

    Around(const Shape& shape, std::size_t axis) {
        for (std::size_t d = 0; d < axis; ++d)
            before *= static_cast<std::size_t>(shape[d]);
        for (std::size_t d = axis + 1; d < shape.size(); ++d)
            behind *= static_cast<std::size_t>(shape[d]);
    }
};

} // namespace

Result<std::size_t> axisOf(const KernelCall& call, std::int64_t axis, std::size_t rank) {
    const auto signedRank = static_cast<std::int64_t>(rank);
    if (axis < -signedRank || axis >= signedRank)
        return call.fail("exec.bad-axis", {std::to_string(axis), std::to_string(rank)});
    return static_cast<std::size_t>(axis < 0 ? axis + signedRank : axis);
}

Result<TensorData> sliceAlong(const KernelCall& call, const TensorData& tensor, std::size_t axis,
                              std::int64_t index) {
    Shape shape = tensor.shape();
    const auto dim = static_cast<std::size_t>(shape[axis]);
    const Around around(shape, axis);
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    TensorData part = TRY(call.make(tensor.type(), std::move(shape)));
    for (std::size_t i = 0; i < around.before; ++i)
        copyElements(tensor, (i * dim + static_cast<std::size_t>(index)) * around.behind, part,
                     i * around.behind, around.behind);
    return part;
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
    const Around around(shape, axis);
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
