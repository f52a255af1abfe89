// SPDX-License-Identifier: Apache-2.0
// A product with a reciprocal is a division.
//   y = Mul(k, Div(1, x)), Mul(k, Reciprocal(x))  =>  y = Div(k, x)
// Approximate: it rounds once instead of twice. Not for integers, where 1 / x is mostly nought, and not where
// the reciprocal is smaller than the product: one division and many products take less than many divisions.
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

/// What `value` is the reciprocal of.
ValueId reciprocalOf(const RuleView& view, ValueId value) {
    const Model& model = view.model();
    if (const NodeId node = view.producer(value, "Reciprocal"); !node.isNone()) return model.input(node, 0);
    const NodeId node = view.producer(value, "Div");
    if (node.isNone() || view.uniform(model.input(node, 0)) != 1.0) return {};
    return view.isSameShape(model.input(node, 1), value) ? model.input(node, 1) : ValueId();
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    SECATEUR_PATTERN(model.inputs(root).size() == 2);
    for (std::size_t slot = 2; slot-- > 0;) {
        const ValueId reciprocal = model.input(root, slot), factor = model.input(root, 1 - slot);
        const ValueId divisor = reciprocal.isNone() ? ValueId() : reciprocalOf(view, reciprocal);
        if (divisor.isNone() || factor.isNone()) continue;
        const NodeId inner = model.producer(reciprocal);
        SECATEUR_GUARD(view, view.opset(root) >= 7, "rule.merge-reciprocal.miss.opset", root);
        SECATEUR_GUARD(view, view.isFloat(divisor), "rule.merge-reciprocal.miss.integers", inner);
        SECATEUR_GUARD(view, view.isReadOnce(reciprocal), "rule.merge-reciprocal.miss.shared", inner);
        SECATEUR_GUARD(view, view.isSameShape(divisor, model.output(root, 0)),
                       "rule.merge-reciprocal.miss.smaller", inner);
        return RuleHit{{root, inner},
                       Reason("rule.merge-reciprocal.why", {root, inner}),
                       std::nullopt,
                       [factor, divisor](RuleEdit& edit) -> Refusal {
                           edit.becomes(edit.node("Div", {factor, divisor}));
                           return kDone;
                       }};
    }
    return noMatch();
}

} // namespace

const Rule& mergeReciprocalRule() {
    static const Rule rule{"merge-reciprocal", RuleGroup::arithmetic, Exactness::approximate, {"Mul"}, match};
    return rule;
}

} // namespace secateur
