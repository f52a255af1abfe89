// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/picture_state.h"
#include "core/picture/union_graph.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace secateur {

/// The types of values between the ends of a history, where a step changed any of a value that was there
/// before: found once, so that looking at a moment infers nothing.
class MomentTypes {
  public:
    MomentTypes() = default;
    /// Moves the cursor along the steps and puts it back. Linear in values for every step.
    MomentTypes(const Original& original, History& history);
    /// After so many steps; null where nothing is kept: types are those of an end, or were not looked for.
    [[nodiscard]] const TypeTable* at(std::size_t cursor) const {
        return cursor < m_tables.size() && m_tables[cursor] ? &*m_tables[cursor] : nullptr;
    }

  private:
    std::vector<std::optional<TypeTable>> m_tables; ///< by cursor
};

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
    std::vector<NodeId> problems;       ///< nodes that the mark of a problem is drawn on
    const MomentTypes* types = nullptr; ///< of this history; null: they are inferred where they are needed
};

/// Nodes that the file has a problem with, or about which a step asks. In the order in which they are found.
[[nodiscard]] std::vector<NodeId> nodesWithProblems(const Original& original, const History* history);

/// The state of every node and edge of the union at the cursor of `history` (null: the original). Derived
/// counts are not filled in, see PictureState::tally. Linear.
[[nodiscard]] PictureState pictureStateOf(const UnionGraph& unionGraph, const Original& original,
                                          const History* history, const StateRequest& request);

} // namespace secateur
