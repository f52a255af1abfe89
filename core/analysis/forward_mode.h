// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/graph_index.h"
#include "core/analysis/training_signs.h"
#include "core/onnx/type_inference.h"

#include <vector>

namespace secateur {

/// Two outputs of which one looks like the derivative of the other, computed forwards along the network: it
/// has the same type, an input of its own of the type of one of the network's, multiplies by the same
/// weights, and reads what the network computes, while the network reads nothing of it.
struct ForwardModePair {
    ValueId primal, tangent;
};

[[nodiscard]] std::vector<ForwardModePair>
findForwardModePairs(const GraphIndex& index, const TypeTable& types, const TrainingSigns& signs);

} // namespace secateur
