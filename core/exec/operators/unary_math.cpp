// SPDX-License-Identifier: Apache-2.0
//
// Operators of one input, element by element: mathematics, activations, Clip, Not, IsNaN, IsInf.
#include "core/kernels/unary_math.h"

#include "core/exec/elementwise.h"
#include "core/exec/kernel_tables.h"

#include <cmath>
#include <limits>
#include <optional>

namespace secateur {
namespace {

using namespace kernels;

template <typename F> Result<void> runFloating(const KernelCall& call) {
    return runUnary<Allowed::floating>(call, F{});
}
template <typename F> Result<void> runNumeric(const KernelCall& call) {
    return runUnary<Allowed::numeric>(call, F{});
}

Result<void> runBitNot(const KernelCall& call) {
    return runUnary<Allowed::integers>(call, BitNot{});
}

Result<void> runNot(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (x->type() != ElementType::boolean) return call.noCodeFor(x->type());
    TensorData y = TRY(call.make(x->type(), x->shape()));
    mapCells<std::uint64_t>(*x, y, [](std::uint64_t cell) { return cell == 0 ? 1U : 0U; });
    call.setOutput(0, std::move(y));
    return {};
}

/// A boolean result, `is` of each element.
template <typename F> Result<void> runTest(const KernelCall& call, F is) {
    const TensorData* x = TRY(call.tensor(0));
    TensorData y = TRY(call.make(ElementType::boolean, x->shape()));
    TRY(withAllowed<Allowed::floating>(call, x->type(), [&]<typename C>(C) -> Result<void> {
        const auto cells = y.as<std::uint8_t>();
        const auto numbers = readAll<C>(*x);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            cells[i] = is(numbers[i]) ? 1 : 0;
        return {};
    }));
    call.setOutput(0, std::move(y));
    return {};
}

Result<void> runIsNan(const KernelCall& call) {
    return runTest(call, [](auto x) { return std::isnan(x); });
}

Result<void> runIsInfinite(const KernelCall& call) {
    const bool positive = call.integer("detect_positive", 1) != 0;
    const bool negative = call.integer("detect_negative", 1) != 0;
    return runTest(call, [=](auto x) { return std::isinf(x) && (x > 0 ? positive : negative); });
}

Result<void> runGelu(const KernelCall& call) {
    const std::string_view approximate = call.text("approximate", "none");
    if (approximate == "none") return runFloating<ExactGelu>(call);
    if (approximate == "tanh") return runFloating<TanhGelu>(call);
    return call.fail("exec.bad-attribute", {"approximate", std::string(approximate)});
}

// Defaults are those of the operators' schemas.
Result<void> runLeakyRelu(const KernelCall& call) {
    return runUnary<Allowed::floating>(call, LeakyRelu{call.real("alpha", 0.01F)});
}
Result<void> runElu(const KernelCall& call) {
    return runUnary<Allowed::floating>(call, Elu{call.real("alpha", 1)});
}
Result<void> runCelu(const KernelCall& call) {
    return runUnary<Allowed::floating>(call, Celu{call.real("alpha", 1)});
}
Result<void> runSelu(const KernelCall& call) {
    // Opset 1 rounds the constants that opset 6 gives in full.
    const bool isOld = call.opset < 6;
    const float alpha = call.real("alpha", isOld ? 1.6732F : 1.67326319217681884765625F);
    return runUnary<Allowed::floating>(
        call, Selu{alpha, call.real("gamma", isOld ? 1.0507F : 1.05070102214813232421875F)});
}
Result<void> runThresholdedRelu(const KernelCall& call) {
    return runUnary<Allowed::floating>(call, ThresholdedRelu{call.real("alpha", 1)});
}
Result<void> runHardSigmoid(const KernelCall& call) {
    return runUnary<Allowed::floating>(call, HardSigmoid{call.real("alpha", 0.2F), call.real("beta", 0.5F)});
}
Result<void> runShrink(const KernelCall& call) {
    return runUnary<Allowed::numeric>(call, Shrink{call.real("lambd", 0.5F), call.real("bias", 0)});
}
Result<void> runSwish(const KernelCall& call) {
    return runUnary<Allowed::floating>(call, Swish{call.real("alpha", 1)});
}
Result<void> runQuickGelu(const KernelCall& call) {
    return runUnary<Allowed::floating>(call, Swish{call.real("alpha", 1.702F)});
}

/// com.microsoft FastGelu: an optional bias is added first.
Result<void> runFastGelu(const KernelCall& call) {
    if (!call.hasInput(1)) return runFloating<TanhGelu>(call);
    return runBinary<Allowed::floating>(call, [](auto x, auto bias) { return TanhGelu{}(x + bias); });
}

/// A bound of Clip: attribute before opset 11, input from then on; none where it is not given.
template <typename C>
Result<std::optional<C>> clipBound(const KernelCall& call, std::size_t slot, std::string_view name) {
    constexpr std::int64_t kBoundsAreInputs = 11;
    if (call.opset < kBoundsAreInputs) {
        const Attribute* given = call.attribute(name);
        if (given == nullptr) return std::optional<C>();
        return std::optional<C>(static_cast<C>(call.real(name, 0)));
    }
    const TensorData* bound = TRY(call.optionalTensor(slot));
    if (bound == nullptr) return std::optional<C>();
    if (bound->count() != 1)
        return call.fail("exec.needs-one-element", {std::to_string(slot), shapeText(bound->shape())});
    return std::optional<C>(readAll<C>(*bound).front());
}

/// ONNX Clip: min(max(x, low), high), so that `high` wins where low > high; NaN stays NaN.
Result<void> runClip(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    TensorData y = TRY(call.make(x->type(), x->shape()));
    TRY(withAllowed<Allowed::numeric>(call, x->type(), [&]<typename C>(C) -> Result<void> {
        const std::optional<C> low = TRY(clipBound<C>(call, 1, "min"));
        const std::optional<C> high = TRY(clipBound<C>(call, 2, "max"));
        mapCells<C>(*x, y, [&](C value) {
            if (low && value < *low) value = *low;
            if (high && value > *high) value = *high;
            return value;
        });
        return {};
    }));
    call.setOutput(0, std::move(y));
    return {};
}

constexpr KernelEntry kUnaryMath[] = {
    {"", "Abs", 1, &runNumeric<Absolute>},
    {"", "Acos", 7, &runFloating<ArcCosine>},
    {"", "Acosh", 9, &runFloating<AreaCosine>},
    {"", "Asin", 7, &runFloating<ArcSine>},
    {"", "Asinh", 9, &runFloating<AreaSine>},
    {"", "Atan", 7, &runFloating<ArcTangent>},
    {"", "Atanh", 9, &runFloating<AreaTangent>},
    {"", "BitwiseNot", 18, &runBitNot},
    {"", "Ceil", 1, &runFloating<Ceil>},
    {"", "Celu", 12, &runCelu},
    {"", "Clip", 1, &runClip},
    {"", "Cos", 7, &runFloating<Cosine>},
    {"", "Cosh", 9, &runFloating<HyperbolicCosine>},
    {"", "Elu", 1, &runElu},
    {"", "Erf", 9, &runFloating<ErrorFunction>},
    {"", "Exp", 1, &runFloating<Exponential>},
    {"", "Floor", 1, &runFloating<Floor>},
    {"", "Gelu", 20, &runGelu},
    {"", "HardSigmoid", 1, &runHardSigmoid},
    {"", "HardSwish", 14, &runFloating<HardSwish>},
    {"", "IsInf", 10, &runIsInfinite},
    {"", "IsNaN", 9, &runIsNan},
    {"", "LeakyRelu", 1, &runLeakyRelu},
    {"", "Log", 1, &runFloating<Logarithm>},
    {"", "Mish", 18, &runFloating<Mish>},
    {"", "Neg", 1, &runNumeric<Negate>},
    {"", "Not", 1, &runNot},
    {"", "Reciprocal", 1, &runFloating<Reciprocal>},
    {"", "Relu", 1, &runNumeric<Relu>},
    {"", "Round", 11, &runFloating<RoundHalfEven>},
    {"", "Selu", 1, &runSelu},
    {"", "Shrink", 9, &runShrink},
    {"", "Sigmoid", 1, &runFloating<Sigmoid>},
    {"", "Sign", 9, &runNumeric<SignOf>},
    {"", "Sin", 7, &runFloating<Sine>},
    {"", "Sinh", 9, &runFloating<HyperbolicSine>},
    {"", "Softplus", 1, &runFloating<Softplus>},
    {"", "Softsign", 1, &runFloating<Softsign>},
    {"", "Sqrt", 1, &runFloating<SquareRoot>},
    {"", "Swish", 24, &runSwish},
    {"", "Tan", 7, &runFloating<Tangent>},
    {"", "Tanh", 1, &runFloating<HyperbolicTangent>},
    {"", "ThresholdedRelu", 10, &runThresholdedRelu},
    {"com.microsoft", "FastGelu", 1, &runFastGelu},
    {"com.microsoft", "Gelu", 1, &runFloating<ExactGelu>},
    {"com.microsoft", "QuickGelu", 1, &runQuickGelu},
};

} // namespace

std::span<const KernelEntry> unaryMathKernels() {
    return kUnaryMath;
}

} // namespace secateur
