// SPDX-License-Identifier: Apache-2.0
// A division by a power of two is a product with its reciprocal, to the last bit.
//   y = Div(x, 8)  =>  y = Mul(x, 0.125)
// Not for other divisors, whose reciprocals are rounded, nor where the reciprocal is not a normal number.
#include "core/ir/scalar_tensor.h"
#include "core/passes/simplify/clip_bounds.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <cmath>

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const ValueId data = model.input(root, 0), divisor = model.input(root, 1);
    SECATEUR_PATTERN(!data.isNone() && view.isFloat(data));
    const auto number = view.scalar(divisor);
    SECATEUR_PATTERN(number && *number != 0 && std::isfinite(*number) && *number != 1);
    SECATEUR_PATTERN(view.opset(root) >= 7);
    int exponent = 0;
    const bool isPower = std::abs(std::frexp(*number, &exponent)) == 0.5;
    SECATEUR_GUARD(view, isPower, "rule.multiply-by-reciprocal.miss.power", divisor, *number);
    const double reciprocal = 1 / *number;
    const ElementType type = view.element(data);
    const bool isNormal =
        std::abs(reciprocal) >= smallestNormal(type) && std::abs(reciprocal) <= finiteBounds(type)->high;
    SECATEUR_GUARD(view, isNormal, "rule.multiply-by-reciprocal.miss.normal", divisor, reciprocal);
    const auto shape = view.staticShape(divisor);
    SECATEUR_PATTERN(shape.has_value());
    return RuleHit{{root},
                   Reason("rule.multiply-by-reciprocal.why", {root, *number}),
                   std::nullopt,
                   [data, type, reciprocal, shape = *shape](RuleEdit& edit) -> Refusal {
                       const ValueId factor = edit.constant(scalarTensor(type, reciprocal, shape));
                       edit.becomes(edit.node("Mul", {data, factor}));
                       return kDone;
                   }};
}

} // namespace

const Rule& multiplyByReciprocalRule() {
    static const Rule rule{"multiply-by-reciprocal", RuleGroup::arithmetic, Exactness::exact, {"Div"}, match};
    return rule;
}

} // namespace secateur
