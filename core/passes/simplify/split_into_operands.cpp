// SPDX-License-Identifier: Apache-2.0
// A Split that cuts where a Concat has joined.
//   a', b' = Split(Concat(a, b))  =>  a' = a, b' = b
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const NodeId joined = view.producer(model.input(root, 0), "Concat");
    SECATEUR_PATTERN(!joined.isNone() && model.inputs(joined).size() == model.outputs(root).size());
    std::vector<ValueId> operands;
    bool isSame = true; // which also means: along the same axis
    for (std::size_t i = 0; i < model.outputs(root).size(); ++i) {
        const ValueId result = model.output(root, i);
        SECATEUR_PATTERN(!result.isNone()); // how long it is nobody knows
        operands.push_back(model.input(joined, i));
        isSame &= view.isSameShape(result, operands.back());
    }
    SECATEUR_GUARD(view, isSame, "rule.split-into-operands.miss.sizes", root, joined);
    return RuleHit{{root, joined},
                   Reason("rule.split-into-operands.why", {root, joined}),
                   std::nullopt,
                   [operands](RuleEdit& edit) -> Refusal {
                       for (std::size_t i = 0; i < operands.size(); ++i) {
                           if (Refusal why = edit.readInstead(operands[i], i)) return why;
                       }
                       return kDone;
                   }};
}

} // namespace

const Rule& splitIntoOperandsRule() {
    static const Rule rule{"split-into-operands", RuleGroup::structure, Exactness::exact, {"Split"}, match};
    return rule;
}

} // namespace secateur
