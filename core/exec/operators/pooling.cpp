// SPDX-License-Identifier: Apache-2.0
//
// ONNX MaxPool (with indices), AveragePool, LpPool and their global forms, MaxUnpool, MaxPoolGrad.
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"
#include "core/exec/windows.h"

#include <cmath>
#include <limits>

namespace secateur {
namespace {

Shape pooledShape(const Shape& x, const Window& window) {
    Shape shape{x[0], x[1]};
    shape.insert(shape.end(), window.output.begin(), window.output.end());
    return shape;
}

/// N times C.
std::size_t planesOf(const Shape& shape) {
    return static_cast<std::size_t>(shape[0]) * static_cast<std::size_t>(shape[1]);
}

/// An index within the spatial dimensions as MaxPool's storage_order has it: 0 row major, 1 column major.
std::int64_t storedIndex(const Window& window, std::int64_t place, bool isColumnMajor) {
    if (!isColumnMajor) return place;
    std::int64_t index = 0, stride = 1;
    std::vector<std::int64_t> position(window.rank());
    for (std::size_t d = window.rank(); d-- > 0;) {
        position[d] = place % window.input[d];
        place /= window.input[d];
    }
    for (std::size_t d = 0; d < window.rank(); ++d) {
        index += position[d] * stride;
        stride *= window.input[d];
    }
    return index;
}

/// For the places that one window meets: a kernel may be larger than everything else.
Result<std::shared_ptr<void>> chargePlaces(const KernelCall& call, const Window& window) {
    const auto count = elementCountOf(window.kernel);
    constexpr std::uint64_t kEach = 2 * sizeof(double);
    if (!count || *count > UINT64_MAX / kEach)
        return call.fail("exec.bad-window", {"kernel_shape", shapeText(window.kernel)});
    return call.pool->charge(*count * kEach);
}

template <typename C>
void maxPool(const Window& window, const std::vector<C>& x, std::size_t planes, bool isColumnMajor,
             std::vector<C>& y, std::vector<std::int64_t>& indices) {
    const std::size_t inputs = window.inputCount(), outputs = window.outputCount();
    std::vector<std::int64_t> places;
    for (std::size_t o = 0; o < outputs; ++o) {
        window.placesAt(o, places);
        for (std::size_t p = 0; p < planes; ++p) {
            C most = std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity()
                                                          : std::numeric_limits<C>::lowest();
            std::int64_t at = -1;
            for (const std::int64_t place : places) {
                if (place < 0) continue;
                const C cell = x[p * inputs + static_cast<std::size_t>(place)];
                if (at >= 0 && !(cell > most) && cell == cell) continue;
                if (at >= 0 && most != most) continue; // NaN stays
                most = cell;
                at = place;
            }
            y[p * outputs + o] = most;
            const std::int64_t plane = static_cast<std::int64_t>(p * inputs);
            indices[p * outputs + o] = at < 0 ? -1 : plane + storedIndex(window, at, isColumnMajor);
        }
    }
}

Result<void> runMaxPool(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const Window window = TRY(windowOf(call, x->shape(), {}));
    const Shape shape = pooledShape(x->shape(), window);
    TensorData y = TRY(call.make(x->type(), shape));
    TensorData indices = TRY(call.make(ElementType::int64, shape));
    const auto charged = TRY(chargePlaces(call, window));
    TRY(withComputeType(
        x->type(),
        [&]<typename C>(C) -> Result<void> {
            std::vector<C> results(static_cast<std::size_t>(y.count()));
            std::vector<std::int64_t> at(results.size());
            maxPool(window, readAll<C>(*x), planesOf(x->shape()), call.integer("storage_order", 0) != 0,
                    results, at);
            writeAll(y, results);
            writeAll(indices, at);
            return {};
        },
        [&]() -> Result<void> { return call.noCodeFor(x->type()); }));
    call.setOutput(0, std::move(y));
    if (call.wants(1)) call.setOutput(1, std::move(indices));
    return {};
}

/// Each window's elements, without the padding, through `f(elements, position)`.
template <typename F> Result<void> poolWith(const KernelCall& call, const Window& window, F f) {
    const TensorData* x = TRY(call.tensor(0));
    if (!isFloating(x->type())) return call.noCodeFor(x->type());
    TensorData y = TRY(call.make(x->type(), pooledShape(x->shape(), window)));
    const auto charged = TRY(chargePlaces(call, window));
    const auto cells = readAll<double>(*x);
    std::vector<double> results(static_cast<std::size_t>(y.count())), inside;
    const std::size_t inputs = window.inputCount(), outputs = window.outputCount(),
                      planes = planesOf(x->shape());
    std::vector<std::int64_t> places;
    for (std::size_t o = 0; o < outputs; ++o) {
        window.placesAt(o, places);
        for (std::size_t p = 0; p < planes; ++p) {
            inside.clear();
            for (const std::int64_t place : places) {
                if (place >= 0) inside.push_back(cells[p * inputs + static_cast<std::size_t>(place)]);
            }
            results[p * outputs + o] = f(inside, o);
        }
    }
    writeAll(y, results);
    call.setOutput(0, std::move(y));
    return {};
}

double sumOf(const std::vector<double>& numbers) {
    double sum = 0;
    for (const double number : numbers)
        sum += number;
    return sum;
}

double powerMeanRoot(const std::vector<double>& numbers, double p) {
    double sum = 0;
    for (const double number : numbers)
        sum += std::pow(std::fabs(number), p);
    return std::pow(sum, 1 / p);
}

Result<void> runAveragePool(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const Window window = TRY(windowOf(call, x->shape(), {}));
    const bool countsPadding = call.integer("count_include_pad", 0) != 0;
    return poolWith(call, window, [&](const std::vector<double>& inside, std::size_t position) {
        const std::size_t count = countsPadding ? window.countWithPadding(position) : inside.size();
        return sumOf(inside) / static_cast<double>(count);
    });
}

Result<void> runLpPool(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const Window window = TRY(windowOf(call, x->shape(), {}));
    // Opset 1 has p as a float.
    const double p =
        call.opset < 2 ? static_cast<double>(call.real("p", 2)) : static_cast<double>(call.integer("p", 2));
    return poolWith(call, window,
                    [p](const std::vector<double>& inside, std::size_t) { return powerMeanRoot(inside, p); });
}

/// One window over everything.
Result<Window> globalWindow(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (x->rank() < 2) return call.fail("exec.bad-rank", {"3", shapeText(x->shape())});
    Window window;
    window.input.assign(x->shape().begin() + 2, x->shape().end());
    window.kernel = window.input;
    window.strides = window.dilations = window.output = Shape(window.rank(), 1);
    window.before = window.behind = Shape(window.rank(), 0);
    return window;
}

Result<void> runGlobalAverage(const KernelCall& call) {
    return poolWith(call, TRY(globalWindow(call)), [](const std::vector<double>& inside, std::size_t) {
        return sumOf(inside) / static_cast<double>(inside.size());
    });
}

Result<void> runGlobalMax(const KernelCall& call) {
    return poolWith(call, TRY(globalWindow(call)), [](const std::vector<double>& inside, std::size_t) {
        double most = -std::numeric_limits<double>::infinity();
        for (const double number : inside)
            most = number > most || std::isnan(number) ? number : most;
        return most;
    });
}

Result<void> runGlobalLp(const KernelCall& call) {
    const double p =
        call.opset < 2 ? static_cast<double>(call.real("p", 2)) : static_cast<double>(call.integer("p", 2));
    return poolWith(call, TRY(globalWindow(call)),
                    [p](const std::vector<double>& inside, std::size_t) { return powerMeanRoot(inside, p); });
}

/// ONNX MaxUnpool: the rest is zero; with output_shape the indices are those of the smaller, padded-off
/// result.
Result<void> runMaxUnpool(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* where = TRY(call.tensor(1));
    const auto indices = readAll<std::int64_t>(*where);
    const auto* kernel = call.integers("kernel_shape");
    const std::size_t rank = x->rank() < 2 ? 0 : x->rank() - 2;
    if (where->shape() != x->shape() || kernel == nullptr || kernel->size() != rank)
        return call.fail("exec.shapes-differ", {shapeText(x->shape()), shapeText(where->shape())});
    TRY(windowList(call, "kernel_shape", rank, 1, 1));
    const Shape strides = TRY(windowList(call, "strides", rank, 1, 1)),
                pads = TRY(windowList(call, "pads", 2 * rank, 0, 0));
    Shape inferred{x->shape()[0], x->shape()[1]};
    for (std::size_t d = 0; d < rank; ++d)
        inferred.push_back((x->shape()[d + 2] - 1) * strides[d] + (*kernel)[d] - pads[d] - pads[rank + d]);
    const auto wanted = TRY(call.integersIn(2));
    const Shape shape = wanted ? Shape(*wanted) : inferred;
    if (shape.size() != x->rank())
        return call.fail("exec.shapes-differ", {shapeText(x->shape()), shapeText(shape)});
    TensorData y = TRY(call.make(x->type(), shape));
    // An index counts within the whole tensor of the inferred shape.
    for (std::size_t i = 0; i < indices.size(); ++i) {
        std::int64_t at = indices[i], to = 0;
        if (at < 0 || at >= static_cast<std::int64_t>(elementCountOf(inferred).value_or(0)))
            return call.fail("exec.bad-index", {std::to_string(at), shapeText(inferred)});
        std::vector<std::int64_t> position(shape.size());
        for (std::size_t d = shape.size(); d-- > 0;) {
            position[d] = at % inferred[d];
            at /= inferred[d];
        }
        for (std::size_t d = 0; d < shape.size(); ++d) {
            if (position[d] >= shape[d])
                return call.fail("exec.bad-index", {std::to_string(indices[i]), shapeText(shape)});
            to = to * shape[d] + position[d];
        }
        copyElements(*x, i, y, static_cast<std::size_t>(to), 1);
    }
    call.setOutput(0, std::move(y));
    return {};
}

/// The shape that the input of the pooling had whose indices are given: of that input, as it was seen in this
/// run, or as the file declares the gradient.
Result<Shape> pooledInputShape(const KernelCall& call) {
    const ValueId indices = call.model->input(call.node, 1);
    const NodeId pooling = call.model->producer(indices);
    if (!pooling.isNone() && call.model->isOp(pooling, "MaxPool")) {
        if (const Shape* seen = call.shapeSeen(call.model->input(pooling, 0))) return *seen;
    }
    const Type& declared = call.model->declaredType(call.model->output(call.node, 0));
    Shape shape;
    for (const Dim& dim : declared.dims) {
        if (!dim.isKnown()) return call.fail("exec.pooled-shape-unknown");
        shape.push_back(*dim.value);
    }
    if (!declared.hasShape) return call.fail("exec.pooled-shape-unknown");
    return shape;
}

/// MaxPoolGrad(dY, indices) of training graphs.
Result<void> runMaxPoolGrad(const KernelCall& call) {
    const TensorData* dy = TRY(call.tensor(0));
    const TensorData* where = TRY(call.tensor(1));
    if (dy->shape() != where->shape() || !isFloating(dy->type()))
        return call.fail("exec.shapes-differ", {shapeText(dy->shape()), shapeText(where->shape())});
    const Shape shape = TRY(pooledInputShape(call));
    TensorData dx = TRY(call.make(dy->type(), shape));
    const auto gradient = readAll<double>(*dy);
    const auto indices = readAll<std::int64_t>(*where);
    std::vector<double> sums(static_cast<std::size_t>(dx.count()));
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        if (indices[i] < 0 || indices[i] >= static_cast<std::int64_t>(sums.size()))
            return call.fail("exec.bad-index", {std::to_string(indices[i]), shapeText(shape)});
        sums[static_cast<std::size_t>(indices[i])] += gradient[i];
    }
    writeAll(dx, sums);
    call.setOutput(0, std::move(dx));
    return {};
}

constexpr KernelEntry kPooling[] = {
    {"", "AveragePool", 1, &runAveragePool}, {"", "GlobalAveragePool", 1, &runGlobalAverage},
    {"", "GlobalLpPool", 1, &runGlobalLp},   {"", "GlobalMaxPool", 1, &runGlobalMax},
    {"", "LpPool", 1, &runLpPool},           {"", "MaxPool", 1, &runMaxPool},
    {"", "MaxPoolGrad", 1, &runMaxPoolGrad}, {"", "MaxUnpool", 9, &runMaxUnpool},
};

} // namespace

std::span<const KernelEntry> poolingKernels() {
    return kPooling;
}

} // namespace secateur
