// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/gradient_flow.h"
#include "core/analysis/graph_index.h"
#include "core/analysis/value_numbers.h"
#include "core/onnx/type_inference.h"

#include <unordered_map>
#include <vector>

namespace secateur {

/// For each backward node the forward node whose derivative it works on, and for each gradient the forward
/// value it is the gradient of. Found by following the error from the loss backwards through the network:
/// what consumes the gradient of a value belongs to the node that made the value, unless what it reads
/// besides says otherwise.
struct GradientTwins {
    std::vector<NodeId> twin; ///< by position; none where not backward or not found
    GraphIndex::Flags isSure; ///< by position: told by the operator or by the weight, not merely likely
    std::vector<ValueId> gradientOf; ///< by ValueId index: the forward value whose gradient it is, or none
};

/// `forward`: nodes of the forward half and of the loss. `backward`: nodes to place. `weightOf`: gradients
/// that are known to belong to a weight, from the update that uses them. `flow`: what is certain already.
[[nodiscard]] GradientTwins findGradientTwins(const GraphIndex& index, const TypeTable& types,
                                              const ValueNumbers& numbers, const GraphIndex::Flags& forward,
                                              const GraphIndex::Flags& loss,
                                              const GraphIndex::Flags& backward, const GradientFlow& flow,
                                              const std::unordered_map<ValueId, ValueId>& weightOf);

} // namespace secateur
