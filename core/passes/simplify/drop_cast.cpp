// SPDX-License-Identifier: Apache-2.0
// A Cast to the type that its input has.
//   y = Cast<to=float>(x), x is float  =>  y = x
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const ValueId data = model.input(root, 0);
    SECATEUR_PATTERN(!data.isNone());
    const ElementType from = view.element(data);
    SECATEUR_PATTERN(from != ElementType::undefined);
    const bool isLike = model.isOp(root, "CastLike");
    const ElementType to = isLike ? view.element(model.input(root, 1))
                                  : static_cast<ElementType>(model.intAttribute(root, "to", 0));
    SECATEUR_QUIET(view, from == to, "quiet.drop-cast.type");
    return RuleHit{{root},
                   Reason("rule.drop-cast.why", {root, data, elementTypeName(to)}),
                   std::nullopt,
                   [data](RuleEdit& edit) { return edit.readInstead(data); }};
}

} // namespace

const Rule& dropCastRule() {
    static const Rule rule{"drop-cast", RuleGroup::arithmetic, Exactness::exact, {"Cast", "CastLike"}, match};
    return rule;
}

} // namespace secateur
