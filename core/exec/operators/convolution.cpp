// SPDX-License-Identifier: Apache-2.0
//
// ONNX Conv, ConvTranspose, ConvInteger, QLinearConv; com.microsoft ConvGrad. Any number of spatial
// dimensions, groups, strides, dilations, padding. Sums of floats are taken in double.
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/quantized.h"
#include "core/exec/slabs.h"
#include "core/exec/windows.h"
#include "core/kernels/unary_math.h"

#include <algorithm>
#include <type_traits>

namespace secateur {
namespace {

/// The sizes of one convolution: N x C x spatial by M x C/groups x kernel.
struct ConvolutionSizes {
    std::size_t batch = 0, channels = 0, filters = 0, groups = 1;
    Window window;

    [[nodiscard]] std::size_t channelsPerGroup() const { return channels / groups; }
    [[nodiscard]] std::size_t filtersPerGroup() const { return filters / groups; }
    [[nodiscard]] Shape resultShape() const {
        Shape shape{static_cast<std::int64_t>(batch), static_cast<std::int64_t>(filters)};
        shape.insert(shape.end(), window.output.begin(), window.output.end());
        return shape;
    }
};

Result<ConvolutionSizes> sizesOf(const KernelCall& call, const Shape& x, const Shape& w) {
    ConvolutionSizes sizes;
    const std::int64_t groups = call.integer("group", 1);
    const auto misfit = [&] { return call.fail("exec.shapes-differ", {shapeText(x), shapeText(w)}); };
    if (x.size() < 3 || w.size() != x.size() || groups < 1) return misfit();
    // A product of the channels and a huge number of groups would be no number any more.
    if (groups > std::max<std::int64_t>(x[1], 1) || x[1] != w[1] * groups || w[0] % groups != 0)
        return misfit();
    sizes.batch = static_cast<std::size_t>(x[0]);
    sizes.channels = static_cast<std::size_t>(x[1]);
    sizes.filters = static_cast<std::size_t>(w[0]);
    sizes.groups = static_cast<std::size_t>(groups);
    sizes.window = TRY(windowOf(call, x, Shape(w.begin() + 2, w.end())));
    return sizes;
}

template <typename C> using SumOf = std::conditional_t<std::is_floating_point_v<C>, double, C>;

/// Calls visit(x index, w index, y index) for every product of the convolution, in the order of y, then
/// channels, then kernel elements.
template <typename Visit> void forEachProduct(const ConvolutionSizes& s, Visit visit) {
    const std::size_t outputs = s.window.outputCount(), inputs = s.window.inputCount(),
                      taps = s.window.kernelCount();
    const std::size_t channels = s.channelsPerGroup();
    std::vector<std::int64_t> places;
    for (std::size_t o = 0; o < outputs; ++o) {
        s.window.placesAt(o, places);
        for (std::size_t n = 0; n < s.batch; ++n) {
            for (std::size_t f = 0; f < s.filters; ++f) {
                const std::size_t first = f / s.filtersPerGroup() * channels;
                const std::size_t y = (n * s.filters + f) * outputs + o;
                for (std::size_t c = 0; c < channels; ++c) {
                    const std::size_t x = (n * s.channels + first + c) * inputs;
                    const std::size_t w = (f * channels + c) * taps;
                    for (std::size_t k = 0; k < taps; ++k) {
                        if (places[k] >= 0) visit(x + static_cast<std::size_t>(places[k]), w + k, y);
                    }
                }
            }
        }
    }
}

template <typename C>
std::vector<SumOf<C>> convolve(const ConvolutionSizes& sizes, const std::vector<C>& x,
                               const std::vector<C>& w) {
    std::vector<SumOf<C>> sums(sizes.batch * sizes.filters * sizes.window.outputCount());
    forEachProduct(sizes, [&](std::size_t xi, std::size_t wi, std::size_t yi) {
        sums[yi] += static_cast<SumOf<C>>(x[xi]) * static_cast<SumOf<C>>(w[wi]);
    });
    return sums;
}

Result<void> runConv(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* w = TRY(call.tensor(1));
    const TensorData* bias = TRY(call.optionalTensor(2));
    if (!isFloating(x->type()) || x->type() != w->type()) return call.noCodeFor(x->type());
    const ConvolutionSizes sizes = TRY(sizesOf(call, x->shape(), w->shape()));
    if (bias != nullptr && bias->count() != sizes.filters)
        return call.fail("exec.shapes-differ", {shapeText(w->shape()), shapeText(bias->shape())});
    TensorData y = TRY(call.make(x->type(), sizes.resultShape()));
    std::vector<double> sums = convolve(sizes, readAll<double>(*x), readAll<double>(*w));
    if (bias != nullptr) {
        const auto add = readAll<double>(*bias);
        const std::size_t outputs = sizes.window.outputCount();
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += add[i / outputs % sizes.filters];
    }
    writeAll(y, sums);
    call.setOutput(0, std::move(y));
    return {};
}

/// Conv with an activation, as backends take two nodes together: domain "secateur", attribute `activation`.
Result<void> runActivatedConv(const KernelCall& call) {
    const std::string_view name = call.text("activation", "");
    if (name != "HardSwish") return call.fail("exec.bad-attribute", {"activation", std::string(name)});
    TRY(runConv(call));
    TensorData y = *call.outputs[0].tensor();
    auto cells = readAll<double>(y);
    std::transform(cells.begin(), cells.end(), cells.begin(), kernels::HardSwish{});
    writeAll(y, cells);
    return {};
}

Result<void> runConvInteger(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* w = TRY(call.tensor(1));
    const ConvolutionSizes sizes = TRY(sizesOf(call, x->shape(), w->shape()));
    // The padding is the zero point, that is 0 once it is subtracted.
    const auto left = TRY(withoutZeroPoint(call, *x, TRY(call.optionalTensor(2)), ZeroPointAxis::row));
    const auto right = TRY(withoutZeroPoint(call, *w, TRY(call.optionalTensor(3)), ZeroPointAxis::first));
    TensorData y = TRY(call.make(ElementType::int32, sizes.resultShape()));
    writeAll(y, convolve(sizes, left, right));
    call.setOutput(0, std::move(y));
    return {};
}

/// ONNX QLinearConv: the bias is int32 with scale x_scale * w_scale.
Result<void> runQLinearConv(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* w = TRY(call.tensor(3));
    const TensorData* zero = TRY(call.tensor(7));
    const ConvolutionSizes sizes = TRY(sizesOf(call, x->shape(), w->shape()));
    const auto left = TRY(withoutZeroPoint(call, *x, TRY(call.tensor(2)), ZeroPointAxis::row));
    const auto right = TRY(withoutZeroPoint(call, *w, TRY(call.tensor(5)), ZeroPointAxis::first));
    auto sums = convolve(sizes, left, right);
    const auto xScale = TRY(scalesIn(call, 1)), wScale = TRY(scalesIn(call, 4)),
               yScale = TRY(scalesIn(call, 6));
    if (xScale.size() != 1 || yScale.size() != 1 || (wScale.size() != 1 && wScale.size() != sizes.filters))
        return call.fail("exec.shapes-differ",
                         {std::to_string(xScale.size()), std::to_string(wScale.size())});
    std::vector<std::int64_t> bias;
    if (const TensorData* given = TRY(call.optionalTensor(8))) bias = readAll<std::int64_t>(*given);
    const std::size_t outputs = sizes.window.outputCount();
    std::vector<double> real(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::size_t f = i / outputs % sizes.filters;
        if (f < bias.size()) sums[i] += bias[f];
        // In float, as the scales are: the quantized result then agrees with other runtimes.
        const float scale = static_cast<float>(xScale[0]) *
                            static_cast<float>(wScale[wScale.size() == 1 ? 0 : f]) /
                            static_cast<float>(yScale[0]);
        real[i] = static_cast<double>(static_cast<float>(sums[i]) * scale);
    }
    TensorData y = TRY(call.make(zero->type(), sizes.resultShape()));
    writeQuantized(real, readAll<std::int64_t>(*zero).at(0), y);
    call.setOutput(0, std::move(y));
    return {};
}

/// ConvTranspose is a convolution with input and output swapped: its window runs over the result.
Result<ConvolutionSizes> transposedSizes(const KernelCall& call, const Shape& x, const Shape& w) {
    const std::int64_t groups = call.integer("group", 1);
    const auto misfit = [&] { return call.fail("exec.shapes-differ", {shapeText(x), shapeText(w)}); };
    if (x.size() < 3 || w.size() != x.size() || groups < 1 || x[1] != w[0] ||
        groups > std::max<std::int64_t>(x[1], 1) || x[1] % groups != 0)
        return misfit();
    ConvolutionSizes sizes;
    sizes.batch = static_cast<std::size_t>(x[0]);
    sizes.channels = static_cast<std::size_t>(w[1] * groups); // of the result
    sizes.filters = static_cast<std::size_t>(x[1]);           // of the input
    sizes.groups = static_cast<std::size_t>(groups);
    sizes.window = TRY(transposedWindowOf(call, x, w));
    return sizes;
}

Result<void> runConvTranspose(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* w = TRY(call.tensor(1));
    const TensorData* bias = TRY(call.optionalTensor(2));
    if (!isFloating(x->type()) || x->type() != w->type()) return call.noCodeFor(x->type());
    const ConvolutionSizes sizes = TRY(transposedSizes(call, x->shape(), w->shape()));
    if (bias != nullptr && bias->count() != sizes.channels)
        return call.fail("exec.shapes-differ", {shapeText(w->shape()), shapeText(bias->shape())});
    Shape shape{x->shape()[0], static_cast<std::int64_t>(sizes.channels)};
    shape.insert(shape.end(), sizes.window.input.begin(), sizes.window.input.end());
    TensorData y = TRY(call.make(x->type(), std::move(shape)));
    std::vector<double> sums(static_cast<std::size_t>(y.count()));
    const auto from = readAll<double>(*x), weights = readAll<double>(*w);
    forEachProduct(
        sizes, [&](std::size_t yi, std::size_t wi, std::size_t xi) { sums[yi] += from[xi] * weights[wi]; });
    if (bias != nullptr) {
        const auto add = readAll<double>(*bias);
        const std::size_t inner = sizes.window.inputCount();
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += add[i / inner % sizes.channels];
    }
    writeAll(y, sums);
    call.setOutput(0, std::move(y));
    return {};
}

/// com.microsoft ConvGrad(dY, X, W) -> dX, dW, dB; each only where asked for.
Result<void> runConvGrad(const KernelCall& call) {
    const TensorData* dy = TRY(call.tensor(0));
    const TensorData* x = TRY(call.tensor(1));
    const TensorData* w = TRY(call.tensor(2));
    if (!isFloating(x->type())) return call.noCodeFor(x->type());
    const ConvolutionSizes sizes = TRY(sizesOf(call, x->shape(), w->shape()));
    if (dy->shape() != sizes.resultShape())
        return call.fail("exec.shapes-differ", {shapeText(sizes.resultShape()), shapeText(dy->shape())});
    const auto gradient = readAll<double>(*dy), inputs = readAll<double>(*x), weights = readAll<double>(*w);
    std::vector<double> dx(inputs.size()), dw(weights.size()), db(sizes.filters);
    forEachProduct(sizes, [&](std::size_t xi, std::size_t wi, std::size_t yi) {
        dx[xi] += gradient[yi] * weights[wi];
        dw[wi] += gradient[yi] * inputs[xi];
    });
    const std::size_t outputs = sizes.window.outputCount();
    for (std::size_t i = 0; i < gradient.size(); ++i)
        db[i / outputs % sizes.filters] += gradient[i];
    const std::pair<const std::vector<double>*, Shape> results[] = {
        {&dx, x->shape()}, {&dw, w->shape()}, {&db, Shape{static_cast<std::int64_t>(sizes.filters)}}};
    for (std::size_t slot = 0; slot < 3; ++slot) {
        if (!call.wants(slot)) continue;
        TensorData made = TRY(call.make(x->type(), results[slot].second));
        writeAll(made, *results[slot].first);
        call.setOutput(slot, std::move(made));
    }
    return {};
}

constexpr KernelEntry kConvolutions[] = {
    {"", "Conv", 1, &runConv},
    {"", "ConvInteger", 10, &runConvInteger},
    {"", "ConvTranspose", 1, &runConvTranspose},
    {"", "QLinearConv", 10, &runQLinearConv},
    {"com.microsoft", "ConvGrad", 1, &runConvGrad},
    {"secateur", "Conv", 1, &runActivatedConv},
};

} // namespace

std::span<const KernelEntry> convolutionKernels() {
    return kConvolutions;
}

} // namespace secateur
