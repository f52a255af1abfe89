// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/ranking.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// Moves the free units of the gradients' column to the ranks in which their edges are shortest in all, each
/// edge running the way that it runs now (network simplex after Gansner, Koutsofios, North and Vo, 1993).
/// Everything else stands where it is; all ranks move down together when a free unit must go above the first.
/// `isFree`: by unit. Does nothing with more than kMostFreeUnits of them: it is not linear. Parallel
/// edges count as one that weighs more, and after kMostRankVisits it ends with what it has.
void shortenEdges(const RankInput& input, const std::vector<bool>& isFree, Ranking& ranking);

constexpr std::size_t kMostFreeUnits = 400;
/// Vertices and edges looked at before what has been found by then is taken: among 400 units there can be
/// 80,000 edges that differ.
constexpr std::uint64_t kMostRankVisits = 20'000'000;

} // namespace secateur
