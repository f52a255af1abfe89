// SPDX-License-Identifier: Apache-2.0
#include "core/passes/simplify/pads.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace secateur {
namespace {

using Integers = std::vector<std::int64_t>;

} // namespace

bool padsWithConstant(const Model& model, NodeId pad) {
    const Attribute* mode = model.attribute(pad, "mode");
    if (mode == nullptr) return true;
    const auto* name = std::get_if<std::string>(&mode->value);
    return name != nullptr && *name == "constant";
}

std::optional<std::vector<std::int64_t>> padAmounts(const RuleView& view, NodeId pad) {
    const Model& model = view.model();
    const auto rank = view.rank(model.input(pad, 0));
    const auto given = view.integersGiven(pad, "pads", 1);
    if (!rank || !given) return std::nullopt;
    const auto count = static_cast<std::size_t>(*rank);
    Integers axes(count);
    std::iota(axes.begin(), axes.end(), 0);
    if (!model.input(pad, 3).isNone()) {
        const auto named = view.integers(model.input(pad, 3));
        if (!named) return std::nullopt;
        axes = *named;
    }
    if (given->size() != 2 * axes.size()) return std::nullopt;
    Integers amounts(2 * count, 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t axis = axes[i] < 0 ? axes[i] + *rank : axes[i];
        if (axis < 0 || axis >= *rank) return std::nullopt;
        if (std::count(axes.begin(), axes.end(), axes[i]) > 1) return std::nullopt;
        amounts[static_cast<std::size_t>(axis)] = (*given)[i];
        amounts[static_cast<std::size_t>(axis) + count] = (*given)[i + axes.size()];
    }
    return amounts;
}

std::optional<double> padFilling(const RuleView& view, NodeId pad) {
    const Model& model = view.model();
    if (view.opset(pad) < 11) return model.floatAttribute(pad, "value", 0);
    const ValueId value = model.input(pad, 2);
    return value.isNone() ? std::optional(0.0) : view.uniform(value);
}

} // namespace secateur
