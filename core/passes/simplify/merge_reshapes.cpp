// SPDX-License-Identifier: Apache-2.0
// Of reshapes in a row only the last counts: elements keep their order throughout.
//   y = Reshape(Reshape(x, s), t)  =>  y = Reshape(x, t)
// Also behind Flatten, Squeeze and Unsqueeze. A 0 in t means a dimension of what the Reshape reads, so it is
// written out, which takes a known size.
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <array>

namespace secateur {
namespace {

NodeId innerReshape(const RuleView& view, ValueId value) {
    for (const std::string_view op : {"Reshape", "Flatten", "Squeeze", "Unsqueeze"}) {
        const NodeId node = view.producer(value, op);
        if (!node.isNone()) return node;
    }
    return {};
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const ValueId middle = model.input(root, 0);
    const NodeId inner = innerReshape(view, middle);
    SECATEUR_PATTERN(!inner.isNone());
    const ValueId data = model.input(inner, 0);
    SECATEUR_PATTERN(!data.isNone() && !model.input(root, 1).isNone());
    const bool isZeroKept = model.intAttribute(root, "allowzero", 0) != 0;
    const auto target = view.integers(model.input(root, 1));
    // Without knowing the target, its zeros are not known either.
    SECATEUR_PATTERN(target.has_value());
    std::vector<std::int64_t> now = *target;
    bool hasZero = false;
    const auto& dims = view.type(middle).dims;
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (now[i] != 0 || isZeroKept) continue;
        const bool isKnown = view.type(middle).hasShape && i < dims.size() && dims[i].isKnown();
        SECATEUR_GUARD(view, isKnown && *dims[i].value != 0, "rule.merge-reshapes.miss.zero", root,
                       static_cast<std::int64_t>(i));
        now[i] = isKnown ? *dims[i].value : 0;
        hasZero = true;
    }
    return RuleHit{{root, inner},
                   Reason("rule.merge-reshapes.why", {root, inner}),
                   std::nullopt,
                   [root, data, now, hasZero](RuleEdit& edit) -> Refusal {
                       if (hasZero) edit.setInput(root, 1, edit.constant(now));
                       edit.setInput(root, 0, data);
                       return kDone;
                   }};
}

} // namespace

const Rule& mergeReshapesRule() {
    static const Rule rule{"merge-reshapes", RuleGroup::structure, Exactness::exact, {"Reshape"}, match};
    return rule;
}

} // namespace secateur
