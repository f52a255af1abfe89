// SPDX-License-Identifier: Apache-2.0
#include "core/exec/quantized.h"

#include "core/exec/cells.h"

#include <algorithm>
#include <cmath>

namespace secateur {

Result<std::vector<std::int64_t>> withoutZeroPoint(const KernelCall& call, const TensorData& x,
                                                   const TensorData* zeroPoint, ZeroPointAxis axis) {
    if (!isInteger(x.type())) return call.noCodeFor(x.type());
    auto cells = readAll<std::int64_t>(x);
    if (zeroPoint == nullptr || cells.empty()) return cells;
    const auto zeros = readAll<std::int64_t>(*zeroPoint);
    const std::size_t rank = x.rank();
    const std::size_t columns = rank == 0 ? 1 : static_cast<std::size_t>(x.shape().back());
    const std::size_t rows = rank < 2 ? 1 : static_cast<std::size_t>(x.shape()[rank - 2]);
    const std::size_t behindFirst = rank == 0 ? 1 : cells.size() / static_cast<std::size_t>(x.shape()[0]);
    const std::size_t wanted = axis == ZeroPointAxis::row      ? rows
                               : axis == ZeroPointAxis::column ? columns
                                                               : cells.size() / behindFirst;
    // One a batch and row (or column) is allowed as well; it then has as many elements as there are of these.
    const std::size_t perBatch =
        cells.size() / (rows * columns) * (axis == ZeroPointAxis::row ? rows : columns);
    if (zeros.size() != 1 && zeros.size() != wanted && zeros.size() != perBatch)
        return call.fail("exec.shapes-differ", {shapeText(x.shape()), shapeText(zeroPoint->shape())});
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::size_t matrix = i / (rows * columns);
        std::size_t at = axis == ZeroPointAxis::row      ? i / columns % rows
                         : axis == ZeroPointAxis::column ? i % columns
                                                         : i / behindFirst;
        if (zeros.size() == perBatch && axis != ZeroPointAxis::first && perBatch != wanted)
            at += matrix * (axis == ZeroPointAxis::row ? rows : columns);
        cells[i] -= zeros[zeros.size() == 1 ? 0 : at];
    }
    return cells;
}

Result<std::vector<double>> scalesIn(const KernelCall& call, std::size_t slot) {
    const TensorData* given = TRY(call.tensor(slot));
    if (!isFloating(given->type()) || given->count() == 0) return call.noCodeFor(given->type());
    return readAll<double>(*given);
}

std::int64_t quantizedNumber(double scaled, std::int64_t zeroPoint, ElementType type) {
    const unsigned bits = elementBits(type);
    const bool isSigned = computeTypeOf(type) == ComputeType::i64;
    const double low = isSigned ? -std::ldexp(1.0, static_cast<int>(bits) - 1) : 0;
    const double high = std::ldexp(1.0, static_cast<int>(bits) - (isSigned ? 1 : 0)) - 1;
    if (std::isnan(scaled))
        return static_cast<std::int64_t>(std::clamp(static_cast<double>(zeroPoint), low, high));
    return static_cast<std::int64_t>(
        std::clamp(std::nearbyint(scaled) + static_cast<double>(zeroPoint), low, high));
}

void writeQuantized(const std::vector<double>& scaled, std::int64_t zeroPoint, TensorData& y) {
    std::vector<std::int64_t> numbers(scaled.size());
    for (std::size_t i = 0; i < scaled.size(); ++i)
        numbers[i] = quantizedNumber(scaled[i], zeroPoint, y.type());
    writeAll(y, numbers);
}

} // namespace secateur
