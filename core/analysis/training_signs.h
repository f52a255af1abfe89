// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/graph_index.h"
#include "core/onnx/type_inference.h"

#include <cstddef>
#include <vector>

namespace secateur {

/// A graph output that is the next value of something the graph reads: a new weight, a new moment.
struct StateUpdate {
    std::size_t slot = 0; ///< of the graph output
    ValueId output;
    ValueId state;         ///< the input or initializer that it replaces
    bool isWeight = false; ///< the state is a weight of the forward half
};

/// What betrays a training graph, by structure and operator types.
struct TrainingSigns {
    std::vector<bool> isWeight;    ///< by ValueId index: an operator reads it where weights are read
    GraphIndex::Flags readsWeight; ///< by position: reads a weight, directly or through reshaping
    GraphIndex::Flags
        trainingMode; ///< by position: runs in training mode (Dropout, BatchNormalization, masks ...)
    std::vector<StateUpdate> updates;  ///< in order of the outputs
    bool hasTrainingOperators = false; ///< losses, gradients, accumulators, optimizers
    bool hasTrainingMode = false;
    bool hasWeightUpdates = false; ///< a weight of the forward half is updated in plain operators
    bool hasYield = false;         ///< YieldOp: the border of forward and backward half
};

[[nodiscard]] TrainingSigns findTrainingSigns(const GraphIndex& index, const TypeTable& types);

/// Do the two have the same element type and the same dimensions, all of them numbers?
[[nodiscard]] bool hasSameStaticType(const Type& a, const Type& b);
/// A tensor of exactly one element, as far as the type says.
[[nodiscard]] bool isSingleElement(const Type& type);
[[nodiscard]] bool isFloatingPoint(ElementType type);
/// Operators that compute element by element, as optimizers in plain operators do.
[[nodiscard]] bool isElementwise(const GraphIndex& index, std::uint32_t position);
/// Operators that only rearrange: the result has the elements of one input.
[[nodiscard]] bool isLayoutChange(const GraphIndex& index, std::uint32_t position);

} // namespace secateur
