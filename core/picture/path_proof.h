// SPDX-License-Identifier: Apache-2.0
//
// Why a node stays or goes, as nodes of the picture: the shortest way to a target, or to the dead end of its
// results; and the order in which a walk from the targets against the edges reaches the nodes.
#pragma once

#include "core/analysis/reachability.h"
#include "core/picture/picture_walk.h"
#include "core/picture/union_graph.h"
#include "core/session/explanation.h"

#include <cstdint>

namespace secateur {

/// The proof for a key of the picture, a node or a graph input: the way that `stories` tells of it, at the
/// cursor of its history. Empty for an output, and for a node that is not there yet.
[[nodiscard]] PathProof pathProof(const UnionGraph& united, const Storyteller& stories, std::uint32_t key);

/// Linear in nodes and edges.
[[nodiscard]] WalkWaves walkWaves(const UnionGraph& united, const Reachability& reach);

} // namespace secateur
