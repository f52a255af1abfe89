// SPDX-License-Identifier: Apache-2.0
//
// ONNX Equal, Less, Greater, LessOrEqual, GreaterOrEqual, And, Or, Xor, Where.
#include "core/kernels/arithmetic.h"

#include "core/exec/elementwise.h"
#include "core/exec/kernel_tables.h"

#include <array>
#include <cstring>

namespace secateur {
namespace {

using namespace kernels;

template <typename F> Result<void> runNumberComparison(const KernelCall& call) {
    return runComparison<Allowed::numeric>(call, F{});
}

template <typename F> Result<void> runLogical(const KernelCall& call) {
    const TensorData* a = TRY(call.tensor(0));
    if (a->type() != ElementType::boolean) return call.noCodeFor(a->type());
    return runComparison<Allowed::integers>(call, F{});
}

Result<void> runEqual(const KernelCall& call) {
    const TensorData* a = TRY(call.tensor(0));
    TensorData b = *TRY(call.tensor(1));
    if (!a->isString()) return runNumberComparison<Equals>(call);
    if (!b.isString()) return call.noCodeFor(b.type());
    TensorData result = TRY(call.make(ElementType::boolean, TRY(broadcastOf(call, *a, b))));
    const std::array<const Shape*, 2> shapes{&a->shape(), &b.shape()};
    const auto cells = result.as<std::uint8_t>();
    BroadcastWalk(result.shape(), shapes).forEachRow(kBlockCells, [&](const BroadcastWalk::Row& row) {
        for (std::size_t i = 0; i < row.count; ++i) {
            const auto step = static_cast<std::int64_t>(i);
            const bool isEqual =
                a->strings()[static_cast<std::size_t>(row.offset[0] + step * row.stride[0])] ==
                b.strings()[static_cast<std::size_t>(row.offset[1] + step * row.stride[1])];
            cells[static_cast<std::size_t>(row.result) + i] = isEqual ? 1 : 0;
        }
    });
    call.setOutput(0, std::move(result));
    return {};
}

/// Copies the chosen cells of `cell` bytes each.
void chooseCells(const BroadcastWalk& walk, const TensorData& condition, const TensorData& x,
                 const TensorData& y, TensorData& result) {
    const std::size_t cell = cellBytes(x.type());
    const auto chosen = condition.as<std::uint8_t>();
    walk.forEachRow(kBlockCells, [&](const BroadcastWalk::Row& row) {
        for (std::size_t i = 0; i < row.count; ++i) {
            const auto step = static_cast<std::int64_t>(i);
            const bool isX = chosen[static_cast<std::size_t>(row.offset[0] + step * row.stride[0])] != 0;
            const TensorData& from = isX ? x : y;
            const auto at = static_cast<std::size_t>(isX ? row.offset[1] + step * row.stride[1]
                                                         : row.offset[2] + step * row.stride[2]);
            const std::size_t to = static_cast<std::size_t>(row.result) + i;
            if (x.isString())
                result.strings()[to] = from.strings()[at];
            else
                std::memcpy(result.data() + to * cell, from.data() + at * cell, cell);
        }
    });
}

Result<void> runWhere(const KernelCall& call) {
    const TensorData* condition = TRY(call.tensor(0));
    const TensorData* x = TRY(call.tensor(1));
    const TensorData* y = TRY(call.tensor(2));
    if (condition->type() != ElementType::boolean) return call.noCodeFor(condition->type());
    if (x->type() != y->type())
        return call.fail("exec.types-differ", {elementTypeName(x->type()), elementTypeName(y->type())});
    auto shape = broadcastShape(x->shape(), y->shape());
    if (shape) shape = broadcastShape(condition->shape(), *shape);
    if (!shape) return call.fail("exec.no-broadcast", {shapeText(x->shape()), shapeText(y->shape())});
    TensorData result = TRY(call.make(x->type(), *shape));
    const std::array<const Shape*, 3> shapes{&condition->shape(), &x->shape(), &y->shape()};
    chooseCells(BroadcastWalk(result.shape(), shapes), *condition, *x, *y, result);
    call.setOutput(0, std::move(result));
    return {};
}

constexpr KernelEntry kComparison[] = {
    {"", "And", 1, &runLogical<LogicalAnd>},
    {"", "Equal", 1, &runEqual},
    {"", "Greater", 1, &runNumberComparison<IsGreater>},
    {"", "GreaterOrEqual", 12, &runNumberComparison<IsGreaterOrEqual>},
    {"", "Less", 1, &runNumberComparison<IsLess>},
    {"", "LessOrEqual", 12, &runNumberComparison<IsLessOrEqual>},
    {"", "Or", 1, &runLogical<LogicalOr>},
    {"", "Where", 9, &runWhere},
    {"", "Xor", 1, &runLogical<LogicalXor>},
};

} // namespace

std::span<const KernelEntry> comparisonKernels() {
    return kComparison;
}

} // namespace secateur
