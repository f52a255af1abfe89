// SPDX-License-Identifier: Apache-2.0
//
// Operators that ask for a shape, change it without a look at the elements, or make a tensor from little:
// Shape, Size, Reshape, Flatten, Squeeze, Unsqueeze, Identity, Constant, ConstantOfShape, Expand, Tile,
// Range, EyeLike.
#include "core/exec/broadcast.h"
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace secateur {
namespace {

Result<TensorData> integersOf(const KernelCall& call, const std::vector<std::int64_t>& numbers) {
    TensorData tensor = TRY(call.make(ElementType::int64, {static_cast<std::int64_t>(numbers.size())}));
    std::copy(numbers.begin(), numbers.end(), tensor.as<std::int64_t>().begin());
    return tensor;
}

Result<void> runShape(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const auto rank = static_cast<std::int64_t>(x->rank());
    const auto bound = [rank](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t start = bound(call.integer("start", 0));
    const std::int64_t end = bound(call.integer("end", rank));
    std::vector<std::int64_t> dims;
    for (std::int64_t d = start; d < end; ++d)
        dims.push_back(x->shape()[static_cast<std::size_t>(d)]);
    call.setOutput(0, TRY(integersOf(call, dims)));
    return {};
}

Result<void> runSize(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    TensorData size = TRY(call.make(ElementType::int64, {}));
    size.as<std::int64_t>()[0] = static_cast<std::int64_t>(x->count());
    call.setOutput(0, std::move(size));
    return {};
}

Result<void> runIdentity(const KernelCall& call) {
    if (!call.hasInput(0)) return call.fail("exec.needs-tensor", {"0", "nothing"});
    call.setOutput(0, call.inputs[0]);
    return {};
}

/// The numbers of an attribute (old opsets) or of an input; none where neither is given.
Result<std::optional<std::vector<std::int64_t>>> axesOf(const KernelCall& call, std::string_view attribute,
                                                        std::size_t slot) {
    if (const auto* given = call.integers(attribute)) return std::optional(*given);
    return call.integersIn(slot);
}

/// ONNX Reshape: 0 copies the input's dimension unless `allowzero`, one -1 takes what is left.
Result<void> runReshape(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const auto wanted = TRY(axesOf(call, "shape", 1));
    if (!wanted) return call.fail("exec.needs-tensor", {"1", "nothing"});
    Shape shape = *wanted;
    const bool allowsZero = call.integer("allowzero", 0) != 0;
    std::optional<std::size_t> open;
    std::uint64_t known = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] == 0 && !allowsZero) {
            if (d >= x->rank())
                return call.fail("exec.bad-reshape", {shapeText(x->shape()), shapeText(*wanted)});
            shape[d] = x->shape()[d];
        }
        if (shape[d] == -1 && !open)
            open = d;
        else if (shape[d] < 0)
            return call.fail("exec.bad-reshape", {shapeText(x->shape()), shapeText(*wanted)});
        else if (__builtin_mul_overflow(known, static_cast<std::uint64_t>(shape[d]), &known))
            return call.fail("exec.bad-reshape", {shapeText(x->shape()), shapeText(*wanted)});
    }
    if (open) {
        if (known == 0 || x->count() % known != 0)
            return call.fail("exec.bad-reshape", {shapeText(x->shape()), shapeText(*wanted)});
        shape[*open] = static_cast<std::int64_t>(x->count() / known);
    } else if (known != x->count()) {
        return call.fail("exec.bad-reshape", {shapeText(x->shape()), shapeText(*wanted)});
    }
    call.setOutput(0, x->reshaped(std::move(shape)));
    return {};
}

Result<void> runFlatten(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const auto rank = static_cast<std::int64_t>(x->rank());
    std::int64_t axis = call.integer("axis", 1);
    if (axis < 0) axis += rank;
    if (axis < 0 || axis > rank)
        return call.fail("exec.bad-axis", {std::to_string(axis), std::to_string(rank)});
    const std::span<const std::int64_t> dims(x->shape());
    const auto rows = elementCountOf(dims.first(static_cast<std::size_t>(axis)));
    const auto columns = elementCountOf(dims.subspan(static_cast<std::size_t>(axis)));
    call.setOutput(0, x->reshaped({static_cast<std::int64_t>(*rows), static_cast<std::int64_t>(*columns)}));
    return {};
}

Result<void> runSqueeze(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    std::vector<bool> goes(x->rank(), false);
    if (const auto axes = TRY(axesOf(call, "axes", 1))) {
        for (const std::int64_t axis : *axes) {
            const std::size_t d = TRY(axisOf(call, axis, x->rank()));
            if (x->shape()[d] != 1)
                return call.fail("exec.bad-squeeze", {std::to_string(axis), shapeText(x->shape())});
            goes[d] = true;
        }
    } else {
        for (std::size_t d = 0; d < x->rank(); ++d)
            goes[d] = x->shape()[d] == 1;
    }
    Shape shape;
    for (std::size_t d = 0; d < x->rank(); ++d) {
        if (!goes[d]) shape.push_back(x->shape()[d]);
    }
    call.setOutput(0, x->reshaped(std::move(shape)));
    return {};
}

Result<void> runUnsqueeze(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const auto axes = TRY(axesOf(call, "axes", 1));
    if (!axes) return call.fail("exec.needs-tensor", {"1", "nothing"});
    const std::size_t rank = x->rank() + axes->size();
    std::vector<bool> isNew(rank, false);
    for (const std::int64_t axis : *axes) {
        const std::size_t d = TRY(axisOf(call, axis, rank));
        if (isNew[d]) return call.fail("exec.axis-twice", {std::to_string(axis)});
        isNew[d] = true;
    }
    Shape shape;
    std::size_t from = 0;
    for (std::size_t d = 0; d < rank; ++d)
        shape.push_back(isNew[d] ? 1 : x->shape()[from++]);
    call.setOutput(0, x->reshaped(std::move(shape)));
    return {};
}

Result<TensorData> valueOfConstant(const KernelCall& call) {
    if (const Attribute* value = call.attribute("value")) {
        if (const auto* tensor = std::get_if<TensorPtr>(&value->value))
            return TensorData::from(*call.pool, **tensor);
    }
    if (const Attribute* value = call.attribute("value_float")) {
        TensorData scalar = TRY(call.make(ElementType::float32, {}));
        if (const auto* number = std::get_if<float>(&value->value)) scalar.as<float>()[0] = *number;
        return scalar;
    }
    if (const Attribute* value = call.attribute("value_int")) {
        TensorData scalar = TRY(call.make(ElementType::int64, {}));
        if (const auto* number = std::get_if<std::int64_t>(&value->value))
            scalar.as<std::int64_t>()[0] = *number;
        return scalar;
    }
    if (const auto* numbers = call.integers("value_ints")) return integersOf(call, *numbers);
    if (const auto* numbers = call.reals("value_floats")) {
        TensorData tensor =
            TRY(call.make(ElementType::float32, {static_cast<std::int64_t>(numbers->size())}));
        std::copy(numbers->begin(), numbers->end(), tensor.as<float>().begin());
        return tensor;
    }
    if (const Attribute* value = call.attribute("value_string")) {
        TensorData scalar = TRY(call.make(ElementType::string, {}));
        if (const auto* text = std::get_if<std::string>(&value->value)) scalar.strings()[0] = *text;
        return scalar;
    }
    if (const Attribute* value = call.attribute("value_strings")) {
        const auto* texts = std::get_if<std::vector<std::string>>(&value->value);
        TensorData tensor = TRY(call.make(ElementType::string,
                                          {static_cast<std::int64_t>(texts == nullptr ? 0 : texts->size())}));
        if (texts != nullptr) tensor.strings() = *texts;
        return tensor;
    }
    return call.fail("exec.constant-without-value");
}

Result<void> runConstant(const KernelCall& call) {
    call.setOutput(0, TRY(valueOfConstant(call)));
    return {};
}

Result<void> runConstantOfShape(const KernelCall& call) {
    const auto shape = TRY(call.integersIn(0));
    if (!shape) return call.fail("exec.needs-tensor", {"0", "nothing"});
    const Attribute* given = call.attribute("value");
    const auto* held = given == nullptr ? nullptr : std::get_if<TensorPtr>(&given->value);
    TensorData one = held != nullptr ? TRY(TensorData::from(*call.pool, **held))
                                     : TRY(call.make(ElementType::float32, {}));
    if (one.count() != 1) return call.fail("exec.needs-one-element", {"value", shapeText(one.shape())});
    TensorData filled = TRY(call.make(one.type(), *shape));
    for (std::size_t i = 0; i < filled.count(); ++i)
        copyElements(one, 0, filled, i, 1);
    call.setOutput(0, std::move(filled));
    return {};
}

/// `x` broadcast to `shape`, its cells copied.
Result<TensorData> expanded(const KernelCall& call, const TensorData& x, const Shape& shape) {
    TensorData y = TRY(call.make(x.type(), shape));
    const std::array<const Shape*, 1> shapes{&x.shape()};
    BroadcastWalk(y.shape(), shapes).forEachRow(kBlockCells, [&](const BroadcastWalk::Row& row) {
        const auto to = static_cast<std::size_t>(row.result);
        if (row.stride[0] == 1) {
            copyElements(x, static_cast<std::size_t>(row.offset[0]), y, to, row.count);
            return;
        }
        for (std::size_t i = 0; i < row.count; ++i)
            copyElements(
                x, static_cast<std::size_t>(row.offset[0] + static_cast<std::int64_t>(i) * row.stride[0]), y,
                to + i, 1);
    });
    return y;
}

Result<void> runExpand(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const auto wanted = TRY(call.integersIn(1));
    const auto shape = wanted ? broadcastShape(x->shape(), *wanted) : std::nullopt;
    if (!shape)
        return call.fail("exec.no-broadcast",
                         {shapeText(x->shape()), wanted ? shapeText(*wanted) : "nothing"});
    call.setOutput(0, TRY(expanded(call, *x, *shape)));
    return {};
}

/// ONNX Tile (opset 6 on).
Result<void> runTile(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    auto repeats = TRY(call.integersIn(1));
    if (!repeats || repeats->size() != x->rank())
        return call.fail("exec.bad-repeats",
                         {shapeText(x->shape()), std::to_string(repeats ? repeats->size() : 0)});
    // Each dimension becomes two: how often, and what is repeated; then it is a broadcast.
    Shape apart, wide, joined;
    for (std::size_t d = 0; d < x->rank(); ++d) {
        const std::int64_t times = (*repeats)[d];
        if (times < 0) return call.fail("exec.bad-repeats", {shapeText(x->shape()), std::to_string(times)});
        apart.insert(apart.end(), {1, x->shape()[d]});
        wide.insert(wide.end(), {times, x->shape()[d]});
        std::int64_t dim = 0;
        if (__builtin_mul_overflow(times, x->shape()[d], &dim))
            return call.fail("exec.bad-repeats", {shapeText(x->shape()), std::to_string(times)});
        joined.push_back(dim);
    }
    const TensorData tiled = TRY(expanded(call, x->reshaped(std::move(apart)), wide));
    call.setOutput(0, tiled.reshaped(std::move(joined)));
    return {};
}

template <typename C> Result<void> fillRange(const KernelCall& call, ElementType type) {
    std::array<C, 3> given{};
    for (std::size_t slot = 0; slot < 3; ++slot) {
        const TensorData* tensor = TRY(call.tensor(slot));
        if (tensor->count() != 1 || tensor->type() != type)
            return call.fail("exec.needs-one-element", {std::to_string(slot), shapeText(tensor->shape())});
        given[slot] = readAll<C>(*tensor).front();
    }
    const auto [start, limit, delta] = given;
    if (delta == C{0}) return call.fail("exec.range-without-step");
    const double steps =
        std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
    if (!(steps < 0x1p53)) return call.fail("exec.bad-shape", {std::to_string(steps)});
    const auto count = static_cast<std::int64_t>(std::max(steps, 0.0));
    TensorData range = TRY(call.make(type, {count}));
    std::vector<C> numbers(static_cast<std::size_t>(count));
    C at = start;
    for (C& number : numbers) {
        number = at;
        at = static_cast<C>(at + delta);
    }
    writeAll(range, numbers);
    call.setOutput(0, std::move(range));
    return {};
}

Result<void> runRange(const KernelCall& call) {
    const ElementType type = TRY(call.tensor(0))->type();
    switch (computeTypeOf(type)) {
    case ComputeType::f32: return fillRange<float>(call, type);
    case ComputeType::f64: return fillRange<double>(call, type);
    case ComputeType::i64: return fillRange<std::int64_t>(call, type);
    case ComputeType::u64:
    case ComputeType::none: break;
    }
    return call.noCodeFor(type);
}

Result<void> runEyeLike(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (x->rank() != 2) return call.fail("exec.bad-rank", {"2", shapeText(x->shape())});
    const auto type = static_cast<ElementType>(call.integer("dtype", static_cast<std::int64_t>(x->type())));
    const std::int64_t diagonal = call.integer("k", 0);
    TensorData eye = TRY(call.make(type, x->shape()));
    std::vector<double> numbers(static_cast<std::size_t>(eye.count()), 0.0);
    const std::int64_t rows = x->shape()[0], columns = x->shape()[1];
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t c = r + diagonal;
        if (c >= 0 && c < columns) numbers[static_cast<std::size_t>(r * columns + c)] = 1;
    }
    if (computeTypeOf(type) == ComputeType::none) return call.noCodeFor(type);
    writeAll(eye, numbers);
    call.setOutput(0, std::move(eye));
    return {};
}

constexpr KernelEntry kShapes[] = {
    {"", "Constant", 1, &runConstant},   {"", "ConstantOfShape", 9, &runConstantOfShape},
    {"", "Expand", 8, &runExpand},       {"", "EyeLike", 9, &runEyeLike},
    {"", "Flatten", 1, &runFlatten},     {"", "Identity", 1, &runIdentity},
    {"", "Range", 11, &runRange},        {"", "Reshape", 1, &runReshape},
    {"", "Shape", 1, &runShape},         {"", "Size", 1, &runSize},
    {"", "Squeeze", 1, &runSqueeze},     {"", "Tile", 6, &runTile},
    {"", "Unsqueeze", 1, &runUnsqueeze},
};

} // namespace

std::span<const KernelEntry> shapeKernels() {
    return kShapes;
}

} // namespace secateur
