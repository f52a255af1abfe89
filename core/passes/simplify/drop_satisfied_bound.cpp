// SPDX-License-Identifier: Apache-2.0
// A bound that what stands in front keeps already.
//   y = Relu(Sigmoid(x)), Abs(Exp(x)), Clip<0, 1>(Softmax(x))  =>  the inner one
#include "core/passes/simplify/clip_bounds.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <limits>

namespace secateur {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const ValueId data = model.input(root, 0);
    SECATEUR_PATTERN(!data.isNone() && view.isFloat(data));
    const bool isAbs = model.op(root) == "Abs";
    const auto bounds = isAbs ? std::optional(ClipBounds{0, kInfinity}) : clipBounds(view, root);
    SECATEUR_PATTERN(bounds.has_value());
    const ValueRange range = view.range(data);
    SECATEUR_PATTERN(range.low > -kInfinity || range.high < kInfinity);
    SECATEUR_GUARD(view, range.isWithin(bounds->low, bounds->high), "rule.drop-satisfied-bound.miss.range",
                   data, range.low, range.high);
    SECATEUR_GUARD(view, !isAbs || range.low > 0 || !range.mayBeNegativeZero,
                   "rule.drop-satisfied-bound.miss.sign", data);
    return RuleHit{{root},
                   Reason("rule.drop-satisfied-bound.why", {root, data, range.low, range.high}),
                   std::nullopt,
                   [data](RuleEdit& edit) { return edit.readInstead(data); }};
}

} // namespace

const Rule& dropSatisfiedBoundRule() {
    static const Rule rule{
        "drop-satisfied-bound", RuleGroup::arithmetic, Exactness::value, {"Relu", "Abs", "Clip"}, match};
    return rule;
}

} // namespace secateur
