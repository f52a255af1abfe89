// SPDX-License-Identifier: Apache-2.0
// The shape of what an elementwise operator makes is the shape of what it reads.
//   y = Shape(Relu(x))  =>  y = Shape(x)
// So that the operator can go, or be fused, where only its shape was asked for.
#include "core/passes/simplify/elementwise.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <array>

namespace secateur {
namespace {

/// Operators that are no elementwise ones, but keep the shape.
constexpr std::array<std::string_view, 2> kAlongAnAxis{"LogSoftmax", "Softmax"};

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const ValueId data = model.input(root, 0);
    const NodeId inner = data.isNone() ? NodeId() : model.producer(data);
    SECATEUR_PATTERN(!inner.isNone() && model.node(inner).kind == NodeKind::operation);
    SECATEUR_PATTERN(model.isDefaultDomain(inner) && model.output(inner, 0) == data);
    const std::string_view op = model.op(inner);
    const bool keepsShape = isUnaryElementwise(op) ||
                            std::find(kAlongAnAxis.begin(), kAlongAnAxis.end(), op) != kAlongAnAxis.end();
    const ValueId source = model.input(inner, 0);
    SECATEUR_PATTERN(!source.isNone());
    SECATEUR_QUIET(view, keepsShape, "quiet.shape-of-source.shape");
    return RuleHit{{root, inner},
                   Reason("rule.shape-of-source.why", {root, inner}),
                   std::nullopt,
                   [root, source](RuleEdit& edit) -> Refusal {
                       edit.setInput(root, 0, source);
                       return kDone;
                   }};
}

} // namespace

const Rule& shapeOfSourceRule() {
    static const Rule rule{"shape-of-source", RuleGroup::shapes, Exactness::exact, {"Shape", "Size"}, match};
    return rule;
}

} // namespace secateur
