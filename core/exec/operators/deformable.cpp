// SPDX-License-Identifier: Apache-2.0
//
// ONNX DeformConv (19, 22): a convolution whose kernel elements are moved by offsets, and weighed by a mask
// (Dai et al. 2017, Zhu et al. 2019). Two spatial dimensions; sums in double.
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/windows.h"

#include <cmath>

namespace secateur {
namespace {

/// The tensors of one call as numbers, and their sizes.
struct Deformable {
    std::size_t batch = 0, channels = 0, filters = 0, groups = 1, offsetGroups = 1;
    Window window;
    std::vector<double> x, weight, offset, mask, bias; ///< mask and bias may be empty

    [[nodiscard]] std::size_t height() const { return static_cast<std::size_t>(window.input[0]); }
    [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(window.input[1]); }
};

/// The image at (y, x) between its elements; 0 outside.
double between(const double* image, std::size_t height, std::size_t width, double y, double x) {
    const auto h = static_cast<double>(height), w = static_cast<double>(width);
    if (!(y > -1 && y < h && x > -1 && x < w)) return 0; // NaN as well
    const double top = std::floor(y), left = std::floor(x);
    const auto at = [&](double row, double column) {
        if (row < 0 || row >= h || column < 0 || column >= w) return 0.0;
        return image[static_cast<std::size_t>(row) * width + static_cast<std::size_t>(column)];
    };
    const double down = y - top, right = x - left;
    return (1 - down) * ((1 - right) * at(top, left) + right * at(top, left + 1)) +
           down * ((1 - right) * at(top + 1, left) + right * at(top + 1, left + 1));
}

/// One result: filter `f` of batch entry `n` at output position `o`.
double resultAt(const Deformable& d, std::size_t n, std::size_t f, std::size_t o) {
    const std::size_t taps = d.window.kernelCount(), outputs = d.window.outputCount();
    const std::size_t perGroup = d.channels / d.groups, first = f / (d.filters / d.groups) * perGroup;
    const std::size_t perOffsetGroup = d.channels / d.offsetGroups;
    const auto columns = static_cast<std::size_t>(d.window.output[1]),
               kernelColumns = static_cast<std::size_t>(d.window.kernel[1]);
    double sum = d.bias.empty() ? 0 : d.bias[f];
    for (std::size_t c = 0; c < perGroup; ++c) {
        const std::size_t channel = first + c, group = channel / perOffsetGroup;
        const double* image = d.x.data() + (n * d.channels + channel) * d.height() * d.width();
        for (std::size_t k = 0; k < taps; ++k) {
            const std::size_t tap = (n * d.offsetGroups + group) * taps + k;
            const double* moved = d.offset.data() + 2 * tap * outputs + o;
            const auto place = [&](std::size_t axis, std::size_t position, std::size_t element) {
                return static_cast<double>(static_cast<std::int64_t>(position) * d.window.strides[axis] -
                                           d.window.before[axis] +
                                           static_cast<std::int64_t>(element) * d.window.dilations[axis]);
            };
            const double y = place(0, o / columns, k / kernelColumns) + moved[0];
            const double x = place(1, o % columns, k % kernelColumns) + moved[outputs];
            const double scale = d.mask.empty() ? 1 : d.mask[tap * outputs + o];
            sum +=
                scale * d.weight[(f * perGroup + c) * taps + k] * between(image, d.height(), d.width(), y, x);
        }
    }
    return sum;
}

/// Do the shapes of weight, offset, mask and bias follow from the input and the attributes?
Result<void> checkShapes(const KernelCall& call, const Deformable& d, const TensorData& offset,
                         const TensorData* mask, const TensorData* bias) {
    const auto number = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    const std::int64_t perTap = number(d.offsetGroups * d.window.kernelCount());
    const Shape maskShape{number(d.batch), perTap, d.window.output[0], d.window.output[1]};
    Shape offsetShape = maskShape;
    offsetShape[1] *= 2;
    if (offset.shape() != offsetShape)
        return call.fail("exec.shapes-differ", {shapeText(offset.shape()), shapeText(offsetShape)});
    if (mask != nullptr && mask->shape() != maskShape)
        return call.fail("exec.shapes-differ", {shapeText(mask->shape()), shapeText(maskShape)});
    if (bias != nullptr && bias->count() != d.filters)
        return call.fail("exec.shapes-differ", {shapeText(bias->shape()), std::to_string(d.filters)});
    return {};
}

Result<Deformable> sizesOf(const KernelCall& call, const Shape& x, const Shape& w) {
    Deformable d;
    const std::int64_t groups = call.integer("group", 1), offsetGroups = call.integer("offset_group", 1);
    if (x.size() != 4) return call.fail("exec.bad-rank", {"4", shapeText(x)});
    const bool fits = w.size() == 4 && groups >= 1 && offsetGroups >= 1 && w[0] % groups == 0 && w[0] > 0 &&
                      x[1] > 0 && x[1] % groups == 0 && w[1] == x[1] / groups && x[1] % offsetGroups == 0;
    if (!fits) return call.fail("exec.shapes-differ", {shapeText(x), shapeText(w)});
    d.batch = static_cast<std::size_t>(x[0]);
    d.channels = static_cast<std::size_t>(x[1]);
    d.filters = static_cast<std::size_t>(w[0]);
    d.groups = static_cast<std::size_t>(groups);
    d.offsetGroups = static_cast<std::size_t>(offsetGroups);
    d.window = TRY(windowOf(call, x, Shape(w.begin() + 2, w.end())));
    return d;
}

/// ONNX DeformConv 19: X, W, offset, bias, mask.
Result<void> runDeformConv(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* w = TRY(call.tensor(1));
    const TensorData* offset = TRY(call.tensor(2));
    const TensorData* bias = TRY(call.optionalTensor(3));
    const TensorData* mask = TRY(call.optionalTensor(4));
    for (const TensorData* given : {x, w, offset, bias, mask}) {
        if (given != nullptr && !isFloating(given->type())) return call.noCodeFor(given->type());
    }
    Deformable d = TRY(sizesOf(call, x->shape(), w->shape()));
    TRY(checkShapes(call, d, *offset, mask, bias));
    TensorData result =
        TRY(call.make(x->type(), {x->shape()[0], w->shape()[0], d.window.output[0], d.window.output[1]}));
    d.x = readAll<double>(*x);
    d.weight = readAll<double>(*w);
    d.offset = readAll<double>(*offset);
    if (mask != nullptr) d.mask = readAll<double>(*mask);
    if (bias != nullptr) d.bias = readAll<double>(*bias);
    std::vector<double> made;
    made.reserve(static_cast<std::size_t>(result.count()));
    const std::size_t outputs = d.window.outputCount();
    for (std::size_t n = 0; n < d.batch; ++n) {
        for (std::size_t f = 0; f < d.filters; ++f) {
            for (std::size_t o = 0; o < outputs; ++o)
                made.push_back(resultAt(d, n, f, o));
        }
    }
    writeAll(result, made);
    call.setOutput(0, std::move(result));
    return {};
}

constexpr KernelEntry kDeformable[] = {{"", "DeformConv", 19, &runDeformConv}};

} // namespace

std::span<const KernelEntry> deformableKernels() {
    return kDeformable;
}

} // namespace secateur
