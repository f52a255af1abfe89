// SPDX-License-Identifier: Apache-2.0
#include "core/ir/readers.h"

#include "core/ir/walk.h"

#include <algorithm>
#include <set>
#include <string>

namespace secateur {

std::vector<ValueId> allReadBy(const Model& model, NodeId node) {
    std::vector<ValueId> values;
    for (const ValueId input : model.inputs(node)) {
        if (!input.isNone()) values.push_back(input);
    }
    if (model.node(node).attributes && !model.subgraphs(node).empty()) {
        const std::vector<ValueId> captures = capturesOf(model, node);
        values.insert(values.end(), captures.begin(), captures.end());
    }
    return values;
}

bool hasReadResult(const Model& model, NodeId node) {
    const auto results = model.outputs(node);
    return std::any_of(results.begin(), results.end(),
                       [&](ValueId v) { return !v.isNone() && model.hasUses(v); });
}

std::vector<bool> valuesHeldByName(const Model& model) {
    std::vector<bool> held(model.valueIdCount(), false);
    std::set<std::string, std::less<>> names;
    for (const GraphId graph : allGraphs(model)) {
        for (const QuantizationAnnotation& annotation : model.graph(graph).header->quantization) {
            if (!model.isAlive(annotation.tensor)) continue;
            for (const auto& [key, value] : annotation.parameters) {
                if (!value.isNone()) held[value.index] = true;
            }
        }
        for (const NodeId node : model.nodes(graph)) {
            if (model.op(node) != "Gradient" || model.domain(node) != "ai.onnx.preview.training") continue;
            for (const Attribute& attribute : model.attributes(node)) {
                if (const auto* name = std::get_if<std::string>(&attribute.value)) names.insert(*name);
                if (const auto* list = std::get_if<std::vector<std::string>>(&attribute.value))
                    names.insert(list->begin(), list->end());
            }
        }
    }
    for (std::size_t i = 0; i < model.valueIdCount() && !names.empty(); ++i) {
        if (names.contains(model.name(ValueId(i)))) held[i] = true;
    }
    return held;
}

} // namespace secateur
