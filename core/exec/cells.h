// SPDX-License-Identifier: Apache-2.0
//
// Elements of any numeric type as blocks of a few compute types, so that an operator is written for four
// types and works for all: float for floating types up to 32 bits, double, int64 for signed and uint64 for
// unsigned integers and booleans. Reading is exact within a family; writing integers wraps as two's
// complement does, writing narrow floats rounds to nearest even.
#pragma once

#include "core/exec/tensor_data.h"

#include <cstddef>
#include <cstdint>

namespace secateur {

enum class ComputeType : std::uint8_t { none, f32, f64, i64, u64 };
/// The compute type of an element type; none for strings, complex and unknown types.
[[nodiscard]] ComputeType computeTypeOf(ElementType type);
[[nodiscard]] bool isFloating(ElementType type);
[[nodiscard]] bool isInteger(ElementType type); ///< signed or unsigned; not boolean

/// Reads `count` cells, `stride` cells apart (0 repeats one), from cell `offset` on.
template <typename C>
using CellReader = void (*)(const std::byte* cells, std::int64_t offset, std::int64_t stride,
                            std::size_t count, C* out);
/// Writes `count` cells side by side from cell `offset` on.
template <typename C>
using CellWriter = void (*)(const C* in, std::size_t count, std::byte* cells, std::int64_t offset);

/// For every numeric type and any C of float, double, int64_t, uint64_t; null for other element types.
/// Reading a floating type as an integer truncates; meaningful within the range of C only.
template <typename C> [[nodiscard]] CellReader<C> cellReader(ElementType type);
template <typename C> [[nodiscard]] CellWriter<C> cellWriter(ElementType type);

/// Cells that loops over blocks handle at once.
inline constexpr std::size_t kBlockCells = 512;

/// All elements as C.
template <typename C> [[nodiscard]] std::vector<C> readAll(const TensorData& tensor) {
    std::vector<C> all(static_cast<std::size_t>(tensor.count()));
    if (const auto read = cellReader<C>(tensor.type()); read != nullptr && !all.empty())
        read(tensor.data(), 0, 1, all.size(), all.data());
    return all;
}
/// Writes all elements; `values` has as many.
template <typename C> void writeAll(TensorData& tensor, const std::vector<C>& values) {
    if (const auto write = cellWriter<C>(tensor.type()); write != nullptr && !values.empty())
        write(values.data(), values.size(), tensor.data(), 0);
}

/// Calls `f` with a value of the compute type of `type` (float{}, double{}, ...); `otherwise` where it has
/// none.
template <typename F, typename Otherwise> auto withComputeType(ElementType type, F f, Otherwise otherwise) {
    switch (computeTypeOf(type)) {
    case ComputeType::f32: return f(float{});
    case ComputeType::f64: return f(double{});
    case ComputeType::i64: return f(std::int64_t{});
    case ComputeType::u64: return f(std::uint64_t{});
    case ComputeType::none: break;
    }
    return otherwise();
}

} // namespace secateur
