// SPDX-License-Identifier: Apache-2.0
// The shape of what an elementwise operator makes is the shape of what it reads.
//   y = Shape(Relu(x))  =>  y = Shape(x)
// So that the operator can go, or be fused, where only its shape was asked for.
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <array>

namespace secateur {
namespace {

constexpr std::array<std::string_view, 30> kUnary{
    "Abs",        "Cast",  "Ceil",    "Celu",        "Clip",       "Cos",      "Elu",       "Erf",
    "Exp",        "Floor", "Gelu",    "HardSigmoid", "HardSwish",  "Identity", "LeakyRelu", "Log",
    "LogSoftmax", "Mish",  "Neg",     "Not",         "Reciprocal", "Relu",     "Round",     "Selu",
    "Sigmoid",    "Sign",  "Softmax", "Softplus",    "Sqrt",       "Tanh"};

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const ValueId data = model.input(root, 0);
    const NodeId inner = data.isNone() ? NodeId() : model.producer(data);
    SECATEUR_PATTERN(!inner.isNone() && model.node(inner).kind == NodeKind::operation);
    SECATEUR_PATTERN(model.isDefaultDomain(inner) && model.output(inner, 0) == data);
    const bool isUnary = std::find(kUnary.begin(), kUnary.end(), model.op(inner)) != kUnary.end();
    const ValueId source = model.input(inner, 0);
    SECATEUR_PATTERN(isUnary && !source.isNone());
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
