// SPDX-License-Identifier: Apache-2.0
#include "core/ir/scalar_tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace secateur {
namespace {

template <class T> std::vector<std::byte> bytesOf(T value) {
    std::vector<std::byte> bytes(sizeof value);
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

/// The bits of a binary floating-point type of 16 bits: rounded once, from the double itself.
std::uint16_t shortFloat(double value, int exponentBits, int fractionBits) {
    const int bias = (1 << (exponentBits - 1)) - 1;
    const unsigned sign = std::signbit(value) ? 0x8000U : 0U;
    const unsigned infinity = ((1U << exponentBits) - 1U) << fractionBits;
    if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinity | (1U << (fractionBits - 1)));
    const double magnitude = std::fabs(value);
    if (std::isinf(value)) return static_cast<std::uint16_t>(sign | infinity);
    int exponent = 0;
    std::frexp(magnitude, &exponent); // magnitude = fraction * 2^exponent with 0.5 <= fraction < 1
    const int leastPlace = 1 - bias - fractionBits;                      // the last place of subnormals
    const int place = std::max(exponent - 1 - fractionBits, leastPlace); // exponent of the last place
    const double units = std::nearbyint(std::ldexp(magnitude, -place));
    const double rounded = std::ldexp(units, place);
    if (rounded >= std::ldexp(1.0, bias + 1)) return static_cast<std::uint16_t>(sign | infinity);
    if (rounded < std::ldexp(1.0, 1 - bias)) // a subnormal counts in units of the last place
        return static_cast<std::uint16_t>(sign | static_cast<unsigned>(std::ldexp(rounded, -leastPlace)));
    std::frexp(rounded, &exponent);
    const auto significand = static_cast<unsigned>(std::ldexp(rounded, fractionBits + 1 - exponent));
    const unsigned fraction = significand & ((1U << fractionBits) - 1U);
    return static_cast<std::uint16_t>(sign | (static_cast<unsigned>(exponent - 1 + bias) << fractionBits) |
                                      fraction);
}

std::vector<std::byte> scalarBytes(ElementType type, double value) {
    switch (type) {
    case ElementType::float32: return bytesOf(static_cast<float>(value));
    case ElementType::float64: return bytesOf(value);
    case ElementType::float16: return bytesOf(shortFloat(value, 5, 10));
    case ElementType::bfloat16: return bytesOf(shortFloat(value, 8, 7));
    case ElementType::int64: return bytesOf(static_cast<std::int64_t>(value));
    case ElementType::int32: return bytesOf(static_cast<std::int32_t>(value));
    case ElementType::int16: return bytesOf(static_cast<std::int16_t>(value));
    case ElementType::int8: return bytesOf(static_cast<std::int8_t>(value));
    case ElementType::uint64: return bytesOf(static_cast<std::uint64_t>(value));
    case ElementType::uint32: return bytesOf(static_cast<std::uint32_t>(value));
    case ElementType::uint16: return bytesOf(static_cast<std::uint16_t>(value));
    case ElementType::uint8: return bytesOf(static_cast<std::uint8_t>(value));
    case ElementType::boolean: return bytesOf(static_cast<std::uint8_t>(value != 0));
    default: // other types are no constants of a rewrite
        return {};
    }
}

template <class T, class Round>
std::vector<std::byte> roundedBytes(const std::vector<double>& numbers, Round round) {
    std::vector<std::byte> bytes(numbers.size() * sizeof(T));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const T rounded = round(numbers[i]);
        std::memcpy(bytes.data() + i * sizeof(T), &rounded, sizeof(T));
    }
    return bytes;
}

} // namespace

TensorPtr roundedTensor(ElementType type, std::vector<std::int64_t> dims,
                        const std::vector<double>& numbers) {
    std::vector<std::byte> bytes;
    switch (type) {
    case ElementType::float64: bytes = roundedBytes<double>(numbers, [](double x) { return x; }); break;
    case ElementType::float32:
        bytes = roundedBytes<float>(numbers, [](double x) { return static_cast<float>(x); });
        break;
    case ElementType::float16:
        bytes = roundedBytes<std::uint16_t>(numbers, [](double x) { return shortFloat(x, 5, 10); });
        break;
    case ElementType::bfloat16:
        bytes = roundedBytes<std::uint16_t>(numbers, [](double x) { return shortFloat(x, 8, 7); });
        break;
    default: return nullptr;
    }
    return makeTensor(type, std::move(dims), std::move(bytes));
}

TensorPtr scalarTensor(ElementType type, double value, std::vector<std::int64_t> dims) {
    std::vector<std::byte> bytes = scalarBytes(type, value);
    return bytes.empty() ? nullptr : makeTensor(type, std::move(dims), std::move(bytes));
}

} // namespace secateur
