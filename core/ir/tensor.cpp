// SPDX-License-Identifier: Apache-2.0
#include "core/ir/tensor.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

static_assert(std::endian::native == std::endian::little, "raw_data is little endian and is read in place");

namespace secateur {
namespace {

template <class T> void put(std::vector<std::byte>& out, T value) {
    const std::size_t at = out.size();
    out.resize(at + sizeof value);
    std::memcpy(out.data() + at, &value, sizeof value);
}

template <class T> T get(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

/// Reads one varint; none at the end of the range or when it is longer than ten bytes.
std::optional<std::uint64_t> readVarint(const std::byte*& at, const std::byte* end) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; at != end && shift < 70; shift += 7) {
        const auto byte = static_cast<std::uint64_t>(*at++);
        if (shift < 64) value |= (byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) return value;
    }
    return std::nullopt;
}

/// Writes one element of int32_data or uint64_data in the width of its element type. Sub-byte types carry a
/// packed byte per entry, complex64 and floats do not come here.
void putNarrow(std::vector<std::byte>& out, unsigned bits, std::uint64_t value) {
    if (bits <= 8)
        put(out, static_cast<std::uint8_t>(value));
    else if (bits == 16)
        put(out, static_cast<std::uint16_t>(value));
    else if (bits == 32)
        put(out, static_cast<std::uint32_t>(value));
    else
        put(out, value);
}

std::optional<ByteRef> decodeTyped(const Tensor& tensor) {
    if (tensor.typedField == 4 || tensor.typedField == 10) return tensor.payload; // packed fixed width = raw
    const unsigned bits = elementBits(tensor.type);
    if (bits == 0) return std::nullopt;
    std::vector<std::byte> out;
    const std::byte* at = tensor.payload.data;
    const std::byte* end = at + tensor.payload.size;
    while (at != end) {
        const auto value = readVarint(at, end);
        if (!value) return std::nullopt;
        putNarrow(out, bits, *value);
    }
    return ByteRef::own(std::move(out));
}

std::optional<ByteRef> decodeSplat(const Tensor& tensor) {
    const auto count = tensor.elementCount();
    if (!count || tensor.payload.size == 0) return std::nullopt;
    std::vector<std::byte> out(*count * tensor.payload.size);
    for (std::size_t i = 0; i < *count; ++i) {
        std::memcpy(out.data() + i * tensor.payload.size, tensor.payload.data, tensor.payload.size);
    }
    return ByteRef::own(std::move(out));
}

double halfToDouble(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 0x1f;
    const int fraction = bits & 0x3ff;
    const double sign = (bits & 0x8000) ? -1.0 : 1.0;
    if (exponent == 31) {
        return fraction ? std::numeric_limits<double>::quiet_NaN()
                        : sign * std::numeric_limits<double>::infinity();
    }
    return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

std::optional<std::int64_t> integerAt(ElementType type, const std::byte* at) {
    switch (type) {
    case ElementType::boolean:
    case ElementType::uint8: return get<std::uint8_t>(at);
    case ElementType::int8: return get<std::int8_t>(at);
    case ElementType::uint16: return get<std::uint16_t>(at);
    case ElementType::int16: return get<std::int16_t>(at);
    case ElementType::uint32: return get<std::uint32_t>(at);
    case ElementType::int32: return get<std::int32_t>(at);
    case ElementType::int64: return get<std::int64_t>(at);
    case ElementType::uint64: return static_cast<std::int64_t>(get<std::uint64_t>(at));
    default: return std::nullopt;
    }
}

std::optional<double> doubleAt(ElementType type, const std::byte* at) {
    switch (type) {
    case ElementType::float32: return get<float>(at);
    case ElementType::float64: return get<double>(at);
    case ElementType::float16: return halfToDouble(get<std::uint16_t>(at));
    case ElementType::bfloat16: return std::bit_cast<float>(std::uint32_t{get<std::uint16_t>(at)} << 16);
    case ElementType::uint64: return static_cast<double>(get<std::uint64_t>(at));
    default: break;
    }
    const auto integer = integerAt(type, at);
    if (!integer) return std::nullopt;
    return static_cast<double>(*integer);
}

template <class T, class Read>
std::optional<std::vector<T>> readAll(const Tensor& tensor, std::size_t limit, Read read) {
    const auto count = tensor.elementCount();
    const unsigned bits = elementBits(tensor.type);
    if (!count || *count > limit || bits < 8) return std::nullopt;
    const auto raw = rawBytes(tensor);
    if (!raw || raw->size != *count * (bits / 8)) return std::nullopt;
    std::vector<T> out;
    out.reserve(*count);
    for (std::size_t i = 0; i < *count; ++i) {
        const auto value = read(tensor.type, raw->data + i * (bits / 8));
        if (!value) return std::nullopt;
        out.push_back(*value);
    }
    return out;
}

template <class T>
TensorPtr makeFrom(ElementType type, std::vector<std::int64_t> dims, const std::vector<T>& values) {
    std::vector<std::byte> raw(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(raw.data(), values.data(), raw.size());
    return makeTensor(type, std::move(dims), std::move(raw));
}

} // namespace

ByteRef ByteRef::own(std::vector<std::byte> bytes) {
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    return {owner, owner->data(), owner->size()};
}

std::optional<std::uint64_t> Tensor::elementCount() const {
    return asType().elementCount();
}

std::optional<std::uint64_t> Tensor::byteSize() const {
    if (encoding == Encoding::sparse) return std::nullopt;
    return asType().bytes();
}

Type Tensor::asType() const {
    return Type::tensor(type, dims);
}

std::optional<ByteRef> rawBytes(const Tensor& tensor) {
    switch (tensor.encoding) {
    case Tensor::Encoding::raw: return tensor.payload;
    case Tensor::Encoding::external:
        return tensor.payload.data ? std::optional(tensor.payload) : std::nullopt;
    case Tensor::Encoding::typed: return decodeTyped(tensor);
    case Tensor::Encoding::splat: return decodeSplat(tensor);
    case Tensor::Encoding::none: return tensor.elementCount() == 0U ? std::optional(ByteRef{}) : std::nullopt;
    case Tensor::Encoding::strings:
    case Tensor::Encoding::sparse: break;
    }
    return std::nullopt;
}

std::optional<std::vector<std::int64_t>> asIntegers(const Tensor& tensor, std::size_t limit) {
    return readAll<std::int64_t>(tensor, limit, integerAt);
}

std::optional<std::vector<double>> asDoubles(const Tensor& tensor, std::size_t limit) {
    return readAll<double>(tensor, limit, doubleAt);
}

TensorPtr makeTensor(ElementType type, std::vector<std::int64_t> dims, std::vector<std::byte> raw) {
    Tensor tensor;
    tensor.type = type;
    tensor.dims = std::move(dims);
    tensor.encoding = Tensor::Encoding::raw;
    tensor.payload = ByteRef::own(std::move(raw));
    return std::make_shared<const Tensor>(std::move(tensor));
}

TensorPtr makeInt64Tensor(std::vector<std::int64_t> dims, const std::vector<std::int64_t>& values) {
    return makeFrom(ElementType::int64, std::move(dims), values);
}

TensorPtr makeFloatTensor(std::vector<std::int64_t> dims, const std::vector<float>& values) {
    return makeFrom(ElementType::float32, std::move(dims), values);
}

} // namespace secateur
