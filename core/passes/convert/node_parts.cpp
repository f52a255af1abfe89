// SPDX-License-Identifier: Apache-2.0
#include "core/passes/convert/node_parts.h"

#include "core/ir/walk.h"

#include <algorithm>

namespace secateur {

std::int64_t opsetOf(const Model& model, NodeId node) {
    return model.opsetVersion("", model.node(node).graph).value_or(1);
}

std::optional<std::int64_t> rankOf(const TypeTable& types, ValueId value) {
    if (value.isNone()) return std::nullopt;
    const Type& type = types.type(value);
    if (!type.isTensor() || !type.hasShape) return std::nullopt;
    return static_cast<std::int64_t>(type.dims.size());
}

ElementType elementOf(const TypeTable& types, ValueId value) {
    if (value.isNone()) return ElementType::undefined;
    const Type& type = types.type(value);
    return type.isTensor() ? type.element : ElementType::undefined;
}

bool isResultRead(const Model& model, NodeId node, std::size_t slot) {
    const ValueId result = model.output(node, slot);
    return !result.isNone() && model.hasUses(result);
}

void keepResults(Editor& editor, NodeId node, std::size_t count) {
    const auto now = editor.model().outputs(node);
    std::vector<ValueId> kept(now.begin(),
                              now.begin() + static_cast<std::ptrdiff_t>(std::min(count, now.size())));
    while (!kept.empty() && kept.back().isNone())
        kept.pop_back();
    if (kept.size() != now.size()) editor.setOutputs(node, kept);
}

Refusal readInstead(Editor& editor, ValueId old, ValueId with) {
    if (editor.replace(old, with)) return kDone;
    return Reason("rewrite.miss.output-is-input", {old});
}

std::vector<NodeId> convertibleNodes(const Model& model) {
    std::vector<NodeId> nodes = nodesWithin(model, model.mainGraph());
    for (const GraphId function : model.header().functions) {
        const std::vector<NodeId> inner = nodesWithin(model, function);
        nodes.insert(nodes.end(), inner.begin(), inner.end());
    }
    return nodes;
}

} // namespace secateur
