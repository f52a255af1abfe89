// SPDX-License-Identifier: Apache-2.0
#include "core/ir/type.h"

#include <array>
#include <limits>

namespace secateur {
namespace {

struct ElementInfo {
    std::string_view name;
    unsigned bits;
};

// Indexed by ONNX's number; names as ONNX's text form writes them.
constexpr std::array<ElementInfo, 27> kElements{{
    {"undefined", 0},      {"float", 32},    {"uint8", 8},        {"int8", 8},           {"uint16", 16},
    {"int16", 16},         {"int32", 32},    {"int64", 64},       {"string", 0},         {"bool", 8},
    {"float16", 16},       {"double", 64},   {"uint32", 32},      {"uint64", 64},        {"complex64", 64},
    {"complex128", 128},   {"bfloat16", 16}, {"float8e4m3fn", 8}, {"float8e4m3fnuz", 8}, {"float8e5m2", 8},
    {"float8e5m2fnuz", 8}, {"uint4", 4},     {"int4", 4},         {"float4e2m1", 4},     {"float8e8m0", 8},
    {"uint2", 2},          {"int2", 2},
}};

const ElementInfo* infoOf(ElementType type) {
    const auto number = static_cast<std::int32_t>(type);
    if (number < 0 || static_cast<std::size_t>(number) >= kElements.size()) return nullptr;
    return &kElements[static_cast<std::size_t>(number)];
}

std::string dimText(const Dim& dim) {
    if (dim.value) return std::to_string(*dim.value);
    return dim.symbol.empty() ? "?" : dim.symbol;
}

} // namespace

unsigned elementBits(ElementType type) {
    const ElementInfo* info = infoOf(type);
    return info ? info->bits : 0;
}

std::string elementTypeName(ElementType type) {
    if (const ElementInfo* info = infoOf(type)) return std::string(info->name);
    return "type<" + std::to_string(static_cast<std::int32_t>(type)) + ">";
}

std::optional<std::uint64_t> packedBytes(ElementType type, std::uint64_t elements) {
    const std::uint64_t bits = elementBits(type);
    if (bits == 0 || elements > (std::numeric_limits<std::uint64_t>::max() - 7) / bits) return std::nullopt;
    return (elements * bits + 7) / 8;
}

std::optional<std::uint64_t> Type::elementCount() const {
    if (!hasShape || (kind != Kind::tensor && kind != Kind::sparseTensor)) return std::nullopt;
    std::uint64_t count = 1;
    bool isEmpty = false, isTooLarge = false;
    for (const Dim& dim : dims) {
        if (!dim.value || *dim.value < 0) return std::nullopt;
        const auto n = static_cast<std::uint64_t>(*dim.value);
        if (n == 0)
            isEmpty = true;
        else if (count > std::numeric_limits<std::uint64_t>::max() / n)
            isTooLarge = true;
        else
            count *= n;
    }
    if (isEmpty) return 0;
    return isTooLarge ? std::nullopt : std::optional(count);
}

std::optional<std::uint64_t> Type::bytes() const {
    if (kind != Kind::tensor) return std::nullopt;
    const auto count = elementCount();
    return count ? packedBytes(element, *count) : std::nullopt;
}

std::string Type::text() const {
    switch (kind) {
    case Kind::none: return "?";
    case Kind::opaque: return "opaque";
    case Kind::sequence: return "seq(" + (inner ? inner->text() : "?") + ")";
    case Kind::optional: return "optional(" + (inner ? inner->text() : "?") + ")";
    case Kind::map: return "map(" + elementTypeName(element) + "," + (inner ? inner->text() : "?") + ")";
    case Kind::tensor:
    case Kind::sparseTensor: break;
    }
    std::string out = (kind == Kind::sparseTensor ? "sparse_tensor(" : "") + elementTypeName(element);
    if (hasShape) {
        out += '[';
        for (std::size_t i = 0; i < dims.size(); ++i)
            out += (i ? "," : "") + dimText(dims[i]);
        out += ']';
    } else {
        out += "[...]";
    }
    return kind == Kind::sparseTensor ? out + ")" : out;
}

bool operator==(const Type& a, const Type& b) {
    if (a.kind != b.kind || a.element != b.element || a.hasShape != b.hasShape || a.dims != b.dims)
        return false;
    if (!a.inner || !b.inner) return !a.inner && !b.inner;
    return *a.inner == *b.inner;
}

Type Type::tensor(ElementType element) {
    Type type;
    type.kind = Kind::tensor;
    type.element = element;
    return type;
}

Type Type::tensor(ElementType element, std::vector<std::int64_t> dims) {
    Type type = tensor(element);
    type.hasShape = true;
    for (std::int64_t n : dims)
        type.dims.push_back(Dim{n, {}});
    return type;
}

} // namespace secateur
