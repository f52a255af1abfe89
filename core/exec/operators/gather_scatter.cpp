// SPDX-License-Identifier: Apache-2.0
//
// Operators that pick elements by index or put them there: Gather, GatherElements, GatherND, ScatterElements
// (Scatter), ScatterND, OneHot, NonZero, ArrayFeatureExtractor, and their gradients GatherGrad,
// GatherElementsGrad, GatherNDGrad.
#include "core/kernels/arithmetic.h"

#include "core/exec/broadcast.h"
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"

#include <algorithm>
#include <optional>

namespace secateur {
namespace {

/// Indices of an input with negative ones counted from the end; an error of the call where one lies outside.
Result<std::vector<std::int64_t>> indicesIn(const KernelCall& call, std::size_t slot, std::int64_t dim) {
    const auto given = TRY(call.integersIn(slot));
    if (!given) return call.fail("exec.needs-tensor", {std::to_string(slot), "nothing"});
    std::vector<std::int64_t> indices = *given;
    for (std::int64_t& index : indices) {
        if (index < -dim || index >= dim)
            return call.fail("exec.bad-index", {std::to_string(index), std::to_string(dim)});
        if (index < 0) index += dim;
    }
    return indices;
}

std::size_t productOf(const Shape& shape, std::size_t from, std::size_t to) {
    std::size_t product = 1;
    for (std::size_t d = from; d < to; ++d)
        product *= static_cast<std::size_t>(shape[d]);
    return product;
}

Result<void> runGather(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* where = TRY(call.tensor(1));
    const std::size_t axis = TRY(axisOf(call, call.integer("axis", 0), x->rank()));
    const auto indices = TRY(indicesIn(call, 1, x->shape()[axis]));
    Shape shape(x->shape().begin(), x->shape().begin() + static_cast<std::ptrdiff_t>(axis));
    shape.insert(shape.end(), where->shape().begin(), where->shape().end());
    shape.insert(shape.end(), x->shape().begin() + static_cast<std::ptrdiff_t>(axis) + 1, x->shape().end());
    TensorData y = TRY(call.make(x->type(), std::move(shape)));
    const std::size_t before = productOf(x->shape(), 0, axis),
                      behind = productOf(x->shape(), axis + 1, x->rank());
    const auto dim = static_cast<std::size_t>(x->shape()[axis]);
    std::size_t to = 0;
    for (std::size_t b = 0; b < before; ++b) {
        for (const std::int64_t index : indices) {
            copyElements(*x, (b * dim + static_cast<std::size_t>(index)) * behind, y, to, behind);
            to += behind;
        }
    }
    call.setOutput(0, std::move(y));
    return {};
}

/// Calls visit(element of the indices, place in a tensor of `shape`): the place has the index along `axis`
/// and the element's own position along all others.
template <typename Visit>
void forEachPlace(const Shape& indexShape, const std::vector<std::int64_t>& indices, const Shape& shape,
                  std::size_t axis, Visit visit) {
    const Shape strides = stridesOf(shape);
    const Shape own = stridesOf(indexShape);
    for (std::size_t i = 0; i < indices.size(); ++i) {
        std::int64_t at = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) {
            const std::int64_t position = static_cast<std::int64_t>(i) / own[d] % indexShape[d];
            at += (d == axis ? indices[i] : position) * strides[d];
        }
        visit(i, static_cast<std::size_t>(at));
    }
}

/// Do indices of this shape address a tensor of `shape` along `axis`: no larger anywhere else?
bool fitsAlong(const Shape& indexShape, const Shape& shape, std::size_t axis) {
    if (indexShape.size() != shape.size()) return false;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (d != axis && indexShape[d] > shape[d]) return false;
    }
    return true;
}

Result<void> runGatherElements(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* where = TRY(call.tensor(1));
    const std::size_t axis = TRY(axisOf(call, call.integer("axis", 0), x->rank()));
    if (!fitsAlong(where->shape(), x->shape(), axis))
        return call.fail("exec.shapes-differ", {shapeText(x->shape()), shapeText(where->shape())});
    const auto indices = TRY(indicesIn(call, 1, x->shape()[axis]));
    TensorData y = TRY(call.make(x->type(), where->shape()));
    forEachPlace(where->shape(), indices, x->shape(), axis,
                 [&](std::size_t i, std::size_t at) { copyElements(*x, at, y, i, 1); });
    call.setOutput(0, std::move(y));
    return {};
}

/// How ScatterElements and ScatterND join an update with what is there.
enum class Reduction : std::uint8_t { none, add, mul, max, min };

Result<Reduction> reductionOf(const KernelCall& call) {
    const std::string_view name = call.text("reduction", "none");
    if (name == "none") return Reduction::none;
    if (name == "add") return Reduction::add;
    if (name == "mul") return Reduction::mul;
    if (name == "max") return Reduction::max;
    if (name == "min") return Reduction::min;
    return call.fail("exec.bad-attribute", {"reduction", std::string(name)});
}

template <typename C> C joined(Reduction reduction, C old, C update) {
    switch (reduction) {
    case Reduction::none: return update;
    case Reduction::add: return kernels::Add{}(old, update);
    case Reduction::mul: return kernels::Multiply{}(old, update);
    case Reduction::max: return kernels::Maximum{}(old, update);
    case Reduction::min: return kernels::Minimum{}(old, update);
    }
    return update;
}

/// Joins `count` updates from `from` into `y` at `to`.
Result<void> joinElements(const KernelCall& call, Reduction reduction, const TensorData& updates,
                          std::size_t from, TensorData& y, std::size_t to, std::size_t count) {
    if (reduction == Reduction::none) {
        copyElements(updates, from, y, to, count);
        return {};
    }
    return withComputeType(
        y.type(),
        [&]<typename C>(C) -> Result<void> {
            const auto read = cellReader<C>(y.type());
            const auto write = cellWriter<C>(y.type());
            for (std::size_t i = 0; i < count; ++i) {
                C old{}, update{};
                read(y.data(), static_cast<std::int64_t>(to + i), 1, 1, &old);
                read(updates.data(), static_cast<std::int64_t>(from + i), 1, 1, &update);
                const C result = joined(reduction, old, update);
                write(&result, 1, y.data(), static_cast<std::int64_t>(to + i));
            }
            return {};
        },
        [&]() -> Result<void> { return call.noCodeFor(y.type()); });
}

/// A copy of input 0 to write into.
Result<TensorData> copyOf(const KernelCall& call, const TensorData& x) {
    TensorData y = TRY(call.make(x.type(), x.shape()));
    copyElements(x, 0, y, 0, static_cast<std::size_t>(x.count()));
    return y;
}

Result<void> runScatterElements(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* where = TRY(call.tensor(1));
    const TensorData* updates = TRY(call.tensor(2));
    const std::size_t axis = TRY(axisOf(call, call.integer("axis", 0), x->rank()));
    if (!fitsAlong(where->shape(), x->shape(), axis) || updates->shape() != where->shape() ||
        updates->type() != x->type())
        return call.fail("exec.shapes-differ", {shapeText(where->shape()), shapeText(updates->shape())});
    const Reduction reduction = TRY(reductionOf(call));
    const auto indices = TRY(indicesIn(call, 1, x->shape()[axis]));
    TensorData y = TRY(copyOf(call, *x));
    Result<void> done;
    forEachPlace(where->shape(), indices, x->shape(), axis, [&](std::size_t i, std::size_t at) {
        if (done) done = joinElements(call, reduction, *updates, i, y, at, 1);
    });
    if (!done) return done;
    call.setOutput(0, std::move(y));
    return {};
}

/// Index tuples of GatherND and ScatterND as places in a tensor of `shape`, `batch` leading dimensions
/// shared.
struct TuplePlaces {
    std::vector<std::size_t> places;
    std::size_t slab = 1; ///< elements that one tuple addresses
};

Result<TuplePlaces> tuplePlaces(const KernelCall& call, const Shape& shape, const TensorData& where,
                                std::size_t batch) {
    const auto given = TRY(call.integersIn(1));
    if (where.rank() == 0 || !given) return call.fail("exec.bad-rank", {"1", shapeText(where.shape())});
    const auto length = static_cast<std::size_t>(where.shape().back());
    if (batch + length > shape.size() || batch >= where.rank())
        return call.fail("exec.shapes-differ", {shapeText(shape), shapeText(where.shape())});
    for (std::size_t d = 0; d < batch; ++d) {
        if (shape[d] != where.shape()[d])
            return call.fail("exec.shapes-differ", {shapeText(shape), shapeText(where.shape())});
    }
    TuplePlaces found;
    found.slab = productOf(shape, batch + length, shape.size());
    const std::size_t batches = productOf(shape, 0, batch);
    const std::size_t perBatch = productOf(shape, batch, shape.size());
    const std::size_t tuples = productOf(where.shape(), 0, where.rank() - 1);
    const Shape strides = stridesOf(shape);
    for (std::size_t t = 0; t < tuples; ++t) {
        std::size_t at = batches == 0 ? 0 : t / (tuples / batches) * perBatch;
        for (std::size_t k = 0; k < length; ++k) {
            const std::int64_t dim = shape[batch + k];
            std::int64_t index = (*given)[t * length + k];
            if (index < -dim || index >= dim)
                return call.fail("exec.bad-index", {std::to_string(index), std::to_string(dim)});
            if (index < 0) index += dim;
            at += static_cast<std::size_t>(index * strides[batch + k]);
        }
        found.places.push_back(at);
    }
    return found;
}

Result<void> runGatherNd(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* where = TRY(call.tensor(1));
    const auto batch = static_cast<std::size_t>(std::max<std::int64_t>(call.integer("batch_dims", 0), 0));
    const TuplePlaces found = TRY(tuplePlaces(call, x->shape(), *where, batch));
    Shape shape(where->shape().begin(), where->shape().end() - 1);
    const auto addressed = batch + static_cast<std::size_t>(where->shape().back());
    shape.insert(shape.end(), x->shape().begin() + static_cast<std::ptrdiff_t>(addressed), x->shape().end());
    TensorData y = TRY(call.make(x->type(), std::move(shape)));
    for (std::size_t t = 0; t < found.places.size(); ++t)
        copyElements(*x, found.places[t], y, t * found.slab, found.slab);
    call.setOutput(0, std::move(y));
    return {};
}

Result<void> runScatterNd(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const TensorData* updates = TRY(call.tensor(2));
    const Reduction reduction = TRY(reductionOf(call));
    const TuplePlaces found = TRY(tuplePlaces(call, x->shape(), *TRY(call.tensor(1)), 0));
    if (updates->type() != x->type() || updates->count() != found.places.size() * found.slab)
        return call.fail("exec.shapes-differ", {shapeText(x->shape()), shapeText(updates->shape())});
    TensorData y = TRY(copyOf(call, *x));
    for (std::size_t t = 0; t < found.places.size(); ++t)
        TRY(joinElements(call, reduction, *updates, t * found.slab, y, found.places[t], found.slab));
    call.setOutput(0, std::move(y));
    return {};
}

/// ONNX OneHot: indices outside [-depth, depth) give a row that is off throughout.
Result<void> runOneHot(const KernelCall& call) {
    const TensorData* where = TRY(call.tensor(0));
    const TensorData* depthTensor = TRY(call.tensor(1));
    const TensorData* values = TRY(call.tensor(2));
    if (depthTensor->count() != 1 || values->count() != 2 ||
        computeTypeOf(depthTensor->type()) == ComputeType::none)
        return call.fail("exec.needs-one-element", {"1", shapeText(depthTensor->shape())});
    if (computeTypeOf(where->type()) == ComputeType::none) return call.noCodeFor(where->type());
    const std::int64_t depth = readAll<std::int64_t>(*depthTensor).front();
    const std::size_t axis = TRY(axisOf(call, call.integer("axis", -1), where->rank() + 1));
    if (depth < 0) return call.fail("exec.bad-shape", {std::to_string(depth)});
    Shape shape = where->shape();
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), depth);
    TensorData y = TRY(call.make(values->type(), shape));
    const std::size_t behind = productOf(where->shape(), axis, where->rank());
    const auto indices = readAll<std::int64_t>(*where);
    const auto wide = static_cast<std::size_t>(depth);
    for (std::size_t i = 0; i < y.count(); ++i) {
        const std::size_t outer = i / (behind * wide), inner = i % behind;
        const auto here = static_cast<std::int64_t>(i / behind % wide);
        std::int64_t index = indices[outer * behind + inner];
        if (index < 0) index += depth;
        copyElements(*values, index == here ? 1 : 0, y, i, 1);
    }
    call.setOutput(0, std::move(y));
    return {};
}

/// ONNX NonZero: the positions, one column each, in row-major order.
Result<void> runNonZero(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (computeTypeOf(x->type()) == ComputeType::none) return call.noCodeFor(x->type());
    const auto numbers = readAll<double>(*x);
    std::vector<std::int64_t> found;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] != 0) found.push_back(static_cast<std::int64_t>(i));
    }
    const auto count = static_cast<std::int64_t>(found.size());

    TensorData y = TRY(call.make(ElementType::int64, {static_cast<std::int64_t>(x->rank()), count}));
    const Shape strides = stridesOf(x->shape());
    for (std::size_t d = 0; d < x->rank(); ++d) {
        for (std::size_t k = 0; k < found.size(); ++k)
            y.as<std::int64_t>()[d * found.size() + k] = found[k] / strides[d] % x->shape()[d];
    }
    call.setOutput(0, std::move(y));
    return {};
}

/// Zeroes of the shape in input 0, for the gradients below.
Result<TensorData> zerosOfShapeInput(const KernelCall& call, ElementType type) {
    const auto shape = TRY(call.integersIn(0));
    if (!shape) return call.fail("exec.needs-tensor", {"0", "nothing"});
    return call.make(type, *shape);
}

/// com.microsoft GatherGrad(shape, indices, dY): what each index took is added up.
Result<void> runGatherGrad(const KernelCall& call) {
    const TensorData* dy = TRY(call.tensor(2));
    TensorData dx = TRY(zerosOfShapeInput(call, dy->type()));
    const std::size_t axis = TRY(axisOf(call, call.integer("axis", 0), dx.rank()));
    const auto indices = TRY(indicesIn(call, 1, dx.shape()[axis]));
    const std::size_t before = productOf(dx.shape(), 0, axis),
                      behind = productOf(dx.shape(), axis + 1, dx.rank());
    const auto dim = static_cast<std::size_t>(dx.shape()[axis]);
    if (dy->count() != before * indices.size() * behind)
        return call.fail("exec.shapes-differ", {shapeText(dx.shape()), shapeText(dy->shape())});
    std::size_t from = 0;
    for (std::size_t b = 0; b < before; ++b) {
        for (const std::int64_t index : indices) {
            const std::size_t to = (b * dim + static_cast<std::size_t>(index)) * behind;
            TRY(joinElements(call, Reduction::add, *dy, from, dx, to, behind));
            from += behind;
        }
    }
    call.setOutput(0, std::move(dx));
    return {};
}

/// com.microsoft GatherElementsGrad(dY, shape, indices).
Result<void> runGatherElementsGrad(const KernelCall& call) {
    const TensorData* dy = TRY(call.tensor(0));
    const auto shape = TRY(call.integersIn(1));
    const TensorData* where = TRY(call.tensor(2));
    if (!shape) return call.fail("exec.needs-tensor", {"1", "nothing"});
    TensorData dx = TRY(call.make(dy->type(), *shape));
    const std::size_t axis = TRY(axisOf(call, call.integer("axis", 0), dx.rank()));
    if (!fitsAlong(where->shape(), dx.shape(), axis) || dy->shape() != where->shape())
        return call.fail("exec.shapes-differ", {shapeText(dx.shape()), shapeText(where->shape())});
    const auto indices = TRY(indicesIn(call, 2, dx.shape()[axis]));
    Result<void> done;
    forEachPlace(where->shape(), indices, dx.shape(), axis, [&](std::size_t i, std::size_t at) {
        if (done) done = joinElements(call, Reduction::add, *dy, i, dx, at, 1);
    });
    if (!done) return done;
    call.setOutput(0, std::move(dx));
    return {};
}

/// com.microsoft GatherNDGrad(shape, indices, dY).
Result<void> runGatherNdGrad(const KernelCall& call) {
    const TensorData* dy = TRY(call.tensor(2));
    TensorData dx = TRY(zerosOfShapeInput(call, dy->type()));
    const auto batch = static_cast<std::size_t>(std::max<std::int64_t>(call.integer("batch_dims", 0), 0));
    const TuplePlaces found = TRY(tuplePlaces(call, dx.shape(), *TRY(call.tensor(1)), batch));
    if (dy->count() != found.places.size() * found.slab)
        return call.fail("exec.shapes-differ", {shapeText(dx.shape()), shapeText(dy->shape())});
    for (std::size_t t = 0; t < found.places.size(); ++t)
        TRY(joinElements(call, Reduction::add, *dy, t * found.slab, dx, found.places[t], found.slab));
    call.setOutput(0, std::move(dx));
    return {};
}

/// ai.onnx.ml ArrayFeatureExtractor: columns of the last axis; the result has at least two dimensions.
Result<void> runFeatureExtractor(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (x->rank() == 0) return call.fail("exec.bad-rank", {"1", "scalar"});
    const auto indices = TRY(indicesIn(call, 1, x->shape().back()));
    Shape shape(x->shape().begin(), x->shape().end() - 1);
    if (shape.empty()) shape.push_back(1);
    shape.push_back(static_cast<std::int64_t>(indices.size()));
    TensorData y = TRY(call.make(x->type(), std::move(shape)));
    const auto width = static_cast<std::size_t>(x->shape().back());
    for (std::size_t i = 0; i < y.count(); ++i) {
        const std::size_t row = i / indices.size();
        copyElements(*x, row * width + static_cast<std::size_t>(indices[i % indices.size()]), y, i, 1);
    }
    call.setOutput(0, std::move(y));
    return {};
}

constexpr KernelEntry kGatherScatter[] = {
    {"", "Gather", 1, &runGather},
    {"", "GatherElements", 11, &runGatherElements},
    {"", "GatherND", 11, &runGatherNd},
    {"", "NonZero", 9, &runNonZero},
    {"", "OneHot", 9, &runOneHot},
    {"", "Scatter", 9, &runScatterElements},
    {"", "ScatterElements", 11, &runScatterElements},
    {"", "ScatterND", 11, &runScatterNd},
    {"ai.onnx.ml", "ArrayFeatureExtractor", 1, &runFeatureExtractor},
    {"com.microsoft", "GatherElementsGrad", 1, &runGatherElementsGrad},
    {"com.microsoft", "GatherGrad", 1, &runGatherGrad},
    {"com.microsoft", "GatherNDGrad", 1, &runGatherNdGrad},
};

} // namespace

std::span<const KernelEntry> gatherScatterKernels() {
    return kGatherScatter;
}

} // namespace secateur
