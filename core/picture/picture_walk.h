// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace secateur {

/// A way through the picture, drawn over it.
struct PathProof {
    enum class End : std::uint8_t {
        none,        ///< nothing is drawn at the last node
        target,      ///< a result of the last node is a target
        unread,      ///< nobody reads the results of the last node
        otherOutput, ///< the results leave the graph, but not as a target
    };
    std::vector<std::uint32_t> nodes; ///< node indices, in order; a node that is a row counts as its host
    End end = End::none;
    std::string endText; ///< what stands at the end
};

/// Waves of the walk from the targets: a target is in wave 0, what it reads in wave 1, and so on.
struct WalkWaves {
    std::vector<std::uint32_t> waveOf; ///< by node index; kNoIndex: the walk never comes there
    std::vector<std::uint32_t>
        waveOfFolded;                 ///< parallel to LayoutGraph::folded: nodes drawn as rows of others
    std::vector<std::uint32_t> sizes; ///< nodes of the model in each wave, those drawn as rows among them

    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(sizes.size()); }
    [[nodiscard]] bool isReached(std::uint32_t node, std::uint32_t limit) const {
        return node < waveOf.size() && waveOf[node] <= limit;
    }
    [[nodiscard]] bool isFoldedReached(std::size_t folded, std::uint32_t limit) const {
        return folded < waveOfFolded.size() && waveOfFolded[folded] <= limit;
    }
};

} // namespace secateur
