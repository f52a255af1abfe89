// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/graph_index.h"

#include <vector>

namespace secateur {

/// Which nodes repeat a computation of the forward half: same operator, same attributes by content, and
/// inputs that are the same values or repetitions of them.
struct ValueNumbers {
    std::vector<ValueId> original; ///< by ValueId index: the forward value that it repeats, else itself
    std::vector<NodeId>
        repeats; ///< by position: the forward node that a node outside `forward` repeats, or none
};

[[nodiscard]] ValueNumbers findRepeats(const GraphIndex& index, const GraphIndex::Flags& forward);

} // namespace secateur
