// SPDX-License-Identifier: Apache-2.0
// A Squeeze that takes the dimensions away that an Unsqueeze put in, and the other way round.
//   y = Squeeze(Unsqueeze(x, a), a)  =>  y = x
//   y = Unsqueeze(Squeeze(x, a), a)  =>  y = x
#include "core/passes/simplify/axes.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const bool isSqueeze = model.op(root) == "Squeeze";
    const NodeId inner = view.producer(model.input(root, 0), isSqueeze ? "Unsqueeze" : "Squeeze");
    SECATEUR_PATTERN(!inner.isNone());
    const ValueId data = model.input(inner, 0);
    const auto first = view.integersGiven(inner, "axes", 1), second = view.integersGiven(root, "axes", 1);
    SECATEUR_PATTERN(!data.isNone() && first && second);
    // What a list of no axes means is not the same everywhere.
    SECATEUR_PATTERN(!first->empty() && !second->empty());
    // Both count dimensions of the longer shape: the one between the two, or the one in front.
    const auto rank = view.rank(isSqueeze ? model.input(root, 0) : data);
    const bool isAnyNegative = std::any_of(first->begin(), first->end(), [](auto a) { return a < 0; }) ||
                               std::any_of(second->begin(), second->end(), [](auto a) { return a < 0; });
    SECATEUR_PATTERN(rank.has_value() || !isAnyNegative);
    const bool isSame = sortedAxes(*first, rank.value_or(0)) == sortedAxes(*second, rank.value_or(0));
    SECATEUR_GUARD(view, isSame, "rule.cancel-squeeze.miss.axes", root, inner);
    return RuleHit{{root, inner},
                   Reason("rule.cancel-squeeze.why", {root, inner}),
                   std::nullopt,
                   [data](RuleEdit& edit) { return edit.readInstead(data); }};
}

} // namespace

const Rule& cancelSqueezeRule() {
    static const Rule rule{
        "cancel-squeeze", RuleGroup::structure, Exactness::exact, {"Squeeze", "Unsqueeze"}, match};
    return rule;
}

} // namespace secateur
