// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic of two elements in a compute type: float, double, int64 or uint64. Integers wrap as two's
// complement.
#pragma once

#include "core/kernels/host_device.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace secateur::kernels {

template <typename C> inline constexpr bool kIsFloat = std::is_floating_point_v<C>;
using Wrapping = std::uint64_t;

/// ONNX Add, Sum.
struct Add {
    template <typename C> SECATEUR_HD C operator()(C a, C b) const {
        if constexpr (kIsFloat<C>)
            return a + b;
        else
            return static_cast<C>(static_cast<Wrapping>(a) + static_cast<Wrapping>(b));
    }
};
/// ONNX Sub.
struct Subtract {
    template <typename C> SECATEUR_HD C operator()(C a, C b) const {
        if constexpr (kIsFloat<C>)
            return a - b;
        else
            return static_cast<C>(static_cast<Wrapping>(a) - static_cast<Wrapping>(b));
    }
};
/// ONNX Mul.
struct Multiply {
    template <typename C> SECATEUR_HD C operator()(C a, C b) const {
        if constexpr (kIsFloat<C>)
            return a * b;
        else
            return static_cast<C>(static_cast<Wrapping>(a) * static_cast<Wrapping>(b));
    }
};
/// ONNX Div: integers truncate towards zero. A zero integer divisor gives 0 here; callers refuse it before.
struct Divide {
    template <typename C> SECATEUR_HD C operator()(C a, C b) const {
        if constexpr (kIsFloat<C>) {
            return a / b;
        } else {
            if (b == 0) return 0;
            if constexpr (std::is_signed_v<C>) {
                if (b == -1) return static_cast<C>(Wrapping{0} - static_cast<Wrapping>(a));
            }
            return static_cast<C>(a / b);
        }
    }
};
/// ONNX Max: a NaN on either side gives NaN.
struct Maximum {
    template <typename C> SECATEUR_HD C operator()(C a, C b) const {
        if constexpr (kIsFloat<C>) {
            if (a != a) return a;
            if (b != b) return b;
        }
        return a < b ? b : a;
    }
};
/// ONNX Min: a NaN on either side gives NaN.
struct Minimum {
    template <typename C> SECATEUR_HD C operator()(C a, C b) const {
        if constexpr (kIsFloat<C>) {
            if (a != a) return a;
            if (b != b) return b;
        }
        return b < a ? b : a;
    }
};
/// ONNX Mod with fmod 0: the result has the sign of the divisor (Python's %); integers only.
struct FloorModulo {
    template <typename C> SECATEUR_HD C operator()(C a, C b) const {
        if (b == 0) return 0;
        if constexpr (kIsFloat<C>) {
            const C rest = std::fmod(a, b);
            return rest != 0 && ((rest < 0) != (b < 0)) ? rest + b : rest;
        } else if constexpr (std::is_signed_v<C>) {
            if (b == -1) return 0;
            const C rest = static_cast<C>(a % b);
            return rest != 0 && ((rest < 0) != (b < 0)) ? static_cast<C>(rest + b) : rest;
        } else {
            return static_cast<C>(a % b);
        }
    }
};
/// ONNX Mod with fmod 1: C's fmod; the result has the sign of the dividend.
struct TruncatedModulo {
    template <typename C> SECATEUR_HD C operator()(C a, C b) const {
        if constexpr (kIsFloat<C>) {
            return std::fmod(a, b);
        } else {
            if (b == 0) return 0;
            if constexpr (std::is_signed_v<C>) {
                if (b == -1) return 0;
            }
            return static_cast<C>(a % b);
        }
    }
};
/// ONNX BitShift to the left; shifting by the width of the type or more gives 0.
struct ShiftLeft {
    SECATEUR_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
        return b >= 64 ? 0 : a << b;
    }
};
/// ONNX BitShift to the right.
struct ShiftRight {
    SECATEUR_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
        return b >= 64 ? 0 : a >> b;
    }
};
struct BitAnd {
    template <typename C> SECATEUR_HD C operator()(C a, C b) const { return a & b; }
};
struct BitOr {
    template <typename C> SECATEUR_HD C operator()(C a, C b) const { return a | b; }
};
struct BitXor {
    template <typename C> SECATEUR_HD C operator()(C a, C b) const { return a ^ b; }
};
/// ONNX PRelu: the slope applies below zero.
struct SlopedRelu {
    template <typename C> SECATEUR_HD C operator()(C x, C slope) const {
        return x < C{0} ? Multiply{}(x, slope) : x;
    }
};

/// Integer power by squaring, wrapping; a negative exponent truncates towards zero.
template <typename C> SECATEUR_HD C integerPower(C base, std::int64_t exponent) {
    if (exponent < 0) {
        if (base == C{1}) return 1;
        if constexpr (std::is_signed_v<C>) {
            if (base == C{-1}) return exponent % 2 == 0 ? 1 : -1;
        }
        return 0;
    }
    Wrapping result = 1, factor = static_cast<Wrapping>(base);
    for (; exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0) result *= factor;
        factor *= factor;
    }
    return static_cast<C>(result);
}

// Comparisons; with NaN all are false.
struct Equals {
    template <typename C> SECATEUR_HD bool operator()(C a, C b) const { return a == b; }
};
struct IsLess {
    template <typename C> SECATEUR_HD bool operator()(C a, C b) const { return a < b; }
};
struct IsGreater {
    template <typename C> SECATEUR_HD bool operator()(C a, C b) const { return a > b; }
};
struct IsLessOrEqual {
    template <typename C> SECATEUR_HD bool operator()(C a, C b) const { return a <= b; }
};
struct IsGreaterOrEqual {
    template <typename C> SECATEUR_HD bool operator()(C a, C b) const { return a >= b; }
};
struct LogicalAnd {
    SECATEUR_HD bool operator()(std::uint64_t a, std::uint64_t b) const { return a != 0 && b != 0; }
};
struct LogicalOr {
    SECATEUR_HD bool operator()(std::uint64_t a, std::uint64_t b) const { return a != 0 || b != 0; }
};
struct LogicalXor {
    SECATEUR_HD bool operator()(std::uint64_t a, std::uint64_t b) const { return (a != 0) != (b != 0); }
};

} // namespace secateur::kernels
