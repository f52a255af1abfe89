// SPDX-License-Identifier: Apache-2.0
//
// Functions of one float without branches, so that a loop over them becomes vectors. Errors are at most a few
// units in the last place unless said otherwise; NaN stays NaN.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace secateur::fast {

/// e^x; subnormal results, 0 below -104 and infinity above 88.7228 as expf has them.
struct Exp {
    float operator()(float x) const {
        constexpr float kLog2e = 1.44269504088896341F;
        constexpr float kLn2High = 0.693359375F, kLn2Low = -2.12194440e-4F; // their sum is ln 2
        constexpr float kShift = 12582912.0F; // 1.5 * 2^23: adding it rounds to a whole number
        constexpr float kLowest = -104.0F, kHighest = 88.72283F; // beyond: 0 and infinity
        // What is 0 in the end takes no way through subnormal numbers, which are slow.
        const float low = x < kLowest ? 0.0F : x, inside = low > kHighest ? kHighest : low;
        const float shifted = inside * kLog2e + kShift;
        const float n = shifted - kShift;
        const float r = inside - n * kLn2High - n * kLn2Low;
        // Cephes expf: minimax polynomial on [-ln 2 / 2, ln 2 / 2].
        float p = 1.9875691500e-4F;
        p = p * r + 1.3981999507e-3F;
        p = p * r + 8.3334519073e-3F;
        p = p * r + 4.1665795894e-2F;
        p = p * r + 1.6666665459e-1F;
        p = p * r + 5.0000001201e-1F;
        p = p * r * r + r + 1.0F;
        const auto exponent = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kShift);
        // 2^128 and what lies below 2^-126 are no normal floats, their halves are.
        const std::int32_t half = exponent >> 1;
        float result = p * std::bit_cast<float>((half + 127) << 23);
        result = result * std::bit_cast<float>((exponent - half + 127) << 23);
        result = x < kLowest ? 0.0F : result;
        result = x > kHighest ? std::numeric_limits<float>::infinity() : result;
        return x != x ? x : result;
    }
};

struct Sigmoid {
    float operator()(float x) const { return 1.0F / (1.0F + Exp{}(-x)); }
};

struct Tanh {
    float operator()(float x) const {
        const float e = Exp{}(-2.0F * std::fabs(x));
        const float far = std::copysign((1.0F - e) / (1.0F + e), x);
        const float s = x * x;
        const float near =
            x * (1.0F + s * (-1.0F / 3 + s * (2.0F / 15 + s * (-17.0F / 315 + s * (62.0F / 2835)))));
        return std::fabs(x) < 0.25F ? near : far;
    }
};

/// Abramowitz and Stegun 7.1.26: within 2e-7 everywhere, which near 0 is many units in the last place.
struct Erf {
    float operator()(float x) const {
        const float a = std::fabs(x), t = 1.0F / (1.0F + 0.3275911F * a);
        const float p =
            t * (0.254829592F +
                 t * (-0.284496736F + t * (1.421413741F + t * (-1.453152027F + t * 1.061405429F))));
        const float far = std::copysign(1.0F - p * Exp{}(-a * a), x);
        const float s = x * x;
        const float near = 1.12837916709551F * x * (1.0F + s * (-1.0F / 3 + s * (0.1F + s * (-1.0F / 42))));
        return a < 0.25F ? near : far;
    }
};

/// Gelu with the error function.
struct Gelu {
    float operator()(float x) const { return 0.5F * x * (1.0F + Erf{}(x * 0.70710678118654752F)); }
};

struct HardSwish {
    float operator()(float x) const {
        const float gate = x * (1.0F / 6) + 0.5F, low = gate < 0.0F ? 0.0F : gate;
        return x * (low > 1.0F ? 1.0F : low);
    }
};

struct HardSigmoid {
    float alpha, beta;
    float operator()(float x) const {
        const float gate = alpha * x + beta, low = gate < 0.0F ? 0.0F : gate;
        return low > 1.0F ? 1.0F : low;
    }
};

struct Clip {
    float lowest, highest; ///< infinities where there is no bound; `highest` wins where they cross
    float operator()(float x) const {
        const float low = x < lowest ? lowest : x;
        return low > highest ? highest : low;
    }
};

} // namespace secateur::fast
