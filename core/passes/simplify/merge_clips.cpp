// SPDX-License-Identifier: Apache-2.0
// Two Clips in a row are one; a Relu is a Clip to [0, +inf].
//   y = Clip(Clip(x, a, b), c, d)  =>  y = Clip(x, clip(a; c, d), clip(b; c, d))   for a <= b and c <= d
//   y = Relu(Clip(x, a, b))        =>  the same with c = 0
// But for the sign of a zero: max(-0, 0) may be either.
#include "core/ir/scalar_tensor.h"
#include "core/passes/simplify/clip_bounds.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace secateur {
namespace {

NodeId innerClip(const RuleView& view, ValueId value) {
    const NodeId clip = view.producer(value, "Clip");
    return clip.isNone() ? view.producer(value, "Relu") : clip;
}

/// The bound as an input of Clip: left out where it says nothing. An infinity says that infinities pass.
ValueId boundInput(RuleEdit& edit, ElementType type, double bound, double finite) {
    return bound == finite ? ValueId() : edit.constant(scalarTensor(type, bound));
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const NodeId inner = innerClip(view, model.input(root, 0));
    SECATEUR_PATTERN(!inner.isNone());
    SECATEUR_PATTERN(!(model.isOp(root, "Relu") && model.isOp(inner, "Relu")));
    const ValueId data = model.input(inner, 0);
    const auto first = clipBounds(view, inner), second = clipBounds(view, root);
    SECATEUR_PATTERN(!data.isNone() && first && second);
    SECATEUR_PATTERN(!std::isnan(first->low + first->high) && !std::isnan(second->low + second->high));
    SECATEUR_GUARD(view, first->low <= first->high && second->low <= second->high,
                   "rule.merge-clips.miss.crossed", root, inner);
    const ElementType type = view.element(data);
    // Below opset 11 bounds are attributes, and these are floats.
    SECATEUR_PATTERN(view.opset(root) >= 11 || type == ElementType::float32);
    SECATEUR_GUARD(view, view.isReadOnce(model.input(root, 0)), "rule.merge-clips.miss.shared", inner);
    const double low = std::min(std::max(first->low, second->low), second->high);
    const double high = std::min(std::max(first->high, second->low), second->high);
    const bool hasInputs = view.opset(root) >= 11;
    return RuleHit{{root, inner},
                   Reason("rule.merge-clips.why", {root, inner, low, high}),
                   std::nullopt,
                   [data, type, low, high, hasInputs](RuleEdit& edit) -> Refusal {
                       if (!hasInputs) {
                           edit.becomes(edit.node("Clip", {data},
                                                  {Attribute::of("min", static_cast<float>(low)),
                                                   Attribute::of("max", static_cast<float>(high))}));
                           return kDone;
                       }
                       const ClipBounds finite = *finiteBounds(type);
                       std::vector<ValueId> inputs{data, boundInput(edit, type, low, finite.low),
                                                   boundInput(edit, type, high, finite.high)};
                       while (inputs.back().isNone())
                           inputs.pop_back();
                       edit.becomes(edit.node("Clip", inputs));
                       return kDone;
                   }};
}

} // namespace

const Rule& mergeClipsRule() {
    static const Rule rule{"merge-clips", RuleGroup::arithmetic, Exactness::value, {"Clip", "Relu"}, match};
    return rule;
}

} // namespace secateur
