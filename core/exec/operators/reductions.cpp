// SPDX-License-Identifier: Apache-2.0
//
// ONNX Reduce*, ArgMax, ArgMin, CumSum, CumProd; com.microsoft ReduceSumTraining, ReduceAllL2. Sums of floats
// are taken in double.
#include "core/kernels/arithmetic.h"

#include "core/exec/axis_rows.h"
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace secateur {
namespace {

/// Which dimensions a reduction goes along, and the shape it leaves.
struct ReductionPlan {
    std::vector<bool> isAlong;
    Shape shape;
};

Result<ReductionPlan> planReduction(const KernelCall& call, const TensorData& x) {
    ReductionPlan plan;
    plan.isAlong.assign(x.rank(), false);
    std::optional<std::vector<std::int64_t>> axes;
    if (const auto* given = call.integers("axes"))
        axes = *given;
    else
        axes = TRY(call.integersIn(1));
    if (axes && axes->empty()) axes.reset();
    if (!axes && call.integer("noop_with_empty_axes", 0) != 0) {
        // No axes then mean none: each element is reduced by itself, which squares it, or takes its
        // logarithm.
    } else if (!axes) {
        plan.isAlong.assign(x.rank(), true);
    } else {
        for (const std::int64_t axis : *axes)
            plan.isAlong[TRY(axisOf(call, axis, x.rank()))] = true;
    }
    const bool keeps = call.integer("keepdims", 1) != 0;
    for (std::size_t d = 0; d < x.rank(); ++d) {
        if (!plan.isAlong[d])
            plan.shape.push_back(x.shape()[d]);
        else if (keeps)
            plan.shape.push_back(1);
    }
    return plan;
}

// Each reduction: `Sum` is the type that it computes in, for elements of compute type C.
template <typename C> using SumOf = std::conditional_t<std::is_floating_point_v<C>, double, C>;

struct SumAll {
    template <typename C> C operator()(const std::vector<C>& row) const {
        SumOf<C> sum{};
        for (const C x : row)
            sum = kernels::Add{}(sum, static_cast<SumOf<C>>(x));
        return static_cast<C>(sum);
    }
};
struct MeanAll {
    template <typename C> C operator()(const std::vector<C>& row) const {
        SumOf<C> sum{};
        for (const C x : row)
            sum = kernels::Add{}(sum, static_cast<SumOf<C>>(x));
        if constexpr (std::is_floating_point_v<C>)
            return static_cast<C>(sum / static_cast<double>(row.size()));
        else
            return row.empty() ? C{0} : kernels::Divide{}(sum, static_cast<C>(row.size()));
    }
};
struct ProductAll {
    template <typename C> C operator()(const std::vector<C>& row) const {
        SumOf<C> product{1};
        for (const C x : row)
            product = kernels::Multiply{}(product, static_cast<SumOf<C>>(x));
        return static_cast<C>(product);
    }
};
/// Nothing has the smallest number there is as its maximum.
struct MaxAll {
    template <typename C> C operator()(const std::vector<C>& row) const {
        C most = std::numeric_limits<C>::has_infinity ? -std::numeric_limits<C>::infinity()
                                                      : std::numeric_limits<C>::lowest();
        for (const C x : row)
            most = kernels::Maximum{}(most, x);
        return most;
    }
};
struct MinAll {
    template <typename C> C operator()(const std::vector<C>& row) const {
        C least = std::numeric_limits<C>::has_infinity ? std::numeric_limits<C>::infinity()
                                                       : std::numeric_limits<C>::max();
        for (const C x : row)
            least = kernels::Minimum{}(least, x);
        return least;
    }
};
struct SumOfAbsolutes {
    template <typename C> C operator()(const std::vector<C>& row) const {
        SumOf<C> sum{};
        for (const C x : row)
            sum = kernels::Add{}(sum, static_cast<SumOf<C>>(x < C{0} ? kernels::Subtract{}(C{0}, x) : x));
        return static_cast<C>(sum);
    }
};
struct SumOfSquares {
    template <typename C> C operator()(const std::vector<C>& row) const {
        SumOf<C> sum{};
        for (const C x : row)
            sum =
                kernels::Add{}(sum, kernels::Multiply{}(static_cast<SumOf<C>>(x), static_cast<SumOf<C>>(x)));
        return static_cast<C>(sum);
    }
};
struct Length {
    template <typename C> C operator()(const std::vector<C>& row) const {
        double sum = 0;
        for (const C x : row)
            sum += static_cast<double>(x) * static_cast<double>(x);
        return static_cast<C>(std::sqrt(sum));
    }
};
struct LogOfSum {
    template <typename C> C operator()(const std::vector<C>& row) const {
        double sum = 0;
        for (const C x : row)
            sum += static_cast<double>(x);
        return static_cast<C>(std::log(sum));
    }
};
/// Shifted by the maximum, so that it does not overflow.
struct LogOfSumOfExponentials {
    template <typename C> C operator()(const std::vector<C>& row) const {
        double most = -std::numeric_limits<double>::infinity();
        for (const C x : row)
            most = kernels::Maximum{}(most, static_cast<double>(x));
        if (std::isinf(most) || std::isnan(most)) return static_cast<C>(most);
        double sum = 0;
        for (const C x : row)
            sum += std::exp(static_cast<double>(x) - most);
        return static_cast<C>(std::log(sum) + most);
    }
};

template <typename F> Result<void> runReduce(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const ReductionPlan plan = TRY(planReduction(call, *x));
    TensorData y = TRY(call.make(x->type(), plan.shape));
    const AxisRows rows(x->shape(), plan.isAlong);
    TRY(withComputeType(
        x->type(),
        [&]<typename C>(C) -> Result<void> {
            const auto cells = readAll<C>(*x);
            std::vector<C> row, results(static_cast<std::size_t>(y.count()));
            for (std::size_t r = 0; r < results.size(); ++r) {
                rows.read(cells, r, row);
                results[r] = F{}(row);
            }
            writeAll(y, results);
            return {};
        },
        [&]() -> Result<void> { return call.noCodeFor(x->type()); }));
    call.setOutput(0, std::move(y));
    return {};
}

/// com.microsoft ReduceAllL2: the length of all inputs together, as one number.
Result<void> runReduceAll(const KernelCall& call) {
    double sum = 0;
    ElementType type = ElementType::float32;
    for (std::size_t slot = 0; slot < call.inputs.size(); ++slot) {
        const TensorData* x = TRY(call.tensor(slot));
        if (!isFloating(x->type())) return call.noCodeFor(x->type());
        if (slot == 0 && x->type() == ElementType::float64) type = x->type();
        for (const double number : readAll<double>(*x))
            sum += number * number;
    }
    TensorData y = TRY(call.make(type, {}));
    writeAll(y, std::vector<double>{std::sqrt(sum)});
    call.setOutput(0, std::move(y));
    return {};
}

/// Position of the largest (or smallest) element: the first of equals, or the last where asked. NaN counts as
/// most extreme, as in numpy.
template <typename C> std::int64_t extremeAt(const std::vector<C>& row, bool isMax, bool takesLast) {
    std::size_t best = 0;
    const auto isNan = [](C x) { return x != x; };
    for (std::size_t i = 1; i < row.size(); ++i) {
        if (isNan(row[best])) break;
        const bool isBetter = isNan(row[i]) || (isMax ? row[i] > row[best] : row[i] < row[best]);
        if (isBetter || (takesLast && row[i] == row[best])) best = i;
    }
    return static_cast<std::int64_t>(best);
}

template <bool isMax> Result<void> runArgExtreme(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const std::size_t axis = TRY(axisOf(call, call.integer("axis", 0), x->rank()));
    const bool takesLast = call.integer("select_last_index", 0) != 0;
    if (x->shape()[axis] == 0)
        return call.fail("exec.empty-axis", {std::to_string(axis), shapeText(x->shape())});
    Shape shape = x->shape();
    if (call.integer("keepdims", 1) != 0)
        shape[axis] = 1;
    else
        shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    TensorData y = TRY(call.make(ElementType::int64, std::move(shape)));
    const AxisRows rows(x->shape(), axis);
    TRY(withComputeType(
        x->type(),
        [&]<typename C>(C) -> Result<void> {
            const auto cells = readAll<C>(*x);
            std::vector<C> row;
            for (std::size_t r = 0; r < rows.rows(); ++r) {
                rows.read(cells, r, row);
                y.as<std::int64_t>()[r] = extremeAt(row, isMax, takesLast);
            }
            return {};
        },
        [&]() -> Result<void> { return call.noCodeFor(x->type()); }));
    call.setOutput(0, std::move(y));
    return {};
}

/// ONNX CumSum and CumProd: F joins, `start` is what an exclusive one begins with.
template <typename F> Result<void> runCumulative(const KernelCall& call, int start) {
    const TensorData* x = TRY(call.tensor(0));
    const auto given = TRY(call.integersIn(1));
    if (!given || given->size() != 1) return call.fail("exec.needs-one-element", {"1", "?"});
    const std::size_t axis = TRY(axisOf(call, given->front(), x->rank()));
    const bool isExclusive = call.integer("exclusive", 0) != 0, isReversed = call.integer("reverse", 0) != 0;
    TensorData y = TRY(call.make(x->type(), x->shape()));
    const AxisRows rows(x->shape(), axis);
    TRY(withComputeType(
        x->type(),
        [&]<typename C>(C) -> Result<void> {
            const auto cells = readAll<C>(*x);
            std::vector<C> row, results(cells.size());
            for (std::size_t r = 0; r < rows.rows(); ++r) {
                rows.read(cells, r, row);
                if (isReversed) std::reverse(row.begin(), row.end());
                C total = static_cast<C>(start);
                for (C& cell : row) {
                    const C next = F{}(total, cell);
                    cell = isExclusive ? total : next;
                    total = next;
                }
                if (isReversed) std::reverse(row.begin(), row.end());
                rows.write(row, r, results);
            }
            writeAll(y, results);
            return {};
        },
        [&]() -> Result<void> { return call.noCodeFor(x->type()); }));
    call.setOutput(0, std::move(y));
    return {};
}

Result<void> runCumSum(const KernelCall& call) {
    return runCumulative<kernels::Add>(call, 0);
}
Result<void> runCumProd(const KernelCall& call) {
    return runCumulative<kernels::Multiply>(call, 1);
}

constexpr KernelEntry kReductions[] = {
    {"", "ArgMax", 1, &runArgExtreme<true>},
    {"", "ArgMin", 1, &runArgExtreme<false>},
    {"", "CumProd", 26, &runCumProd},
    {"", "CumSum", 11, &runCumSum},
    {"", "ReduceL1", 1, &runReduce<SumOfAbsolutes>},
    {"", "ReduceL2", 1, &runReduce<Length>},
    {"", "ReduceLogSum", 1, &runReduce<LogOfSum>},
    {"", "ReduceLogSumExp", 1, &runReduce<LogOfSumOfExponentials>},
    {"", "ReduceMax", 1, &runReduce<MaxAll>},
    {"", "ReduceMean", 1, &runReduce<MeanAll>},
    {"", "ReduceMin", 1, &runReduce<MinAll>},
    {"", "ReduceProd", 1, &runReduce<ProductAll>},
    {"", "ReduceSum", 1, &runReduce<SumAll>},
    {"", "ReduceSumSquare", 1, &runReduce<SumOfSquares>},
    {"com.microsoft", "ReduceAllL2", 1, &runReduceAll},
    {"com.microsoft", "ReduceSumTraining", 1, &runReduce<SumAll>},
};

} // namespace

std::span<const KernelEntry> reductionKernels() {
    return kReductions;
}

} // namespace secateur
