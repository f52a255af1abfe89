// SPDX-License-Identifier: Apache-2.0
// A reduction over dimensions of one element.
//   y = ReduceMean(x, a), ReduceMax, ReduceMin, ReduceProd, ReduceSum with every axis of one element  =>  y =
//   x
//   y = ReduceL1(x, a)  =>  y = Abs(x)
// ReduceSum and ReduceMean may turn -0 into +0. ReduceL2, LogSumExp and the like compute something else in
// floating point.
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const ValueId data = model.input(root, 0), result = model.output(root, 0);
    const auto axes = view.integersGiven(root, "axes", 1);
    const Type& type = view.type(data);
    SECATEUR_PATTERN(axes && !axes->empty() && type.hasShape);
    const auto rank = static_cast<std::int64_t>(type.dims.size());
    const bool isEach = std::all_of(axes->begin(), axes->end(), [&](std::int64_t axis) {
        const std::int64_t at = axis < 0 ? axis + rank : axis;
        return at >= 0 && at < rank && type.dims[static_cast<std::size_t>(at)].value == 1;
    });
    SECATEUR_PATTERN(isEach);
    // Without the dimensions it is a Reshape, which is no fewer nodes.
    SECATEUR_GUARD(view, view.isSameShape(data, result), "rule.drop-reduction-of-one.miss.shape", root);
    if (model.op(root) == "ReduceL1") {
        SECATEUR_PATTERN(view.opset(root) >= 6); // Abs of integers
        return RuleHit{{root},
                       Reason("rule.drop-reduction-of-one.why-abs", {root, data}),
                       Exactness::exact,
                       [data](RuleEdit& edit) -> Refusal {
                           edit.becomes(edit.node("Abs", {data}));
                           return kDone;
                       }};
    }
    const bool isSum =
        (model.op(root) == "ReduceSum" || model.op(root) == "ReduceMean") && view.isFloat(data);
    return RuleHit{{root},
                   Reason("rule.drop-reduction-of-one.why", {root, data}),
                   isSum ? Exactness::value : Exactness::exact,
                   [data](RuleEdit& edit) { return edit.readInstead(data); }};
}

} // namespace

const Rule& dropReductionOfOneRule() {
    static const Rule rule{"drop-reduction-of-one",
                           RuleGroup::arithmetic,
                           Exactness::value,
                           {"ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceL1"},
                           match};
    return rule;
}

} // namespace secateur
