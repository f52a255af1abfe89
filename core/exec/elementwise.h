// SPDX-License-Identifier: Apache-2.0
//
// Loops that run a functor over elements: blocks of a compute type in, blocks out.
#pragma once

#include "core/exec/broadcast.h"
#include "core/exec/cells.h"
#include "core/exec/kernel.h"

#include <array>

namespace secateur {

/// result[i] = f(x[i]); x and result have as many elements. f takes a C and gives a C.
template <typename C, typename F> void mapCells(const TensorData& x, TensorData& result, F f) {
    const auto read = cellReader<C>(x.type());
    const auto write = cellWriter<C>(result.type());
    std::array<C, kBlockCells> in, out;
    for (std::uint64_t at = 0; at < x.count(); at += kBlockCells) {
        const std::size_t count =
            static_cast<std::size_t>(std::min<std::uint64_t>(kBlockCells, x.count() - at));
        const auto offset = static_cast<std::int64_t>(at);
        read(x.data(), offset, 1, count, in.data());
        for (std::size_t i = 0; i < count; ++i)
            out[i] = static_cast<C>(f(in[i]));
        write(out.data(), count, result.data(), offset);
    }
}

/// result = f(a, b), both broadcast to the result's shape. f takes two C; what it gives is written as an R.
template <typename C, typename R, typename F>
void mapCells(const TensorData& a, const TensorData& b, TensorData& result, F f) {
    const auto readA = cellReader<C>(a.type());
    const auto readB = cellReader<C>(b.type());
    const auto write = cellWriter<R>(result.type());
    std::array<C, kBlockCells> left, right;
    std::array<R, kBlockCells> out;
    const std::array<const Shape*, 2> shapes{&a.shape(), &b.shape()};
    BroadcastWalk(result.shape(), shapes).forEachRow(kBlockCells, [&](const BroadcastWalk::Row& row) {
        readA(a.data(), row.offset[0], row.stride[0], row.count, left.data());
        readB(b.data(), row.offset[1], row.stride[1], row.count, right.data());
        for (std::size_t i = 0; i < row.count; ++i)
            out[i] = static_cast<R>(f(left[i], right[i]));
        write(out.data(), row.count, result.data(), row.result);
    });
}

/// Which compute types an operator is defined for.
enum class Allowed : std::uint8_t { floating, numeric, integers };

/// Calls `f` with a value of the compute type of `type` where it is allowed; else an error of the call.
template <Allowed allowed, typename F>
Result<void> withAllowed(const KernelCall& call, ElementType type, F f) {
    const ComputeType compute = computeTypeOf(type);
    if constexpr (allowed != Allowed::integers) {
        if (compute == ComputeType::f32) return f(float{});
        if (compute == ComputeType::f64) return f(double{});
    }
    if constexpr (allowed != Allowed::floating) {
        if (compute == ComputeType::i64) return f(std::int64_t{});
        if (compute == ComputeType::u64) return f(std::uint64_t{});
    }
    return call.noCodeFor(type);
}

/// One result of the type and shape of input 0: f of each element.
template <Allowed allowed, typename F> Result<void> runUnary(const KernelCall& call, F f) {
    const TensorData* x = TRY(call.tensor(0));
    TensorData y = TRY(call.make(x->type(), x->shape()));
    TRY(withAllowed<allowed>(call, x->type(), [&]<typename C>(C) -> Result<void> {
        mapCells<C>(*x, y, f);
        return {};
    }));
    call.setOutput(0, std::move(y));
    return {};
}

/// The shape that inputs `a` and `b` broadcast to, or an error of the call. Before opset 7 the attributes
/// `broadcast` and `axis` say where b's dimensions lie in a; `b` is then given that shape.
Result<Shape> broadcastOf(const KernelCall& call, const TensorData& a, TensorData& b);

/// One result of the element type of input 0: f of each pair of the broadcast inputs 0 and 1.
template <Allowed allowed, typename F> Result<void> runBinary(const KernelCall& call, F f) {
    const TensorData* a = TRY(call.tensor(0));
    TensorData b = *TRY(call.tensor(1));
    TensorData result = TRY(call.make(a->type(), TRY(broadcastOf(call, *a, b))));
    TRY(withAllowed<allowed>(call, a->type(), [&]<typename C>(C) -> Result<void> {
        mapCells<C, C>(*a, b, result, f);
        return {};
    }));
    call.setOutput(0, std::move(result));
    return {};
}

/// One boolean result: f of each pair.
template <Allowed allowed, typename F> Result<void> runComparison(const KernelCall& call, F f) {
    const TensorData* a = TRY(call.tensor(0));
    TensorData b = *TRY(call.tensor(1));
    TensorData result = TRY(call.make(ElementType::boolean, TRY(broadcastOf(call, *a, b))));
    TRY(withAllowed<allowed>(call, a->type(), [&]<typename C>(C) -> Result<void> {
        mapCells<C, std::uint64_t>(*a, b, result, f);
        return {};
    }));
    call.setOutput(0, std::move(result));
    return {};
}

} // namespace secateur
