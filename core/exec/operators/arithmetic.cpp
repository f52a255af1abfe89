// SPDX-License-Identifier: Apache-2.0
//
// ONNX Add, Sub, Mul, Div, Mod, Pow, BitShift, Bitwise*, PRelu and the operators of any number of inputs:
// Sum, Max, Min, Mean.
#include "core/kernels/arithmetic.h"

#include "core/exec/elementwise.h"
#include "core/exec/kernel_tables.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

using namespace kernels;

template <typename F> Result<void> runArithmetic(const KernelCall& call) {
    return runBinary<Allowed::numeric>(call, F{});
}

bool hasZero(const TensorData& tensor) {
    const auto cells = readAll<std::uint64_t>(tensor);
    return std::find(cells.begin(), cells.end(), 0U) != cells.end();
}

/// Integers divided by zero have no result that backends agree on: an error that says so.
Result<void> checkDivisor(const KernelCall& call) {
    const TensorData* a = TRY(call.tensor(0));
    const TensorData* b = TRY(call.tensor(1));
    if (isInteger(a->type()) && isInteger(b->type()) && hasZero(*b))
        return call.fail("exec.division-by-zero");
    return {};
}

Result<void> runDivide(const KernelCall& call) {
    TRY(checkDivisor(call));
    return runArithmetic<Divide>(call);
}

Result<void> runModulo(const KernelCall& call) {
    TRY(checkDivisor(call));
    if (call.integer("fmod", 0) != 0) return runArithmetic<TruncatedModulo>(call);
    return runArithmetic<FloorModulo>(call);
}

Result<void> runShift(const KernelCall& call) {
    const TensorData* a = TRY(call.tensor(0));
    if (computeTypeOf(a->type()) != ComputeType::u64) return call.noCodeFor(a->type());
    const std::string_view direction = call.text("direction", "");
    if (direction == "LEFT") return runBinary<Allowed::integers>(call, ShiftLeft{});
    if (direction == "RIGHT") return runBinary<Allowed::integers>(call, ShiftRight{});
    return call.fail("exec.bad-attribute", {"direction", std::string(direction)});
}

/// ONNX Pow: the result has the type of the base, whatever the exponent's (opset 12 on). Integer bases with
/// integer exponents are exact; all else is computed in double, or in float where both are float.
Result<void> runPower(const KernelCall& call) {
    const TensorData* base = TRY(call.tensor(0));
    TensorData exponent = *TRY(call.tensor(1));
    TensorData result = TRY(call.make(base->type(), TRY(broadcastOf(call, *base, exponent))));
    const ComputeType x = computeTypeOf(base->type()), e = computeTypeOf(exponent.type());
    if (x == ComputeType::none || e == ComputeType::none) return call.noCodeFor(base->type());
    const bool isIntegerPower = e == ComputeType::i64 || e == ComputeType::u64;
    const auto power = [](auto b, auto p) { return integerPower(b, static_cast<std::int64_t>(p)); };
    if (x == ComputeType::f32 && e == ComputeType::f32) {
        mapCells<float, float>(*base, exponent, result, [](float b, float p) { return std::pow(b, p); });
    } else if (x == ComputeType::i64 && isIntegerPower) {
        mapCells<std::int64_t, std::int64_t>(*base, exponent, result, power);
    } else if (x == ComputeType::u64 && isIntegerPower) {
        mapCells<std::uint64_t, std::uint64_t>(*base, exponent, result, power);
    } else {
        mapCells<double, double>(*base, exponent, result, [](double b, double p) { return std::pow(b, p); });
    }
    call.setOutput(0, std::move(result));
    return {};
}

/// f folded over all inputs from the left, broadcast together.
template <typename F> Result<TensorData> foldInputs(const KernelCall& call, F f) {
    TensorData sum = *TRY(call.tensor(0));
    for (std::size_t slot = 1; slot < call.inputs.size(); ++slot) {
        TensorData next = *TRY(call.tensor(slot));
        TensorData result = TRY(call.make(sum.type(), TRY(broadcastOf(call, sum, next))));
        TRY(withAllowed<Allowed::numeric>(call, sum.type(), [&]<typename C>(C) -> Result<void> {
            mapCells<C, C>(sum, next, result, f);
            return {};
        }));
        sum = std::move(result);
    }
    return sum;
}

template <typename F> Result<void> runFold(const KernelCall& call) {
    call.setOutput(0, TRY(foldInputs(call, F{})));
    return {};
}

Result<void> runMean(const KernelCall& call) {
    const TensorData sum = TRY(foldInputs(call, Add{}));
    TensorData mean = TRY(call.make(sum.type(), sum.shape()));
    const auto count = static_cast<double>(call.inputs.size());
    TRY(withAllowed<Allowed::floating>(call, sum.type(), [&]<typename C>(C) -> Result<void> {
        mapCells<C>(sum, mean, [count](C x) { return static_cast<C>(x / static_cast<C>(count)); });
        return {};
    }));
    call.setOutput(0, std::move(mean));
    return {};
}

template <typename F> Result<void> runBits(const KernelCall& call) {
    return runBinary<Allowed::integers>(call, F{});
}

Result<void> runSlopedRelu(const KernelCall& call) {
    TensorData x = *TRY(call.tensor(0));
    TensorData slope = *TRY(call.tensor(1));
    // Before opset 7 a slope of one dimension lies along the channels.
    constexpr std::int64_t kNumpyRule = 7;
    if (call.opset < kNumpyRule && slope.rank() == 1 && x.rank() > 1) {
        Shape shape(x.rank() - 1, 1);
        shape[0] = slope.shape()[0];
        slope = slope.reshaped(std::move(shape));
    }
    const auto fits = broadcastShape(x.shape(), slope.shape());
    if (!fits || *fits != x.shape())
        return call.fail("exec.no-broadcast", {shapeText(x.shape()), shapeText(slope.shape())});
    TensorData y = TRY(call.make(x.type(), x.shape()));
    TRY(withAllowed<Allowed::numeric>(call, x.type(), [&]<typename C>(C) -> Result<void> {
        mapCells<C, C>(x, slope, y, SlopedRelu{});
        return {};
    }));
    call.setOutput(0, std::move(y));
    return {};
}

constexpr KernelEntry kArithmetic[] = {
    {"", "Add", 1, &runArithmetic<Add>},
    {"", "BitShift", 11, &runShift},
    {"", "BitwiseAnd", 18, &runBits<BitAnd>},
    {"", "BitwiseOr", 18, &runBits<BitOr>},
    {"", "BitwiseXor", 18, &runBits<BitXor>},
    {"", "Div", 1, &runDivide},
    {"", "Max", 1, &runFold<Maximum>},
    {"", "Mean", 1, &runMean},
    {"", "Min", 1, &runFold<Minimum>},
    {"", "Mod", 10, &runModulo},
    {"", "Mul", 1, &runArithmetic<Multiply>},
    {"", "PRelu", 1, &runSlopedRelu},
    {"", "Pow", 1, &runPower},
    {"", "Sub", 1, &runArithmetic<Subtract>},
    {"", "Sum", 1, &runFold<Add>},
};

} // namespace

std::span<const KernelEntry> arithmeticKernels() {
    return kArithmetic;
}

} // namespace secateur
