// SPDX-License-Identifier: Apache-2.0
//
// ONNX SoftmaxCrossEntropyLoss and NegativeLogLikelihoodLoss; com.microsoft SoftmaxCrossEntropyLossInternal,
// SoftmaxCrossEntropy (labels as probabilities) and the gradients SoftmaxCrossEntropyLossGrad,
// SoftmaxCrossEntropyLossInternalGrad, SoftmaxCrossEntropyGrad. Computed in double.
#include "core/exec/cells.h"
#include "core/exec/kernel_tables.h"
#include "core/exec/slabs.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace secateur {
namespace {

enum class LossReduction : std::uint8_t { none, sum, mean };

Result<LossReduction> reductionOf(const KernelCall& call) {
    const std::string_view name = call.text("reduction", "mean");
    if (name == "none") return LossReduction::none;
    if (name == "sum") return LossReduction::sum;
    if (name == "mean") return LossReduction::mean;
    return call.fail("exec.bad-attribute", {"reduction", std::string(name)});
}

/// Scores N x C x D.. and a label for each position N x D..: where the score of class c at a position lies.
struct ClassScores {
    std::size_t classes = 0, inner = 1, positions = 0;
    std::vector<std::int64_t> labels;
    std::vector<double> weights;         ///< of each class; empty: 1
    std::optional<std::int64_t> ignored; ///< label that counts for nothing

    [[nodiscard]] std::size_t at(std::size_t position, std::size_t c) const {
        return (position / inner * classes + c) * inner + position % inner;
    }
    [[nodiscard]] bool isIgnored(std::size_t position) const {
        return ignored && labels[position] == *ignored;
    }
    [[nodiscard]] double weightOf(std::size_t position) const {
        if (isIgnored(position)) return 0;
        return weights.empty() ? 1 : weights[static_cast<std::size_t>(labels[position])];
    }
};

/// The ignored label: an attribute, or the input `slot` of the internal forms (none: SIZE_MAX).
Result<std::optional<std::int64_t>> ignoredLabel(const KernelCall& call, std::size_t slot) {
    if (slot != SIZE_MAX) {
        const auto given = TRY(call.integersIn(slot));
        return given && !given->empty() ? std::optional(given->front()) : std::optional<std::int64_t>();
    }
    if (call.attribute("ignore_index") == nullptr) return std::optional<std::int64_t>();
    return std::optional(call.integer("ignore_index", 0));
}

Result<ClassScores> classScores(const KernelCall& call, const TensorData& scores, std::size_t labelSlot,
                                std::size_t weightSlot, std::size_t ignoreSlot) {
    const TensorData* label = TRY(call.tensor(labelSlot));
    const auto labels = TRY(call.integersIn(labelSlot));
    ClassScores found;
    if (scores.rank() < 2 || !isFloating(scores.type()))
        return call.fail("exec.bad-rank", {"2", shapeText(scores.shape())});
    found.classes = static_cast<std::size_t>(scores.shape()[1]);
    for (std::size_t d = 2; d < scores.rank(); ++d)
        found.inner *= static_cast<std::size_t>(scores.shape()[d]);
    Shape expected = scores.shape();
    expected.erase(expected.begin() + 1);
    if (label->count() != elementCountOf(expected))
        return call.fail("exec.shapes-differ", {shapeText(scores.shape()), shapeText(label->shape())});
    found.labels = *labels;
    found.positions = found.labels.size();
    found.ignored = TRY(ignoredLabel(call, ignoreSlot));
    if (const TensorData* weight = TRY(call.optionalTensor(weightSlot))) {
        if (weight->count() != found.classes)
            return call.fail("exec.shapes-differ", {shapeText(scores.shape()), shapeText(weight->shape())});
        found.weights = readAll<double>(*weight);
    }
    for (std::size_t p = 0; p < found.positions; ++p) {
        if (found.isIgnored(p)) continue;
        if (found.labels[p] < 0 || found.labels[p] >= static_cast<std::int64_t>(found.classes))
            return call.fail("exec.bad-label",
                             {std::to_string(found.labels[p]), std::to_string(found.classes)});
    }
    return found;
}

std::vector<double> logSoftmax(const ClassScores& s, const std::vector<double>& scores) {
    std::vector<double> logs(scores.size());
    for (std::size_t p = 0; p < s.positions; ++p) {
        double most = -INFINITY, sum = 0;
        for (std::size_t c = 0; c < s.classes; ++c)
            most = std::max(most, scores[s.at(p, c)]);
        for (std::size_t c = 0; c < s.classes; ++c)
            sum += std::exp(scores[s.at(p, c)] - most);
        for (std::size_t c = 0; c < s.classes; ++c)
            logs[s.at(p, c)] = scores[s.at(p, c)] - most - std::log(sum);
    }
    return logs;
}

/// The loss of logarithms of probabilities.
Result<void> setLoss(const KernelCall& call, const ClassScores& s, const std::vector<double>& logs,
                     const TensorData& scores) {
    const LossReduction reduction = TRY(reductionOf(call));
    std::vector<double> losses(s.positions);
    double total = 0, weight = 0;
    for (std::size_t p = 0; p < s.positions; ++p) {
        const double w = s.weightOf(p);
        losses[p] = w == 0 ? 0 : -w * logs[s.at(p, static_cast<std::size_t>(s.labels[p]))];
        total += losses[p];
        weight += w;
    }
    Shape shape;
    if (reduction == LossReduction::none) {
        shape = scores.shape();
        shape.erase(shape.begin() + 1);
    } else {
        losses = {reduction == LossReduction::mean ? total / weight : total};
    }
    TensorData loss = TRY(call.make(scores.type(), std::move(shape)));
    writeAll(loss, losses);
    call.setOutput(0, std::move(loss));
    return {};
}

template <bool isInternal> Result<void> runCrossEntropy(const KernelCall& call) {
    const TensorData* scores = TRY(call.tensor(0));
    const ClassScores s = TRY(classScores(call, *scores, 1, 2, isInternal ? 3 : SIZE_MAX));
    const auto logs = logSoftmax(s, readAll<double>(*scores));
    TRY(setLoss(call, s, logs, *scores));
    if (!call.wants(1)) return {};
    TensorData stash = TRY(call.make(scores->type(), scores->shape()));
    writeAll(stash, logs);
    call.setOutput(1, std::move(stash));
    return {};
}

template <bool isInternal> Result<void> runLogLikelihood(const KernelCall& call) {
    const TensorData* logs = TRY(call.tensor(0));
    const ClassScores s = TRY(classScores(call, *logs, 1, 2, isInternal ? 3 : SIZE_MAX));
    return setLoss(call, s, readAll<double>(*logs), *logs);
}

/// (dY, log_prob, label, weight[, ignore_index][, bias]) -> dX = w (p - onehot) dY, divided by the sum of
/// weights for the mean.
template <bool isInternal> Result<void> runCrossEntropyGrad(const KernelCall& call) {
    const TensorData* dy = TRY(call.tensor(0));
    const TensorData* logs = TRY(call.tensor(1));
    const ClassScores s = TRY(classScores(call, *logs, 2, 3, isInternal ? 4 : SIZE_MAX));
    const LossReduction reduction = TRY(reductionOf(call));
    const auto gradient = readAll<double>(*dy), logarithms = readAll<double>(*logs);
    if (gradient.size() != (reduction == LossReduction::none ? s.positions : 1))
        return call.fail("exec.shapes-differ", {shapeText(dy->shape()), shapeText(logs->shape())});
    double weight = 0;
    for (std::size_t p = 0; p < s.positions; ++p)
        weight += s.weightOf(p);
    std::vector<double> dx(logarithms.size());
    for (std::size_t p = 0; p < s.positions; ++p) {
        double w = s.weightOf(p) * gradient[reduction == LossReduction::none ? p : 0];
        if (reduction == LossReduction::mean) w = weight == 0 ? 0 : w / weight;
        for (std::size_t c = 0; c < s.classes; ++c) {
            const double hit = w != 0 && static_cast<std::int64_t>(c) == s.labels[p] ? 1 : 0;
            dx[s.at(p, c)] = w * (std::exp(logarithms[s.at(p, c)]) - hit);
        }
    }
    if (const TensorData* bias = TRY(call.optionalTensor(isInternal ? 5 : 4))) {
        const auto add = readAll<double>(*bias);
        if (add.size() != dx.size())
            return call.fail("exec.shapes-differ", {shapeText(logs->shape()), shapeText(bias->shape())});
        for (std::size_t i = 0; i < dx.size(); ++i)
            dx[i] += add[i];
    }
    TensorData made = TRY(call.make(logs->type(), logs->shape()));
    writeAll(made, dx);
    call.setOutput(0, std::move(made));
    return {};
}

/// com.microsoft SoftmaxCrossEntropy: labels are probabilities of the shape of the scores; the mean over
/// rows.
Result<void> runSoftCrossEntropy(const KernelCall& call) {
    const TensorData* scores = TRY(call.tensor(0));
    const TensorData* label = TRY(call.tensor(1));
    if (scores->shape() != label->shape() || scores->rank() == 0 || !isFloating(scores->type()))
        return call.fail("exec.shapes-differ", {shapeText(scores->shape()), shapeText(label->shape())});
    ClassScores s;
    s.classes = static_cast<std::size_t>(scores->shape().back());
    s.positions = s.classes == 0 ? 0 : static_cast<std::size_t>(scores->count()) / s.classes;
    const auto logs = logSoftmax(s, readAll<double>(*scores)), wanted = readAll<double>(*label);
    double sum = 0;
    for (std::size_t i = 0; i < logs.size(); ++i)
        sum -= logs[i] * wanted[i];
    if (TRY(reductionOf(call)) == LossReduction::mean) sum /= static_cast<double>(s.positions);
    TensorData loss = TRY(call.make(scores->type(), {})),
               stash = TRY(call.make(scores->type(), scores->shape()));
    writeAll(loss, std::vector<double>{sum});
    writeAll(stash, logs);
    call.setOutput(0, std::move(loss));
    call.setOutput(1, std::move(stash));
    return {};
}

Result<void> runSoftCrossEntropyGrad(const KernelCall& call) {
    const TensorData* dy = TRY(call.tensor(0));
    const TensorData* logs = TRY(call.tensor(1));
    const TensorData* label = TRY(call.tensor(2));
    if (logs->shape() != label->shape() || logs->rank() == 0 || dy->count() != 1 || !isFloating(logs->type()))
        return call.fail("exec.shapes-differ", {shapeText(logs->shape()), shapeText(label->shape())});
    const auto classes = static_cast<double>(logs->shape().back());
    double scale = readAll<double>(*dy).front();
    if (TRY(reductionOf(call)) == LossReduction::mean) scale /= static_cast<double>(logs->count()) / classes;
    const auto logarithms = readAll<double>(*logs), wanted = readAll<double>(*label);
    std::vector<double> dx(logarithms.size());
    for (std::size_t i = 0; i < dx.size(); ++i)
        dx[i] = scale * (std::exp(logarithms[i]) - wanted[i]);
    TensorData made = TRY(call.make(logs->type(), logs->shape()));
    writeAll(made, dx);
    call.setOutput(0, std::move(made));
    return {};
}

constexpr KernelEntry kLosses[] = {
    {"", "NegativeLogLikelihoodLoss", 12, &runLogLikelihood<false>},
    {"", "SoftmaxCrossEntropyLoss", 12, &runCrossEntropy<false>},
    {"", "SparseSoftmaxCrossEntropy", 1, &runCrossEntropy<false>},
    {"", "SparseSoftmaxCrossEntropyGrad", 1, &runCrossEntropyGrad<false>},
    {"com.microsoft", "NegativeLogLikelihoodLossInternal", 1, &runLogLikelihood<true>},
    {"com.microsoft", "NegativeLogLikelihoodLossInternal2", 1, &runLogLikelihood<true>},
    {"com.microsoft", "SoftmaxCrossEntropy", 1, &runSoftCrossEntropy},
    {"com.microsoft", "SoftmaxCrossEntropyGrad", 1, &runSoftCrossEntropyGrad},
    {"com.microsoft", "SoftmaxCrossEntropyLossGrad", 1, &runCrossEntropyGrad<false>},
    {"com.microsoft", "SoftmaxCrossEntropyLossInternal", 1, &runCrossEntropy<true>},
    {"com.microsoft", "SoftmaxCrossEntropyLossInternalGrad", 1, &runCrossEntropyGrad<true>},
};

} // namespace

std::span<const KernelEntry> lossKernels() {
    return kLosses;
}

} // namespace secateur
