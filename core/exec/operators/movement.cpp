// SPDX-License-Identifier: Apache-2.0
//
// Operators that move elements of any type: Transpose, Concat, Split, Slice, Pad, Trilu, DepthToSpace,
// SpaceToDepth, ReverseSequence, CenterCropPad, Compress.
#include "core/exec/broadcast.h"
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"
#include "core/exec/slices.h"

#include <algorithm>
#include <numeric>

namespace secateur {
namespace {

/// y[index] = x at base + sum of index * stride: a view of x with any strides, copied out row by row.
void copyStrided(const TensorData& x, std::int64_t base, const Shape& strides, TensorData& y) {
    if (y.count() == 0) return;
    const Shape& shape = y.shape();
    const std::size_t rank = shape.size();
    const std::int64_t inner = rank == 0 ? 1 : shape[rank - 1];
    const std::int64_t step = rank == 0 ? 1 : strides[rank - 1];
    std::vector<std::int64_t> index(rank, 0);
    for (std::size_t to = 0; to < y.count(); to += static_cast<std::size_t>(inner)) {
        if (step == 1) {
            copyElements(x, static_cast<std::size_t>(base), y, to, static_cast<std::size_t>(inner));
        } else {
            for (std::int64_t i = 0; i < inner; ++i)
                copyElements(x, static_cast<std::size_t>(base + i * step), y,
                             to + static_cast<std::size_t>(i), 1);
        }
        for (std::size_t d = rank == 0 ? 0 : rank - 1; d-- > 0;) {
            base += strides[d];
            if (++index[d] < shape[d]) break;
            base -= strides[d] * shape[d];
            index[d] = 0;
        }
    }
}

Result<TensorData> transposed(const KernelCall& call, const TensorData& x,
                              const std::vector<std::size_t>& order) {
    const Shape from = stridesOf(x.shape());
    Shape shape, strides;
    for (const std::size_t d : order) {
        shape.push_back(x.shape()[d]);
        strides.push_back(from[d]);
    }
    TensorData y = TRY(call.make(x.type(), std::move(shape)));
    copyStrided(x, 0, strides, y);
    return y;
}

Result<void> runTranspose(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    std::vector<std::size_t> order;
    if (const auto* given = call.integers("perm")) {
        std::vector<bool> isUsed(x->rank(), false);
        for (const std::int64_t axis : *given) {
            const std::size_t d = TRY(axisOf(call, axis, x->rank()));
            if (isUsed[d]) return call.fail("exec.axis-twice", {std::to_string(axis)});
            isUsed[d] = true;
            order.push_back(d);
        }
        if (order.size() != x->rank())
            return call.fail("exec.bad-rank", {std::to_string(order.size()), shapeText(x->shape())});
    } else {
        for (std::size_t d = x->rank(); d-- > 0;)
            order.push_back(d);
    }
    call.setOutput(0, TRY(transposed(call, *x, order)));
    return {};
}

Result<void> runConcat(const KernelCall& call) {
    std::vector<TensorData> parts;
    for (std::size_t slot = 0; slot < call.inputs.size(); ++slot)
        parts.push_back(*TRY(call.tensor(slot)));
    if (parts.empty()) return call.fail("exec.nothing-to-join");
    // Opset 1 has the second axis as default.
    const std::size_t axis = TRY(axisOf(call, call.integer("axis", 1), parts.front().rank()));
    call.setOutput(0, TRY(joinAlong(call, parts, axis)));
    return {};
}

/// com.microsoft ConcatTraining: the second result lists the inputs' sizes along the axis.
Result<void> runConcatTraining(const KernelCall& call) {
    TRY(runConcat(call));
    TensorData sizes = TRY(call.make(ElementType::int64, {static_cast<std::int64_t>(call.inputs.size())}));
    for (std::size_t slot = 0; slot < call.inputs.size(); ++slot) {
        const TensorData* part = TRY(call.tensor(slot));
        const std::size_t axis = TRY(axisOf(call, call.integer("axis", 1), part->rank()));
        sizes.as<std::int64_t>()[slot] = part->shape()[axis];
    }
    call.setOutput(1, std::move(sizes));
    return {};
}

/// The part of x from `start` on with `shape`, the same strides.
Result<TensorData> boxOf(const KernelCall& call, const TensorData& x, const Shape& start, Shape shape) {
    const Shape strides = stridesOf(x.shape());
    std::int64_t base = 0;
    for (std::size_t d = 0; d < start.size(); ++d)
        base += start[d] * strides[d];
    TensorData box = TRY(call.make(x.type(), std::move(shape)));
    copyStrided(x, base, strides, box);
    return box;
}

/// ONNX Split: sizes from the attribute (before opset 13), an input, or equal parts, the last one smaller
/// where the dimension does not divide.
Result<void> runSplit(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const std::size_t axis = TRY(axisOf(call, call.integer("axis", 0), x->rank()));
    const std::int64_t dim = x->shape()[axis];
    std::vector<std::int64_t> sizes;
    if (const auto* given = call.integers("split"))
        sizes = *given;
    else if (const auto input = TRY(call.integersIn(1)))
        sizes = *input;
    const auto parts = static_cast<std::int64_t>(call.outputs.size());
    if (sizes.empty()) {
        const std::int64_t piece = (dim + parts - 1) / std::max<std::int64_t>(parts, 1);
        for (std::int64_t i = 0; i < parts; ++i)
            sizes.push_back(std::clamp<std::int64_t>(dim - i * piece, 0, piece));
    }
    const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    const bool hasNegative = std::any_of(sizes.begin(), sizes.end(), [](std::int64_t n) { return n < 0; });
    if (total != dim || hasNegative || static_cast<std::int64_t>(sizes.size()) != parts)
        return call.fail("exec.bad-split", {std::to_string(total), std::to_string(dim)});
    Shape start(x->rank(), 0);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        Shape shape = x->shape();
        shape[axis] = sizes[i];
        call.setOutput(i, TRY(boxOf(call, *x, start, std::move(shape))));
        start[axis] += sizes[i];
    }
    return {};
}

Result<void> runSlice(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const SliceView view = TRY(sliceViewOf(call, x->shape()));
    TensorData y = TRY(call.make(x->type(), view.shape));
    copyStrided(*x, view.base, view.strides, y);
    call.setOutput(0, std::move(y));
    return {};
}

enum class PadMode : std::uint8_t { constant, reflect, edge, wrap };

/// Where the element at `at` of a padded dimension comes from; -1 for the constant.
std::int64_t paddedFrom(std::int64_t at, std::int64_t before, std::int64_t dim, PadMode mode) {
    const std::int64_t from = at - before;
    if (from >= 0 && from < dim) return from;
    switch (mode) {
    case PadMode::constant: return -1;
    case PadMode::edge: return from < 0 ? 0 : dim - 1;
    case PadMode::wrap: return ((from % dim) + dim) % dim;
    case PadMode::reflect: {
        if (dim == 1) return 0;
        const std::int64_t period = 2 * (dim - 1);
        const std::int64_t in = ((from % period) + period) % period;
        return in < dim ? in : period - in;
    }
    }
    return -1;
}

/// The widths of Pad for each dimension: all before, then all behind.
Result<Shape> padWidths(const KernelCall& call, const TensorData& x) {
    constexpr std::int64_t kPadsAreInputs = 11;
    std::optional<std::vector<std::int64_t>> given, axes;
    if (call.opset < kPadsAreInputs) {
        const auto* pads = call.integers("pads");
        if (pads == nullptr) pads = call.integers("paddings"); // opset 1
        if (pads != nullptr) given = *pads;
    } else {
        given = TRY(call.integersIn(1));
        axes = TRY(call.integersIn(3));
    }
    const std::size_t rank = x.rank();
    const std::size_t padded = axes ? axes->size() : rank;
    if (!given || given->size() != 2 * padded)
        return call.fail("exec.bad-pads", {std::to_string(given ? given->size() : 0), shapeText(x.shape())});
    if (!axes) return *given;
    Shape widths(2 * rank, 0);
    for (std::size_t i = 0; i < padded; ++i) {
        const std::size_t d = TRY(axisOf(call, (*axes)[i], rank));
        widths[d] = (*given)[i];
        widths[rank + d] = (*given)[padded + i];
    }
    return widths;
}

Result<TensorData> padValue(const KernelCall& call, const TensorData& x) {
    constexpr std::int64_t kPadsAreInputs = 11;
    if (call.opset >= kPadsAreInputs) {
        const TensorData* given = TRY(call.optionalTensor(2));
        if (given == nullptr) return call.make(x.type(), {});
        if (given->count() != 1 || given->type() != x.type())
            return call.fail("exec.needs-one-element", {"2", shapeText(given->shape())});
        return *given;
    }
    TensorData value = TRY(call.make(x.type(), {}));
    if (computeTypeOf(x.type()) != ComputeType::none)
        writeAll(value, std::vector<double>{call.real("value", 0)});
    return value;
}

/// ONNX Pad; negative widths cut.
Result<void> runPad(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const std::string_view name = call.text("mode", "constant");
    PadMode mode = PadMode::constant;
    if (name == "reflect")
        mode = PadMode::reflect;
    else if (name == "edge")
        mode = PadMode::edge;
    else if (name == "wrap")
        mode = PadMode::wrap;
    else if (name != "constant")
        return call.fail("exec.bad-attribute", {"mode", std::string(name)});
    const Shape widths = TRY(padWidths(call, *x));
    const TensorData value = TRY(padValue(call, *x));
    const std::size_t rank = x->rank();
    Shape shape = x->shape();
    for (std::size_t d = 0; d < rank; ++d) {
        const bool isTooFar = __builtin_add_overflow(shape[d], widths[d], &shape[d]) ||
                              __builtin_add_overflow(shape[d], widths[rank + d], &shape[d]);
        const bool hasSource = x->shape()[d] > 0 || shape[d] == 0 || mode == PadMode::constant;
        if (isTooFar || shape[d] < 0 || !hasSource)
            return call.fail("exec.bad-pads", {std::to_string(widths[d]), shapeText(x->shape())});
    }
    TensorData y = TRY(call.make(x->type(), shape));
    const Shape strides = stridesOf(x->shape());
    std::vector<std::int64_t> index(rank, 0);
    for (std::size_t to = 0; to < y.count(); ++to) {
        std::int64_t from = 0;
        for (std::size_t d = 0; d < rank && from >= 0; ++d) {
            const std::int64_t at = paddedFrom(index[d], widths[d], x->shape()[d], mode);
            from = at < 0 ? -1 : from + at * strides[d];
        }
        if (from >= 0)
            copyElements(*x, static_cast<std::size_t>(from), y, to, 1);
        else
            copyElements(value, 0, y, to, 1);
        for (std::size_t d = rank; d-- > 0;) {
            if (++index[d] < shape[d]) break;
            index[d] = 0;
        }
    }
    call.setOutput(0, std::move(y));
    return {};
}

Result<void> runTrilu(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (x->rank() < 2) return call.fail("exec.bad-rank", {"2", shapeText(x->shape())});
    const bool isUpper = call.integer("upper", 1) != 0;
    std::int64_t diagonal = 0;
    if (const auto given = TRY(call.integersIn(1)); given && !given->empty()) diagonal = given->front();
    TensorData y = TRY(call.make(x->type(), x->shape()));
    const auto columns = static_cast<std::size_t>(x->shape()[x->rank() - 1]);
    const auto rows = static_cast<std::size_t>(x->shape()[x->rank() - 2]);
    for (std::size_t i = 0; i < x->count(); ++i) {
        const auto r = static_cast<std::int64_t>(i / columns % rows),
                   c = static_cast<std::int64_t>(i % columns);
        const bool stays = isUpper ? c - r >= diagonal : c - r <= diagonal;
        if (stays) copyElements(*x, i, y, i, 1);
    }
    call.setOutput(0, std::move(y));
    return {};
}

/// x seen as `apart`, transposed by `order`, seen as `joined`.
Result<void> rearrange(const KernelCall& call, const TensorData& x, Shape apart,
                       const std::vector<std::size_t>& order, Shape joined) {
    const TensorData moved = TRY(transposed(call, x.reshaped(std::move(apart)), order));
    call.setOutput(0, moved.reshaped(std::move(joined)));
    return {};
}

/// Larger ones have squares that are no numbers any more.
constexpr std::int64_t kLargestBlock = 1 << 15;

Result<void> runDepthToSpace(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const std::int64_t block = call.integer("blocksize", 0);
    if (x->rank() != 4 || block <= 0 || block > kLargestBlock || x->shape()[1] % (block * block) != 0)
        return call.fail("exec.bad-block", {std::to_string(block), shapeText(x->shape())});
    const std::int64_t n = x->shape()[0], c = x->shape()[1] / (block * block), h = x->shape()[2],
                       w = x->shape()[3];
    const std::string_view mode = call.text("mode", "DCR");
    if (mode != "DCR" && mode != "CRD") return call.fail("exec.bad-attribute", {"mode", std::string(mode)});
    const Shape joined{n, c, h * block, w * block};
    if (mode == "DCR") return rearrange(call, *x, {n, block, block, c, h, w}, {0, 3, 4, 1, 5, 2}, joined);
    return rearrange(call, *x, {n, c, block, block, h, w}, {0, 1, 4, 2, 5, 3}, joined);
}

Result<void> runSpaceToDepth(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const std::int64_t block = call.integer("blocksize", 0);
    if (x->rank() != 4 || block <= 0 || block > kLargestBlock || x->shape()[2] % block != 0 ||
        x->shape()[3] % block != 0)
        return call.fail("exec.bad-block", {std::to_string(block), shapeText(x->shape())});
    const std::int64_t n = x->shape()[0], c = x->shape()[1], h = x->shape()[2] / block,
                       w = x->shape()[3] / block;
    return rearrange(call, *x, {n, c, h, block, w, block}, {0, 3, 5, 1, 2, 4}, {n, c * block * block, h, w});
}

Result<void> runReverseSequence(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const auto lengths = TRY(call.integersIn(1));
    if (x->rank() < 2 || !lengths) return call.fail("exec.bad-rank", {"2", shapeText(x->shape())});
    const std::size_t batchAxis = TRY(axisOf(call, call.integer("batch_axis", 1), x->rank()));
    const std::size_t timeAxis = TRY(axisOf(call, call.integer("time_axis", 0), x->rank()));
    const Shape strides = stridesOf(x->shape());
    if (lengths->size() != static_cast<std::size_t>(x->shape()[batchAxis]))
        return call.fail("exec.shapes-differ", {shapeText(x->shape()), std::to_string(lengths->size())});
    TensorData y = TRY(call.make(x->type(), x->shape()));
    for (std::size_t i = 0; i < x->count(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        const std::int64_t batch = at / strides[batchAxis] % x->shape()[batchAxis];
        const std::int64_t time = at / strides[timeAxis] % x->shape()[timeAxis];
        const std::int64_t length = (*lengths)[static_cast<std::size_t>(batch)];
        if (length < 0 || length > x->shape()[timeAxis])
            return call.fail("exec.bad-position",
                             {std::to_string(length), std::to_string(x->shape()[timeAxis])});
        const std::int64_t from = time < length ? at + (length - 1 - 2 * time) * strides[timeAxis] : at;
        copyElements(*x, static_cast<std::size_t>(from), y, i, 1);
    }
    call.setOutput(0, std::move(y));
    return {};
}

/// ONNX CenterCropPad: cut or zero-padded evenly to the wanted size, the odd one at the end.
Result<void> runCenterCropPad(const KernelCall& call) {
    TensorData y = *TRY(call.tensor(0));
    const auto wanted = TRY(call.integersIn(1));
    std::vector<std::int64_t> axes(y.rank());
    std::iota(axes.begin(), axes.end(), 0);
    if (const auto* given = call.integers("axes")) axes = *given;
    if (!wanted || wanted->size() != axes.size()) return call.fail("exec.bad-slice");
    Shape shape = y.shape(), from(y.rank(), 0), to(y.rank(), 0), kept = y.shape();
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::size_t d = TRY(axisOf(call, axes[i], y.rank()));
        const std::int64_t have = y.shape()[d], want = (*wanted)[i];
        if (want < 0) return call.fail("exec.bad-slice");
        shape[d] = want;
        kept[d] = std::min(have, want);
        if (have > want)
            from[d] = (have - want) / 2;
        else
            to[d] = (want - have) / 2;
    }
    const TensorData box = TRY(boxOf(call, y, from, kept));
    TensorData result = TRY(call.make(y.type(), shape));
    const Shape strides = stridesOf(shape), boxStrides = stridesOf(kept);
    for (std::size_t i = 0; i < box.count(); ++i) {
        std::int64_t at = 0;
        for (std::size_t d = 0; d < kept.size(); ++d)
            at += (static_cast<std::int64_t>(i) / boxStrides[d] % kept[d] + to[d]) * strides[d];
        copyElements(box, i, result, static_cast<std::size_t>(at), 1);
    }
    call.setOutput(0, std::move(result));
    return {};
}

Result<void> runCompress(const KernelCall& call) {
    const TensorData* given = TRY(call.tensor(0));
    const TensorData* condition = TRY(call.tensor(1));
    if (condition->type() != ElementType::boolean) return call.noCodeFor(condition->type());
    const bool hasAxis = call.attribute("axis") != nullptr;
    const TensorData x = hasAxis ? *given : given->reshaped({static_cast<std::int64_t>(given->count())});
    const std::size_t axis = hasAxis ? TRY(axisOf(call, call.integer("axis", 0), x.rank())) : 0;
    const auto chosen = condition->as<std::uint8_t>();
    std::vector<TensorData> parts;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i] == 0) continue;
        if (static_cast<std::int64_t>(i) >= x.shape()[axis])
            return call.fail("exec.bad-position", {std::to_string(i), std::to_string(x.shape()[axis])});
        parts.push_back(TRY(sliceAlong(call, x, axis, static_cast<std::int64_t>(i))));
    }
    if (!parts.empty()) {
        call.setOutput(0, TRY(stackAlong(call, parts, axis)));
        return {};
    }
    Shape none = x.shape();
    none[axis] = 0;
    call.setOutput(0, TRY(call.make(x.type(), std::move(none))));
    return {};
}

constexpr KernelEntry kMovement[] = {
    {"", "CenterCropPad", 18, &runCenterCropPad},
    {"", "Compress", 9, &runCompress},
    {"", "Concat", 1, &runConcat},
    {"", "DepthToSpace", 1, &runDepthToSpace},
    {"", "Pad", 1, &runPad},
    {"", "ReverseSequence", 10, &runReverseSequence},
    {"", "Slice", 1, &runSlice},
    {"", "SpaceToDepth", 1, &runSpaceToDepth},
    {"", "Split", 1, &runSplit},
    {"", "Transpose", 1, &runTranspose},
    {"", "Trilu", 14, &runTrilu},
    {"com.microsoft", "ConcatTraining", 1, &runConcatTraining},
    {"com.microsoft", "SplitTraining", 1, &runSplit},
};

} // namespace

std::span<const KernelEntry> movementKernels() {
    return kMovement;
}

} // namespace secateur
