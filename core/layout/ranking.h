// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/visible_graph.h"

#include <cstdint>
#include <vector>

namespace secateur {

struct Ranking {
    std::vector<std::uint32_t> rank; ///< by item; no rank is empty
    std::uint32_t rankCount = 0;
    std::uint64_t visits = 0;   ///< items and edges looked at
    std::uint32_t unfolded = 0; ///< gradient items that could not share their twin's rank
};

/// Longest-path ranks over the folded graph (backward edges reversed, gradient items merged with their
/// twins), then tightened: everything but the sinks is pulled down to its readers, collectors back up to
/// their inputs. Accumulators and optimizer are ranked after the rest, beside the gradients that they read.
/// Cycles are tolerated.
Ranking rankItems(const VisibleGraph& visible);

} // namespace secateur
