// SPDX-License-Identifier: Apache-2.0
//
// Cells moved without a look at their type: copies between tensors by element, for numbers and strings alike.
#pragma once

#include "core/exec/kernel.h"

#include <cstring>

namespace secateur {

/// Copies `count` elements side by side. Types are the same.
inline void copyElements(const TensorData& from, std::size_t fromAt, TensorData& to, std::size_t toAt,
                         std::size_t count) {
    if (from.isString()) {
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < count; ++i)
            bytes += textBytes(from.strings()[fromAt + i]);
        if (auto counted = to.countText(bytes); !counted) throw MemoryRefused(std::move(counted).error());
        for (std::size_t i = 0; i < count; ++i)
            to.strings()[toAt + i] = from.strings()[fromAt + i];
        return;
    }
    const std::size_t cell = cellBytes(from.type());
    if (count != 0) std::memcpy(to.data() + toAt * cell, from.data() + fromAt * cell, count * cell);
}

/// Elements before, along and behind an axis of a dense tensor: slice i along it lies in `before` blocks of
/// `behind` elements, block b at (b * along + i) * behind.
struct AxisBlocks {
    std::size_t before = 1, along = 1, behind = 1;

    AxisBlocks(const Shape& shape, std::size_t axis) : along(static_cast<std::size_t>(shape[axis])) {
        for (std::size_t d = 0; d < shape.size(); ++d)
            if (d != axis) (d < axis ? before : behind) *= static_cast<std::size_t>(shape[d]);
    }
};

/// An axis attribute or input as an index below `rank`; an error of the call where it lies outside [-rank,
/// rank).
Result<std::size_t> axisOf(const KernelCall& call, std::int64_t axis, std::size_t rank);

/// Counts what a sequence of `count` items takes beside their elements, for as long as it lives: of many
/// small ones that is most of the memory.
Result<void> chargeItems(const KernelCall& call, SequenceData& sequence, std::size_t count);

/// The part of `tensor` at `index` along `axis`; the axis goes. `index` is below the dimension.
Result<TensorData> sliceAlong(const KernelCall& call, const TensorData& tensor, std::size_t axis,
                              std::int64_t index);
/// The part of `tensor` from `from` on, `size` long along `axis`, which it has.
Result<TensorData> partAlong(const KernelCall& call, const TensorData& tensor, std::size_t axis,
                             std::int64_t from, std::int64_t size);
/// Tensors of one shape put side by side along a new axis. Types and shapes are checked.
Result<TensorData> stackAlong(const KernelCall& call, const std::vector<TensorData>& parts, std::size_t axis);
/// Tensors joined along an axis they have. Types and the other dimensions are checked.
Result<TensorData> joinAlong(const KernelCall& call, const std::vector<TensorData>& parts, std::size_t axis);

} // namespace secateur
