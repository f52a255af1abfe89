// SPDX-License-Identifier: Apache-2.0
// Operators that move elements and leave all of them where they are.
//   Transpose in the given order, Reshape, Flatten, Expand, Squeeze, Unsqueeze, Tile, Slice, Pad to the shape
//   that is there, Gather of all in order, Resize by ones  =>  x
// Resize is exact where it takes the nearest element; linear and cubic weights of nought turn infinities
// nearby into NaN.
// A Slice that keeps the shape moves elements where it runs backwards; a Pad where it cuts at one end and
// pads at the other.
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace secateur {
namespace {

using Integers = std::vector<std::int64_t>;

bool isAll(const std::optional<Integers>& list, std::int64_t number) {
    return list && std::all_of(list->begin(), list->end(), [&](std::int64_t n) { return n == number; });
}

/// Does the Transpose keep the order of all dimensions, or swap only such as have one element?
bool keepsOrder(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    const auto rank = view.rank(model.input(node, 0));
    if (!rank) return false;
    Integers perm = model.intsAttribute(node, "perm");
    if (model.attribute(node, "perm") == nullptr) {
        perm.resize(static_cast<std::size_t>(*rank));
        std::iota(perm.rbegin(), perm.rend(), 0);
    }
    const auto& dims = view.type(model.input(node, 0)).dims;
    std::int64_t last = -1;
    for (const std::int64_t axis : perm) {
        if (axis < 0 || axis >= *rank) return false;
        if (dims[static_cast<std::size_t>(axis)].value == 1) continue;
        if (axis < last) return false;
        last = axis;
    }
    return true;
}

/// Does the Slice take every element in order?
bool takesAll(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    const bool hasInputs = model.attribute(node, "starts") == nullptr;
    const auto starts = view.integersGiven(node, "starts", 1), ends = view.integersGiven(node, "ends", 2);
    const bool hasSteps = hasInputs && !model.input(node, 4).isNone();
    if (!isAll(starts, 0) || !ends) return false;
    if (hasSteps && !isAll(view.integers(model.input(node, 4)), 1)) return false;
    // The shape says the rest; where it is not known, only an end beyond all sizes does.
    const bool isOpen = std::all_of(ends->begin(), ends->end(), [](std::int64_t end) {
        return end == std::numeric_limits<std::int64_t>::max();
    });
    return isOpen || view.isSameShape(model.input(node, 0), model.output(node, 0));
}

/// Are the indices of the Gather 0, 1, 2 ... in one dimension?
bool gathersInOrder(const RuleView& view, NodeId node) {
    const ValueId indices = view.model().input(node, 1);
    const auto list = view.integers(indices);
    if (!list || view.rank(indices) != 1) return false;
    for (std::size_t i = 0; i < list->size(); ++i) {
        if ((*list)[i] != static_cast<std::int64_t>(i)) return false;
    }
    return true;
}

/// Does the Resize or Upsample have factors of one, or sizes, and read each element at its own place?
bool resizesByOnes(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    const std::string_view places =
        model.stringAttribute(node, "coordinate_transformation_mode", "half_pixel");
    // The one reads boxes, the other lies half an element off.
    if (places == "tf_crop_and_resize" || places == "tf_half_pixel_for_nn") return false;
    const bool hasRegion = model.op(node) == "Resize" && view.opset(node) >= 11;
    const ValueId factors = model.input(node, hasRegion ? 2 : 1);
    const bool hasSizes = hasRegion && !model.input(node, 3).isNone();
    return hasSizes || view.uniform(factors) == 1.0;
}

/// Of a Squeeze with a list of no axes some runtimes take every dimension of one element away, others none.
bool namesNoAxes(const RuleView& view, NodeId node) {
    const auto axes = view.integersGiven(node, "axes", 1);
    return view.model().isOp(node, "Squeeze") && axes && axes->empty();
}

bool movesNothing(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    const std::string_view op = model.op(node);
    const bool isSameShape = view.isSameShape(model.input(node, 0), model.output(node, 0));
    if (op == "Transpose") return isSameShape && keepsOrder(view, node);
    if (op == "Slice") return takesAll(view, node);
    if (op == "Pad") return isAll(view.integersGiven(node, "pads", 1), 0);
    if (op == "Squeeze" && namesNoAxes(view, node)) return false;
    if (op == "Tile") return isAll(view.integers(model.input(node, 1)), 1);
    if (op == "Gather") return isSameShape && gathersInOrder(view, node);
    if (op == "Resize" || op == "Upsample") return isSameShape && resizesByOnes(view, node);
    return isSameShape; // in row-major order, and nothing else moves
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    const ValueId data = model.input(root, 0);
    SECATEUR_PATTERN(!data.isNone() && model.outputs(root).size() == 1);
    SECATEUR_QUIET(view, movesNothing(view, root), "quiet.drop-no-move.moves");
    const std::string_view mode = model.stringAttribute(root, "mode", "nearest");
    const bool isWeighed = mode == "linear" || mode == "bilinear" || mode == "cubic";
    const bool isResize = model.op(root) == "Resize" || model.op(root) == "Upsample";
    return RuleHit{{root},
                   Reason("rule.drop-no-move.why", {root, data}),
                   isResize && isWeighed ? Exactness::approximate : Exactness::exact,
                   [data](RuleEdit& edit) { return edit.readInstead(data); }};
}

} // namespace

const Rule& dropNoMoveRule() {
    static const Rule rule{"drop-no-move",
                           RuleGroup::structure,
                           Exactness::approximate,
                           {"Transpose", "Reshape", "Flatten", "Expand", "Squeeze", "Unsqueeze", "Tile",
                            "Slice", "Pad", "Gather", "Resize", "Upsample"},
                           match};
    return rule;
}

} // namespace secateur
