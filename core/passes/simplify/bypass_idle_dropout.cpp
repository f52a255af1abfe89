// SPDX-License-Identifier: Apache-2.0
// A Dropout that drops nothing, as the node itself says: in inference mode, or with ratio 0.
//   y = Dropout(x)   =>  y = x
// Where its mask is read it stays: runtimes do not agree on the mask of an idle Dropout.
#include "core/analysis/operator_mode.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const auto form = dropoutForm(model, root);
    SECATEUR_PATTERN(form && form->bias == DropoutForm::kNoSlot && !form->hasSoftmax);
    const ValueId data = model.input(root, 0), mask = model.output(root, 1);
    SECATEUR_PATTERN(!data.isNone());
    const DropoutMode mode = dropoutMode(model, root, *form);
    SECATEUR_GUARD(view, mode == DropoutMode::inference || mode == DropoutMode::zeroRatio,
                   "rule.bypass-idle-dropout.miss.mode", root);
    SECATEUR_GUARD(view, mask.isNone() || !model.hasUses(mask), "rule.bypass-idle-dropout.miss.mask", mask);
    return RuleHit{{root},
                   Reason("rule.bypass-idle-dropout.why", {root, data}),
                   std::nullopt,
                   [data](RuleEdit& edit) { return edit.readInstead(data); }};
}

} // namespace

const Rule& bypassIdleDropoutRule() {
    static const Rule rule{"bypass-idle-dropout", RuleGroup::structure, Exactness::exact, {"Dropout"}, match};
    return rule;
}

} // namespace secateur
