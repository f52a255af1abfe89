// SPDX-License-Identifier: Apache-2.0
// Two transposes in a row are one, or none.
//   y = Transpose<q>(Transpose<p>(x))  =>  y = Transpose<p[q]>(x)
#include "core/passes/simplify/axes.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const NodeId inner = view.producer(model.input(root, 0), "Transpose");
    SECATEUR_PATTERN(!inner.isNone());
    const ValueId data = model.input(inner, 0);
    const auto first = orderOf(view, inner), second = orderOf(view, root);
    SECATEUR_PATTERN(first && second && first->size() == second->size());
    std::vector<std::int64_t> both;
    for (const std::int64_t axis : *second)
        both.push_back((*first)[static_cast<std::size_t>(axis)]);
    const bool isIdentity = std::is_sorted(both.begin(), both.end());
    return RuleHit{
        {root, inner},
        Reason(isIdentity ? "rule.merge-transposes.why-inverse" : "rule.merge-transposes.why", {root, inner}),
        std::nullopt,
        [data, both, isIdentity](RuleEdit& edit) -> Refusal {
            if (isIdentity) return edit.readInstead(data);
            edit.becomes(edit.node("Transpose", {data}, {Attribute::of("perm", both)}));
            return kDone;
        }};
}

} // namespace

const Rule& mergeTransposesRule() {
    static const Rule rule{"merge-transposes", RuleGroup::structure, Exactness::exact, {"Transpose"}, match};
    return rule;
}

} // namespace secateur
