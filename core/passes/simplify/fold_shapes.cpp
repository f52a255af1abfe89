// SPDX-License-Identifier: Apache-2.0
// What a model computes of shapes, where inference knows every element: Shape, Size, and the Gather, Slice,
// Concat, arithmetic and casts that exporters build shapes with.
//   n = Gather(Shape(x), 1)   with x of [?, 64]  =>  n = 64
#include "core/passes/simplify/rules.h"
#include "core/rewrite/rule_edit.h"

#include <cstring>

namespace secateur {
namespace {

constexpr std::size_t kMostElements = 1024;

TensorPtr tensorOf(ElementType type, std::vector<std::int64_t> dims, const std::vector<Dim>& elements) {
    const std::size_t width = type == ElementType::int64 ? 8 : type == ElementType::int32 ? 4 : 1;
    std::vector<std::byte> raw(width * elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i)
        std::memcpy(raw.data() + i * width, &*elements[i].value, width); // little endian: the low bytes
    return makeTensor(type, std::move(dims), std::move(raw));
}

MatchResult match(const RuleView& view, NodeId root) {
    const Model& model = view.model();
    SECATEUR_PATTERN(model.outputs(root).size() == 1 && !model.inputs(root).empty());
    // An Identity that has to stay gives an output of a body its name.
    SECATEUR_PATTERN(!model.isOp(root, "Identity"));
    const ValueId result = model.output(root, 0);
    SECATEUR_PATTERN(!result.isNone() && model.hasUses(result));
    const ElementType type = view.element(result);
    SECATEUR_PATTERN(type == ElementType::int64 || type == ElementType::int32 ||
                     type == ElementType::boolean);
    const auto shape = view.staticShape(result);
    SECATEUR_PATTERN(shape && shape->size() <= 1);
    const auto elements = view.elements(result);
    SECATEUR_PATTERN(elements && elements->size() <= kMostElements);
    const std::size_t count = shape->empty() ? 1 : static_cast<std::size_t>(shape->front());
    SECATEUR_PATTERN(elements->size() == count);
    SECATEUR_PATTERN(view.isPure(root));
    for (std::size_t i = 0; i < count; ++i) {
        SECATEUR_NEAR((*elements)[i].isKnown(), "rule.fold-shapes.near.unknown", root,
                      static_cast<std::int64_t>(i));
    }
    return RuleHit{{root},
                   Reason("rule.fold-shapes.why", {root}),
                   std::nullopt,
                   [type, shape = *shape, elements = *elements](RuleEdit& edit) -> Refusal {
                       return edit.readInstead(edit.constant(tensorOf(type, shape, elements)));
                   }};
}

} // namespace

const Rule& foldShapesRule() {
    static const Rule rule{"fold-shapes", RuleGroup::shapes, Exactness::exact, {}, match};
    return rule;
}

} // namespace secateur
