// SPDX-License-Identifier: Apache-2.0
#include "core/passes/simplify/axes.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace secateur {
namespace {

using Integers = std::vector<std::int64_t>;

/// A list that a Slice may leave out.
std::optional<Integers> listOr(const RuleView& view, NodeId node, std::string_view name, std::size_t slot,
                               const Integers& otherwise) {
    const Model& model = view.model();
    if (model.attribute(node, name) == nullptr && model.input(node, slot).isNone()) return otherwise;
    const auto given = view.integersGiven(node, name, slot);
    return given && given->size() == otherwise.size() ? given : std::nullopt;
}

} // namespace

std::vector<std::int64_t> sortedAxes(std::vector<std::int64_t> axes, std::int64_t rank) {
    for (std::int64_t& axis : axes)
        axis += axis < 0 ? rank : 0;
    std::sort(axes.begin(), axes.end());
    return axes;
}

std::optional<std::int64_t> axisOf(const RuleView& view, NodeId node, std::int64_t otherwise) {
    const Model& model = view.model();
    const std::int64_t axis = model.intAttribute(node, "axis", otherwise);
    const auto rank = view.rank(model.input(node, 0));
    if (axis >= 0 && (!rank || axis < *rank)) return axis;
    return axis < 0 && rank && axis + *rank >= 0 ? std::optional(axis + *rank) : std::nullopt;
}

std::optional<std::vector<std::int64_t>> orderOf(const RuleView& view, NodeId transpose) {
    const Model& model = view.model();
    Integers order;
    if (model.attribute(transpose, "perm") != nullptr) {
        order = model.intsAttribute(transpose, "perm");
    } else {
        const auto rank = view.rank(model.input(transpose, 0));
        if (!rank) return std::nullopt;
        order.resize(static_cast<std::size_t>(*rank));
        std::iota(order.rbegin(), order.rend(), 0);
    }
    Integers sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (sorted[i] != static_cast<std::int64_t>(i)) return std::nullopt;
    }
    return order;
}

std::optional<Cut> cutOf(const RuleView& view, NodeId slice) {
    const auto rank = view.rank(view.model().input(slice, 0));
    const auto starts = view.integersGiven(slice, "starts", 1), ends = view.integersGiven(slice, "ends", 2);
    if (!rank || !starts || !ends || starts->size() != ends->size()) return std::nullopt;
    Integers all(starts->size());
    std::iota(all.begin(), all.end(), 0);
    const auto axes = listOr(view, slice, "axes", 3, all);
    const auto steps = listOr(view, slice, "steps", 4, Integers(starts->size(), 1));
    if (!axes || !steps) return std::nullopt;
    Cut cut{*starts, *ends, *axes, *steps};
    for (std::int64_t& axis : cut.axes) {
        axis += axis < 0 ? *rank : 0;
        if (axis < 0 || axis >= *rank) return std::nullopt;
    }
    return cut;
}

} // namespace secateur
