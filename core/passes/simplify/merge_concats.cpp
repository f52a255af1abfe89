// SPDX-License-Identifier: Apache-2.0
// A Concat that feeds another along the same axis.
//   y = Concat(a, Concat(b, c))  =>  y = Concat(a, b, c)
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>

namespace secateur {
namespace {

/// The axis, from 0 on; none where a negative one cannot be counted.
std::optional<std::int64_t> axisOf(const RuleView& view, NodeId node) {
    const Attribute* attribute = view.model().attribute(node, "axis");
    if (attribute == nullptr) return 1; // below opset 4
    const auto* axis = std::get_if<std::int64_t>(&attribute->value);
    if (axis == nullptr) return std::nullopt;
    if (*axis >= 0) return *axis;
    const auto rank = view.rank(view.model().output(node, 0));
    return rank ? std::optional(*axis + *rank) : std::nullopt;
}

/// More operands than this are no longer one list that a runtime likes to walk.
constexpr std::size_t kMostOperands = 4096;

/// Operands that reading past a Concat may repeat.
constexpr std::size_t kMostRepeated = 16;

/// Does nothing but `root` read it, and few times, so that its operands may be repeated there?
bool isReadByRoot(const RuleView& view, ValueId operand, NodeId root, NodeId inner) {
    const Model& model = view.model();
    const std::size_t uses = model.value(operand).useCount;
    if (uses * model.inputs(inner).size() > kMostRepeated) return false;
    return std::all_of(model.uses(operand).begin(), model.uses(operand).end(),
                       [&](Use use) { return use.node == root; });
}

/// The Concat behind an operand that can be read past: along the same axis, and read by nothing else.
NodeId innerConcat(const RuleView& view, ValueId operand, std::int64_t axis, NodeId root) {
    const NodeId node = view.producer(operand, "Concat");
    const bool isAlong =
        !node.isNone() && (axisOf(view, node) == axis || view.isOff("rule.merge-concats.miss.axis"));
    if (!isAlong) return {};
    const bool isAlone = view.isReadOnce(operand) || isReadByRoot(view, operand, root, node) ||
                         view.isOff("rule.merge-concats.miss.shared");
    return isAlone ? node : NodeId();
}

/// The last Concat of a chain takes all of them in at once: does another one read this one?
bool isTakenIn(const RuleView& view, NodeId root, std::int64_t axis) {
    const ValueId result = view.model().output(root, 0);
    if (!view.isReadOnce(result)) return false;
    const NodeId reader = (*view.model().uses(result).begin()).node;
    // One that is full takes no more in.
    if (view.model().inputs(reader).size() + view.model().inputs(root).size() > kMostOperands + 1)
        return false;
    return view.model().isOp(reader, "Concat") && axisOf(view, reader) == axis;
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    std::vector<ValueId> pending;
    for (const ValueId input : model.inputs(root))
        pending.push_back(input);
    const bool readsConcat = std::any_of(pending.begin(), pending.end(), [&](ValueId input) {
        return !view.producer(input, "Concat").isNone();
    });
    const auto axis = axisOf(view, root);
    SECATEUR_PATTERN(readsConcat && axis && !isTakenIn(view, root, *axis));
    const bool isAlong = std::any_of(pending.begin(), pending.end(), [&](ValueId input) {
        const NodeId node = view.producer(input, "Concat");
        return !node.isNone() && axisOf(view, node) == axis;
    });
    SECATEUR_GUARD(view, isAlong, "rule.merge-concats.miss.axis", root);
    std::vector<NodeId> matched{root};
    std::vector<ValueId> operands;
    std::reverse(pending.begin(), pending.end());
    while (!pending.empty() && operands.size() + pending.size() <= kMostOperands) {
        const ValueId operand = pending.back();
        pending.pop_back();
        const NodeId inner = innerConcat(view, operand, *axis, root);
        if (inner.isNone()) {
            operands.push_back(operand);
            continue;
        }
        if (std::find(matched.begin(), matched.end(), inner) == matched.end()) matched.push_back(inner);
        const auto inputs = model.inputs(inner);
        for (std::size_t slot = inputs.size(); slot-- > 0;)
            pending.push_back(inputs[slot]);
    }
    operands.insert(operands.end(), pending.rbegin(), pending.rend());
    SECATEUR_NEAR(matched.size() > 1 || pending.empty(), "rule.merge-concats.near.long", root,
                  static_cast<std::int64_t>(kMostOperands));
    SECATEUR_GUARD(view, matched.size() > 1, "rule.merge-concats.miss.shared", root);
    const NodeId first = matched.size() > 1 ? matched[1] : root;
    return RuleHit{std::move(matched), Reason("rule.merge-concats.why", {root, first}), std::nullopt,
                   [root, operands](RuleEdit& edit) -> Refusal {
                       edit.editor().setInputs(root, operands);
                       return kDone;
                   }};
}

} // namespace

const Rule& mergeConcatsRule() {
    static const Rule rule{"merge-concats", RuleGroup::structure, Exactness::exact, {"Concat"}, match};
    return rule;
}

} // namespace secateur
