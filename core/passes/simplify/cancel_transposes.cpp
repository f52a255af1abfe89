// SPDX-License-Identifier: Apache-2.0
// A Transpose behind elementwise operators all of whose operands were transposed the other way.
//   y = Transpose<q>(Relu(Add(Transpose<p>(x), c)))  =>  y = Relu(Add(x, Transpose<q>(c)))   q undoes p
// Constants of fewer dimensions are given all of them first; they are folded afterwards.
#include "core/passes/simplify/axes.h"
#include "core/passes/simplify/elementwise.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <map>

namespace secateur {
namespace {

using Integers = std::vector<std::int64_t>;

/// More operators between the two are not looked through.
constexpr std::size_t kMostOperators = 64;

/// What lies between the transposes.
struct Region {
    std::vector<NodeId> operators;       ///< in program order once it is complete
    std::map<std::uint32_t, ValueId> at; ///< by transposed value: what it was made of
    std::vector<ValueId> constants;
    ValueId blocker; ///< an operand that is neither; none where there is none

    [[nodiscard]] bool has(NodeId node) const {
        return std::find(operators.begin(), operators.end(), node) != operators.end();
    }
};

/// Operands that are laid along the dimensions of the result; the bounds of a Clip and the like are not.
std::vector<ValueId> operandsOf(const Model& model, NodeId node) {
    if (isUnaryElementwise(model.op(node))) return {model.input(node, 0)};
    std::vector<ValueId> operands;
    for (const ValueId input : model.inputs(node))
        operands.push_back(input);
    return operands;
}

bool isElementwise(const Model& model, NodeId node) {
    if (node.isNone() || model.node(node).kind != NodeKind::operation) return false;
    if (!model.isDefaultDomain(node) || model.outputs(node).size() != 1) return false;
    return isUnaryElementwise(model.op(node)) || isBroadcastElementwise(model.op(node));
}

/// Undoes `outer` what `inner` does?
bool isUndone(const Integers& inner, const Integers& outer) {
    if (inner.size() != outer.size()) return false;
    for (std::size_t i = 0; i < outer.size(); ++i) {
        if (inner[static_cast<std::size_t>(outer[i])] != static_cast<std::int64_t>(i)) return false;
    }
    return true;
}

/// What `value` was transposed from, where `order` undoes that; none otherwise.
ValueId sourceOf(const RuleView& view, ValueId value, const Integers& order) {
    const NodeId transpose = view.producer(value, "Transpose");
    if (transpose.isNone()) return {};
    const auto inner = orderOf(view, transpose);
    return inner && isUndone(*inner, order) ? view.model().input(transpose, 0) : ValueId();
}

/// All that is between `root` and the transposes in front, as far as it can be passed.
Region regionBehind(const RuleView& view, NodeId root, const Integers& order) {
    const Model& model = view.model();
    Region region;
    std::vector<ValueId> pending{model.input(root, 0)};
    while (!pending.empty()) {
        const ValueId value = pending.back();
        pending.pop_back();
        if (value.isNone() || region.at.contains(value.index)) continue;
        if (const ValueId source = sourceOf(view, value, order); !source.isNone()) {
            region.at.emplace(value.index, source);
            continue;
        }
        if (const TensorPtr tensor = view.constant(value)) {
            // A Reshape takes a dimension of nothing for one that is copied.
            const bool isFit = tensor->dims.size() <= order.size() && tensor->elementCount().value_or(0) > 0;
            if (!isFit) region.blocker = value;
            region.constants.push_back(value);
            continue;
        }
        const NodeId maker = model.producer(value);
        const bool isPassed = isElementwise(model, maker) &&
                              model.node(maker).graph == model.node(root).graph && !view.isHeldByName(value);
        if (!isPassed || region.operators.size() >= kMostOperators) {
            region.blocker = value;
            continue;
        }
        if (region.has(maker)) continue;
        region.operators.push_back(maker);
        for (const ValueId operand : operandsOf(model, maker))
            pending.push_back(operand);
    }
    std::sort(region.operators.begin(), region.operators.end(),
              [&](NodeId a, NodeId b) { return model.node(a).order < model.node(b).order; });
    return region;
}

/// Has each operator an operand of all dimensions, so that its result has them, too?
bool hasAllDimensions(const Model& model, const Region& region) {
    return std::all_of(region.operators.begin(), region.operators.end(), [&](NodeId node) {
        const auto operands = operandsOf(model, node);
        return std::any_of(operands.begin(), operands.end(), [&](ValueId operand) {
            return region.at.contains(operand.index) || region.has(model.producer(operand));
        });
    });
}

/// An operator that something beside the region and `root` reads; none where there is none.
NodeId readElsewhere(const Model& model, const Region& region, NodeId root) {
    for (const NodeId node : region.operators) {
        const auto uses = model.uses(model.output(node, 0));
        if (std::any_of(uses.begin(), uses.end(),
                        [&](Use use) { return use.node != root && !region.has(use.node); }))
            return node;
    }
    return {};
}

/// A constant laid along the dimensions in their new order.
ValueId laidOut(RuleEdit& edit, ValueId constant, const TensorPtr& tensor, const Integers& order) {
    Integers dims(order.size() - tensor->dims.size(), 1);
    dims.insert(dims.end(), tensor->dims.begin(), tensor->dims.end());
    const bool isOne = std::all_of(dims.begin(), dims.end(), [](auto d) { return d == 1; });
    if (isOne) return constant;
    Integers moved;
    std::int64_t last = -1;
    bool keepsOrder = true; // of the dimensions that have more than one place
    for (const std::int64_t axis : order) {
        const std::int64_t dim = dims[static_cast<std::size_t>(axis)];
        moved.push_back(dim);
        if (dim == 1) continue;
        keepsOrder &= axis > last;
        last = axis;
    }
    if (keepsOrder) return edit.node("Reshape", {constant, edit.constant(moved)});
    if (tensor->dims.size() < order.size()) constant = edit.node("Reshape", {constant, edit.constant(dims)});
    return edit.node("Transpose", {constant}, {Attribute::of("perm", order)});
}

Refusal passTransposes(RuleEdit& edit, const Region& region, const std::vector<TensorPtr>& tensors,
                       const Integers& order) {
    std::map<std::uint32_t, ValueId> now = region.at;
    for (std::size_t i = 0; i < region.constants.size(); ++i)
        now[region.constants[i].index] = laidOut(edit, region.constants[i], tensors[i], order);
    ValueId made;
    for (const NodeId node : region.operators) {
        const Model& model = edit.model();
        const std::size_t moved = operandsOf(model, node).size();
        std::vector<ValueId> inputs;
        for (const ValueId input : model.inputs(node)) {
            const auto at = inputs.size() < moved ? now.find(input.index) : now.end();
            inputs.push_back(at == now.end() ? input : at->second);
        }
        const ValueId result = model.output(node, 0);
        made = edit.node(std::string(model.op(node)), std::move(inputs), model.attributes(node));
        now[result.index] = made;
    }
    edit.becomes(made);
    return kDone;
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    SECATEUR_PATTERN(!model.input(root, 0).isNone() &&
                     isElementwise(model, model.producer(model.input(root, 0))));
    SECATEUR_PATTERN(view.opset(root) >= 7);
    const auto order = orderOf(view, root);
    SECATEUR_PATTERN(order.has_value());
    Region region = regionBehind(view, root, *order);
    SECATEUR_PATTERN(!region.at.empty() && !region.operators.empty());
    SECATEUR_NEAR(region.blocker.isNone(), "rule.cancel-transposes.near.operand", root, region.blocker);
    SECATEUR_PATTERN(hasAllDimensions(model, region));
    const NodeId shared = readElsewhere(model, region, root);
    SECATEUR_GUARD(view, shared.isNone(), "rule.cancel-transposes.miss.shared", root, shared);
    std::vector<NodeId> matched{root};
    matched.insert(matched.end(), region.operators.begin(), region.operators.end());
    std::vector<TensorPtr> tensors;
    for (const ValueId constant : region.constants)
        tensors.push_back(view.constant(constant));
    const auto count = static_cast<std::int64_t>(region.operators.size());
    // Runtimes compute powers by one exponent otherwise than by many.
    const bool hasPower = std::any_of(region.operators.begin(), region.operators.end(),
                                      [&](NodeId node) { return model.isOp(node, "Pow"); });
    return RuleHit{std::move(matched), Reason("rule.cancel-transposes.why", {root, count}),
                   hasPower ? Exactness::approximate : Exactness::exact,
                   [region, tensors, order = *order](RuleEdit& edit) {
                       return passTransposes(edit, region, tensors, order);
                   }};
}

} // namespace

const Rule& cancelTransposesRule() {
    static const Rule rule{
        "cancel-transposes", RuleGroup::structure, Exactness::approximate, {"Transpose"}, match};
    return rule;
}

} // namespace secateur
