// SPDX-License-Identifier: Apache-2.0
// Operators over several operands that have one.
//   y = Concat(x), Sum(x), Max(x), Min(x), Mean(x)  =>  y = x
//   y = Concat(x, e)  with e empty along the axis    =>  y = Concat(x)
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

/// Operands that a Concat needs: those that are not provably empty along its axis.
std::vector<ValueId> filledOperands(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const auto inputs = model.inputs(root);
    std::vector<ValueId> all(inputs.begin(), inputs.end());
    const auto rank = view.rank(model.output(root, 0));
    if (!model.isOp(root, "Concat") || !rank || *rank == 0) return all;
    std::int64_t axis = model.intAttribute(root, "axis", 0);
    if (axis < 0) axis += *rank;
    if (axis < 0 || axis >= *rank) return all;
    std::vector<ValueId> filled;
    for (const ValueId input : all) {
        const Type& type = view.type(input);
        const bool hasDims = type.hasShape && type.dims.size() == static_cast<std::size_t>(*rank);
        const bool isEmpty = hasDims && type.dims[static_cast<std::size_t>(axis)].value == 0;
        if (!isEmpty) filled.push_back(input);
    }
    return filled.empty() ? all : filled;
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const std::size_t count = model.inputs(root).size();
    const std::vector<ValueId> filled = filledOperands(view, root);
    SECATEUR_PATTERN(!filled.empty() && !filled.front().isNone());
    SECATEUR_PATTERN(filled.size() == 1 || filled.size() < count);
    // An empty operand can still say the other dimensions, or broadcast: only the type of the result tells.
    if (filled.size() > 1) {
        return RuleHit{{root},
                       Reason("rule.drop-single-operand.why-empty",
                              {root, static_cast<std::int64_t>(count - filled.size())}),
                       std::nullopt,
                       [root, filled](RuleEdit& edit) -> Refusal {
                           edit.editor().setInputs(root, filled);
                           return kDone;
                       }};
    }
    SECATEUR_GUARD(view, count == 1 || view.isSameShape(filled.front(), model.output(root, 0)),
                   "rule.drop-single-operand.miss.shape", filled.front());
    return RuleHit{{root},
                   Reason("rule.drop-single-operand.why", {root, filled.front()}),
                   std::nullopt,
                   [data = filled.front()](RuleEdit& edit) { return edit.readInstead(data); }};
}

} // namespace

const Rule& dropSingleOperandRule() {
    static const Rule rule{"drop-single-operand",
                           RuleGroup::structure,
                           Exactness::exact,
                           {"Concat", "Sum", "Max", "Min", "Mean"},
                           match};
    return rule;
}

} // namespace secateur
