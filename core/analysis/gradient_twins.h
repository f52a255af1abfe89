// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    std::vector<NodeId> twin;        ///< by position; none where not backward or not found
    std::vector<ValueId> gradientOf; ///< by ValueId index: the forward value whose gradient it is, or none
};

/// `forward`: nodes of the forward half and of the loss. `backward`: nodes to place. `weightOf`: gradients
/// that are known to belong to a weight, from the update that uses them.
[[nodiscard]] GradientTwins findGradientTwins(const GraphIndex& index, const TypeTable& types,
                                              const ValueNumbers& numbers, const GraphIndex::Flags& forward,
                                              const GraphIndex::Flags& backward,
                                              const GraphIndex::Flags& tainted,
                                              const std::unordered_map<ValueId, ValueId>& weightOf);

} // namespace secateur
