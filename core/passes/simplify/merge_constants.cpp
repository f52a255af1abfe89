// SPDX-License-Identifier: Apache-2.0
// Constants of two sums, or of two products, in a row become one.
//   y = Add(Add(x, a), b)  =>  y = Add(x, a + b)
//   y = Mul(Mul(x, a), b)  =>  y = Mul(x, a * b)
// Exact for integers, which wrap around; approximate for floating point, which rounds after each step.
#include "core/passes/simplify/clip_bounds.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

/// Beside a larger summand a number of float32 loses more than a tolerance covers.
constexpr double kSwallowing = 1e4;
constexpr std::size_t kMostNumbers = std::size_t{1} << 24U;

struct Split {
    ValueId data, constant;
};

std::optional<Split> splitOf(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    if (model.inputs(node).size() != 2) return std::nullopt;
    for (std::size_t slot = 2; slot-- > 0;) {
        const ValueId constant = model.input(node, slot), data = model.input(node, 1 - slot);
        if (view.constant(constant) && !data.isNone() && !view.constant(data)) return Split{data, constant};
    }
    return std::nullopt;
}

/// Does the type have, as normal numbers, what the constants become? A constant that overflows or vanishes
/// makes of a number nought, infinity or NaN, which no tolerance covers.
bool isRepresentable(const RuleView& view, ValueId one, ValueId two, bool isSum) {
    const ElementType type = view.element(one);
    const auto bounds = finiteBounds(type);
    const TensorPtr first = view.constant(one), second = view.constant(two);
    const auto a = asDoubles(*first, kMostNumbers), b = asDoubles(*second, kMostNumbers);
    if (!bounds || !a || !b || a->empty() || b->empty()) return false;
    if (a->size() != b->size() && a->size() != 1 && b->size() != 1) return true; // another guard's
    for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i) {
        const double x = (*a)[a->size() == 1 ? 0 : i], y = (*b)[b->size() == 1 ? 0 : i];
        const double made = isSum ? x + y : x * y;
        if (!(made >= bounds->low && made <= bounds->high)) return false;
        const bool isVanishing = !isSum && x != 0 && y != 0 && std::abs(made) < smallestNormal(type);
        // What large summands swallowed on the way would come back.
        const double larger = std::max(std::abs(x), std::abs(y));
        const bool isCancelled = isSum && larger > kSwallowing && std::abs(made) < larger / 2;
        if (isVanishing || isCancelled) return false;
    }
    return true;
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const std::string op(model.op(root));
    const auto outer = splitOf(view, root);
    SECATEUR_PATTERN(outer.has_value());
    const NodeId inner = view.producer(outer->data, op);
    SECATEUR_PATTERN(!inner.isNone());
    const auto first = splitOf(view, inner);
    SECATEUR_PATTERN(first.has_value());
    SECATEUR_GUARD(view, view.opset(root) >= 7, "rule.merge-constants.miss.opset", root);
    SECATEUR_GUARD(view, view.isReadOnce(outer->data), "rule.merge-constants.miss.shared", inner);
    const bool isInteger = view.isInteger(first->data);
    SECATEUR_PATTERN(isInteger || view.isFloat(first->data));
    // The two constants must not make a larger one than both are.
    const auto a = view.staticShape(first->constant), b = view.staticShape(outer->constant);
    SECATEUR_PATTERN(a && b);
    const bool isOne = view.scalar(first->constant).has_value() || view.scalar(outer->constant).has_value();
    SECATEUR_GUARD(view, isOne || *a == *b, "rule.merge-constants.miss.grows", first->constant,
                   outer->constant);
    SECATEUR_GUARD(view, isInteger || isRepresentable(view, first->constant, outer->constant, op == "Add"),
                   "rule.merge-constants.miss.range", root, inner);
    return RuleHit{
        {root, inner},
        Reason("rule.merge-constants.why", {root, inner}),
        isInteger ? Exactness::exact : Exactness::approximate,
        [data = first->data, one = first->constant, two = outer->constant, op](RuleEdit& edit) -> Refusal {
            edit.becomes(edit.node(op, {data, edit.node(op, {one, two})}));
            return kDone;
        }};
}

} // namespace

const Rule& mergeConstantsRule() {
    static const Rule rule{
        "merge-constants", RuleGroup::arithmetic, Exactness::approximate, {"Add", "Mul"}, match};
    return rule;
}

} // namespace secateur
