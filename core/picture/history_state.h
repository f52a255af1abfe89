// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/picture_state.h"
#include "core/picture/union_graph.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace secateur {

/// What a picture of a moment of the history is to say.
struct StateRequest {
    /// The step whose changes are shown at full strength, counted from 0; none: all steps up to the cursor
    /// are.
    std::optional<std::size_t> selectedStep;
    /// Compare with the model before the selected step instead of the original.
    bool isBeforePreviousStep = false;
    /// Nodes of the original that a previewed choice would remove, by NodeId index; empty: no preview.
    std::vector<bool> willGo;
    std::vector<std::uint32_t> selectedKeys;
    std::vector<NodeId> problems; ///< nodes that the mark of a problem is drawn on
};

/// Nodes that the file has a problem with, or about which a step asks. In the order in which they are found.
[[nodiscard]] std::vector<NodeId> nodesWithProblems(const Original& original, const History* history);

/// The state of every node and edge of the union at the cursor of `history` (null: the original). Derived
/// counts are not filled in, see PictureState::tally. Linear.
[[nodiscard]] PictureState pictureStateOf(const UnionGraph& unionGraph, const Original& original,
                                          const History* history, const StateRequest& request);

} // namespace secateur
