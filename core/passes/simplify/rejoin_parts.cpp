// SPDX-License-Identifier: Apache-2.0
// A tensor that is cut into parts which are laid side by side again.
//   y = Concat(Split(x))                    =>  y = x
//   y = Concat(Slice(x, 0, 3), Slice(x, 3, end))  =>  y = x
#include "core/passes/simplify/axes.h"
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <limits>

namespace secateur {
namespace {

constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();

/// From where to where a part reaches, along the one axis that it is cut along.
struct Part {
    std::int64_t start, end;
};

/// None where the Slice cuts along another axis, along several, or with steps.
std::optional<Part> partOf(const RuleView& view, NodeId slice, std::int64_t axis,
                           std::optional<std::int64_t> size) {
    const auto cut = cutOf(view, slice);
    if (!cut || cut->axes != std::vector<std::int64_t>{axis}) return std::nullopt;
    if (cut->steps.front() != 1) return std::nullopt;
    const Part part{cut->starts.front(), cut->ends.front()};
    if (size) { // as the operator counts
        const auto counted = [&](std::int64_t at) {
            return std::clamp<std::int64_t>(at < 0 ? at + *size : at, 0, *size);
        };
        return Part{counted(part.start), counted(part.end)};
    }
    return part;
}

/// Does the part reach no further back than it begins, whatever the size is?
bool isForward(const Part& part) {
    if (part.start == 0 || part.end == kEnd) return true;
    return (part.start < 0) == (part.end < 0) && part.start <= part.end;
}

/// Do the parts follow one another from the first element to the last?
bool coversAll(const std::vector<Part>& parts, std::optional<std::int64_t> size) {
    std::int64_t at = 0;
    for (const Part& part : parts) {
        if (part.start != at || !isForward(part)) return false;
        at = part.end;
    }
    return at == size.value_or(kEnd);
}

bool areSlicesOfAll(const RuleView& view, const std::vector<NodeId>& slices, std::int64_t axis) {
    const Model& model = view.model();
    const auto& dims = view.type(model.input(slices.front(), 0)).dims;
    const auto at = static_cast<std::size_t>(axis);
    const auto size = at < dims.size() ? dims[at].value : std::nullopt;
    std::vector<Part> parts;
    for (const NodeId slice : slices) {
        const auto part = partOf(view, slice, axis, size);
        if (!part) return false;
        parts.push_back(*part);
    }
    return coversAll(parts, size);
}

/// Is every result of the Split an operand, each in its turn?
bool areResultsInOrder(const Model& model, NodeId root, NodeId split) {
    const auto operands = model.inputs(root);
    const auto results = model.outputs(split);
    if (operands.size() != results.size()) return false;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (operands[i] != results[i]) return false;
    }
    return true;
}

RuleHit joined(NodeId root, std::vector<NodeId> parts, ValueId data) {
    parts.insert(parts.begin(), root);
    return RuleHit{std::move(parts), Reason("rule.rejoin-parts.why", {root, data}), std::nullopt,
                   [data](RuleEdit& edit) { return edit.readInstead(data); }};
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const auto axis = axisOf(view, root, 1);
    SECATEUR_PATTERN(axis && model.inputs(root).size() > 1);
    const ValueId first = model.input(root, 0);
    if (const NodeId split = view.producer(first, "Split"); !split.isNone()) {
        SECATEUR_PATTERN(!model.input(split, 0).isNone());
        SECATEUR_GUARD(view, areResultsInOrder(model, root, split), "rule.rejoin-parts.miss.order", root,
                       split);
        SECATEUR_GUARD(view, axisOf(view, split, 0) == axis, "rule.rejoin-parts.miss.axis", root, split);
        return joined(root, {split}, model.input(split, 0));
    }
    const NodeId slice = view.producer(first, "Slice");
    SECATEUR_PATTERN(!slice.isNone() && !model.input(slice, 0).isNone());
    const ValueId data = model.input(slice, 0);
    std::vector<NodeId> slices;
    for (const ValueId operand : model.inputs(root)) {
        const NodeId part = view.producer(operand, "Slice");
        SECATEUR_PATTERN(!part.isNone() && model.input(part, 0) == data);
        slices.push_back(part);
    }
    SECATEUR_GUARD(view, areSlicesOfAll(view, slices, *axis), "rule.rejoin-parts.miss.gap", root, data);
    return joined(root, std::move(slices), data);
}

} // namespace

const Rule& rejoinPartsRule() {
    static const Rule rule{"rejoin-parts", RuleGroup::structure, Exactness::exact, {"Concat"}, match};
    return rule;
}

} // namespace secateur
