// SPDX-License-Identifier: Apache-2.0
// Readers of an Identity read what it reads.
//   y = Identity(x)  =>  y = x
// It stays where it alone gives an output its name: an input, a value of an outer graph or a second output
// cannot carry that name.
#include "core/ir/output_names.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const ValueId data = model.input(root, 0), result = model.output(root, 0);
    SECATEUR_PATTERN(!data.isNone() && !result.isNone() && model.hasUses(result));
    std::size_t outputs = 0, readers = 0;
    for (const Use use : model.uses(result))
        ++(model.node(use.node).kind == NodeKind::exit ? outputs : readers);
    const bool canFill = outputs == 1 && canFillOutput(model, data, model.node(root).graph);
    // Where the Identity has to stay, its other readers still read past it.
    const bool goes = outputs == 0 || canFill;
    SECATEUR_GUARD(view, goes || readers > 0, "rule.remove-identity.miss.output", result, data);
    return RuleHit{{root},
                   Reason(goes ? "rule.remove-identity.why" : "rule.remove-identity.why-past", {root, data}),
                   std::nullopt,
                   [goes, readers, data, result](RuleEdit& edit) -> Refusal {
                       if (goes || readers == 0) return edit.readInstead(data);
                       edit.readPast(result, data);
                       return kDone;
                   }};
}

} // namespace

const Rule& removeIdentityRule() {
    static const Rule rule{"remove-identity", RuleGroup::structure, Exactness::exact, {"Identity"}, match};
    return rule;
}

} // namespace secateur
