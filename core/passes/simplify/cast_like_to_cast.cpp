// SPDX-License-Identifier: Apache-2.0
// A CastLike to a type that is known.
//   y = CastLike(x, z), z is float16  =>  y = Cast<to=float16>(x)
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const ValueId data = model.input(root, 0);
    const ElementType to = view.element(model.input(root, 1));
    SECATEUR_PATTERN(!data.isNone() && to != ElementType::undefined);
    AttributeList attributes = model.attributes(root); // saturate
    attributes.push_back(Attribute::of("to", static_cast<std::int64_t>(to)));
    return RuleHit{{root},
                   Reason("rule.cast-like-to-cast.why", {root, elementTypeName(to)}),
                   std::nullopt,
                   [data, attributes](RuleEdit& edit) -> Refusal {
                       edit.becomes(edit.node("Cast", {data}, attributes));
                       return kDone;
                   }};
}

} // namespace

const Rule& castLikeToCastRule() {
    static const Rule rule{"cast-like-to-cast", RuleGroup::arithmetic, Exactness::exact, {"CastLike"}, match};
    return rule;
}

} // namespace secateur
