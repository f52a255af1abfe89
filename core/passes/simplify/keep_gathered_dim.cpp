// SPDX-License-Identifier: Apache-2.0
// One place that is picked out of a dimension, which an Unsqueeze puts back.
//   y = Unsqueeze(Gather<axis=a>(x, 2), a)  =>  y = Gather<axis=a>(x, [2])
#include "core/passes/simplify/axes.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const NodeId gather = view.producer(model.input(root, 0), "Gather");
    SECATEUR_PATTERN(!gather.isNone() && !model.input(gather, 0).isNone());
    const TensorPtr index = view.constant(model.input(gather, 1));
    SECATEUR_PATTERN(index && index->dims.empty());
    const auto axis = axisOf(view, gather, 0);
    const auto rank = view.rank(model.input(gather, 0));
    const auto put = view.integersGiven(root, "axes", 1);
    SECATEUR_PATTERN(axis && rank && put);
    SECATEUR_GUARD(view, sortedAxes(*put, *rank) == std::vector<std::int64_t>{*axis},
                   "rule.keep-gathered-dim.miss.axis", root, gather);
    SECATEUR_GUARD(view, view.isReadOnce(model.input(root, 0)), "rule.keep-gathered-dim.miss.shared", gather);
    return RuleHit{{root, gather},
                   Reason("rule.keep-gathered-dim.why", {root, gather}),
                   std::nullopt,
                   [data = model.input(gather, 0), index, axis = *axis](RuleEdit& edit) -> Refusal {
                       Tensor list = *index;
                       list.dims = {1};
                       const ValueId indices = edit.constant(std::make_shared<const Tensor>(std::move(list)));
                       edit.becomes(edit.node("Gather", {data, indices}, {Attribute::of("axis", axis)}));
                       return kDone;
                   }};
}

} // namespace

const Rule& keepGatheredDimRule() {
    static const Rule rule{"keep-gathered-dim", RuleGroup::structure, Exactness::exact, {"Unsqueeze"}, match};
    return rule;
}

} // namespace secateur
