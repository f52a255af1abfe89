// SPDX-License-Identifier: Apache-2.0
// The place of the largest element is the same before what grows with its input.
//   y = ArgMax(Softmax(x)), ArgMax(Exp(x)), ArgMax(Log(x)), ArgMax(Sqrt(x))  =>  y = ArgMax(x)
// Approximate: elements that saturate become equal, and the first of equal ones counts.
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    NodeId inner;
    for (const std::string_view op : {"Softmax", "LogSoftmax", "Exp", "Log", "Sqrt"}) {
        inner = view.producer(model.input(root, 0), op);
        if (!inner.isNone()) break;
    }
    SECATEUR_PATTERN(!inner.isNone());
    const ValueId data = model.input(inner, 0);
    const auto rank = view.rank(data);
    SECATEUR_PATTERN(!data.isNone() && rank);
    const bool isSoftmax = model.op(inner) == "Softmax" || model.op(inner) == "LogSoftmax";
    const auto axisOf = [&](NodeId node, std::int64_t otherwise) {
        const std::int64_t axis = model.intAttribute(node, "axis", otherwise);
        return axis < 0 ? axis + *rank : axis;
    };
    const std::int64_t scaled = axisOf(inner, view.opset(inner) >= 13 ? -1 : 1), picked = axisOf(root, 0);
    // Below opset 13 the sum goes over all axes from that one on.
    const bool isAlongPick = scaled == picked && (view.opset(inner) >= 13 || scaled == *rank - 1);
    SECATEUR_GUARD(view, !isSoftmax || isAlongPick, "rule.skip-monotone.miss.axis", root, inner);
    return RuleHit{{root, inner},
                   Reason("rule.skip-monotone.why", {root, inner}),
                   std::nullopt,
                   [root, data](RuleEdit& edit) -> Refusal {
                       edit.setInput(root, 0, data);
                       return kDone;
                   }};
}

} // namespace

const Rule& skipMonotoneRule() {
    static const Rule rule{"skip-monotone", RuleGroup::arithmetic, Exactness::approximate, {"ArgMax"}, match};
    return rule;
}

} // namespace secateur
