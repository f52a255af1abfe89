// SPDX-License-Identifier: Apache-2.0
//
// The same model in double precision: what it gives on the reference kernels is the judge of those that
// reckon in float.
#pragma once

#include "core/exec/cells.h"
#include "core/ir/editor.h"
#include "core/ir/walk.h"

#include <memory>
#include <utility>
#include <vector>

namespace secateur::testing {

inline TensorPtr asDouble(const TensorPtr& tensor) {
    if (tensor == nullptr || tensor->type != ElementType::float32) return tensor;
    MemoryPool pool;
    const TensorData narrow = TensorData::from(pool, *tensor).take();
    TensorData wide = TensorData::make(pool, ElementType::float64, narrow.shape()).take();
    writeAll(wide, readAll<double>(narrow));
    return wide.toTensor();
}

inline RuntimeValue asDouble(const RuntimeValue& value) {
    const TensorData* tensor = value.tensor();
    if (tensor == nullptr || tensor->type() != ElementType::float32) return value;
    MemoryPool pool;
    TensorData wide = TensorData::make(pool, ElementType::float64, tensor->shape()).take();
    writeAll(wide, readAll<double>(*tensor));
    return RuntimeValue(std::move(wide));
}

/// Back, for a comparison with results in float.
inline RuntimeValue asFloat(const RuntimeValue& value) {
    const TensorData* tensor = value.tensor();
    if (tensor == nullptr || tensor->type() != ElementType::float64) return value;
    MemoryPool pool;
    TensorData narrow = TensorData::make(pool, ElementType::float32, tensor->shape()).take();
    writeAll(narrow, readAll<double>(*tensor));
    return RuntimeValue(std::move(narrow));
}

/// Weights, constants, declared types and the aims of casts, in the main graph and in bodies.
inline Model asDouble(const Model& given) {
    Model model = given.clone();
    Editor editor(model);
    constexpr auto kFloat = static_cast<std::int64_t>(ElementType::float32);
    constexpr auto kDouble = static_cast<std::int64_t>(ElementType::float64);
    const auto wider = [&](const ValueInfoPtr& info) -> ValueInfoPtr {
        if (info == nullptr || info->type.element != ElementType::float32) return info;
        ValueInfo wide;
        wide.type = info->type;
        wide.type.element = ElementType::float64;
        return std::make_shared<const ValueInfo>(std::move(wide));
    };
    for (std::uint32_t i = 0; i < model.valueIdCount(); ++i) {
        const ValueId value(i);
        if (!model.isAlive(value)) continue;
        if (const TensorPtr tensor = model.value(value).tensor) editor.setTensor(value, asDouble(tensor));
        editor.setInfo(value, wider(model.value(value).info));
    }
    for (const GraphId graph : allGraphs(model)) {
        for (const NodeId node : model.nodes(graph)) {
            AttributeList attributes = model.attributes(node);
            for (Attribute& attribute : attributes) {
                if (auto* tensor = std::get_if<TensorPtr>(&attribute.value)) *tensor = asDouble(*tensor);
                if (auto* number = std::get_if<std::int64_t>(&attribute.value);
                    number != nullptr && *number == kFloat &&
                    (attribute.name == "to" || attribute.name == "dtype"))
                    *number = kDouble;
            }
            if (!attributes.empty()) editor.setAttributes(node, std::move(attributes));
        }
        std::vector<OutputSlot> slots = *model.graph(graph).outputs;
        for (OutputSlot& slot : slots)
            slot.info = wider(slot.info);
        const auto outputs = model.graphOutputs(graph);
        editor.setGraphOutputs(graph, std::vector<ValueId>(outputs.begin(), outputs.end()), std::move(slots));
    }
    return model;
}

} // namespace secateur::testing
