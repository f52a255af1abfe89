// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/graph_index.h"
#include "core/analysis/roles.h"
#include "core/analysis/value_numbers.h"
#include "core/onnx/type_inference.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace secateur {

/// What is certain about the way of the gradients through a backward half: where they start, which nodes
/// carry them, and at which layers they are known to be the gradient of what.
struct GradientFlow {
    std::vector<BackwardKind> kind; ///< by position; none where not backward
    std::vector<NodeId> layer;      ///< by position: the layer whose weight's gradient alone it makes
    std::vector<ValueId> from;      ///< by position: the forward value whose gradient comes in
    std::unordered_map<ValueId, ValueId> of; ///< gradients that are known, by the updates and by the loss
    bool hasOperators = false;               ///< gradients are made by operators of their own (ReluGrad ...)
};

/// `network`: nodes of the forward half; `loss`: of the loss; `backward`: nodes to tell about; `tainted`:
/// nodes that carry the error, which are believed to carry gradients where nothing shows where those start.
/// `weightOf`: gradients that updates and accumulators use, with the weight. `onlyEnds`: by position, the
/// gradient in which everything that a backward node makes ends, where that is one.
[[nodiscard]] GradientFlow findGradientFlow(const GraphIndex& index, const TypeTable& types,
                                            const ValueNumbers& numbers, const GraphIndex::Flags& network,
                                            const GraphIndex::Flags& loss, const GraphIndex::Flags& backward,
                                            const GraphIndex::Flags& tainted,
                                            std::span<const ValueId> predictions,
                                            const std::unordered_map<ValueId, ValueId>& weightOf,
                                            std::span<const ValueId> onlyEnds);

} // namespace secateur
