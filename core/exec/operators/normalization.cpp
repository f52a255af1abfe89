// SPDX-License-Identifier: Apache-2.0
//
// ONNX BatchNormalization (every opset, training and inference), InstanceNormalization, LayerNormalization,
// GroupNormalization, RMSNormalization, LpNormalization, LRN; com.microsoft
// BatchNormInternal, BatchNormalizationGrad, LayerNormalizationGrad. Statistics are taken in double.
#include "core/exec/axis_rows.h"
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace secateur {
namespace {

/// Mean and population variance.
struct Statistics {
    double mean = 0, variance = 0;

    explicit Statistics(const std::vector<double>& row) {
        for (const double x : row)
            mean += x;
        mean /= static_cast<double>(row.size());
        for (const double x : row)
            variance += (x - mean) * (x - mean);
        variance /= static_cast<double>(row.size());
    }
};

/// A tensor of doubles as a result.
Result<TensorData> madeOf(const KernelCall& call, ElementType type, Shape shape,
                          const std::vector<double>& numbers) {
    if (!isFloating(type)) return call.noCodeFor(type);
    TensorData made = TRY(call.make(type, std::move(shape)));
    writeAll(made, numbers);
    return made;
}

/// One number a channel from an input.
Result<std::vector<double>> perChannel(const KernelCall& call, std::size_t slot, std::size_t channels) {
    const TensorData* given = TRY(call.tensor(slot));
    if (given->count() != channels || !isFloating(given->type()))
        return call.fail("exec.shapes-differ", {shapeText(given->shape()), std::to_string(channels)});
    return readAll<double>(*given);
}

/// How a BatchNormalization runs, by opset: is_test up to 6, the number of results up to 13, training_mode
/// from 14 on.
bool isTraining(const KernelCall& call) {
    if (call.mode == RunMode::inference) return false;
    if (!call.model->isDefaultDomain(call.node)) return call.integer("training_mode", 1) != 0;
    constexpr std::int64_t kByOutputs = 7, kByAttribute = 14;
    if (call.opset >= kByAttribute) return call.integer("training_mode", 0) != 0;
    if (call.opset >= kByOutputs) {
        for (std::size_t slot = 1; slot < call.outputs.size(); ++slot) {
            if (call.wants(slot)) return true;
        }
        return false;
    }
    return call.integer("is_test", 0) == 0;
}

/// The channels of N x C x ...: dimension 1; a vector is one row of channels.
struct Channels {
    std::size_t count = 1;
    AxisRows rows;

    explicit Channels(const Shape& shape) : rows(shape, alongAllBut(shape)) {
        count = shape.size() < 2 ? (shape.empty() ? 1 : static_cast<std::size_t>(shape[0]))
                                 : static_cast<std::size_t>(shape[1]);
    }
    static std::vector<bool> alongAllBut(const Shape& shape) {
        std::vector<bool> isAlong(shape.size(), true);
        if (!shape.empty()) isAlong[shape.size() < 2 ? 0 : 1] = false;
        return isAlong;
    }
};

Result<void> runBatchNorm(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const Channels channels(x->shape());
    const auto scale = TRY(perChannel(call, 1, channels.count)),
               bias = TRY(perChannel(call, 2, channels.count));
    auto mean = TRY(perChannel(call, 3, channels.count)), variance = TRY(perChannel(call, 4, channels.count));
    const double epsilon = static_cast<double>(call.real("epsilon", 1e-5F));
    const double momentum = static_cast<double>(call.real("momentum", 0.9F));
    const bool trains = isTraining(call);
    const auto cells = readAll<double>(*x);
    std::vector<double> results(cells.size()), row, runningMean = mean, runningVariance = variance;
    std::vector<double> savedMean(channels.count), savedSpread(channels.count);
    for (std::size_t c = 0; c < channels.count; ++c) {
        channels.rows.read(cells, c, row);
        if (trains && !row.empty()) {
            const Statistics batch(row);
            mean[c] = batch.mean;
            variance[c] = batch.variance;
            runningMean[c] = runningMean[c] * momentum + batch.mean * (1 - momentum);
            runningVariance[c] = runningVariance[c] * momentum + batch.variance * (1 - momentum);
        }
        const double spread = 1 / std::sqrt(variance[c] + epsilon);
        savedMean[c] = mean[c];
        savedSpread[c] = spread;
        for (double& cell : row)
            cell = (cell - mean[c]) * spread * scale[c] + bias[c];
        channels.rows.write(row, c, results);
    }
    call.setOutput(0, TRY(madeOf(call, x->type(), x->shape(), results)));
    const ElementType type = TRY(call.tensor(3))->type();
    const Shape shape{static_cast<std::int64_t>(channels.count)};
    // Results 3 and 4 are what the gradient wants: the mean, and the variance (up to opset 13) or its inverse
    // root.
    const bool isInternal = !call.model->isDefaultDomain(call.node);
    const std::vector<double>* extra[] = {&runningMean, &runningVariance, &savedMean,
                                          isInternal ? &savedSpread : &variance};
    for (std::size_t slot = 1; slot < 5; ++slot) {
        if (call.wants(slot)) call.setOutput(slot, TRY(madeOf(call, type, shape, *extra[slot - 1])));
    }
    return {};
}

/// com.microsoft BatchNormalizationGrad(dY, X, scale, saved mean, saved inverse deviation) -> dX, dScale,
/// dBias.
Result<void> runBatchNormGrad(const KernelCall& call) {
    const TensorData* dy = TRY(call.tensor(0));
    const TensorData* x = TRY(call.tensor(1));
    if (dy->shape() != x->shape())
        return call.fail("exec.shapes-differ", {shapeText(dy->shape()), shapeText(x->shape())});
    const Channels channels(x->shape());
    const auto scale = TRY(perChannel(call, 2, channels.count));
    const auto mean = TRY(perChannel(call, 3, channels.count)),
               spread = TRY(perChannel(call, 4, channels.count));
    const auto gradients = readAll<double>(*dy), cells = readAll<double>(*x);
    std::vector<double> dx(cells.size()), dScale(channels.count), dBias(channels.count), g, row;
    for (std::size_t c = 0; c < channels.count; ++c) {
        channels.rows.read(gradients, c, g);
        channels.rows.read(cells, c, row);
        const auto n = static_cast<double>(row.size());
        for (std::size_t i = 0; i < row.size(); ++i) {
            row[i] = (row[i] - mean[c]) * spread[c];
            dScale[c] += g[i] * row[i];
            dBias[c] += g[i];
        }
        for (std::size_t i = 0; i < row.size(); ++i)
            g[i] = scale[c] * spread[c] / n * (n * g[i] - dBias[c] - row[i] * dScale[c]);
        channels.rows.write(g, c, dx);
    }
    const ElementType type = TRY(call.tensor(2))->type();
    const Shape shape{static_cast<std::int64_t>(channels.count)};
    call.setOutput(0, TRY(madeOf(call, x->type(), x->shape(), dx)));
    call.setOutput(1, TRY(madeOf(call, type, shape, dScale)));
    call.setOutput(2, TRY(madeOf(call, type, shape, dBias)));
    return {};
}

/// Rows from `axis` on, for the layer norms.
Result<AxisRows> rowsFrom(const KernelCall& call, const Shape& shape, std::int64_t axis, Shape& kept) {
    const std::size_t first = TRY(axisOf(call, axis, shape.size()));
    std::vector<bool> isAlong(shape.size(), false);
    kept = shape;
    for (std::size_t d = first; d < shape.size(); ++d) {
        isAlong[d] = true;
        kept[d] = 1;
    }
    return AxisRows(shape, isAlong);
}

/// Scale or bias of a layer norm for each element of a row: broadcast to the row's shape.
Result<std::vector<double>> perElement(const KernelCall& call, std::size_t slot, const Shape& shape,
                                       std::size_t length, double otherwise) {
    const TensorData* given = TRY(call.optionalTensor(slot));
    if (given == nullptr) return std::vector<double>(length, otherwise);
    const auto numbers = readAll<double>(*given);
    if (numbers.size() == length) return numbers;
    if (numbers.size() == 1) return std::vector<double>(length, numbers.front());
    // Any shape that broadcasts to the last dimensions.
    const std::size_t rank = given->rank();
    if (rank > shape.size())
        return call.fail("exec.no-broadcast", {shapeText(shape), shapeText(given->shape())});
    const Shape last(shape.end() - static_cast<std::ptrdiff_t>(rank), shape.end());
    if (broadcastShape(last, given->shape()) != last || elementCountOf(last).value_or(0) > length)
        return call.fail("exec.no-broadcast", {shapeText(shape), shapeText(given->shape())});
    const auto covered = static_cast<std::size_t>(elementCountOf(last).value_or(1));
    const Shape strides = stridesOf(last), own = stridesOf(given->shape());
    std::vector<double> all(length);
    for (std::size_t i = 0; i < length; ++i) {
        std::int64_t at = 0;
        for (std::size_t d = 0; d < rank; ++d) {
            const std::int64_t position = static_cast<std::int64_t>(i % covered) / strides[d] % last[d];
            at += given->shape()[d] == 1 ? 0 : position * own[d];
        }
        all[i] = numbers[static_cast<std::size_t>(at)];
    }
    return all;
}

Result<void> runLayerNorm(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    Shape kept;
    const AxisRows rows = TRY(rowsFrom(call, x->shape(), call.integer("axis", -1), kept));
    const auto scale = TRY(perElement(call, 1, x->shape(), rows.length(), 1));
    const auto bias = TRY(perElement(call, 2, x->shape(), rows.length(), 0));
    const double epsilon = static_cast<double>(call.real("epsilon", 1e-5F));
    const auto cells = readAll<double>(*x);
    std::vector<double> results(cells.size()), means(rows.rows()), spreads(rows.rows()), row;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        rows.read(cells, r, row);
        if (row.empty()) continue;
        const Statistics found(row);
        means[r] = found.mean;
        spreads[r] = 1 / std::sqrt(found.variance + epsilon);
        for (std::size_t i = 0; i < row.size(); ++i)
            row[i] = (row[i] - means[r]) * spreads[r] * scale[i] + bias[i];
        rows.write(row, r, results);
    }
    call.setOutput(0, TRY(madeOf(call, x->type(), x->shape(), results)));
    const ElementType stash = call.integer("stash_type", 1) == 1 ? ElementType::float32 : x->type();
    if (call.wants(1)) call.setOutput(1, TRY(madeOf(call, stash, kept, means)));
    if (call.wants(2)) call.setOutput(2, TRY(madeOf(call, stash, kept, spreads)));
    return {};
}

/// com.microsoft LayerNormalizationGrad(dY, X, scale, mean, inverse deviation) -> dX, dScale, dBias.
Result<void> runLayerNormGrad(const KernelCall& call) {
    const TensorData* dy = TRY(call.tensor(0));
    const TensorData* x = TRY(call.tensor(1));
    const TensorData* scaleTensor = TRY(call.tensor(2));
    Shape kept;
    const AxisRows rows = TRY(rowsFrom(call, x->shape(), call.integer("axis", -1), kept));
    const auto scale = TRY(perElement(call, 2, x->shape(), rows.length(), 1));
    const auto means = readAll<double>(*TRY(call.tensor(3))), spreads = readAll<double>(*TRY(call.tensor(4)));
    if (dy->shape() != x->shape() || means.size() != rows.rows() || spreads.size() != rows.rows() ||
        scaleTensor->count() != rows.length())
        return call.fail("exec.shapes-differ", {shapeText(dy->shape()), shapeText(x->shape())});
    const auto gradients = readAll<double>(*dy), cells = readAll<double>(*x);
    std::vector<double> dx(cells.size()), dScale(rows.length()), dBias(rows.length()), g, row;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        rows.read(gradients, r, g);
        rows.read(cells, r, row);
        const auto n = static_cast<double>(row.size());
        double sum = 0, weighted = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
            row[i] = (row[i] - means[r]) * spreads[r];
            dScale[i] += g[i] * row[i];
            dBias[i] += g[i];
            g[i] *= scale[i];
            sum += g[i];
            weighted += g[i] * row[i];
        }
        for (std::size_t i = 0; i < row.size(); ++i)
            g[i] = spreads[r] * (g[i] - sum / n - row[i] * weighted / n);
        rows.write(g, r, dx);
    }
    call.setOutput(0, TRY(madeOf(call, x->type(), x->shape(), dx)));
    call.setOutput(1, TRY(madeOf(call, scaleTensor->type(), scaleTensor->shape(), dScale)));
    if (call.wants(2)) call.setOutput(2, TRY(madeOf(call, scaleTensor->type(), scaleTensor->shape(), dBias)));
    return {};
}

Result<void> runRmsNorm(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    Shape kept;
    const AxisRows rows = TRY(rowsFrom(call, x->shape(), call.integer("axis", -1), kept));
    const auto scale = TRY(perElement(call, 1, x->shape(), rows.length(), 1));
    const double epsilon = static_cast<double>(call.real("epsilon", 1e-5F));
    const auto cells = readAll<double>(*x);
    std::vector<double> results(cells.size()), row;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        rows.read(cells, r, row);
        double squares = 0;
        for (const double cell : row)
            squares += cell * cell;
        const double root = std::sqrt(squares / static_cast<double>(row.size()) + epsilon);
        for (std::size_t i = 0; i < row.size(); ++i)
            row[i] = row[i] / root * scale[i];
        rows.write(row, r, results);
    }
    call.setOutput(0, TRY(madeOf(call, x->type(), x->shape(), results)));
    return {};
}

/// Each group of channels of each batch by its own statistics, then scale and bias of each channel.
/// `perGroup`: opset 18 gives these for each group.
Result<void> normalizeGroups(const KernelCall& call, std::size_t groups, bool perGroup) {
    const TensorData* x = TRY(call.tensor(0));
    if (x->rank() < 2) return call.fail("exec.bad-rank", {"3", shapeText(x->shape())});
    const auto channels = static_cast<std::size_t>(x->shape()[1]);
    if (groups == 0 || channels % groups != 0)
        return call.fail("exec.bad-groups", {std::to_string(groups), shapeText(x->shape())});
    const std::size_t given = perGroup ? groups : channels;
    const auto scale = TRY(perChannel(call, 1, given)), bias = TRY(perChannel(call, 2, given));
    const double epsilon = static_cast<double>(call.real("epsilon", 1e-5F));
    const auto cells = readAll<double>(*x);
    std::vector<double> results(cells.size());
    const std::size_t units = static_cast<std::size_t>(x->shape()[0]) * groups;
    const std::size_t length = units == 0 ? 0 : cells.size() / units;
    const std::size_t plane = channels == 0 ? 0 : length / (channels / groups);
    for (std::size_t u = 0; u < units && length != 0; ++u) {
        const auto from = cells.begin() + static_cast<std::ptrdiff_t>(u * length);
        const Statistics found(std::vector<double>(from, from + static_cast<std::ptrdiff_t>(length)));
        const double spread = 1 / std::sqrt(found.variance + epsilon);
        for (std::size_t i = 0; i < length; ++i) {
            const std::size_t at = u * length + i;
            const std::size_t place = perGroup ? u % groups : at / plane % channels;
            results[at] = (cells[at] - found.mean) * spread * scale[place] + bias[place];
        }
    }
    call.setOutput(0, TRY(madeOf(call, x->type(), x->shape(), results)));
    return {};
}

Result<void> runInstanceNorm(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (x->rank() < 3) return call.fail("exec.bad-rank", {"3", shapeText(x->shape())});
    return normalizeGroups(call, static_cast<std::size_t>(x->shape()[1]), false);
}

Result<void> runGroupNorm(const KernelCall& call) {
    constexpr std::int64_t kPerChannel = 21;
    return normalizeGroups(call,
                           static_cast<std::size_t>(std::max<std::int64_t>(call.integer("num_groups", 0), 0)),
                           call.opset < kPerChannel);
}

Result<void> runLpNorm(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    const AxisRows rows(x->shape(), TRY(axisOf(call, call.integer("axis", -1), x->rank())));
    const std::int64_t p = call.integer("p", 2);
    if (p != 1 && p != 2) return call.fail("exec.bad-attribute", {"p", std::to_string(p)});
    const auto cells = readAll<double>(*x);
    std::vector<double> results(cells.size()), row;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        rows.read(cells, r, row);
        double length = 0;
        for (const double cell : row)
            length += p == 1 ? std::fabs(cell) : cell * cell;
        if (p == 2) length = std::sqrt(length);
        for (double& cell : row)
            cell = length == 0 ? 0 : cell / length;
        rows.write(row, r, results);
    }
    call.setOutput(0, TRY(madeOf(call, x->type(), x->shape(), results)));
    return {};
}

/// ONNX LRN: over `size` neighbouring channels, one more behind than before where that is even.
Result<void> runLrn(const KernelCall& call) {
    const TensorData* x = TRY(call.tensor(0));
    if (x->rank() < 2) return call.fail("exec.bad-rank", {"2", shapeText(x->shape())});
    const std::int64_t size = call.integer("size", 1), channels = x->shape()[1];
    const auto alpha = static_cast<double>(call.real("alpha", 1e-4F)),
               beta = static_cast<double>(call.real("beta", 0.75F));
    const auto bias = static_cast<double>(call.real("bias", 1));
    const AxisRows rows(x->shape(), 1);
    const auto cells = readAll<double>(*x);
    std::vector<double> results(cells.size()), row, scaled;
    for (std::size_t r = 0; r < rows.rows(); ++r) {
        rows.read(cells, r, row);
        scaled = row;
        for (std::int64_t c = 0; c < channels; ++c) {
            double squares = 0;
            const std::int64_t first = std::max<std::int64_t>(c - (size - 1) / 2, 0);
            const std::int64_t last = std::min<std::int64_t>(c + size / 2, channels - 1);
            for (std::int64_t k = first; k <= last; ++k)
                squares += row[static_cast<std::size_t>(k)] * row[static_cast<std::size_t>(k)];
            scaled[static_cast<std::size_t>(c)] /=
                std::pow(bias + alpha / static_cast<double>(size) * squares, beta);
        }
        rows.write(scaled, r, results);
    }
    call.setOutput(0, TRY(madeOf(call, x->type(), x->shape(), results)));
    return {};
}

constexpr KernelEntry kNormalization[] = {
    {"", "BatchNormalization", 1, &runBatchNorm},
    {"", "GroupNormalization", 18, &runGroupNorm},
    {"", "InstanceNormalization", 1, &runInstanceNorm},
    {"", "LRN", 1, &runLrn},
    {"", "LayerNormalization", 1, &runLayerNorm},
    {"", "LpNormalization", 1, &runLpNorm},
    {"", "RMSNormalization", 23, &runRmsNorm},
    {"com.microsoft", "BatchNormInternal", 1, &runBatchNorm},
    {"com.microsoft", "BatchNormalizationGrad", 1, &runBatchNormGrad},
    {"com.microsoft", "LayerNormalizationGrad", 1, &runLayerNormGrad},
};

} // namespace

std::span<const KernelEntry> normalizationKernels() {
    return kNormalization;
}

} // namespace secateur
