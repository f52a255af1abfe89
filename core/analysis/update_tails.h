// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/graph_index.h"
#include "core/analysis/training_signs.h"
#include "core/onnx/type_inference.h"

#include <unordered_map>
#include <vector>

namespace secateur {

/// The part of a training step in plain operators that lies between the gradients of the weights and the new
/// weights: learning rate, moments, weight decay, the subtraction itself; or the addition to a gradient
/// buffer.
struct UpdateTails {
    GraphIndex::Flags optimizer, accumulator; ///< by position
    std::vector<ValueId> gradientOf; ///< by position, of tail nodes: the gradient that they work on, or none
    std::unordered_map<ValueId, ValueId> weightOf; ///< gradient -> the weight that is updated with it
    std::vector<ValueId> gradients;                ///< all gradients that enter a tail, in graph order
};

/// `tainted`: nodes whose results carry the error of the prediction (all that lies behind prediction and
/// labels).
[[nodiscard]] UpdateTails findUpdateTails(const GraphIndex& index, const TypeTable& types,
                                          const TrainingSigns& signs, const GraphIndex::Flags& forward,
                                          const GraphIndex::Flags& tainted);

} // namespace secateur
