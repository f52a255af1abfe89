// SPDX-License-Identifier: Apache-2.0
//
// ONNX MatMul, Gemm, MatMulInteger, QLinearMatMul, Det; com.microsoft FusedMatMul. Sums of products of floats
// are taken in double, those of integers wrap.
#include "core/kernels/arithmetic.h"

#include "core/exec/broadcast.h"
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/quantized.h"
#include "core/exec/slabs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

namespace secateur {
namespace {

template <typename C> using SumOf = std::conditional_t<std::is_floating_point_v<C>, double, C>;

/// c[m, n] += a[m, k] b[k, n], any strides. `sums` is row major.
template <typename C>
void addProducts(const C* a, std::int64_t aRow, std::int64_t aColumn, const C* b, std::int64_t bRow,
                 std::int64_t bColumn, std::int64_t m, std::int64_t k, std::int64_t n, SumOf<C>* sums) {
    for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t p = 0; p < k; ++p) {
            const auto left = static_cast<SumOf<C>>(a[i * aRow + p * aColumn]);
            for (std::int64_t j = 0; j < n; ++j) {
                SumOf<C>& sum = sums[i * n + j];
                sum = kernels::Add{}(
                    sum, kernels::Multiply{}(left, static_cast<SumOf<C>>(b[p * bRow + j * bColumn])));
            }
        }
    }
}

/// The dimensions of a batched product after ONNX MatMul's (numpy's) rule.
struct ProductShape {
    Shape batch;          ///< broadcast leading dimensions
    Shape aBatch, bBatch; ///< their own
    std::int64_t m = 1, k = 1, n = 1;
    Shape result;
};

Result<ProductShape> productShape(const KernelCall& call, Shape a, Shape b, bool transposesA,
                                  bool transposesB) {
    const auto misfit = [&] { return call.fail("exec.shapes-differ", {shapeText(a), shapeText(b)}); };
    if (a.empty() || b.empty()) return misfit();
    const bool isRow = a.size() == 1, isColumn = b.size() == 1;
    if (isRow) a.insert(a.begin(), 1);
    if (isColumn) b.push_back(1);
    ProductShape p;
    p.m = a[a.size() - 2];
    p.k = a.back();
    if (transposesA && !isRow) std::swap(p.m, p.k);
    std::int64_t k = b[b.size() - 2];
    p.n = b.back();
    if (transposesB && !isColumn) std::swap(k, p.n);
    p.aBatch.assign(a.begin(), a.end() - 2);
    p.bBatch.assign(b.begin(), b.end() - 2);
    const auto batch = broadcastShape(p.aBatch, p.bBatch);
    if (k != p.k || !batch) return misfit();
    p.batch = *batch;
    p.result = p.batch;
    if (!isRow) p.result.push_back(p.m);
    if (!isColumn) p.result.push_back(p.n);
    return p;
}

/// What a product of elements that are reckoned with as C works in: both operands, the sums, the result.
template <typename C>
Result<std::shared_ptr<void>> chargeProduct(const KernelCall& call, const TensorData& a, const TensorData& b,
                                            const TensorData& y) {
    std::uint64_t operands = 0;
    if (__builtin_add_overflow(a.count(), b.count(), &operands)) operands = UINT64_MAX;
    auto read = TRY(call.chargeScratch(operands, sizeof(C)));
    auto made = TRY(call.chargeScratch(y.count(), sizeof(SumOf<C>) + sizeof(C)));
    return std::shared_ptr<void>(nullptr, [read = std::move(read), made = std::move(made)](void*) {});
}

/// Products of all batches as sums, row major; `scale` multiplies floats at the end.
template <typename C>
std::vector<SumOf<C>> multiplyAll(const ProductShape& p, const std::vector<C>& a, const std::vector<C>& b,
                                  bool transposesA, bool transposesB) {
    const auto batches = static_cast<std::size_t>(elementCountOf(p.batch).value_or(0));
    const auto cells = static_cast<std::size_t>(p.m * p.n);
    std::vector<SumOf<C>> sums(batches * cells);
    const std::array<const Shape*, 2> shapes{&p.aBatch, &p.bBatch};
    BroadcastWalk(p.batch, shapes).forEachRow(SIZE_MAX / 2, [&](const BroadcastWalk::Row& row) {
        for (std::size_t i = 0; i < row.count; ++i) {
            const auto step = static_cast<std::int64_t>(i);
            const C* left = a.data() + (row.offset[0] + step * row.stride[0]) * p.m * p.k;
            const C* right = b.data() + (row.offset[1] + step * row.stride[1]) * p.k * p.n;
            SumOf<C>* to = sums.data() + (static_cast<std::size_t>(row.result) + i) * cells;
            addProducts<C>(left, transposesA ? 1 : p.k, transposesA ? p.m : 1, right, transposesB ? 1 : p.n,
                           transposesB ? p.k : 1, p.m, p.k, p.n, to);
        }
    });
    return sums;
}

Result<void> product(const KernelCall& call, bool transposesA, bool transposesB, double scale) {
    const TensorData* a = TRY(call.tensor(0));
    const TensorData* b = TRY(call.tensor(1));
    if (a->type() != b->type())
        return call.fail("exec.types-differ", {elementTypeName(a->type()), elementTypeName(b->type())});
    const ProductShape p = TRY(productShape(call, a->shape(), b->shape(), transposesA, transposesB));
    TensorData y = TRY(call.make(a->type(), p.result));
    TRY(withComputeType(
        a->type(),
        [&]<typename C>(C) -> Result<void> {
            const auto charged = TRY(chargeProduct<C>(call, *a, *b, y));
            auto sums = multiplyAll(p, readAll<C>(*a), readAll<C>(*b), transposesA, transposesB);
            if constexpr (std::is_floating_point_v<C>) {
                if (scale != 1) {
                    for (auto& sum : sums)
                        sum *= scale;
                }
            }
            writeAll(y, std::vector<C>(sums.begin(), sums.end()));
            return {};
        },
        [&]() -> Result<void> { return call.noCodeFor(a->type()); }));
    call.setOutput(0, std::move(y));
    return {};
}

Result<void> runMatMul(const KernelCall& call) {
    return product(call, false, false, 1);
}

/// com.microsoft FusedMatMul without batch transposition: alpha times the product of either side, transposed
/// or not.
Result<void> runFusedMatMul(const KernelCall& call) {
    if (call.integer("transBatchA", 0) != 0 || call.integer("transBatchB", 0) != 0)
        return call.fail("exec.no-batch-transposition");
    return product(call, call.integer("transA", 0) != 0, call.integer("transB", 0) != 0,
                   static_cast<double>(call.real("alpha", 1)));
}

/// ONNX Gemm: alpha A' B' + beta C.
Result<void> runGemm(const KernelCall& call) {
    const TensorData* a = TRY(call.tensor(0));
    const TensorData* b = TRY(call.tensor(1));
    const bool transposesA = call.integer("transA", 0) != 0, transposesB = call.integer("transB", 0) != 0;
    if (a->rank() != 2 || b->rank() != 2 || a->type() != b->type())
        return call.fail("exec.shapes-differ", {shapeText(a->shape()), shapeText(b->shape())});
    const ProductShape p = TRY(productShape(call, a->shape(), b->shape(), transposesA, transposesB));
    const TensorData* c = TRY(call.optionalTensor(2));
    if (c != nullptr && broadcastShape(p.result, c->shape()) != p.result)
        return call.fail("exec.no-broadcast", {shapeText(p.result), shapeText(c->shape())});
    TensorData y = TRY(call.make(a->type(), p.result));
    const auto alpha = call.real("alpha", 1), beta = call.real("beta", 1);
    TRY(withComputeType(
        a->type(),
        [&]<typename C>(C) -> Result<void> {
            using Sum = SumOf<C>;
            const auto charged = TRY(chargeProduct<C>(call, *a, *b, y));
            auto sums = multiplyAll(p, readAll<C>(*a), readAll<C>(*b), transposesA, transposesB);
            if (alpha != 1) {
                for (Sum& sum : sums)
                    sum = static_cast<Sum>(static_cast<double>(sum) * static_cast<double>(alpha));
            }
            if (c != nullptr && beta != 0) {
                const auto bias = readAll<C>(*c);
                const std::array<const Shape*, 1> shapes{&c->shape()};
                BroadcastWalk(p.result, shapes).forEachRow(kBlockCells, [&](const BroadcastWalk::Row& row) {
                    for (std::size_t i = 0; i < row.count; ++i) {
                        const auto from = static_cast<std::size_t>(
                            row.offset[0] + static_cast<std::int64_t>(i) * row.stride[0]);
                        auto add = static_cast<Sum>(bias[from]);
                        if (beta != 1)
                            add = static_cast<Sum>(static_cast<double>(add) * static_cast<double>(beta));
                        Sum& sum = sums[static_cast<std::size_t>(row.result) + i];
                        sum = kernels::Add{}(sum, add);
                    }
                });
            }
            writeAll(y, std::vector<C>(sums.begin(), sums.end()));
            return {};
        },
        [&]() -> Result<void> { return call.noCodeFor(a->type()); }));
    call.setOutput(0, std::move(y));
    return {};
}

/// ONNX MatMulInteger: zero points are subtracted first; the result is int32. A's is one number or one a row,
/// B's one number or one a column.
Result<void> runMatMulInteger(const KernelCall& call) {
    const TensorData* a = TRY(call.tensor(0));
    const TensorData* b = TRY(call.tensor(1));
    const ProductShape p = TRY(productShape(call, a->shape(), b->shape(), false, false));
    TensorData y = TRY(call.make(ElementType::int32, p.result));
    const auto charged = TRY(chargeProduct<std::int64_t>(call, *a, *b, y));
    const auto left = TRY(withoutZeroPoint(call, *a, TRY(call.optionalTensor(2)), ZeroPointAxis::row));
    const auto right = TRY(withoutZeroPoint(call, *b, TRY(call.optionalTensor(3)), ZeroPointAxis::column));
    writeAll(y, multiplyAll(p, left, right, false, false));
    call.setOutput(0, std::move(y));
    return {};
}

/// ONNX QLinearMatMul.
Result<void> runQLinearMatMul(const KernelCall& call) {
    const TensorData* a = TRY(call.tensor(0));
    const TensorData* b = TRY(call.tensor(3));
    const TensorData* zero = TRY(call.tensor(7));
    const ProductShape p = TRY(productShape(call, a->shape(), b->shape(), false, false));
    TensorData y = TRY(call.make(zero->type(), p.result));
    const auto charged = TRY(chargeProduct<std::int64_t>(call, *a, *b, y));
    const auto left = TRY(withoutZeroPoint(call, *a, TRY(call.tensor(2)), ZeroPointAxis::row));
    const auto right = TRY(withoutZeroPoint(call, *b, TRY(call.tensor(5)), ZeroPointAxis::column));
    const auto sums = multiplyAll(p, left, right, false, false);
    const auto aScale = TRY(scalesIn(call, 1)), bScale = TRY(scalesIn(call, 4)),
               yScale = TRY(scalesIn(call, 6));
    const auto rows = static_cast<std::size_t>(p.m), columns = static_cast<std::size_t>(p.n);
    if ((aScale.size() != 1 && aScale.size() != rows) || (bScale.size() != 1 && bScale.size() != columns) ||
        yScale.size() != 1)
        return call.fail("exec.shapes-differ",
                         {std::to_string(aScale.size()), std::to_string(bScale.size())});
    std::vector<double> real(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const double sa = aScale[aScale.size() == 1 ? 0 : i / columns % rows];
        const double sb = bScale[bScale.size() == 1 ? 0 : i % columns];
        real[i] = static_cast<double>(sums[i]) * sa * sb / yScale[0];
    }
    writeQuantized(real, readAll<std::int64_t>(*zero).at(0), y);
    call.setOutput(0, std::move(y));
    return {};
}

/// Determinant by elimination with the largest pivot.
double determinantOf(std::vector<double> a, std::size_t n) {
    double determinant = 1;
    for (std::size_t c = 0; c < n; ++c) {
        std::size_t pivot = c;
        for (std::size_t r = c + 1; r < n; ++r) {
            if (std::fabs(a[r * n + c]) > std::fabs(a[pivot * n + c])) pivot = r;
        }
        if (a[pivot * n + c] == 0) return 0;
        if (pivot != c) {
            std::swap_ranges(a.begin() + static_cast<std::ptrdiff_t>(c * n),
                             a.begin() + static_cast<std::ptrdiff_t>((c + 1) * n),
                             a.begin() + static_cast<std::ptrdiff_t>(pivot * n));
            determinant = -determinant;
        }
        determinant *= a[c * n + c];
        for (std::size_t r = c + 1; r < n; ++r) {
            const double factor = a[r * n + c] / a[c * n + c];
            for (std::size_t k = c; k < n; ++k)
                a[r * n + k] -= factor * a[c * n + k];
        }
    }
    return determinant;
}

Result<void> runDet(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (x->rank() < 2 || x->shape()[x->rank() - 1] != x->shape()[x->rank() - 2])
        return call.fail("exec.bad-rank", {"2", shapeText(x->shape())});
    if (!isFloating(x->type())) return call.noCodeFor(x->type());
    const auto n = static_cast<std::size_t>(x->shape().back());
    TensorData y = TRY(call.make(x->type(), Shape(x->shape().begin(), x->shape().end() - 2)));
    const auto cells = readAll<double>(*x);
    std::vector<double> results;
    for (std::size_t i = 0; i < y.count(); ++i) {
        const auto from = cells.begin() + static_cast<std::ptrdiff_t>(i * n * n);
        results.push_back(determinantOf({from, from + static_cast<std::ptrdiff_t>(n * n)}, n));
    }
    writeAll(y, results);
    call.setOutput(0, std::move(y));
    return {};
}

constexpr KernelEntry kMatrices[] = {
    {"", "Det", 11, &runDet},
    {"", "Gemm", 1, &runGemm},
    {"", "MatMul", 1, &runMatMul},
    {"", "MatMulInteger", 10, &runMatMulInteger},
    {"", "QLinearMatMul", 10, &runQLinearMatMul},
    {"com.microsoft", "FusedMatMul", 1, &runFusedMatMul},
};

} // namespace

std::span<const KernelEntry> matrixKernels() {
    return kMatrices;
}

} // namespace secateur
