// SPDX-License-Identifier: Apache-2.0
#include "core/passes/simplify/clip_bounds.h"

#include <limits>

namespace secateur {

std::optional<ClipBounds> finiteBounds(ElementType type) {
    switch (type) {
    case ElementType::float32:
        return ClipBounds{std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()};
    case ElementType::float64:
        return ClipBounds{std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()};
    case ElementType::float16: return ClipBounds{-65504.0, 65504.0};
    case ElementType::bfloat16: return ClipBounds{-0x1.fep127, 0x1.fep127};
    default: return std::nullopt;
    }
}

double smallestNormal(ElementType type) {
    switch (type) {
    case ElementType::float16: return 0x1p-14;
    case ElementType::float64: return 0x1p-1022;
    default: return 0x1p-126; // float32 and bfloat16
    }
}

std::optional<ClipBounds> clipBounds(const RuleView& view, NodeId node) {
    const Model& model = view.model();
    const auto finite = finiteBounds(view.element(model.input(node, 0)));
    if (!finite) return std::nullopt;
    if (model.isOp(node, "Relu")) return ClipBounds{0, std::numeric_limits<double>::infinity()};
    const auto bound = [&](const char* name, std::size_t slot, double otherwise) -> std::optional<double> {
        if (model.attribute(node, name) != nullptr) return model.floatAttribute(node, name, 0);
        const ValueId input = model.input(node, slot);
        return input.isNone() ? std::optional(otherwise) : view.scalar(input);
    };
    const auto low = bound("min", 1, finite->low), high = bound("max", 2, finite->high);
    if (!low || !high) return std::nullopt;
    return ClipBounds{*low, *high};
}

} // namespace secateur
