// SPDX-License-Identifier: Apache-2.0
// Two slices in a row over different axes are one.
//   y = Slice(Slice(x, a, b, [0]), c, d, [1])  =>  y = Slice(x, [a, c], [b, d], [0, 1])
#include "core/passes/simplify/axes.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>

namespace secateur {
namespace {

using Integers = std::vector<std::int64_t>;

void append(Integers& to, const Integers& from) {
    to.insert(to.end(), from.begin(), from.end());
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const NodeId inner = view.producer(model.input(root, 0), "Slice");
    SECATEUR_PATTERN(!inner.isNone() && view.opset(root) >= 10);
    const ValueId data = model.input(inner, 0);
    const auto first = cutOf(view, inner), second = cutOf(view, root);
    SECATEUR_PATTERN(!data.isNone() && first && second);
    const bool isApart = std::none_of(second->axes.begin(), second->axes.end(), [&](std::int64_t axis) {
        return std::find(first->axes.begin(), first->axes.end(), axis) != first->axes.end();
    });
    SECATEUR_GUARD(view, isApart, "rule.merge-slices.miss.axis", root, inner);
    SECATEUR_GUARD(view, view.isReadOnce(model.input(root, 0)), "rule.merge-slices.miss.shared", inner);
    Cut both = *first;
    append(both.starts, second->starts);
    append(both.ends, second->ends);
    append(both.axes, second->axes);
    append(both.steps, second->steps);
    return RuleHit{{root, inner},
                   Reason("rule.merge-slices.why", {root, inner}),
                   std::nullopt,
                   [data, both](RuleEdit& edit) -> Refusal {
                       edit.becomes(
                           edit.node("Slice", {data, edit.constant(both.starts), edit.constant(both.ends),
                                               edit.constant(both.axes), edit.constant(both.steps)}));
                       return kDone;
                   }};
}

} // namespace

const Rule& mergeSlicesRule() {
    static const Rule rule{"merge-slices", RuleGroup::structure, Exactness::exact, {"Slice"}, match};
    return rule;
}

} // namespace secateur
