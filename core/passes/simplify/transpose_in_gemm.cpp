// SPDX-License-Identifier: Apache-2.0
// Gemm reads its matrices either way.
//   y = Gemm(Transpose(a), b)  =>  y = Gemm<transA=1>(a, b)     the same for b
#include "core/passes/simplify/axes.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <string>

namespace secateur {
namespace {

constexpr std::string_view kFlags[] = {"transA", "transB"};

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    for (std::size_t slot = 0; slot < 2; ++slot) {
        const NodeId transpose = view.producer(model.input(root, slot), "Transpose");
        if (transpose.isNone() || model.input(transpose, 0).isNone()) continue;
        const auto order = orderOf(view, transpose);
        if (!order || *order != std::vector<std::int64_t>{1, 0}) continue;
        return RuleHit{{root, transpose},
                       Reason("rule.transpose-in-gemm.why", {root, transpose}),
                       std::nullopt,
                       [root, slot, data = model.input(transpose, 0)](RuleEdit& edit) -> Refusal {
                           const Model& now = edit.model();
                           const bool wasTransposed = now.intAttribute(root, kFlags[slot], 0) != 0;
                           AttributeList attributes = attributesWithout(now, root, {kFlags[slot]});
                           if (!wasTransposed)
                               attributes.push_back(
                                   Attribute::of(std::string(kFlags[slot]), std::int64_t{1}));
                           std::vector<ValueId> inputs(now.inputs(root).begin(), now.inputs(root).end());
                           inputs[slot] = data;
                           edit.becomes(edit.node("Gemm", inputs, attributes));
                           return kDone;
                       }};
    }
    return noMatch();
}

} // namespace

const Rule& transposeInGemmRule() {
    static const Rule rule{"transpose-in-gemm", RuleGroup::weights, Exactness::exact, {"Gemm"}, match};
    return rule;
}

} // namespace secateur
