// SPDX-License-Identifier: Apache-2.0
//
// Gradients of element-wise operators: dX of dY and X, or of dY and Y, as the training operators take them.
#pragma once

#include "core/kernels/unary_math.h"

namespace secateur::kernels {

/// com.microsoft ReluGrad(dY, Y).
struct ReluGradient {
    template <typename C> SECATEUR_HD C operator()(C dy, C y) const { return y > C{0} ? dy : C{0}; }
};
/// com.microsoft SigmoidGrad(dY, Y).
struct SigmoidGradient {
    template <typename C> SECATEUR_HD C operator()(C dy, C y) const { return dy * y * (C{1} - y); }
};
/// com.microsoft TanhGrad(dY, Y).
struct TanhGradient {
    template <typename C> SECATEUR_HD C operator()(C dy, C y) const { return dy * (C{1} - y * y); }
};
/// ai.onnx SinGrad(dY, X), as training exports have it.
struct SineGradient {
    template <typename C> SECATEUR_HD C operator()(C dy, C x) const { return dy * std::cos(x); }
};
/// com.microsoft LeakyReluGrad(dY, Y).
struct LeakyReluGradient {
    double alpha;
    template <typename C> SECATEUR_HD C operator()(C dy, C y) const {
        return y > C{0} ? dy : dy * static_cast<C>(alpha);
    }
};
/// com.microsoft HardSigmoidGrad(dY, X).
struct HardSigmoidGradient {
    double alpha, beta;
    template <typename C> SECATEUR_HD C operator()(C dy, C x) const {
        const C line = static_cast<C>(alpha) * x + static_cast<C>(beta);
        return line > C{0} && line < C{1} ? dy * static_cast<C>(alpha) : C{0};
    }
};
/// com.microsoft GeluGrad(dY, X), of the form with the error function.
struct ExactGeluGradient {
    template <typename C> SECATEUR_HD C operator()(C dy, C x) const {
        const C density = static_cast<C>(0.39894228040143267794) * std::exp(C{-0.5} * x * x);
        const C below = C{0.5} * (C{1} + std::erf(x * static_cast<C>(0.70710678118654752440)));
        return dy * (below + x * density);
    }
};
/// com.microsoft FastGeluGrad(dY, X), of the form with tanh.
struct TanhGeluGradient {
    template <typename C> SECATEUR_HD C operator()(C dy, C x) const {
        const C a = static_cast<C>(0.79788456080286535588), b = static_cast<C>(0.044715);
        const C t = std::tanh(a * (x + b * x * x * x));
        return dy * (C{0.5} * (C{1} + t) + C{0.5} * x * (C{1} - t * t) * a * (C{1} + C{3} * b * x * x));
    }
};
/// com.microsoft QuickGeluGrad(dY, X): of x sigmoid(alpha x).
struct SwishGradient {
    double alpha;
    template <typename C> SECATEUR_HD C operator()(C dy, C x) const {
        const C s = Sigmoid{}(static_cast<C>(alpha) * x);
        return dy * (s + static_cast<C>(alpha) * x * s * (C{1} - s));
    }
};

} // namespace secateur::kernels
