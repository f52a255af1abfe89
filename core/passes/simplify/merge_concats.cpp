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

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const auto inputs = model.inputs(root);
    std::vector<NodeId> inner;
    for (const ValueId input : inputs) {
        const NodeId node = view.producer(input, "Concat");
        if (!node.isNone() && std::find(inner.begin(), inner.end(), node) == inner.end())
            inner.push_back(node);
    }
    SECATEUR_PATTERN(!inner.empty());
    const auto axis = axisOf(view, root);
    SECATEUR_PATTERN(axis.has_value());
    std::erase_if(inner, [&](NodeId node) {
        return axisOf(view, node) != axis && !view.isOff("rule.merge-concats.miss.axis");
    });
    SECATEUR_GUARD(view, !inner.empty(), "rule.merge-concats.miss.axis", root);
    // What others read as well would be copied twice.
    const auto isAlone = [&](NodeId node) {
        const ValueId result = model.output(node, 0);
        return std::all_of(model.uses(result).begin(), model.uses(result).end(),
                           [&](Use use) { return use.node == root; });
    };
    std::erase_if(
        inner, [&](NodeId node) { return !isAlone(node) && !view.isOff("rule.merge-concats.miss.shared"); });
    SECATEUR_GUARD(view, !inner.empty(), "rule.merge-concats.miss.shared", root);
    std::vector<ValueId> operands;
    for (const ValueId input : inputs) {
        const NodeId node = view.producer(input, "Concat");
        if (std::find(inner.begin(), inner.end(), node) == inner.end()) {
            operands.push_back(input);
            continue;
        }
        for (const ValueId each : model.inputs(node))
            operands.push_back(each);
    }
    std::vector<NodeId> matched{root};
    matched.insert(matched.end(), inner.begin(), inner.end());
    return RuleHit{std::move(matched), Reason("rule.merge-concats.why", {root, inner.front()}), std::nullopt,
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
