// SPDX-License-Identifier: Apache-2.0
// Operators that a second time change nothing, or take the first time back.
//   y = Relu(Relu(x)), Abs(Abs(x)), Ceil, Floor, Round, Sign  =>  the inner one
//   y = Not(Not(x)), Neg(Neg(x))                              =>  x
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const std::string_view op = model.op(root);
    const ValueId middle = model.input(root, 0);
    const NodeId inner = view.producer(middle, op);
    SECATEUR_PATTERN(!inner.isNone());
    const bool isInverse = op == "Not" || op == "Neg";
    const ValueId now = isInverse ? model.input(inner, 0) : middle;
    SECATEUR_PATTERN(!now.isNone());
    return RuleHit{
        {root},
        Reason(isInverse ? "rule.drop-repeated.why-inverse" : "rule.drop-repeated.why", {root, inner}),
        std::nullopt,
        [now](RuleEdit& edit) { return edit.readInstead(now); }};
}

} // namespace

const Rule& dropRepeatedRule() {
    static const Rule rule{"drop-repeated",
                           RuleGroup::arithmetic,
                           Exactness::exact,
                           {"Relu", "Abs", "Ceil", "Floor", "Round", "Sign", "Not", "Neg"},
                           match};
    return rule;
}

} // namespace secateur
