// SPDX-License-Identifier: Apache-2.0
#include "core/exec/cells.h"

#include "core/kernels/narrow_float.h"

#include <cmath>
#include <type_traits>

namespace secateur {
namespace {

using kernels::NarrowFormat;

/// How one element type lies in a cell and becomes a number.
template <typename Stored> struct PlainCell {
    using Storage = Stored;
    static Stored load(Stored cell) { return cell; }
    template <typename C> static Stored store(C value) { return static_cast<Stored>(value); }
};
struct BooleanCell {
    using Storage = std::uint8_t;
    static std::uint8_t load(std::uint8_t cell) { return cell != 0 ? 1 : 0; }
    template <typename C> static std::uint8_t store(C value) { return value != C{0} ? 1 : 0; }
};
template <typename Stored, NarrowFormat format> struct NarrowCell {
    using Storage = Stored;
    static float load(Stored cell) { return kernels::widen<format>(cell); }
    template <typename C> static Stored store(C value) {
        const bool isSaturating = !format.hasInfinity || format.exponentBits + format.mantissaBits < 8;
        return static_cast<Stored>(kernels::narrow<format>(static_cast<float>(value), isSaturating));
    }
};
/// A power of two without sign: the code is the exponent, 255 is NaN (ONNX float8e8m0).
struct PowerCell {
    using Storage = std::uint8_t;
    static float load(std::uint8_t cell) {
        return cell == 255 ? NAN : std::ldexp(1.0F, static_cast<int>(cell) - 127);
    }
    template <typename C> static std::uint8_t store(C value) {
        return kernels::powerCode(static_cast<float>(value), kernels::PowerRounding::up, true);
    }
};
/// Integers narrower than a byte lie sign-extended in a byte; writing keeps their low bits.
template <typename Stored, unsigned bits> struct SubByteCell {
    using Storage = Stored;
    static Stored load(Stored cell) { return cell; }
    template <typename C> static Stored store(C value) {
        const auto code = static_cast<unsigned>(static_cast<std::int64_t>(value)) & ((1U << bits) - 1);
        if constexpr (std::is_signed_v<Stored>) {
            const unsigned sign = 1U << (bits - 1);
            return static_cast<Stored>(static_cast<int>(code ^ sign) - static_cast<int>(sign));
        } else {
            return static_cast<Stored>(code);
        }
    }
};

template <typename Cell, typename C>
void readCells(const std::byte* cells, std::int64_t offset, std::int64_t stride, std::size_t count, C* out) {
    const auto* at = reinterpret_cast<const typename Cell::Storage*>(cells) + offset;
    if (stride == 1) {
        for (std::size_t i = 0; i < count; ++i)
            out[i] = static_cast<C>(Cell::load(at[i]));
        return;
    }
    for (std::size_t i = 0; i < count; ++i)
        out[i] = static_cast<C>(Cell::load(at[static_cast<std::int64_t>(i) * stride]));
}

template <typename Cell, typename C>
void writeCells(const C* in, std::size_t count, std::byte* cells, std::int64_t offset) {
    auto* at = reinterpret_cast<typename Cell::Storage*>(cells) + offset;
    for (std::size_t i = 0; i < count; ++i)
        at[i] = Cell::template store<C>(in[i]);
}

/// Calls `f` with the cell of an element type; `otherwise` for types without numbers.
template <typename F, typename R> R withCell(ElementType type, F f, R otherwise) {
    switch (type) {
    case ElementType::float32: return f(PlainCell<float>{});
    case ElementType::float64: return f(PlainCell<double>{});
    case ElementType::int8: return f(PlainCell<std::int8_t>{});
    case ElementType::int16: return f(PlainCell<std::int16_t>{});
    case ElementType::int32: return f(PlainCell<std::int32_t>{});
    case ElementType::int64: return f(PlainCell<std::int64_t>{});
    case ElementType::uint8: return f(PlainCell<std::uint8_t>{});
    case ElementType::uint16: return f(PlainCell<std::uint16_t>{});
    case ElementType::uint32: return f(PlainCell<std::uint32_t>{});
    case ElementType::uint64: return f(PlainCell<std::uint64_t>{});
    case ElementType::boolean: return f(BooleanCell{});
    case ElementType::float16: return f(NarrowCell<std::uint16_t, kernels::kFloat16>{});
    case ElementType::bfloat16: return f(NarrowCell<std::uint16_t, kernels::kBfloat16>{});
    case ElementType::float8e4m3fn: return f(NarrowCell<std::uint8_t, kernels::kFloat8E4M3FN>{});
    case ElementType::float8e4m3fnuz: return f(NarrowCell<std::uint8_t, kernels::kFloat8E4M3FNUZ>{});
    case ElementType::float8e5m2: return f(NarrowCell<std::uint8_t, kernels::kFloat8E5M2>{});
    case ElementType::float8e5m2fnuz: return f(NarrowCell<std::uint8_t, kernels::kFloat8E5M2FNUZ>{});
    case ElementType::float4e2m1: return f(NarrowCell<std::uint8_t, kernels::kFloat4E2M1>{});
    case ElementType::float8e8m0: return f(PowerCell{});
    case ElementType::int4: return f(SubByteCell<std::int8_t, 4>{});
    case ElementType::uint4: return f(SubByteCell<std::uint8_t, 4>{});
    case ElementType::int2: return f(SubByteCell<std::int8_t, 2>{});
    case ElementType::uint2: return f(SubByteCell<std::uint8_t, 2>{});
    case ElementType::undefined:
    case ElementType::string:
    case ElementType::complex64:
    case ElementType::complex128: break;
    }
    return otherwise;
}

} // namespace

ComputeType computeTypeOf(ElementType type) {
    switch (type) {
    case ElementType::float64: return ComputeType::f64;
    case ElementType::float32:
    case ElementType::float16:
    case ElementType::bfloat16:
    case ElementType::float8e4m3fn:
    case ElementType::float8e4m3fnuz:
    case ElementType::float8e5m2:
    case ElementType::float8e5m2fnuz:
    case ElementType::float4e2m1:
    case ElementType::float8e8m0: return ComputeType::f32;
    case ElementType::int2:
    case ElementType::int4:
    case ElementType::int8:
    case ElementType::int16:
    case ElementType::int32:
    case ElementType::int64: return ComputeType::i64;
    case ElementType::boolean:
    case ElementType::uint2:
    case ElementType::uint4:
    case ElementType::uint8:
    case ElementType::uint16:
    case ElementType::uint32:
    case ElementType::uint64: return ComputeType::u64;
    case ElementType::undefined:
    case ElementType::string:
    case ElementType::complex64:
    case ElementType::complex128: break;
    }
    return ComputeType::none;
}

bool isFloating(ElementType type) {
    const ComputeType compute = computeTypeOf(type);
    return compute == ComputeType::f32 || compute == ComputeType::f64;
}

bool isInteger(ElementType type) {
    const ComputeType compute = computeTypeOf(type);
    return compute == ComputeType::i64 || (compute == ComputeType::u64 && type != ElementType::boolean);
}

template <typename C> CellReader<C> cellReader(ElementType type) {
    return withCell(
        type, [](auto cell) -> CellReader<C> { return &readCells<decltype(cell), C>; },
        CellReader<C>{nullptr});
}

template <typename C> CellWriter<C> cellWriter(ElementType type) {
    return withCell(
        type, [](auto cell) -> CellWriter<C> { return &writeCells<decltype(cell), C>; },
        CellWriter<C>{nullptr});
}

template CellReader<float> cellReader<float>(ElementType);
template CellReader<double> cellReader<double>(ElementType);
template CellReader<std::int64_t> cellReader<std::int64_t>(ElementType);
template CellReader<std::uint64_t> cellReader<std::uint64_t>(ElementType);
template CellWriter<float> cellWriter<float>(ElementType);
template CellWriter<double> cellWriter<double>(ElementType);
template CellWriter<std::int64_t> cellWriter<std::int64_t>(ElementType);
template CellWriter<std::uint64_t> cellWriter<std::uint64_t>(ElementType);

} // namespace secateur
