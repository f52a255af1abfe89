// SPDX-License-Identifier: Apache-2.0
// Two pads in a row with the same constant are one.
//   y = Pad(Pad(x, p), q)  =>  y = Pad(x, p + q)
#include "core/passes/simplify/pads.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace secateur {
namespace {

using Integers = std::vector<std::int64_t>;

/// What is put in: the same value, or constants of the same bits. None given is zero.
bool isSameFilling(const RuleView& view, NodeId a, NodeId b) {
    const ValueId x = view.model().input(a, 2), y = view.model().input(b, 2);
    if (x == y) return true;
    if (x.isNone() || y.isNone()) {
        const auto number = view.uniform(x.isNone() ? y : x);
        return number && *number == 0 && !std::signbit(*number);
    }
    const TensorPtr left = view.constant(x), right = view.constant(y);
    if (!left || !right || left->type != right->type) return false;
    const auto one = rawBytes(*left), other = rawBytes(*right);
    return one && other && one->size == other->size && std::memcmp(one->data, other->data, one->size) == 0;
}

bool isGrowing(const Integers& amounts) {
    return std::all_of(amounts.begin(), amounts.end(), [](std::int64_t n) { return n >= 0; });
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const NodeId inner = view.producer(model.input(root, 0), "Pad");
    SECATEUR_PATTERN(!inner.isNone() && view.opset(root) >= 11 && !model.input(inner, 0).isNone());
    const auto first = padAmounts(view, inner), second = padAmounts(view, root);
    SECATEUR_PATTERN(first && second && first->size() == second->size());
    SECATEUR_GUARD(view, padsWithConstant(model, root) && padsWithConstant(model, inner),
                   "rule.merge-pads.miss.mode", root, inner);
    SECATEUR_GUARD(view, isSameFilling(view, root, inner), "rule.merge-pads.miss.value", root, inner);
    SECATEUR_GUARD(view, isGrowing(*first) && isGrowing(*second), "rule.merge-pads.miss.crop", root, inner);
    SECATEUR_GUARD(view, view.isReadOnce(model.input(root, 0)), "rule.merge-pads.miss.shared", inner);
    Integers both = *first;
    for (std::size_t i = 0; i < both.size(); ++i) {
        SECATEUR_PATTERN(!__builtin_add_overflow(both[i], (*second)[i], &both[i]));
    }
    return RuleHit{
        {root, inner},
        Reason("rule.merge-pads.why", {root, inner}),
        std::nullopt,
        [data = model.input(inner, 0), filling = model.input(inner, 2), both](RuleEdit& edit) -> Refusal {
            std::vector<ValueId> inputs{data, edit.constant(both)};
            if (!filling.isNone()) inputs.push_back(filling);
            edit.becomes(edit.node("Pad", inputs, {Attribute::of("mode", std::string("constant"))}));
            return kDone;
        }};
}

} // namespace

const Rule& mergePadsRule() {
    static const Rule rule{"merge-pads", RuleGroup::structure, Exactness::exact, {"Pad"}, match};
    return rule;
}

} // namespace secateur
