// SPDX-License-Identifier: Apache-2.0
// A Where that always takes one side, or whose condition is turned round.
//   y = Where(true, a, b)     =>  y = a
//   y = Where(Not(c), a, b)   =>  y = Where(c, b, a)
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

MatchResult turned(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const NodeId inverse = view.producer(model.input(root, 0), "Not");
    SECATEUR_PATTERN(!inverse.isNone());
    const ValueId condition = model.input(inverse, 0), yes = model.input(root, 1), no = model.input(root, 2);
    SECATEUR_PATTERN(!condition.isNone());
    return RuleHit{{root, inverse},
                   Reason("rule.pick-branch.why-turned", {root, inverse}),
                   std::nullopt,
                   [root, condition, yes, no](RuleEdit& edit) -> Refusal {
                       edit.editor().setInputs(root, {condition, no, yes});
                       return kDone;
                   }};
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const auto condition = view.uniform(model.input(root, 0));
    if (!condition) return turned(view, root);
    const ValueId taken = model.input(root, *condition != 0 ? 1 : 2);
    SECATEUR_PATTERN(!taken.isNone());
    SECATEUR_GUARD(view, view.isSameShape(taken, model.output(root, 0)), "rule.pick-branch.miss.shape",
                   taken);
    return RuleHit{{root},
                   Reason("rule.pick-branch.why", {root, taken}),
                   std::nullopt,
                   [taken](RuleEdit& edit) { return edit.readInstead(taken); }};
}

} // namespace

const Rule& pickBranchRule() {
    static const Rule rule{"pick-branch", RuleGroup::arithmetic, Exactness::exact, {"Where"}, match};
    return rule;
}

} // namespace secateur
