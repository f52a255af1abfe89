// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_graph.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// What is ranked: the units of one container, numbered from 0.
struct RankInput {
    struct Unit {
        NodeRole role = NodeRole::forward;
        std::uint8_t column = 0;
        bool isLeftOut = false;        ///< takes no rank of its own (it stands between the ranks)
        std::uint32_t twin = kNoIndex; ///< the forward unit whose rank it would like to have
        std::uint32_t row = kNoIndex;  ///< the unit whose rank it must have: a group's part in another column
    };
    struct Edge {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        bool isPortal = false;      ///< not drawn whole: it only decides between forward units
        bool isAgainstFlow = false; ///< must not decide which of its ends stands above
    };
    std::vector<Unit> units;
    std::vector<Edge> edges;
};

struct Ranking {
    std::vector<std::uint32_t> rank; ///< by unit; no rank is empty
    std::uint32_t rankCount = 0;
    std::uint64_t visits = 0;   ///< units and edges looked at
    std::uint32_t unfolded = 0; ///< gradient units that could not share their twin's rank
};

/// Longest-path ranks over the folded graph (backward edges reversed, gradient units merged with their
/// twins), then tightened: everything but the sinks is pulled down to its readers, collectors back up to
/// their inputs; of up to kMostFreeUnits gradients, those that have no twin then stand where their edges are
/// shortest (rank_lengths.h), and so does what is computed again. Units without edges fill the ranks evenly.
/// Cycles are tolerated. Linear.
[[nodiscard]] Ranking rankUnits(const RankInput& input);

} // namespace secateur
