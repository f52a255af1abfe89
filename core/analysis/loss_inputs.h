// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/graph_index.h"
#include "core/analysis/training_signs.h"
#include "core/onnx/type_inference.h"

#include <vector>

namespace secateur {

/// A value that a loss compares with labels.
struct LossInput {
    ValueId prediction; ///< normalisations that belong to the loss (LogSoftmax ...) are already taken off
    ValueId normalized; ///< what the loss reads itself, where that is another value
    ValueId label;      ///< the graph input it is compared with; none for a loss operator without one
    NodeId meets; ///< the node where prediction and label meet: the loss operator, or the first node of its
                  ///< parts
    bool isCertain =
        true; ///< false: the label also feeds the layers (as where the network rebuilds its own input)
};

/// The predictions that loss operators read in their first slot, in program order, each once.
[[nodiscard]] std::vector<LossInput> inputsOfLossOperators(const GraphIndex& index);

/// The predictions that a loss in plain operators compares with labels: where the cone of a label meets the
/// cone of the data. A label is an input that reaches `loss` but no operator that reads a weight.
[[nodiscard]] std::vector<LossInput> inputsOfPlainLoss(const GraphIndex& index, const TypeTable& types,
                                                       const TrainingSigns& signs, ValueId loss);

} // namespace secateur
