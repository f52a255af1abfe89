// SPDX-License-Identifier: Apache-2.0
// An Expand in front of an operator that broadcasts anyway.
//   y = Add(Expand(x, s), z)  =>  y = Add(x, z)    where y keeps its shape
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>

namespace secateur {
namespace {

/// Do these shapes broadcast to the one that the result has, as far as can be proven?
bool givesShape(const RuleView& view, ValueId source, ValueId other, ValueId result) {
    const Type &a = view.type(source), &b = view.type(other), &r = view.type(result);
    if (!a.hasShape || !b.hasShape || !r.hasShape) return false;
    if (std::max(a.dims.size(), b.dims.size()) != r.dims.size()) return false;
    for (std::size_t i = 0; i < r.dims.size(); ++i) { // from behind
        const Dim want = r.dims[r.dims.size() - 1 - i];
        const Dim one{1, {}};
        const Dim x = i < a.dims.size() ? a.dims[a.dims.size() - 1 - i] : one;
        const Dim y = i < b.dims.size() ? b.dims[b.dims.size() - 1 - i] : one;
        const auto isWanted = [&](const Dim& d) {
            return d.isKnown() ? d.value == want.value : !d.symbol.empty() && d.symbol == want.symbol;
        };
        const bool isGiven = (isWanted(x) && (isWanted(y) || y.value == 1)) || (isWanted(y) && x.value == 1);
        if (!isGiven) return false;
    }
    return true;
}

MatchResult matchSlot(const RuleView& view, NodeId root, std::size_t slot, NodeId expand) {
    const Model& model = view.model();
    const ValueId source = model.input(expand, 0), other = model.input(root, 1 - slot);
    SECATEUR_PATTERN(!source.isNone() && !other.isNone());
    SECATEUR_GUARD(view, givesShape(view, source, other, model.output(root, 0)),
                   "rule.skip-expand.miss.shape", root, source);
    return RuleHit{{root, expand},
                   Reason("rule.skip-expand.why", {root, expand}),
                   // Runtimes compute powers by one exponent otherwise than by many.
                   model.isOp(root, "Pow") ? Exactness::approximate : Exactness::exact,
                   [root, slot, source](RuleEdit& edit) -> Refusal {
                       edit.setInput(root, slot, source);
                       return kDone;
                   }};
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    SECATEUR_PATTERN(model.inputs(root).size() == 2);
    MatchResult missed;
    for (std::size_t slot = 0; slot < 2; ++slot) {
        const NodeId expand = view.producer(model.input(root, slot), "Expand");
        if (expand.isNone()) continue;
        MatchResult result = matchSlot(view, root, slot, expand);
        if (std::holds_alternative<RuleHit>(result)) return result;
        if (std::holds_alternative<Reason>(result)) missed = std::move(result);
    }
    return missed;
}

} // namespace

const Rule& skipExpandRule() {
    static const Rule rule{"skip-expand",
                           RuleGroup::structure,
                           Exactness::approximate,
                           {"Add", "Sub", "Mul", "Div", "Pow", "Equal", "Less", "Greater", "And", "Or"},
                           match};
    return rule;
}

} // namespace secateur
