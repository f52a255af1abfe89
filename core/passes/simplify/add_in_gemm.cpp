// SPDX-License-Identifier: Apache-2.0
// A product of matrices with a summand is one operator.
//   y = Add(MatMul(a, b), c), Add(Gemm(a, b), c)  =>  y = Gemm(a, b, c)
// The summand must broadcast to the product, and not the product to it. Approximate: Gemm may add in another
// order.
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <string>

namespace secateur {
namespace {

/// Is the value known to broadcast to a matrix of the shape of `product`?
bool broadcastsTo(const RuleView& view, ValueId value, ValueId product) {
    const Type &small = view.type(value), &large = view.type(product);
    if (!small.hasShape || !large.hasShape || small.dims.size() > large.dims.size()) return false;
    const std::size_t ahead = large.dims.size() - small.dims.size();
    for (std::size_t i = 0; i < small.dims.size(); ++i) {
        const Dim &dim = small.dims[i], &into = large.dims[ahead + i];
        const bool isSame = dim.isKnown() ? dim.value == 1 || dim.value == into.value
                                          : !dim.symbol.empty() && dim.symbol == into.symbol;
        if (!isSame) return false;
    }
    return true;
}

bool isMatrixProduct(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    if (model.isOp(node, "Gemm")) return model.input(node, 2).isNone();
    return view.rank(model.input(node, 0)) == 2 && view.rank(model.input(node, 1)) == 2;
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    SECATEUR_PATTERN(model.inputs(root).size() == 2 && view.opset(root) >= 7);
    for (std::size_t slot = 0; slot < 2; ++slot) {
        const ValueId product = model.input(root, slot), summand = model.input(root, 1 - slot);
        NodeId inner = view.producer(product, "MatMul");
        if (inner.isNone()) inner = view.producer(product, "Gemm");
        if (inner.isNone() || summand.isNone() || !isMatrixProduct(view, inner)) continue;
        // bfloat16 came to Gemm with opset 13.
        const bool isKnown = view.isFloat(product) &&
                             (view.element(product) != ElementType::bfloat16 || view.opset(root) >= 13);
        SECATEUR_PATTERN(isKnown);
        SECATEUR_GUARD(view, view.isReadOnce(product), "rule.add-in-gemm.miss.shared", inner);
        SECATEUR_GUARD(view, broadcastsTo(view, summand, product), "rule.add-in-gemm.miss.shape", summand,
                       product);
        return RuleHit{
            {root, inner},
            Reason("rule.add-in-gemm.why", {root, inner}),
            std::nullopt,
            [inner, summand](RuleEdit& edit) -> Refusal {
                const Model& now = edit.model();
                AttributeList attributes = attributesWithout(now, inner, {"beta"});
                const std::vector<ValueId> inputs{now.input(inner, 0), now.input(inner, 1), summand};
                edit.becomes(edit.node("Gemm", inputs, attributes));
                return kDone;
            }};
    }
    return noMatch();
}

} // namespace

const Rule& addInGemmRule() {
    static const Rule rule{"add-in-gemm", RuleGroup::weights, Exactness::approximate, {"Add"}, match};
    return rule;
}

} // namespace secateur
