// SPDX-License-Identifier: Apache-2.0
// Two casts where the inner one loses nothing.
//   y = Cast<to=c>(Cast<to=b>(x)), every number of x's type is one of b  =>  y = Cast<to=c>(x)
// Not from floating point to an integer by way of another type, which saturates elsewhere, and not into a
// narrow floating point type, which could round twice.
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

struct Kind {
    bool isFloat = false, isSigned = false;
    int bits = 0;     ///< of an integer
    int mantissa = 0; ///< of a floating point number, the hidden bit included
    int exponent = 0;
};

std::optional<Kind> kindOf(ElementType type) {
    switch (type) {
    case ElementType::boolean: return Kind{false, false, 1, 0, 0};
    case ElementType::uint8: return Kind{false, false, 8, 0, 0};
    case ElementType::uint16: return Kind{false, false, 16, 0, 0};
    case ElementType::uint32: return Kind{false, false, 32, 0, 0};
    case ElementType::uint64: return Kind{false, false, 64, 0, 0};
    case ElementType::int8: return Kind{false, true, 8, 0, 0};
    case ElementType::int16: return Kind{false, true, 16, 0, 0};
    case ElementType::int32: return Kind{false, true, 32, 0, 0};
    case ElementType::int64: return Kind{false, true, 64, 0, 0};
    case ElementType::float16: return Kind{true, true, 0, 11, 5};
    case ElementType::bfloat16: return Kind{true, true, 0, 8, 8};
    case ElementType::float32: return Kind{true, true, 0, 24, 8};
    case ElementType::float64: return Kind{true, true, 0, 53, 11};
    default: return std::nullopt;
    }
}

/// Is every number of `a` a number of `b`?
bool isContained(const Kind& a, const Kind& b) {
    if (a.isFloat) return b.isFloat && a.mantissa <= b.mantissa && a.exponent <= b.exponent;
    const int magnitude = a.isSigned ? a.bits - 1 : a.bits;
    if (b.isFloat) return magnitude <= b.mantissa && magnitude < (1 << (b.exponent - 1));
    if (a.isSigned && !b.isSigned) return false;
    return magnitude <= (b.isSigned ? b.bits - 1 : b.bits);
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const NodeId inner = view.producer(model.input(root, 0), "Cast");
    SECATEUR_PATTERN(!inner.isNone());
    const ValueId data = model.input(inner, 0);
    SECATEUR_PATTERN(!data.isNone());
    const ElementType source = view.element(data), middle = view.element(model.input(root, 0));
    const auto target = static_cast<ElementType>(model.intAttribute(root, "to", 0));
    const auto from = kindOf(source), by = kindOf(middle), to = kindOf(target);
    SECATEUR_PATTERN(from && by && to);
    SECATEUR_GUARD(view, isContained(*from, *by), "rule.merge-casts.miss.loses", inner,
                   elementTypeName(source), elementTypeName(middle));
    // Rounding twice gives another number than rounding once, and a float beyond an integer type saturates
    // or wraps by the runtime's taste.
    const bool isNarrowed = to->isFloat && !from->isFloat && to->mantissa < by->mantissa && by->isFloat;
    SECATEUR_GUARD(view, !isNarrowed, "rule.merge-casts.miss.twice", inner, elementTypeName(target));
    const bool isCut = (from->isFloat || by->isFloat) && !to->isFloat && target != ElementType::boolean;
    SECATEUR_GUARD(view, !isCut || isContained(*from, *to), "rule.merge-casts.miss.saturates", root,
                   elementTypeName(source), elementTypeName(target));
    return RuleHit{{root, inner},
                   Reason("rule.merge-casts.why", {root, inner, elementTypeName(middle)}),
                   std::nullopt,
                   [root, data](RuleEdit& edit) -> Refusal {
                       edit.setInput(root, 0, data);
                       return kDone;
                   }};
}

} // namespace

const Rule& mergeCastsRule() {
    static const Rule rule{"merge-casts", RuleGroup::arithmetic, Exactness::exact, {"Cast"}, match};
    return rule;
}

} // namespace secateur
