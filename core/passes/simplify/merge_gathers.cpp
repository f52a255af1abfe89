// SPDX-License-Identifier: Apache-2.0
// Places that are picked out of one tensor and laid side by side.
//   y = Concat(a, Gather(x, [2]), Gather(x, [3]))  =>  y = Concat(a, Gather(x, [2, 3]))
#include "core/passes/simplify/axes.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

using Integers = std::vector<std::int64_t>;

/// What an operand picks.
struct Pick {
    NodeId gather; ///< none: it is no such Gather
    ValueId data;
    Integers indices;
};

Pick pickOf(const RuleView& view, ValueId operand) {
    const Model& model = view.model();
    const NodeId gather = view.producer(operand, "Gather");
    if (gather.isNone()) return {};
    const TensorPtr indices = view.constant(model.input(gather, 1));
    const auto numbers = view.integers(model.input(gather, 1));
    if (!indices || indices->dims.size() != 1 || !numbers) return {};
    return {gather, model.input(gather, 0), *numbers};
}

/// The first two or more operands in a row that pick from the same tensor.
struct Run {
    std::size_t begin = 0, end = 0;
};

Run findRun(const std::vector<Pick>& picks) {
    for (std::size_t begin = 0; begin < picks.size(); ++begin) {
        std::size_t end = begin;
        while (end < picks.size() && !picks[end].gather.isNone() && picks[end].data == picks[begin].data)
            ++end;
        if (end - begin > 1) return {begin, end};
    }
    return {};
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    std::vector<Pick> picks;
    for (const ValueId operand : model.inputs(root))
        picks.push_back(pickOf(view, operand));
    const Run run = findRun(picks);
    SECATEUR_PATTERN(run.end > run.begin);
    const auto axis = axisOf(view, root, 1);
    SECATEUR_PATTERN(axis.has_value());
    std::vector<NodeId> matched{root};
    Integers indices;
    for (std::size_t i = run.begin; i < run.end; ++i) {
        const NodeId gather = picks[i].gather;
        SECATEUR_GUARD(view, axisOf(view, gather, 0) == axis, "rule.merge-gathers.miss.axis", root, gather);
        SECATEUR_GUARD(view, view.isReadOnce(model.output(gather, 0)), "rule.merge-gathers.miss.shared",
                       gather);
        matched.push_back(gather);
        indices.insert(indices.end(), picks[i].indices.begin(), picks[i].indices.end());
    }
    return RuleHit{
        std::move(matched), Reason("rule.merge-gathers.why", {root, picks[run.begin].data}), std::nullopt,
        [root, run, data = picks[run.begin].data, indices, axis = *axis](RuleEdit& edit) -> Refusal {
            std::vector<ValueId> operands;
            for (const ValueId operand : edit.model().inputs(root))
                operands.push_back(operand);
            const auto at = operands.begin() + static_cast<std::ptrdiff_t>(run.begin);
            *at = edit.node("Gather", {data, edit.constant(indices)}, {Attribute::of("axis", axis)});
            operands.erase(at + 1, operands.begin() + static_cast<std::ptrdiff_t>(run.end));
            edit.editor().setInputs(root, operands);
            return kDone;
        }};
}

} // namespace

const Rule& mergeGathersRule() {
    static const Rule rule{"merge-gathers", RuleGroup::structure, Exactness::exact, {"Concat"}, match};
    return rule;
}

} // namespace secateur
