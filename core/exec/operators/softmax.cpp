// SPDX-License-Identifier: Apache-2.0
//
// ONNX Softmax, LogSoftmax, Hardmax and the gradients of the first two. Before opset 13 they work on the
// input as a matrix, split before `axis`; from then on along one axis.
#include "core/exec/axis_rows.h"
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

constexpr std::int64_t kAlongOneAxis = 13;

Result<AxisRows> rowsOf(const KernelCall& call, const TensorData& x, bool isOneAxis) {
    std::int64_t axis = call.integer("axis", isOneAxis ? -1 : 1);
    const auto rank = static_cast<std::int64_t>(x.rank());
    // A matrix of one row: the axis may lie behind the last.
    if (!isOneAxis && axis == rank) return AxisRows(x.shape(), std::vector<bool>(x.rank(), false));
    const std::size_t at = TRY(axisOf(call, axis, x.rank()));
    if (isOneAxis) return AxisRows(x.shape(), at);
    std::vector<bool> isAlong(x.rank(), false);
    std::fill(isAlong.begin() + static_cast<std::ptrdiff_t>(at), isAlong.end(), true);
    return AxisRows(x.shape(), isAlong);
}

/// Each row through `f`, in place; computed in double.
template <typename F>
Result<TensorData> mapRows(const KernelCall& call, const TensorData& x, const AxisRows& rows, F f) {
    if (!isFloating(x.type())) return call.noCodeFor(x.type());
    TensorData y = TRY(call.make(x.type(), x.shape()));
    const auto cells = readAll<double>(x);
    std::vector<double> row, results(cells.size());
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        rows.read(cells, r, row);
        f(row);
        rows.write(row, r, results);
    }
    writeAll(y, results);
    return y;
}

double largestOf(const std::vector<double>& row) {
    return row.empty() ? 0 : *std::max_element(row.begin(), row.end());
}

void softmaxRow(std::vector<double>& row) {
    const double most = largestOf(row);
    double sum = 0;
    for (double& x : row)
        sum += x = std::exp(x - most);
    for (double& x : row)
        x /= sum;
}

void logSoftmaxRow(std::vector<double>& row) {
    const double most = largestOf(row);
    double sum = 0;
    for (const double x : row)
        sum += std::exp(x - most);
    const double shift = most + std::log(sum);
    for (double& x : row)
        x -= shift;
}

void hardmaxRow(std::vector<double>& row) {
    const auto most = std::max_element(row.begin(), row.end());
    for (auto at = row.begin(); at != row.end(); ++at)
        *at = at == most ? 1 : 0;
}

template <void (*f)(std::vector<double>&)> Result<void> runRows(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const AxisRows rows = TRY(rowsOf(call, *x, call.opset >= kAlongOneAxis));
    call.setOutput(0, TRY(mapRows(call, *x, rows, f)));
    return {};
}

/// dX of dY and the result Y (for LogSoftmax: its logarithm).
template <bool isLog, bool isOneAxis> Result<void> runGrad(const KernelCall& call) {
    const TensorData* dy = TRY(call.tensor(0));
    const TensorData* y = TRY(call.tensor(1));
    if (dy->shape() != y->shape())
        return call.fail("exec.shapes-differ", {shapeText(dy->shape()), shapeText(y->shape())});
    const AxisRows rows = TRY(rowsOf(call, *y, isOneAxis));
    const auto results = readAll<double>(*y);
    std::vector<double> made;
    std::size_t r = 0;
    call.setOutput(0, TRY(mapRows(call, *dy, rows, [&](std::vector<double>& row) {
                       rows.read(results, r++, made);
                       double sum = 0;
                       for (std::size_t i = 0; i < row.size(); ++i)
                           sum += isLog ? row[i] : row[i] * made[i];
                       for (std::size_t i = 0; i < row.size(); ++i)
                           row[i] = isLog ? row[i] - std::exp(made[i]) * sum : made[i] * (row[i] - sum);
                   })));
    return {};
}

constexpr KernelEntry kSoftmax[] = {
    {"", "Hardmax", 1, &runRows<&hardmaxRow>},
    {"", "LogSoftmax", 1, &runRows<&logSoftmaxRow>},
    {"", "Softmax", 1, &runRows<&softmaxRow>},
    {"com.microsoft", "LogSoftmaxGrad", 1, &runGrad<true, false>},
    {"com.microsoft", "LogSoftmaxGrad_13", 1, &runGrad<true, true>},
    {"com.microsoft", "SoftmaxGrad", 1, &runGrad<false, false>},
    {"com.microsoft", "SoftmaxGrad_13", 1, &runGrad<false, true>},
};

} // namespace

std::span<const KernelEntry> softmaxKernels() {
    return kSoftmax;
}

} // namespace secateur
