// SPDX-License-Identifier: Apache-2.0
//
// Gradients of element-wise operators of training graphs: com.microsoft ReluGrad, SigmoidGrad, TanhGrad,
// LeakyReluGrad, HardSigmoidGrad, GeluGrad, FastGeluGrad, QuickGeluGrad, BiasGeluGrad_dX,
// BiasFastGeluGrad_dX, DivGrad, Scale; SinGrad.
#include "core/kernels/gradients.h"

#include "core/exec/elementwise.h"
#include "core/exec/kernel_tables.h"

namespace secateur {
namespace {

using namespace kernels;

template <typename F> Result<void> runGradient(const KernelCall& call) {
    return runBinary<Allowed::floating>(call, F{});
}

Result<void> runLeakyReluGrad(const KernelCall& call) {
    return runBinary<Allowed::floating>(call,
                                        LeakyReluGradient{static_cast<double>(call.real("alpha", 0.01F))});
}
Result<void> runHardSigmoidGrad(const KernelCall& call) {
    return runBinary<Allowed::floating>(call,
                                        HardSigmoidGradient{static_cast<double>(call.real("alpha", 0.2F)),
                                                            static_cast<double>(call.real("beta", 0.5F))});
}
Result<void> runQuickGeluGrad(const KernelCall& call) {
    return runBinary<Allowed::floating>(call, SwishGradient{static_cast<double>(call.real("alpha", 1.702F))});
}

/// dX of dY, X and a bias that was added to X.
template <typename F> Result<void> runBiasGrad(const KernelCall& call) {
    const TensorData* dy = TRY(call.tensor(0));
    TensorData x = *TRY(call.tensor(1));
    TensorData bias = *TRY(call.tensor(2));
    if (broadcastShape(x.shape(), bias.shape()) != x.shape() || dy->shape() != x.shape())
        return call.fail("exec.no-broadcast", {shapeText(x.shape()), shapeText(bias.shape())});
    TensorData sum = TRY(call.make(x.type(), x.shape())), dx = TRY(call.make(dy->type(), dy->shape()));
    TRY(withAllowed<Allowed::floating>(call, x.type(), [&]<typename C>(C) -> Result<void> {
        mapCells<C, C>(x, bias, sum, Add{});
        mapCells<C, C>(*dy, sum, dx, F{});
        return {};
    }));
    call.setOutput(0, std::move(dx));
    return {};
}

/// `gradient` summed over the dimensions in which `shape` was broadcast.
template <typename C>
Result<TensorData> summedTo(const KernelCall& call, const TensorData& gradient, const Shape& shape) {
    TensorData sum = TRY(call.make(gradient.type(), shape));
    std::vector<double> sums(static_cast<std::size_t>(sum.count()));
    const auto cells = readAll<C>(gradient);
    const std::array<const Shape*, 1> shapes{&shape};
    BroadcastWalk(gradient.shape(), shapes).forEachRow(kBlockCells, [&](const BroadcastWalk::Row& row) {
        for (std::size_t i = 0; i < row.count; ++i)
            sums[static_cast<std::size_t>(row.offset[0] + static_cast<std::int64_t>(i) * row.stride[0])] +=
                static_cast<double>(cells[static_cast<std::size_t>(row.result) + i]);
    });
    writeAll(sum, sums);
    return sum;
}

/// com.microsoft DivGrad(dY, A, B) -> dA, dB, each only where asked for.
Result<void> runDivGrad(const KernelCall& call) {
    const TensorData* dy = TRY(call.tensor(0));
    const TensorData* a = TRY(call.tensor(1));
    const TensorData* b = TRY(call.tensor(2));
    const auto shape = broadcastShape(a->shape(), b->shape());
    if (!shape || *shape != dy->shape())
        return call.fail("exec.no-broadcast", {shapeText(a->shape()), shapeText(b->shape())});
    TensorData quotient = TRY(call.make(dy->type(), *shape)), slope = TRY(call.make(dy->type(), *shape));
    return withAllowed<Allowed::floating>(call, dy->type(), [&]<typename C>(C) -> Result<void> {
        mapCells<C, C>(*dy, *b, quotient, Divide{});
        if (call.wants(0)) call.setOutput(0, TRY(summedTo<C>(call, quotient, a->shape())));
        if (!call.wants(1)) return {};
        TensorData ratio = TRY(call.make(dy->type(), *shape));
        mapCells<C, C>(*a, *b, ratio, Divide{});
        mapCells<C, C>(quotient, ratio, slope, [](C q, C r) { return -q * r; });
        call.setOutput(1, TRY(summedTo<C>(call, slope, b->shape())));
        return {};
    });
}

/// com.microsoft Scale: times a number, or divided by it with `scale_down`.
Result<void> runScale(const KernelCall& call) {
    const TensorData* factor = TRY(call.tensor(1));
    if (factor->count() != 1 || computeTypeOf(factor->type()) == ComputeType::none)
        return call.fail("exec.needs-one-element", {"1", shapeText(factor->shape())});
    const double number = readAll<double>(*factor).front();
    const double scale = call.integer("scale_down", 0) != 0 ? 1 / number : number;
    return runUnary<Allowed::floating>(
        call, [scale](auto x) { return static_cast<decltype(x)>(static_cast<double>(x) * scale); });
}

constexpr KernelEntry kActivationGradients[] = {
    {"", "SinGrad", 1, &runGradient<SineGradient>},
    {"com.microsoft", "BiasFastGeluGrad_dX", 1, &runBiasGrad<TanhGeluGradient>},
    {"com.microsoft", "BiasGeluGrad_dX", 1, &runBiasGrad<ExactGeluGradient>},
    {"com.microsoft", "DivGrad", 1, &runDivGrad},
    {"com.microsoft", "FastGeluGrad", 1, &runGradient<TanhGeluGradient>},
    {"com.microsoft", "GeluGrad", 1, &runGradient<ExactGeluGradient>},
    {"com.microsoft", "HardSigmoidGrad", 1, &runHardSigmoidGrad},
    {"com.microsoft", "LeakyReluGrad", 1, &runLeakyReluGrad},
    {"com.microsoft", "QuickGeluGrad", 1, &runQuickGeluGrad},
    {"com.microsoft", "ReluGrad", 1, &runGradient<ReluGradient>},
    {"com.microsoft", "Scale", 1, &runScale},
    {"com.microsoft", "SigmoidGrad", 1, &runGradient<SigmoidGradient>},
    {"com.microsoft", "TanhGrad", 1, &runGradient<TanhGradient>},
};

} // namespace

std::span<const KernelEntry> activationGradientKernels() {
    return kActivationGradients;
}

} // namespace secateur
