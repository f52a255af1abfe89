// SPDX-License-Identifier: Apache-2.0
// An operand that changes nothing: one in a product or quotient, zero in a sum or difference, and the like.
//   y = Mul(x, 1), Div(x, 1), Sub(x, +0), Add(x, -0), Pow(x, 1), And(x, true), Or(x, false), Xor(x, false) =>
//   y = x
//   y = Max(x, lowest), Min(x, highest)  =>  y = x     infinities, or what bounds a type of integers
//   y = Add(x, +0)  =>  y = x     but for the sign of a zero: -0 + 0 is +0
// Zero means zero: a small number is none.
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <cmath>
#include <limits>

namespace secateur {
namespace {

struct Neutral {
    double number;
    bool isCommutative;
};

/// The highest number of a type of integers; none where a double cannot tell it from its neighbours.
std::optional<double> highestInteger(ElementType type) {
    switch (type) {
    case ElementType::int8: return 127;
    case ElementType::uint8: return 255;
    case ElementType::int16: return 32767;
    case ElementType::uint16: return 65535;
    case ElementType::int32: return 2147483647;
    case ElementType::uint32: return 4294967295;
    default: return std::nullopt;
    }
}

bool isUnsigned(ElementType type) {
    return type == ElementType::uint8 || type == ElementType::uint16 || type == ElementType::uint32;
}

/// What Max (`isMax`) or Min leaves alone. NaN stays NaN beside an infinity.
std::optional<Neutral> neutralBound(bool isMax, bool isFloat, ElementType type) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (isFloat) return Neutral{isMax ? -kInfinity : kInfinity, true};
    const auto highest = highestInteger(type);
    if (!highest) return std::nullopt;
    if (!isMax) return Neutral{*highest, true};
    return Neutral{isUnsigned(type) ? 0 : -*highest - 1, true};
}

std::optional<Neutral> neutralOf(const RuleView& view, NodeId root) {
    const std::string_view op = view.model().op(root);
    const ValueId result = view.model().output(root, 0);
    if (op == "Max" || op == "Min")
        return neutralBound(op == "Max", view.isFloat(result), view.element(result));
    if (op == "Mul") return Neutral{1, true};
    if (op == "Div") return Neutral{1, false};
    if (op == "Pow") return Neutral{1, false};
    if (op == "Add") return Neutral{0, true};
    if (op == "Sub") return Neutral{0, false};
    if (op == "And") return Neutral{1, true};
    if (op == "Or" || op == "Xor") return Neutral{0, true};
    return std::nullopt;
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const std::string_view op = model.op(root);
    const auto neutral = neutralOf(view, root);
    SECATEUR_PATTERN(neutral && model.inputs(root).size() == 2);
    for (std::size_t slot = 2; slot-- > (neutral->isCommutative ? 0U : 1U);) {
        const ValueId operand = model.input(root, slot), data = model.input(root, 1 - slot);
        const auto number = view.uniform(operand);
        if (!number || *number != neutral->number || data.isNone()) continue;
        const ValueId result = model.output(root, 0);
        const bool isZero = *number == 0 && (op == "Add" || op == "Sub");
        const bool isSignKept = !isZero || !view.isFloat(data) || (op == "Add") == std::signbit(*number);
        SECATEUR_GUARD(view, view.isSameShape(data, result), "rule.drop-neutral-operand.miss.shape", data,
                       operand);
        // The old broadcast, with its axis, is another operation.
        SECATEUR_GUARD(view, view.opset(root) >= 7, "rule.drop-neutral-operand.miss.opset", root);
        return RuleHit{
            {root},
            Reason(isSignKept ? "rule.drop-neutral-operand.why" : "rule.drop-neutral-operand.why-sign",
                   {root, operand, data}),
            isSignKept ? Exactness::exact : Exactness::value,
            [data](RuleEdit& edit) { return edit.readInstead(data); }};
    }
    return noMatch();
}

} // namespace

const Rule& dropNeutralOperandRule() {
    static const Rule rule{"drop-neutral-operand",
                           RuleGroup::arithmetic,
                           Exactness::value,
                           {"Mul", "Div", "Pow", "Add", "Sub", "And", "Or", "Xor", "Max", "Min"},
                           match};
    return rule;
}

} // namespace secateur
