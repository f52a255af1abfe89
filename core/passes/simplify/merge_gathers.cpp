// SPDX-License-Identifier: Apache-2.0
// Places that are picked out of one tensor and laid side by side.
//   y = Concat(a, Gather(x, [2]), Gather(x, [3]))  =>  y = Concat(a, Gather(x, [2, 3]))
#include "core/passes/simplify/axes.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <optional>

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

/// Operands in a row that pick from the same tensor: places [begin, end).
struct Run {
    std::size_t begin = 0, end = 0;
};

/// Runs of two or more Gathers along `axis` that nothing else reads. What keeps a longer one from being, and
/// where, goes to `why`.
std::vector<Run> findRuns(const RuleView& view, NodeId root, const std::vector<Pick>& picks,
                          std::int64_t axis, std::optional<Reason>& why) {
    const Model& model = view.model();
    const auto isRefused = [&](NodeId gather) {
        const bool isAlong = axisOf(view, gather, 0) == axis || view.isOff("rule.merge-gathers.miss.axis");
        const bool isAlone =
            view.isReadOnce(model.output(gather, 0)) || view.isOff("rule.merge-gathers.miss.shared");
        if (!isAlong) why = Reason("rule.merge-gathers.miss.axis", {root, gather});
        if (isAlong && !isAlone) why = Reason("rule.merge-gathers.miss.shared", {gather});
        return !isAlong || !isAlone;
    };
    std::vector<Run> runs;
    for (std::size_t begin = 0; begin < picks.size();) {
        std::size_t end = begin + 1;
        if (!picks[begin].gather.isNone()) {
            while (end < picks.size() && !picks[end].gather.isNone() && picks[end].data == picks[begin].data)
                ++end;
        }
        // Those that have to stay cut it.
        for (std::size_t at = begin; end - begin > 1 && at < end;) {
            std::size_t last = at;
            while (last < end && !isRefused(picks[last].gather))
                ++last;
            if (last - at > 1) runs.push_back({at, last});
            at = last + 1;
        }
        begin = end;
    }
    return runs;
}

/// The operands of `root` with one Gather for each run.
Refusal merge(RuleEdit& edit, NodeId root, const std::vector<Pick>& picks, const std::vector<Run>& runs,
              std::int64_t axis) {
    const InputRange old = edit.model().inputs(root);
    const std::vector<ValueId> before(old.begin(), old.end());
    std::vector<ValueId> operands;
    std::size_t at = 0;
    for (const Run& run : runs) {
        operands.insert(operands.end(), before.begin() + static_cast<std::ptrdiff_t>(at),
                        before.begin() + static_cast<std::ptrdiff_t>(run.begin));
        Integers indices;
        for (std::size_t i = run.begin; i < run.end; ++i)
            indices.insert(indices.end(), picks[i].indices.begin(), picks[i].indices.end());
        operands.push_back(edit.node("Gather", {picks[run.begin].data, edit.constant(indices)},
                                     {Attribute::of("axis", axis)}));
        at = run.end;
    }
    operands.insert(operands.end(), before.begin() + static_cast<std::ptrdiff_t>(at), before.end());
    edit.editor().setInputs(root, operands);
    return kDone;
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    std::vector<Pick> picks;
    for (const ValueId operand : model.inputs(root))
        picks.push_back(pickOf(view, operand));
    const auto axis = axisOf(view, root, 1);
    SECATEUR_PATTERN(axis.has_value());
    std::optional<Reason> why;
    const std::vector<Run> runs = findRuns(view, root, picks, *axis, why);
    if (runs.empty()) return why ? MatchResult(std::move(*why)) : noMatch();
    std::vector<NodeId> matched{root};
    for (const Run& run : runs) {
        for (std::size_t i = run.begin; i < run.end; ++i)
            matched.push_back(picks[i].gather);
    }
    return RuleHit{
        std::move(matched), Reason("rule.merge-gathers.why", {root, picks[runs.front().begin].data}),
        std::nullopt,
        [root, picks, runs, axis = *axis](RuleEdit& edit) { return merge(edit, root, picks, runs, axis); }};
}

} // namespace

const Rule& mergeGathersRule() {
    static const Rule rule{"merge-gathers", RuleGroup::structure, Exactness::exact, {"Concat"}, match};
    return rule;
}

} // namespace secateur
