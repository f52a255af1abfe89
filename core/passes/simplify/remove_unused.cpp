// SPDX-License-Identifier: Apache-2.0
// A node none of whose results anybody reads goes, whatever it computes; an operator whose running is the
// point (accumulators, sends) stays.
//   y = Op(x)   with no reader of y  =>  nothing
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const auto results = model.outputs(root);
    const bool isUnread = std::none_of(results.begin(), results.end(), [&](ValueId result) {
        return !result.isNone() && (model.hasUses(result) || view.isHeldByName(result));
    });
    SECATEUR_PATTERN(isUnread);
    SECATEUR_GUARD(view, !view.hasEffect(root), "rule.remove-unused.miss.effect", root);
    return RuleHit{
        {root}, Reason("rule.remove-unused.why", {root}), std::nullopt, [root](RuleEdit& edit) -> Refusal {
            edit.editor().eraseNode(root);
            return kDone;
        }};
}

} // namespace

const Rule& removeUnusedRule() {
    static const Rule rule{"remove-unused", RuleGroup::structure, Exactness::exact, {}, match};
    return rule;
}

} // namespace secateur
