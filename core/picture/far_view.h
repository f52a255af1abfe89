// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// Draws nodes and edges below kCardZoom in batches: plain rectangles and one-pixel lines, a batch for each
/// colour. Kept is filled, removed hollow in its role colour, will go and changed filled within a ring.
void drawFarEdges(const Scene& scene, const ViewRequest& request, const std::vector<std::uint32_t>& edges,
                  DisplayList& out);
void drawFarNodes(const Scene& scene, const ViewRequest& request, const std::vector<std::uint32_t>& items,
                  DisplayList& out);

} // namespace secateur
