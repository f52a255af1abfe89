// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

/// Element types with ONNX's own numbers (TensorProto.DataType). A number not listed here is kept as it is.
enum class ElementType : std::int32_t {
    undefined = 0,
    float32 = 1,
    uint8 = 2,
    int8 = 3,
    uint16 = 4,
    int16 = 5,
    int32 = 6,
    int64 = 7,
    string = 8,
    boolean = 9,
    float16 = 10,
    float64 = 11,
    uint32 = 12,
    uint64 = 13,
    complex64 = 14,
    complex128 = 15,
    bfloat16 = 16,
    float8e4m3fn = 17,
    float8e4m3fnuz = 18,
    float8e5m2 = 19,
    float8e5m2fnuz = 20,
    uint4 = 21,
    int4 = 22,
    float4e2m1 = 23,
    float8e8m0 = 24,
    uint2 = 25,
    int2 = 26,
};

/// Bits of one element; 0 for strings, undefined and numbers this table does not know.
[[nodiscard]] unsigned elementBits(ElementType type);
/// ONNX's text name ("float", "int64", "bfloat16"), or "type<99>" for an unknown number.
[[nodiscard]] std::string elementTypeName(ElementType type);
/// Bytes that `elements` packed elements need, rounded up to a whole byte; none when the size is unknown or
/// overflows.
[[nodiscard]] std::optional<std::uint64_t> packedBytes(ElementType type, std::uint64_t elements);

/// One dimension: a number, a name, or nothing known.
struct Dim {
    std::optional<std::int64_t> value;
    std::string symbol; ///< dim_param; empty when `value` is set or nothing is known

    [[nodiscard]] bool isKnown() const { return value.has_value(); }
    friend bool operator==(const Dim&, const Dim&) = default;
};

/// The type of a value as far as it is known. `none` says that nothing is known at all.
struct Type {
    enum class Kind : std::uint8_t { none, tensor, sparseTensor, sequence, map, optional, opaque };

    Kind kind = Kind::none;
    ElementType element = ElementType::undefined; ///< tensor, sparseTensor; key type of a map
    bool hasShape = false;                        ///< false: the rank is unknown
    std::vector<Dim> dims;
    std::shared_ptr<const Type> inner; ///< sequence and optional: element; map: value type

    [[nodiscard]] bool isTensor() const { return kind == Kind::tensor; }
    /// Element count where every dimension is a number (none on overflow).
    [[nodiscard]] std::optional<std::uint64_t> elementCount() const;
    /// Bytes of a dense tensor of this type; none where that is not known.
    [[nodiscard]] std::optional<std::uint64_t> bytes() const;
    /// ONNX text, as people write it: "float[32,N,?]", "seq(int64[])", "?" where nothing is known.
    [[nodiscard]] std::string text() const;
    friend bool operator==(const Type& a, const Type& b);

    [[nodiscard]] static Type tensor(ElementType element);
    [[nodiscard]] static Type tensor(ElementType element, std::vector<std::int64_t> dims);
};

} // namespace secateur
