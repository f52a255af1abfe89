// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/ordering.h"

#include <cstdint>
#include <functional>

namespace secateur {

/// Which of several equally good ways a path takes.
enum class PathTies : std::uint8_t { stay, left, right };

/// Takes path after path out of the layers (a long edge with its virtual places, a chain of boxes) and puts
/// it back where it crosses least, with all else as it stands: the best way through all its layers at once,
/// found layer by layer. Never adds crossings. A place moves at most kPathWindow positions at a time.
/// `budget`: visits of links and positions after which it stops; lowered by what was used. Also stops when
/// `isCancelled` (may be empty) says so. Returns the crossings that were saved.
std::uint64_t reinsertPaths(LayerGraph& graph, PathTies ties, std::uint64_t& budget,
                            const std::function<bool()>& isCancelled = {});

constexpr std::uint32_t kPathWindow = 16;

} // namespace secateur
