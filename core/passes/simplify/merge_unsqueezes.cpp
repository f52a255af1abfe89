// SPDX-License-Identifier: Apache-2.0
// Two Unsqueeze, or two Squeeze, in a row are one.
//   y = Unsqueeze(Unsqueeze(x, [1]), [0, 2])  =>  y = Unsqueeze(x, [0, 2, 3])
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <set>

namespace secateur {
namespace {

using Integers = std::vector<std::int64_t>;

/// Axes from 0 on, each once and in order; none where they are no axes of `rank`.
std::optional<Integers> normalized(const Integers& axes, std::int64_t rank) {
    std::set<std::int64_t> all;
    for (const std::int64_t axis : axes) {
        const std::int64_t at = axis < 0 ? axis + rank : axis;
        if (at < 0 || at >= rank || !all.insert(at).second) return std::nullopt;
    }
    return Integers(all.begin(), all.end());
}

/// Axes of the result of Unsqueeze after Unsqueeze that are new: `inner` on `rank` dimensions, then `outer`.
Integers unsqueezedTwice(const Integers& inner, const Integers& outer, std::int64_t rank) {
    std::vector<bool> isNew(static_cast<std::size_t>(rank) + inner.size(), false);
    for (const std::int64_t axis : inner)
        isNew[static_cast<std::size_t>(axis)] = true;
    for (const std::int64_t axis : outer) // in rising order: each place is one of the result
        isNew.insert(isNew.begin() + axis, true);
    Integers axes;
    for (std::size_t i = 0; i < isNew.size(); ++i) {
        if (isNew[i]) axes.push_back(static_cast<std::int64_t>(i));
    }
    return axes;
}

/// Axes of the input of Squeeze that go: `inner` first, then `outer` of what is left.
Integers squeezedTwice(const Integers& inner, const Integers& outer, std::int64_t rank) {
    Integers left;
    for (std::int64_t axis = 0; axis < rank; ++axis) {
        if (std::find(inner.begin(), inner.end(), axis) == inner.end()) left.push_back(axis);
    }
    Integers axes = inner;
    for (const std::int64_t axis : outer)
        axes.push_back(left[static_cast<std::size_t>(axis)]);
    std::sort(axes.begin(), axes.end());
    return axes;
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const std::string_view op = model.op(root);
    const NodeId inner = view.producer(model.input(root, 0), op);
    SECATEUR_PATTERN(!inner.isNone());
    const ValueId data = model.input(inner, 0);
    const auto rank = view.rank(data);
    const auto first = view.integersGiven(inner, "axes", 1), second = view.integersGiven(root, "axes", 1);
    SECATEUR_PATTERN(rank && first && second);
    // What a list of no axes means to Squeeze is not the same everywhere.
    SECATEUR_PATTERN(!first->empty() && !second->empty());
    const bool isUnsqueeze = op == "Unsqueeze";
    const auto step = [&](std::size_t count) { return static_cast<std::int64_t>(count); };
    const std::int64_t middle = isUnsqueeze ? *rank + step(first->size()) : *rank - step(first->size());
    const std::int64_t last = isUnsqueeze ? middle + step(second->size()) : middle;
    const auto in = normalized(*first, isUnsqueeze ? middle : *rank), out = normalized(*second, last);
    SECATEUR_PATTERN(in && out);
    const Integers axes = isUnsqueeze ? unsqueezedTwice(*in, *out, *rank) : squeezedTwice(*in, *out, *rank);
    const bool hasInput = view.opset(root) >= 13;
    return RuleHit{{root, inner},
                   Reason("rule.merge-unsqueezes.why", {root, inner}),
                   std::nullopt,
                   [root, data, axes, hasInput, op = std::string(op)](RuleEdit& edit) -> Refusal {
                       const ValueId made = hasInput ? edit.node(op, {data, edit.constant(axes)})
                                                     : edit.node(op, {data}, {Attribute::of("axes", axes)});
                       edit.becomes(made);
                       return kDone;
                   }};
}

} // namespace

const Rule& mergeUnsqueezesRule() {
    static const Rule rule{
        "merge-unsqueezes", RuleGroup::structure, Exactness::exact, {"Unsqueeze", "Squeeze"}, match};
    return rule;
}

} // namespace secateur
