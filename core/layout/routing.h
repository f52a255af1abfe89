// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layered.h"
#include "core/layout/visible_graph.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// Lanes: for each visible edge the x of its virtual places, one per rank between its ends, from top to
/// bottom.
struct RoutingInput {
    const VisibleGraph& visible;
    const std::vector<double>& rankBottom;
    const std::vector<std::uint32_t>& laneStart; ///< edges + 1 offsets into laneX
    const std::vector<double>& laneX;
};

/// Draws the edges of a layout whose items are placed: fills their points and label places.
void routeEdges(const RoutingInput& input, const LayoutGraph& graph, Layout& layout);

/// Tags for the ends of edges that are not drawn whole.
void placePortals(const LayoutGraph& graph, const Hierarchy& hierarchy, Layout& layout);

} // namespace secateur
