// SPDX-License-Identifier: Apache-2.0
//
// ONNX Resize (opset 10 on), Upsample; com.microsoft ResizeGrad. Axis by axis, in double.
#include "core/exec/broadcast.h"
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/resampling.h"
#include "core/exec/slabs.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

/// Resamples one axis; with `isBack` the other way round: what each result took is given back (the
/// transpose).
Result<std::vector<double>> alongAxis(const KernelCall& call, const std::vector<double>& cells,
                                      const Shape& inShape, std::size_t axis, const ResampledAxis& plan,
                                      bool isBack) {
    const auto [before, in, behind] = AxisBlocks(inShape, axis);
    const std::size_t out = plan.taps.size();
    // Between the axes there may be more elements than before and behind all of them.
    Shape shape = inShape;
    if (!isBack) shape[axis] = static_cast<std::int64_t>(out);
    const auto count = elementCountOf(shape);
    if (!count) return call.fail("exec.bad-shape", {shapeText(shape)});
    TRY(call.pool->charge(*count > UINT64_MAX / sizeof(double) ? UINT64_MAX : *count * sizeof(double)));
    std::vector<double> made(before * behind * (isBack ? in : out));
    for (std::size_t b = 0; b < before; ++b) {
        for (std::size_t o = 0; o < out; ++o) {
            // A sum begins with its first part: 0 and -0 are 0.
            bool isFirst = !isBack;
            for (const Tap& tap : plan.taps[o]) {
                const std::size_t small = (b * in + tap.at) * behind, large = (b * out + o) * behind;
                for (std::size_t i = 0; i < behind; ++i) {
                    if (isBack)
                        made[small + i] += tap.weight * cells[large + i];
                    else if (isFirst)
                        made[large + i] = tap.weight * cells[small + i];
                    else
                        made[large + i] += tap.weight * cells[small + i];
                }
                isFirst = false;
            }
        }
    }
    return made;
}

bool isUnchanged(const ResampledAxis& axis, std::int64_t dim) {
    if (axis.taps.size() != static_cast<std::size_t>(dim)) return false;
    for (std::size_t at = 0; at < axis.taps.size(); ++at) {
        const bool isSelf =
            axis.taps[at].size() == 1 && axis.taps[at][0].at == at && axis.taps[at][0].weight == 1;
        if (!isSelf || axis.isOutside[at]) return false;
    }
    return true;
}

/// Positions that lie outside the input in any axis take the extrapolation value.
void extrapolate(const Resampling& plan, std::vector<double>& cells) {
    for (std::size_t axis = 0; axis < plan.axes.size(); ++axis) {
        const auto& isOutside = plan.axes[axis].isOutside;
        if (std::find(isOutside.begin(), isOutside.end(), true) == isOutside.end()) continue;
        const std::size_t behind = AxisBlocks(plan.shape, axis).behind;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (isOutside[i / behind % isOutside.size()]) cells[i] = plan.extrapolation;
        }
    }
}

/// Is every result one element, untouched? Its bits are kept then, whatever its type.
bool isCopied(const Resampling& plan) {
    return std::all_of(plan.axes.begin(), plan.axes.end(), [](const ResampledAxis& axis) {
        return std::all_of(axis.taps.begin(), axis.taps.end(), [](const std::vector<Tap>& taps) {
            return taps.size() == 1 && taps[0].weight == 1;
        });
    });
}

Result<void> copyNearest(const KernelCall& call, const TensorData& x, const Resampling& plan, TensorData& y) {
    TensorData outside = TRY(call.make(x.type(), {}));
    writeAll(outside, std::vector<double>{plan.extrapolation});
    const Shape strides = stridesOf(x.shape());
    std::vector<std::size_t> index(plan.axes.size(), 0);
    for (std::size_t to = 0; to < y.count(); ++to) {
        std::size_t from = 0;
        bool isOutside = false;
        for (std::size_t d = 0; d < index.size(); ++d) {
            const ResampledAxis& axis = plan.axes[d];
            from += axis.taps[index[d]][0].at * static_cast<std::size_t>(strides[d]);
            isOutside = isOutside || axis.isOutside[index[d]];
        }
        if (isOutside)
            copyElements(outside, 0, y, to, 1);
        else
            copyElements(x, from, y, to, 1);
        for (std::size_t d = index.size(); d-- > 0;) {
            if (++index[d] < plan.axes[d].taps.size()) break;
            index[d] = 0;
        }
    }
    return {};
}

Result<void> resize(const KernelCall& call, std::size_t roiSlot, std::size_t scaleSlot,
                    std::size_t sizeSlot) {
    const TensorData* x = TRY(call.tensor(0));
    if (computeTypeOf(x->type()) == ComputeType::none) return call.noCodeFor(x->type());
    const Resampling plan = TRY(resamplingOf(call, x->shape(), roiSlot, scaleSlot, sizeSlot));
    TensorData y = TRY(call.make(x->type(), plan.shape));
    Shape shape = x->shape();
    if (y.count() != 0 && x->count() == 0) return call.fail("exec.bad-resize", {shapeText(shape)});
    if (isCopied(plan)) {
        TRY(copyNearest(call, *x, plan, y));
        call.setOutput(0, std::move(y));
        return {};
    }
    auto cells = readAll<double>(*x);
    for (std::size_t axis = 0; axis < shape.size() && y.count() != 0; ++axis) {
        if (isUnchanged(plan.axes[axis], shape[axis])) continue;
        cells = TRY(alongAxis(call, cells, shape, axis, plan.axes[axis], false));
        shape[axis] = plan.shape[axis];
    }
    if (y.count() != 0) {
        extrapolate(plan, cells);
        if (!isFloating(x->type()))
            std::transform(cells.begin(), cells.end(), cells.begin(),
                           [](double cell) { return std::nearbyint(cell); });
        writeAll(y, cells);
    }
    call.setOutput(0, std::move(y));
    return {};
}

Result<void> runResize(const KernelCall& call) {
    constexpr std::int64_t kHasRoi = 11;
    if (call.opset < kHasRoi) return resize(call, SIZE_MAX, 1, SIZE_MAX);
    return resize(call, 1, 2, 3);
}

Result<void> runUpsample(const KernelCall& call) {
    return resize(call, SIZE_MAX, call.inputs.size() > 1 ? 1 : SIZE_MAX, SIZE_MAX);
}

/// com.microsoft ResizeGrad(dY, X, roi, scales): what each input element gave.
Result<void> runResizeGrad(const KernelCall& call) {
    const TensorData* dy = TRY(call.tensor(0));
    const TensorData* x = TRY(call.tensor(1));
    if (!isFloating(dy->type())) return call.noCodeFor(dy->type());
    const Resampling plan = TRY(resamplingOf(call, x->shape(), 2, 3, SIZE_MAX));
    if (dy->shape() != plan.shape)
        return call.fail("exec.shapes-differ", {shapeText(dy->shape()), shapeText(plan.shape)});
    auto cells = readAll<double>(*dy);
    // Back through the axes: the last one resampled is the first to be undone.
    Shape shape = plan.shape;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        shape[axis] = x->shape()[axis];
        cells = TRY(alongAxis(call, cells, shape, axis, plan.axes[axis], true));
    }
    TensorData dx = TRY(call.make(x->type(), x->shape()));
    writeAll(dx, cells);
    call.setOutput(0, std::move(dx));
    return {};
}

constexpr KernelEntry kResize[] = {
    {"", "Resize", 10, &runResize},
    {"", "Upsample", 7, &runUpsample},
    {"com.microsoft", "ResizeGrad", 1, &runResizeGrad},
};

} // namespace

std::span<const KernelEntry> resizeKernels() {
    return kResize;
}

} // namespace secateur
