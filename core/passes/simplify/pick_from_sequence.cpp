// SPDX-License-Identifier: Apache-2.0
// A sequence that is made and taken apart again.
//   y = SequenceAt(SequenceConstruct(a, b, c), 1)              =>  y = b
//   y = SequenceLength(SequenceConstruct(a, b, c))             =>  y = 3
//   y = ConcatFromSequence<axis=d>(SequenceConstruct(a, b, c)) =>  y = Concat<axis=d>(a, b, c)
//   y = OptionalGetElement(Optional(a))                        =>  y = a
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

MatchResult picked(const RuleView& view, NodeId root, NodeId made) {
    const Model& model = view.model();
    const auto index = view.scalar(model.input(root, 1));
    SECATEUR_PATTERN(index.has_value());
    const auto count = static_cast<std::int64_t>(model.inputs(made).size());
    auto at = static_cast<std::int64_t>(*index);
    at += at < 0 ? count : 0;
    SECATEUR_PATTERN(at >= 0 && at < count);
    const ValueId item = model.input(made, static_cast<std::size_t>(at));
    SECATEUR_PATTERN(!item.isNone());
    return RuleHit{{root, made},
                   Reason("rule.pick-from-sequence.why", {root, item}),
                   std::nullopt,
                   [item](RuleEdit& edit) { return edit.readInstead(item); }};
}

MatchResult joined(const RuleView& view, NodeId root, NodeId made) {
    const Model& model = view.model();
    const Attribute* axis = model.attribute(root, "axis");
    SECATEUR_PATTERN(axis != nullptr && std::holds_alternative<std::int64_t>(axis->value));
    SECATEUR_GUARD(view, model.intAttribute(root, "new_axis", 0) == 0,
                   "rule.pick-from-sequence.miss.new-axis", root);
    std::vector<ValueId> items;
    for (const ValueId item : model.inputs(made))
        items.push_back(item);
    SECATEUR_PATTERN(!items.empty());
    return RuleHit{{root, made},
                   Reason("rule.pick-from-sequence.why-joined", {root, made}),
                   std::nullopt,
                   [items, axis = std::get<std::int64_t>(axis->value)](RuleEdit& edit) -> Refusal {
                       edit.becomes(edit.node("Concat", items, {Attribute::of("axis", axis)}));
                       return kDone;
                   }};
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    if (model.op(root) == "OptionalGetElement") {
        const NodeId made = view.producer(model.input(root, 0), "Optional");
        SECATEUR_PATTERN(!made.isNone() && !model.input(made, 0).isNone());
        return RuleHit{{root, made},
                       Reason("rule.pick-from-sequence.why", {root, model.input(made, 0)}),
                       std::nullopt,
                       [item = model.input(made, 0)](RuleEdit& edit) { return edit.readInstead(item); }};
    }
    const NodeId made = view.producer(model.input(root, 0), "SequenceConstruct");
    SECATEUR_PATTERN(!made.isNone());
    if (model.op(root) == "SequenceAt") return picked(view, root, made);
    if (model.op(root) == "ConcatFromSequence") return joined(view, root, made);
    const auto count = static_cast<std::int64_t>(model.inputs(made).size());
    return RuleHit{
        {root, made},
        Reason("rule.pick-from-sequence.why-length", {root, count}),
        std::nullopt,
        [count](RuleEdit& edit) { return edit.readInstead(edit.constant(makeInt64Tensor({}, {count}))); }};
}

} // namespace

const Rule& pickFromSequenceRule() {
    static const Rule rule{"pick-from-sequence",
                           RuleGroup::structure,
                           Exactness::exact,
                           {"SequenceAt", "SequenceLength", "ConcatFromSequence", "OptionalGetElement"},
                           match};
    return rule;
}

} // namespace secateur
