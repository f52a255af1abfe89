// SPDX-License-Identifier: Apache-2.0
// Convolution and pooling pad by themselves.
//   y = Conv(Pad(x, p), W)  =>  y = Conv<pads>(x, W)     the same for ConvInteger, AveragePool, MaxPool
// What is put in must be what the operator takes for it: zero (ConvInteger: the zero point), minus infinity
// for MaxPool; an AveragePool must count it. But for the sign of a zero, the weights being finite.
#include "core/passes/simplify/pads.h"
#include "core/passes/simplify/rules.h"
#include "core/passes/simplify/weight_numbers.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace secateur {
namespace {

using Integers = std::vector<std::int64_t>;

/// Pads of the window itself, none given being zero; empty where they depend on the input.
std::optional<Integers> ownPads(const Model& model, NodeId node, std::size_t spatial) {
    const std::string_view automatic = model.stringAttribute(node, "auto_pad", "NOTSET");
    if (automatic == "VALID") return Integers(2 * spatial, 0);
    if (automatic != "NOTSET") return std::nullopt;
    Integers pads = model.intsAttribute(node, "pads");
    if (pads.empty()) pads.assign(2 * spatial, 0);
    return pads.size() == 2 * spatial ? std::optional(pads) : std::nullopt;
}

bool areAll(const Integers& list, bool (*holds)(std::int64_t)) {
    return std::all_of(list.begin(), list.end(), holds);
}

/// Pads of the spatial dimensions alone.
Integers spatialPads(const Integers& amounts) {
    const std::size_t rank = amounts.size() / 2;
    Integers pads(amounts.begin() + 2, amounts.begin() + static_cast<std::ptrdiff_t>(rank));
    pads.insert(pads.end(), amounts.begin() + static_cast<std::ptrdiff_t>(rank) + 2, amounts.end());
    return pads;
}

bool padsChannels(const Integers& amounts) {
    const std::size_t rank = amounts.size() / 2;
    return amounts[0] != 0 || amounts[1] != 0 || amounts[rank] != 0 || amounts[rank + 1] != 0;
}

/// What the operator takes its own pads for.
std::optional<double> fillingOf(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    const std::string_view op = model.op(node);
    if (op == "ConvInteger")
        return model.input(node, 2).isNone() ? std::optional(0.0) : view.scalar(model.input(node, 2));
    if (op != "MaxPool") return 0;
    switch (view.element(model.input(node, 0))) {
    case ElementType::int8: return -128;
    case ElementType::uint8: return 0;
    default: return -std::numeric_limits<double>::infinity();
    }
}

/// An infinite weight times zero is NaN where the zero is there, and nothing where it is not.
bool hasFiniteWeights(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    if (!model.isOp(node, "Conv")) return true;
    if (!isWeight(view, model.input(node, 1))) return false;
    const std::vector<double> numbers = weightNumbers(view, model.input(node, 1));
    return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

/// Is each window larger than the pads beside it, so that it has an element of the data? Pooling asks for
/// that; with gaps between its elements a window may miss the data all the same, and runtimes differ then in
/// what the largest of none is.
bool fitsWindow(const Model& model, NodeId node, const Integers& pads) {
    const Integers window = model.intsAttribute(node, "kernel_shape");
    if (!areAll(model.intsAttribute(node, "dilations"), [](std::int64_t n) { return n == 1; })) return false;
    if (window.size() * 2 != pads.size()) return false;
    for (std::size_t i = 0; i < pads.size(); ++i) {
        if (pads[i] >= window[i % window.size()]) return false;
    }
    return true;
}

AttributeList attributesWith(const Model& model, NodeId node, const Integers& pads) {
    const bool isAverage = model.isOp(node, "AveragePool");
    AttributeList attributes = attributesWithout(model, node, {"pads", "auto_pad", "count_include_pad"});
    attributes.push_back(Attribute::of("pads", pads));
    if (isAverage) attributes.push_back(Attribute::of("count_include_pad", std::int64_t{1}));
    return attributes;
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const NodeId pad = view.producer(model.input(root, 0), "Pad");
    SECATEUR_PATTERN(!pad.isNone() && !model.input(pad, 0).isNone() && view.opset(root) >= 7);
    const auto amounts = padAmounts(view, pad);
    SECATEUR_PATTERN(amounts && amounts->size() >= 6 && padsWithConstant(model, pad));
    const auto own = ownPads(model, root, amounts->size() / 2 - 2);
    SECATEUR_GUARD(view, own.has_value(), "rule.pad-in-window.miss.automatic", root);
    const bool isPool = model.isOp(root, "AveragePool") || model.isOp(root, "MaxPool");
    const auto wanted = fillingOf(view, root), filling = padFilling(view, pad);
    SECATEUR_PATTERN(wanted && filling);
    SECATEUR_GUARD(view, *wanted == *filling, "rule.pad-in-window.miss.value", pad, *filling, *wanted);
    SECATEUR_GUARD(view, !padsChannels(*amounts), "rule.pad-in-window.miss.channels", pad);
    const bool isGrowing = areAll(*amounts, [](std::int64_t n) { return n >= 0; });
    SECATEUR_GUARD(view, isGrowing, "rule.pad-in-window.miss.crop", pad);
    SECATEUR_GUARD(view, hasFiniteWeights(view, root), "rule.pad-in-window.miss.weights", root);
    Integers pads = spatialPads(*amounts);
    if (own) {
        for (std::size_t i = 0; i < pads.size(); ++i)
            SECATEUR_PATTERN(!__builtin_add_overflow(pads[i], (*own)[i], &pads[i]));
    }
    if (isPool) {
        SECATEUR_GUARD(view, model.intAttribute(root, "ceil_mode", 0) == 0, "rule.pad-in-window.miss.ceil",
                       root);
        const bool isCounted = model.isOp(root, "MaxPool") ||
                               model.intAttribute(root, "count_include_pad", 0) != 0 ||
                               (own && areAll(*own, [](std::int64_t n) { return n == 0; }));
        SECATEUR_GUARD(view, isCounted, "rule.pad-in-window.miss.counted", root);
        const bool hasIndices = model.outputs(root).size() > 1 && !model.output(root, 1).isNone();
        SECATEUR_GUARD(view, !hasIndices, "rule.pad-in-window.miss.indices", root);
        SECATEUR_GUARD(view, fitsWindow(model, root, pads), "rule.pad-in-window.miss.window", root);
    }
    SECATEUR_GUARD(view, view.isReadOnce(model.input(root, 0)), "rule.pad-in-window.miss.shared", pad);
    return RuleHit{{root, pad},
                   Reason("rule.pad-in-window.why", {root, pad}),
                   model.isOp(root, "MaxPool") || model.isOp(root, "ConvInteger") ? Exactness::exact
                                                                                  : Exactness::value,
                   [root, data = model.input(pad, 0), pads](RuleEdit& edit) -> Refusal {
                       const Model& now = edit.model();
                       std::vector<ValueId> inputs(now.inputs(root).begin(), now.inputs(root).end());
                       inputs[0] = data;
                       const std::string op(now.op(root));
                       edit.becomes(edit.node(op, inputs, attributesWith(now, root, pads)));
                       return kDone;
                   }};
}

} // namespace

const Rule& padInWindowRule() {
    static const Rule rule{"pad-in-window",
                           RuleGroup::weights,
                           Exactness::value,
                           {"Conv", "ConvInteger", "AveragePool", "MaxPool"},
                           match};
    return rule;
}

} // namespace secateur
