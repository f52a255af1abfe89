// SPDX-License-Identifier: Apache-2.0
// Two pads in a row with the same constant are one.
//   y = Pad(Pad(x, p), q)  =>  y = Pad(x, p + q)
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>

namespace secateur {
namespace {

using Integers = std::vector<std::int64_t>;

bool isConstantMode(const Model& model, NodeId pad) {
    const Attribute* mode = model.attribute(pad, "mode");
    if (mode == nullptr) return true;
    const auto* name = std::get_if<std::string>(&mode->value);
    return name != nullptr && *name == "constant";
}

/// How far each side of each dimension is padded: all beginnings, then all ends.
std::optional<Integers> amountsOf(const RuleView& view, NodeId pad) {
    const Model& model = view.model();
    const auto rank = view.rank(model.input(pad, 0));
    const auto given = view.integers(model.input(pad, 1));
    if (!rank || !given) return std::nullopt;
    const auto count = static_cast<std::size_t>(*rank);
    Integers axes(count);
    std::iota(axes.begin(), axes.end(), 0);
    if (!model.input(pad, 3).isNone()) {
        const auto named = view.integers(model.input(pad, 3));
        if (!named) return std::nullopt;
        axes = *named;
    }
    if (given->size() != 2 * axes.size()) return std::nullopt;
    Integers amounts(2 * count, 0);
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t axis = axes[i] < 0 ? axes[i] + *rank : axes[i];
        if (axis < 0 || axis >= *rank) return std::nullopt;
        if (std::count(axes.begin(), axes.end(), axes[i]) > 1) return std::nullopt;
        amounts[static_cast<std::size_t>(axis)] = (*given)[i];
        amounts[static_cast<std::size_t>(axis) + count] = (*given)[i + axes.size()];
    }
    return amounts;
}

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
    const auto first = amountsOf(view, inner), second = amountsOf(view, root);
    SECATEUR_PATTERN(first && second && first->size() == second->size());
    SECATEUR_GUARD(view, isConstantMode(model, root) && isConstantMode(model, inner),
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
