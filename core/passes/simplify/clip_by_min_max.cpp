// SPDX-License-Identifier: Apache-2.0
// Bounds written as Min and Max are a Clip.
//   y = Min(Max(x, lo), hi)  =>  y = Clip(x, lo, hi)
//   y = Max(Min(x, hi), lo)  =>  y = Clip(x, lo, hi)   where lo <= hi
#include "core/ir/scalar_tensor.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <cmath>

namespace secateur {
namespace {

struct Bounded {
    ValueId data;
    double bound = 0;
};

/// One constant of one number among two operands.
std::optional<Bounded> boundedOf(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    if (model.inputs(node).size() != 2) return std::nullopt;
    for (std::size_t slot = 0; slot < 2; ++slot) {
        const auto bound = view.uniform(model.input(node, slot));
        if (bound) return Bounded{model.input(node, 1 - slot), *bound};
    }
    return std::nullopt;
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const bool isMin = model.op(root) == "Min";
    const auto outer = boundedOf(view, root);
    SECATEUR_PATTERN(outer.has_value());
    const NodeId inner = view.producer(outer->data, isMin ? "Max" : "Min");
    SECATEUR_PATTERN(!inner.isNone());
    const auto bounded = boundedOf(view, inner);
    SECATEUR_PATTERN(bounded && !bounded->data.isNone());
    const double low = isMin ? bounded->bound : outer->bound, high = isMin ? outer->bound : bounded->bound;
    SECATEUR_PATTERN(!std::isnan(low) && !std::isnan(high));
    const ValueId data = bounded->data;
    const ElementType type = view.element(data);
    SECATEUR_PATTERN(view.isFloat(data) && view.opset(root) >= (type == ElementType::float32 ? 11 : 12));
    SECATEUR_GUARD(view, isMin || low <= high, "rule.clip-by-min-max.miss.crossed", low, high);
    SECATEUR_GUARD(view, view.isSameShape(data, model.output(root, 0)), "rule.clip-by-min-max.miss.shape",
                   data, model.output(root, 0));
    SECATEUR_GUARD(view, view.isReadOnce(outer->data), "rule.clip-by-min-max.miss.shared", inner);
    return RuleHit{{root, inner},
                   Reason("rule.clip-by-min-max.why", {root, inner, low, high}),
                   std::nullopt,
                   [data, type, low, high](RuleEdit& edit) -> Refusal {
                       edit.becomes(edit.node("Clip", {data, edit.constant(scalarTensor(type, low)),
                                                       edit.constant(scalarTensor(type, high))}));
                       return kDone;
                   }};
}

} // namespace

const Rule& clipByMinMaxRule() {
    static const Rule rule{"clip-by-min-max", RuleGroup::arithmetic, Exactness::value, {"Min", "Max"}, match};
    return rule;
}

} // namespace secateur
