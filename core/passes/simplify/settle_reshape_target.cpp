// SPDX-License-Identifier: Apache-2.0
// A Reshape whose target is computed, but of which all dimensions but one are known.
//   y = Reshape(x, Concat(Shape(x)[0], 64, 8))  =>  y = Reshape(x, [-1, 64, 8])
//   y = Reshape(x, Concat(n, n, 8)) with n the first two dimensions of x  =>  y = Reshape(x, [0, 0, 8])
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>

namespace secateur {
namespace {

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const ValueId data = model.input(root, 0), shape = model.input(root, 1);
    SECATEUR_PATTERN(!data.isNone() && !shape.isNone() && !view.constant(shape));
    SECATEUR_PATTERN(!model.isGraphInput(shape) && !model.isInitializer(shape));
    const auto elements = view.elements(shape);
    SECATEUR_PATTERN(elements && !elements->empty());
    SECATEUR_QUIET(view, model.intAttribute(root, "allowzero", 0) == 0,
                   "quiet.settle-reshape-target.allowzero");
    const Type& type = view.type(data);
    std::vector<std::int64_t> target;
    std::size_t open = 0;
    bool mayBeEmpty = false;
    for (std::size_t i = 0; i < elements->size(); ++i) {
        const Dim& element = (*elements)[i];
        const bool isCopied = type.hasShape && i < type.dims.size() && !element.isKnown() &&
                              !element.symbol.empty() && type.dims[i].symbol == element.symbol;
        if (element.isKnown()) {
            target.push_back(*element.value);
            mayBeEmpty |= *element.value <= 0;
        } else if (isCopied) {
            target.push_back(0);
        } else {
            target.push_back(-1);
            ++open;
        }
    }
    SECATEUR_GUARD(view, open <= 1, "rule.settle-reshape-target.miss.open", root,
                   static_cast<std::int64_t>(open));
    // Beside a dimension of nought elements -1 has no meaning, and a copied one may have nought.
    const bool hasCopied = std::find(target.begin(), target.end(), 0) != target.end();
    SECATEUR_GUARD(view, !mayBeEmpty, "rule.settle-reshape-target.miss.zero", root);
    SECATEUR_GUARD(view, open == 0 || !hasCopied, "rule.settle-reshape-target.miss.empty", root);
    return RuleHit{{root},
                   Reason("rule.settle-reshape-target.why", {root, shape}),
                   std::nullopt,
                   [root, target](RuleEdit& edit) -> Refusal {
                       edit.setInput(root, 1, edit.constant(target));
                       return kDone;
                   }};
}

} // namespace

const Rule& settleReshapeTargetRule() {
    static const Rule rule{"settle-reshape-target", RuleGroup::shapes, Exactness::exact, {"Reshape"}, match};
    return rule;
}

} // namespace secateur
