// SPDX-License-Identifier: Apache-2.0
// A reduction that drops its axes, and an Unsqueeze that puts them back.
//   y = Unsqueeze(ReduceMean<keepdims=0>(x, a), a)  =>  y = ReduceMean<keepdims=1>(x, a)
#include "core/passes/simplify/axes.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <array>

namespace secateur {
namespace {

constexpr std::array<std::string_view, 12> kReductions{
    "ReduceMean", "ReduceSum",    "ReduceMax",       "ReduceMin",       "ReduceProd", "ReduceL1",
    "ReduceL2",   "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare", "ArgMax",     "ArgMin"};

std::optional<std::vector<std::int64_t>> axesOf(const RuleView& view, NodeId node) {
    const std::string_view op = view.model().op(node);
    if (op == "ArgMax" || op == "ArgMin") return std::vector{view.model().intAttribute(node, "axis", 0)};
    return view.integersGiven(node, "axes", 1);
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    NodeId inner;
    for (const std::string_view op : kReductions) {
        inner = view.producer(model.input(root, 0), op);
        if (!inner.isNone()) break;
    }
    SECATEUR_PATTERN(!inner.isNone() && model.intAttribute(inner, "keepdims", 1) == 0);
    const auto rank = view.rank(model.input(inner, 0));
    const auto reduced = axesOf(view, inner), put = view.integersGiven(root, "axes", 1);
    SECATEUR_PATTERN(rank && reduced && put && !reduced->empty());
    SECATEUR_GUARD(view, sortedAxes(*reduced, *rank) == sortedAxes(*put, *rank),
                   "rule.keep-reduced-dims.miss.axes", root, inner);
    SECATEUR_GUARD(view, view.isReadOnce(model.input(root, 0)), "rule.keep-reduced-dims.miss.shared", inner);
    return RuleHit{{root, inner},
                   Reason("rule.keep-reduced-dims.why", {root, inner}),
                   std::nullopt,
                   [inner](RuleEdit& edit) -> Refusal {
                       const Model& now = edit.model();
                       AttributeList attributes = now.attributes(inner);
                       std::erase_if(attributes, [](const Attribute& a) { return a.name == "keepdims"; });
                       attributes.push_back(Attribute::of("keepdims", std::int64_t{1}));
                       std::vector<ValueId> inputs;
                       for (const ValueId input : now.inputs(inner))
                           inputs.push_back(input);
                       edit.becomes(edit.node(now.op(inner), inputs, std::move(attributes)));
                       return kDone;
                   }};
}

} // namespace

const Rule& keepReducedDimsRule() {
    static const Rule rule{"keep-reduced-dims", RuleGroup::structure, Exactness::exact, {"Unsqueeze"}, match};
    return rule;
}

} // namespace secateur
