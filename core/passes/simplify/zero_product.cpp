// SPDX-License-Identifier: Apache-2.0
// A product of integers with nought is nought, and so is a difference of a thing and itself.
//   y = Mul(x, 0), Sub(x, x)  =>  y = 0    for integers
// Not for floating point, where x may be NaN or infinite.
#include "core/ir/scalar_tensor.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const ValueId a = model.input(root, 0), b = model.input(root, 1), result = model.output(root, 0);
    SECATEUR_PATTERN(!a.isNone() && !b.isNone());
    const bool isZero = model.op(root) == "Sub" ? a == b : view.uniform(a) == 0.0 || view.uniform(b) == 0.0;
    SECATEUR_PATTERN(isZero);
    SECATEUR_GUARD(view, view.isInteger(result), "rule.zero-product.miss.float", root);
    const ElementType type = view.element(result);
    const auto shape = view.staticShape(result);
    const TensorPtr zero = scalarTensor(type, 0);
    SECATEUR_PATTERN(shape && zero);
    const auto bytes = view.type(result).bytes();
    SECATEUR_NEAR(bytes && *bytes <= view.limits().bytesLeft, "rule.zero-product.near.size", root);
    return RuleHit{{root},
                   Reason("rule.zero-product.why", {root}),
                   std::nullopt,
                   [shape = *shape, type, bytes](RuleEdit& edit) -> Refusal {
                       const std::vector<std::byte> raw(static_cast<std::size_t>(bytes.value_or(0)));
                       return edit.readInstead(edit.constant(makeTensor(type, shape, raw)));
                   }};
}

} // namespace

const Rule& zeroProductRule() {
    static const Rule rule{"zero-product", RuleGroup::arithmetic, Exactness::exact, {"Mul", "Sub"}, match};
    return rule;
}

} // namespace secateur
