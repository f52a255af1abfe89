// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"

#include <vector>

namespace secateur {

/// How an edge is drawn in a pane.
struct EdgeLook {
    ColorRef color;
    DashStyle dash = DashStyle::solid;
    float width = 1.2F;
    bool isVisible = true;
};

EdgeLook edgeLookOf(const Scene& scene, const ViewRequest& request, const PlacedEdge& edge);

/// Draws an edge as curves with an arrow head, in view pixels.
void drawEdge(const Scene& scene, const ViewRequest& request, const PlacedEdge& edge, const EdgeLook& look,
              DisplayList& out);
/// Its type, or the bytes of a stash.
void drawEdgeLabel(const Scene& scene, const ViewRequest& request, const PlacedEdge& edge, DisplayList& out);
/// A tag at the end of edges that are not drawn whole.
void drawPortal(const Scene& scene, const ViewRequest& request, const Portal& portal, bool isHovered,
                DisplayList& out);

/// Distance from a world point to the edge's curves.
double distanceToEdge(const Layout& layout, const PlacedEdge& edge, Point world);

} // namespace secateur
