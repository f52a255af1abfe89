// SPDX-License-Identifier: Apache-2.0
#include "core/session/metrics.h"

#include "core/ir/walk.h"
#include "core/onnx/save.h"

namespace secateur {

Metrics measureModel(const Model& model, const TypeTable& types, std::uint64_t fileBytes) {
    Metrics metrics;
    metrics.nodes = countNodes(model);
    // A model too large for one message is written with external data; its size is then what the parts weigh.
    metrics.fileBytes = fileBytes;
    if (fileBytes == 0) {
        if (const auto size = serializedSize(model)) metrics.fileBytes = *size;
    }
    for (const GraphId graph : allGraphs(model)) {
        for (const ValueId value : model.graph(graph).initializers) {
            if (!model.isAlive(value) || !model.isInitializer(value)) continue;
            metrics.initializerBytes += model.value(value).tensor->byteSize().value_or(0);
        }
        for (const ValueId value : model.graph(graph).sparseInitializers) {
            if (model.isAlive(value) && model.value(value).tensor)
                metrics.initializerBytes += model.value(value).tensor->payload.size;
        }
    }
    for (const ValueId input : model.graphInputs(model.mainGraph())) {
        if (model.isInitializer(input)) continue;
        metrics.parameterInputBytes += types.type(input).bytes().value_or(0);
    }
    return metrics;
}

std::uint64_t countInitializers(const Model& model) {
    std::uint64_t count = 0;
    for (const GraphId graph : allGraphs(model)) {
        for (const ValueId value : model.graph(graph).initializers) {
            if (model.isAlive(value) && model.isInitializer(value)) ++count;
        }
        for (const ValueId value : model.graph(graph).sparseInitializers)
            count += model.isAlive(value) ? 1U : 0U;
    }
    return count;
}

std::uint64_t countValues(const Model& model) {
    std::uint64_t count = 0;
    for (const GraphId graph : allGraphs(model)) {
        for (const NodeId node : model.nodes(graph)) {
            for (const ValueId value : model.outputs(node))
                count += value.isNone() ? 0U : 1U;
        }
        for (const ValueId value : model.graphInputs(graph)) {
            if (!model.isInitializer(value)) ++count;
        }
    }
    return count + countInitializers(model);
}

} // namespace secateur
