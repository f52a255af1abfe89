// SPDX-License-Identifier: Apache-2.0
//
// Floating-point formats narrower than 32 bits, as codes: widening to float is exact, narrowing rounds to
// nearest, ties to even. Formats after ONNX's float8 and float4 notes (E4M3FN, E4M3FNUZ, E5M2, E5M2FNUZ,
// E8M0, E2M1).
#pragma once

#include "core/kernels/host_device.h"

#include <cstdint>
#include <cstring>

namespace secateur::kernels {

/// Layout of a narrow format: sign, exponent and mantissa bits, exponent bias, and what its special codes
/// mean.
struct NarrowFormat {
    int exponentBits = 0;
    int mantissaBits = 0;
    int bias = 0;
    bool hasSign = true;
    bool hasInfinity = false; ///< IEEE style: exponent all ones is infinity (mantissa 0) or NaN
    bool isFnuz = false;      ///< one NaN, at the code of negative zero; no infinities
    bool hasNan = true;       ///< without infinities and not fnuz: NaN is the code with all bits set
};

inline constexpr NarrowFormat kFloat16{5, 10, 15, true, true, false, true};
inline constexpr NarrowFormat kBfloat16{8, 7, 127, true, true, false, true};
inline constexpr NarrowFormat kFloat8E4M3FN{4, 3, 7, true, false, false, true};
inline constexpr NarrowFormat kFloat8E4M3FNUZ{4, 3, 8, true, false, true, true};
inline constexpr NarrowFormat kFloat8E5M2{5, 2, 15, true, true, false, true};
inline constexpr NarrowFormat kFloat8E5M2FNUZ{5, 2, 16, true, false, true, true};
inline constexpr NarrowFormat kFloat4E2M1{2, 1, 1, true, false, false, false};

SECATEUR_HD inline std::uint32_t bitsOf(float value) {
    std::uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
SECATEUR_HD inline float floatOf(std::uint32_t bits) {
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// The value of a code of `format`; exact.
template <NarrowFormat format> SECATEUR_HD float widen(std::uint32_t code) {
    constexpr std::uint32_t kMantissaMask = (1U << format.mantissaBits) - 1;
    constexpr std::uint32_t kExponentMask = (1U << format.exponentBits) - 1;
    constexpr std::uint32_t kSignBit = 1U << (format.exponentBits + format.mantissaBits);
    const std::uint32_t sign = format.hasSign && (code & kSignBit) != 0 ? 0x80000000U : 0U;
    const std::uint32_t exponent = (code >> format.mantissaBits) & kExponentMask;
    const std::uint32_t mantissa = code & kMantissaMask;
    if constexpr (format.isFnuz) {
        if (code == kSignBit) return floatOf(0x7FC00000U);
    } else if constexpr (format.hasInfinity) {
        if (exponent == kExponentMask)
            return floatOf(sign | 0x7F800000U | (mantissa << (23 - format.mantissaBits)));
    } else if constexpr (format.hasNan) {
        if ((code & (kSignBit - 1)) == kSignBit - 1) return floatOf(sign | 0x7FC00000U);
    }
    if (exponent != 0) {
        const std::uint32_t wide = exponent + static_cast<std::uint32_t>(127 - format.bias);
        return floatOf(sign | (wide << 23) | (mantissa << (23 - format.mantissaBits)));
    }
    if (mantissa == 0) return floatOf(sign);
    if constexpr (format.bias == 127) return floatOf(sign | (mantissa << (23 - format.mantissaBits)));
    // A subnormal: mantissa * 2^(1 - bias - mantissaBits), exact in float.
    const float unit = floatOf(static_cast<std::uint32_t>(127 + 1 - format.bias - format.mantissaBits) << 23);
    const float magnitude = static_cast<float>(mantissa) * unit;
    return sign != 0 ? -magnitude : magnitude;
}

/// What becomes of values beyond the largest finite one: `true` gives the largest, `false` infinity, or NaN
/// where the format has no infinity (ONNX Cast's attribute `saturate`).
template <NarrowFormat format> SECATEUR_HD std::uint32_t narrow(float value, bool isSaturating) {
    constexpr std::uint32_t kSignBit = 1U << (format.exponentBits + format.mantissaBits);
    constexpr std::uint32_t kExponentMask = (1U << format.exponentBits) - 1;
    constexpr std::uint32_t kMantissaMask = (1U << format.mantissaBits) - 1;
    constexpr std::uint32_t kLargest = format.hasInfinity
                                           ? ((kExponentMask - 1) << format.mantissaBits) | kMantissaMask
                                       : format.isFnuz ? kSignBit - 1
                                       : format.hasNan ? kSignBit - 2
                                                       : kSignBit - 1;
    constexpr std::uint32_t kNan =
        format.isFnuz        ? kSignBit
        : format.hasInfinity ? (kExponentMask << format.mantissaBits) | (1U << (format.mantissaBits - 1))
                             : kSignBit - 1;
    const std::uint32_t bits = bitsOf(value);
    const std::uint32_t sign = (bits >> 31) != 0 ? kSignBit : 0U;
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U) {
        if constexpr (!format.hasNan) return kLargest; // no code for it: ONNX gives the largest
        return format.isFnuz ? kNan : (sign | kNan);
    }
    std::uint32_t overflow = format.hasInfinity ? sign | (kExponentMask << format.mantissaBits)
                             : format.isFnuz    ? kNan
                                                : sign | kNan;
    if (isSaturating || !format.hasNan) overflow = sign | kLargest;
    // Infinity stays infinity in formats that have one only when not saturating.
    if (magnitude == 0x7F800000U) return overflow;

    const int exponent = static_cast<int>(magnitude >> 23) - 127;
    const std::uint32_t full = magnitude < 0x00800000U ? magnitude : (magnitude & 0x007FFFFFU) | 0x00800000U;
    // How many low bits of the 24-bit significand go: more below the smallest normal number of the format.
    const int lowestExponent = 1 - format.bias;
    int shift = 23 - format.mantissaBits;
    const int effective = magnitude < 0x00800000U ? -126 : exponent;
    if (effective < lowestExponent) shift += lowestExponent - effective;
    if (shift > 25) return format.isFnuz ? 0U : sign;
    const std::uint32_t half = shift == 0 ? 0U : 1U << (shift - 1);
    std::uint32_t kept = full >> shift;
    const std::uint32_t lost = full & ((shift == 0 ? 0U : (1U << shift) - 1));
    if (shift != 0 && (lost > half || (lost == half && (kept & 1U) != 0))) ++kept;
    std::uint32_t code = kept;
    if (effective >= lowestExponent)
        code = kept + (static_cast<std::uint32_t>(effective - lowestExponent) << format.mantissaBits);
    if (code > kLargest) return overflow;
    if (code == 0 && format.isFnuz) return 0U;
    return sign | code;
}

/// How float8e8m0, a power of two without sign, rounds (ONNX Cast's attribute `round_mode`).
enum class PowerRounding : std::uint8_t { up, down, nearest };

/// The code of a positive number in float8e8m0: its exponent plus 127; 255 is NaN. Zero and what lies below
/// 2^-127 become 2^-127; what lies above 2^127 becomes that when saturating, else NaN. Negative numbers have
/// no code: NaN.
SECATEUR_HD inline std::uint8_t powerCode(float value, PowerRounding rounding, bool isSaturating) {
    const std::uint32_t bits = bitsOf(value);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
    if (magnitude > 0x7F800000U || ((bits >> 31) != 0 && magnitude != 0)) return 255;
    if (magnitude == 0x7F800000U) return isSaturating ? 254 : 255;
    std::uint32_t exponent = magnitude >> 23;
    const std::uint32_t mantissa = magnitude & 0x007FFFFFU;
    // Code 0 is 2^-127, the middle of float's subnormals.
    const std::uint32_t rest =
        exponent == 0 ? (mantissa > 0x00400000U ? mantissa - 0x00400000U : 0U) : mantissa;
    const bool isUp = rounding == PowerRounding::up ? rest != 0
                      : rounding == PowerRounding::nearest
                          ? rest >= (exponent == 0 ? 0x00200000U : 0x00400000U)
                          : false;
    if (isUp) ++exponent;
    if (exponent >= 255) return isSaturating ? 254 : 255;
    return static_cast<std::uint8_t>(exponent);
}

} // namespace secateur::kernels
