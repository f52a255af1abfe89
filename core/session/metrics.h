// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/onnx/type_inference.h"

#include <cstdint>

namespace secateur {

/// Numbers of a model as the summary strip shows them.
struct Metrics {
    std::uint64_t nodes = 0;     ///< with bodies; functions once per call site
    std::uint64_t fileBytes = 0; ///< of the serialized model
    std::uint64_t initializerBytes = 0;
    std::uint64_t parameterInputBytes = 0; ///< of graph inputs whose size is known
    friend bool operator==(const Metrics&, const Metrics&) = default;
};

/// Counts and sizes of a model; of `types` only those of the inputs of the main graph are read. Linear in its
/// nodes and values, whatever its weights weigh. `fileBytes` is the size of the file that the model was read
/// from, where it is unchanged since; 0: it is worked out.
[[nodiscard]] Metrics measureModel(const Model& model, const TypeTable& types, std::uint64_t fileBytes = 0);

/// How many initializers the model has, in all its graphs.
[[nodiscard]] std::uint64_t countInitializers(const Model& model);
/// How many values: results of nodes, graph inputs and initializers, in all graphs.
[[nodiscard]] std::uint64_t countValues(const Model& model);

} // namespace secateur
