// SPDX-License-Identifier: Apache-2.0
#include "core/passes/convert/weight_source.h"

#include "core/onnx/load.h"
#include "core/onnx/ort_checkpoint.h"

namespace secateur {

Result<WeightSource> openWeights(const std::filesystem::path& path) {
    WeightSource source;
    const auto add = [&](std::string name, TensorPtr tensor) {
        if (source.byName.emplace(name, source.tensors.size()).second) {
            source.tensors.emplace_back(std::move(name), std::move(tensor));
        }
    };
    if (looksLikeOrtCheckpoint(path)) {
        const OrtCheckpoint checkpoint = TRY(loadOrtCheckpoint(path));
        for (const OrtCheckpoint::Entry& entry : checkpoint.entries)
            add(entry.name, entry.tensor);
        return source;
    }
    const LoadedModel file = TRY(loadModel(path));
    const GraphId main = file.model.mainGraph();
    for (const ValueId value : file.model.graph(main).initializers) {
        if (file.model.isAlive(value))
            add(std::string(file.model.name(value)), file.model.value(value).tensor);
    }
    return source;
}

} // namespace secateur
