// SPDX-License-Identifier: Apache-2.0
//
// Functions of one element. Those of floating types take float or double and keep it.
#pragma once

#include "core/kernels/arithmetic.h"
#include "core/kernels/host_device.h"

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace secateur::kernels {

/// ONNX Abs; the most negative integer stays as it is.
struct Absolute {
    template <typename C> SECATEUR_HD C operator()(C x) const {
        if constexpr (kIsFloat<C>)
            return std::fabs(x);
        else if constexpr (std::is_signed_v<C>)
            return x < 0 ? static_cast<C>(Wrapping{0} - static_cast<Wrapping>(x)) : x;
        else
            return x;
    }
};
/// ONNX Neg.
struct Negate {
    template <typename C> SECATEUR_HD C operator()(C x) const {
        if constexpr (kIsFloat<C>)
            return -x;
        else
            return static_cast<C>(Wrapping{0} - static_cast<Wrapping>(x));
    }
};
/// ONNX Sign: -1, 0, 1; NaN gives NaN.
struct SignOf {
    template <typename C> SECATEUR_HD C operator()(C x) const {
        if constexpr (kIsFloat<C>) {
            if (x != x) return x;
        }
        if constexpr (std::is_signed_v<C>) {
            if (x < C{0}) return C{-1};
        }
        return x > C{0} ? C{1} : C{0};
    }
};
/// ONNX Relu; NaN stays NaN.
struct Relu {
    template <typename C> SECATEUR_HD C operator()(C x) const { return x < C{0} ? C{0} : x; }
};
struct BitNot {
    template <typename C> SECATEUR_HD C operator()(C x) const { return ~x; }
};

struct Floor {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::floor(x); }
};
struct Ceil {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::ceil(x); }
};
/// ONNX Round: halves to even.
struct RoundHalfEven {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::nearbyint(x); }
};
struct SquareRoot {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::sqrt(x); }
};
struct Reciprocal {
    template <typename C> SECATEUR_HD C operator()(C x) const { return C{1} / x; }
};
struct Exponential {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::exp(x); }
};
struct Logarithm {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::log(x); }
};
struct Sine {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::sin(x); }
};
struct Cosine {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::cos(x); }
};
struct Tangent {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::tan(x); }
};
struct ArcSine {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::asin(x); }
};
struct ArcCosine {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::acos(x); }
};
struct ArcTangent {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::atan(x); }
};
struct HyperbolicSine {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::sinh(x); }
};
struct HyperbolicCosine {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::cosh(x); }
};
struct HyperbolicTangent {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::tanh(x); }
};
struct AreaSine {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::asinh(x); }
};
struct AreaCosine {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::acosh(x); }
};
struct AreaTangent {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::atanh(x); }
};
struct ErrorFunction {
    template <typename C> SECATEUR_HD C operator()(C x) const { return std::erf(x); }
};

/// ONNX Sigmoid, without overflow of exp on either side.
struct Sigmoid {
    template <typename C> SECATEUR_HD C operator()(C x) const {
        if (x >= C{0}) return C{1} / (C{1} + std::exp(-x));
        const C e = std::exp(x);
        return e / (C{1} + e);
    }
};
/// ONNX Softplus: log(1 + e^x), exact far from zero.
struct Softplus {
    template <typename C> SECATEUR_HD C operator()(C x) const {
        return x > C{0} ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    }
};
/// ONNX Softsign.
struct Softsign {
    template <typename C> SECATEUR_HD C operator()(C x) const { return x / (C{1} + std::fabs(x)); }
};
/// ONNX Mish: x tanh(softplus x).
struct Mish {
    template <typename C> SECATEUR_HD C operator()(C x) const { return x * std::tanh(Softplus{}(x)); }
};
/// ONNX HardSwish: x max(0, min(1, x/6 + 1/2)).
struct HardSwish {
    template <typename C> SECATEUR_HD C operator()(C x) const {
        return x * Maximum{}(C{0}, Minimum{}(C{1}, x / C{6} + C{0.5}));
    }
};
/// ONNX Gelu with the error function.
struct ExactGelu {
    template <typename C> SECATEUR_HD C operator()(C x) const {
        return C{0.5} * x * (C{1} + std::erf(x * static_cast<C>(0.70710678118654752440)));
    }
};
/// ONNX Gelu with approximate "tanh"; com.microsoft FastGelu.
struct TanhGelu {
    template <typename C> SECATEUR_HD C operator()(C x) const {
        const C inner = static_cast<C>(0.79788456080286535588) * (x + static_cast<C>(0.044715) * x * x * x);
        return C{0.5} * x * (C{1} + std::tanh(inner));
    }
};

// Activations with parameters: `alpha`, `beta` (or gamma, lambd, bias) as the operator's attributes name
// them.
struct LeakyRelu {
    double alpha;
    template <typename C> SECATEUR_HD C operator()(C x) const {
        return x < C{0} ? static_cast<C>(alpha) * x : x;
    }
};
struct Elu {
    double alpha;
    template <typename C> SECATEUR_HD C operator()(C x) const {
        return x < C{0} ? static_cast<C>(alpha) * std::expm1(x) : x;
    }
};
/// ONNX Celu: max(0, x) + min(0, alpha (e^(x / alpha) - 1)).
struct Celu {
    double alpha;
    template <typename C> SECATEUR_HD C operator()(C x) const {
        const C a = static_cast<C>(alpha);
        return Maximum{}(C{0}, x) + Minimum{}(C{0}, a * std::expm1(x / a));
    }
};
struct Selu {
    double alpha, gamma;
    template <typename C> SECATEUR_HD C operator()(C x) const {
        const C g = static_cast<C>(gamma);
        return x > C{0} ? g * x : g * static_cast<C>(alpha) * std::expm1(x);
    }
};
struct ThresholdedRelu {
    double alpha;
    template <typename C> SECATEUR_HD C operator()(C x) const { return x > static_cast<C>(alpha) ? x : C{0}; }
};
struct HardSigmoid {
    double alpha, beta;
    template <typename C> SECATEUR_HD C operator()(C x) const {
        return Maximum{}(C{0}, Minimum{}(C{1}, static_cast<C>(alpha) * x + static_cast<C>(beta)));
    }
};
struct Shrink {
    double lambd, bias;
    template <typename C> SECATEUR_HD C operator()(C x) const {
        if (x < static_cast<C>(-lambd)) return static_cast<C>(x + static_cast<C>(bias));
        if (x > static_cast<C>(lambd)) return static_cast<C>(x - static_cast<C>(bias));
        return C{0};
    }
};
/// ONNX Swish (opset 24) and com.microsoft QuickGelu: x sigmoid(alpha x).
struct Swish {
    double alpha;
    template <typename C> SECATEUR_HD C operator()(C x) const {
        return x * Sigmoid{}(static_cast<C>(alpha) * x);
    }
};

} // namespace secateur::kernels
