// SPDX-License-Identifier: Apache-2.0
#include "core/passes/simplify/channel_map.h"

#include "core/analysis/operator_mode.h"
#include "core/passes/simplify/weight_numbers.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

bool areFinite(const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

/// The numbers of a constant that broadcasts along everything but the channels: one for each channel.
std::optional<std::vector<double>> perChannel(const RuleView& view, ValueId value, const Channels& channels) {
    if (!isWeight(view, value)) return std::nullopt;
    const auto& dims = view.constant(value)->dims;
    if (dims.size() > channels.leastRank) return std::nullopt;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const bool isChannel = dims.size() - 1 - i == channels.fromEnd;
        const bool fits = dims[i] == 1 || (isChannel && dims[i] == static_cast<std::int64_t>(channels.count));
        if (!fits) return std::nullopt;
    }
    std::vector<double> numbers = weightNumbers(view, value);
    if (numbers.size() == 1) numbers.assign(channels.count, numbers.front());
    return numbers.size() == channels.count ? std::optional(std::move(numbers)) : std::nullopt;
}

std::optional<ChannelMap> mapOfBatchNorm(const RuleView& view, NodeId node, std::size_t count) {
    const Model& model = view.model();
    if (!isInferenceBatchNorm(view, node)) return std::nullopt;
    std::vector<std::vector<double>> parts;
    for (std::size_t slot = 1; slot <= 4; ++slot) {
        if (!isWeight(view, model.input(node, slot))) return std::nullopt;
        parts.push_back(weightNumbers(view, model.input(node, slot)));
        if (parts.back().size() != count) return std::nullopt;
    }
    const double epsilon = model.floatAttribute(node, "epsilon", 1e-5F);
    ChannelMap map;
    for (std::size_t c = 0; c < count; ++c) {
        const double factor = parts[0][c] / std::sqrt(parts[3][c] + epsilon);
        map.factors.push_back(factor);
        map.summands.push_back(parts[1][c] - parts[2][c] * factor);
    }
    return map;
}

} // namespace

bool ChannelMap::hasSummands() const {
    return std::any_of(summands.begin(), summands.end(), [](double x) { return x != 0; });
}

bool ChannelMap::isFinite() const {
    return areFinite(factors) && areFinite(summands);
}

bool isInferenceBatchNorm(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    if (!model.isOp(node, "BatchNormalization") || takesBatchStatistics(model, node)) return false;
    if (model.intAttribute(node, "spatial", 1) != 1) return false;
    const auto results = model.outputs(node);
    return !results.empty() && !results[0].isNone() &&
           std::all_of(results.begin() + 1, results.end(), [](ValueId result) { return result.isNone(); });
}

std::optional<ChannelMap> channelMap(const RuleView& view, NodeId root, ValueId data,
                                     const Channels& channels) {
    const Model& model = view.model();
    if (model.isOp(root, "BatchNormalization")) {
        const bool isSecond = channels.fromEnd + 2 == channels.leastRank; // the dimension that it normalizes
        if (model.input(root, 0) != data || !isSecond) return std::nullopt;
        return mapOfBatchNorm(view, root, channels.count);
    }
    if (model.inputs(root).size() != 2) return std::nullopt;
    const bool isFirst = model.input(root, 0) == data;
    if (!isFirst && model.input(root, 1) != data) return std::nullopt;
    auto constant = perChannel(view, model.input(root, isFirst ? 1 : 0), channels);
    if (!constant) return std::nullopt;
    const std::string_view op = model.op(root);
    ChannelMap map{std::vector<double>(channels.count, 1), std::vector<double>(channels.count, 0)};
    if (op == "Mul") {
        map.factors = std::move(*constant);
    } else if (op == "Div" && isFirst) {
        for (std::size_t c = 0; c < channels.count; ++c)
            map.factors[c] = 1 / (*constant)[c];
    } else if (op == "Add" || op == "Sub") {
        const bool isTakenOff = op == "Sub" && isFirst; // x - c, else c - x
        for (std::size_t c = 0; c < channels.count; ++c)
            map.summands[c] = isTakenOff ? -(*constant)[c] : (*constant)[c];
        if (op == "Sub" && !isFirst) map.factors.assign(channels.count, -1);
    } else {
        return std::nullopt;
    }
    return map;
}

} // namespace secateur
