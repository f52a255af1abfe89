// SPDX-License-Identifier: Apache-2.0
// A Scatter that writes over every element, each in its own place.
//   y = ScatterND(x, [[0], [1], [2]], u)  with u of the shape of x  =>  y = u
//   y = ScatterElements<axis=1>(x, [[0, 1], [0, 1]], u)             =>  y = u
#include "core/passes/simplify/axes.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <string>

namespace secateur {
namespace {

using Integers = std::vector<std::int64_t>;

/// Is it 0, 1, 2 ... along `axis`, at each place of all others?
bool countsAlong(const Integers& numbers, const Integers& dims, std::size_t axis) {
    std::int64_t inner = 1, all = 1;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        all *= dims[i];
        if (i > axis) inner *= dims[i];
    }
    if (all != static_cast<std::int64_t>(numbers.size())) return false;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        if (numbers[i] != static_cast<std::int64_t>(i) / inner % dims[axis]) return false;
    }
    return true;
}

/// Do the indices name every place of the data, in order?
bool namesAll(const RuleView& view, NodeId root, const Integers& numbers) {
    const Model& model = view.model();
    const TensorPtr indices = view.constant(model.input(root, 1));
    const auto shape = view.staticShape(model.input(root, 0));
    if (!shape || shape->empty() || !indices) return false;
    if (model.op(root) == "ScatterND")
        return indices->dims == Integers{shape->front(), 1} && countsAlong(numbers, indices->dims, 0);
    const auto axis = axisOf(view, root, 0);
    return axis && indices->dims == *shape && countsAlong(numbers, *shape, static_cast<std::size_t>(*axis));
}

bool addsNothing(const Model& model, NodeId root) {
    const Attribute* reduction = model.attribute(root, "reduction");
    if (reduction == nullptr) return true;
    const auto* name = std::get_if<std::string>(&reduction->value);
    return name != nullptr && *name == "none";
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const ValueId data = model.input(root, 0), updates = model.input(root, 2);
    const auto numbers = view.integers(model.input(root, 1));
    SECATEUR_PATTERN(numbers && !numbers->empty() && !data.isNone() && !updates.isNone());
    SECATEUR_PATTERN(view.isSameShape(data, updates) && view.isSameType(data, updates));
    SECATEUR_GUARD(view, namesAll(view, root, *numbers), "rule.skip-covering-scatter.miss.order", root);
    SECATEUR_GUARD(view, addsNothing(model, root), "rule.skip-covering-scatter.miss.reduction", root);
    return RuleHit{{root},
                   Reason("rule.skip-covering-scatter.why", {root, data, updates}),
                   std::nullopt,
                   [updates](RuleEdit& edit) { return edit.readInstead(updates); }};
}

} // namespace

const Rule& skipCoveringScatterRule() {
    static const Rule rule{"skip-covering-scatter",
                           RuleGroup::structure,
                           Exactness::exact,
                           {"ScatterND", "ScatterElements", "Scatter"},
                           match};
    return rule;
}

} // namespace secateur
