// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"

#include <string>
#include <vector>

namespace secateur {

/// How an edge is drawn in a pane.
struct EdgeLook {
    ColorRef color;
    DashStyle dash = DashStyle::solid;
    float width = 1.2F;
    bool isVisible = true;
};

/// Has this item a card, a blob or a hole in the pane?
bool isItemDrawn(const Scene& scene, Pane pane, std::uint32_t item);

/// The point of a cubic Bezier p[0..3] at t, 0 to 1.
Point pointOnCubic(const Point* p, double t);

EdgeLook edgeLookOf(const Scene& scene, const ViewRequest& request, const PlacedEdge& edge);

/// Draws an edge as curves with an arrow head, in view pixels.
void drawEdge(const Scene& scene, const ViewRequest& request, const PlacedEdge& edge, const EdgeLook& look,
              DisplayList& out);
/// A tag at the end of edges that are not drawn whole.
void drawPortal(const Scene& scene, const ViewRequest& request, const Portal& portal, bool isHovered,
                DisplayList& out);

/// Is an edge with these bits of PictureState::edges drawn in the pane?
bool isEdgeInPane(std::uint8_t bits, Pane pane);

/// Type and size of the value of a graph edge in a pane.
EdgeText edgeTextOf(const LayoutGraph& graph, const PictureState& state, Pane pane, std::uint32_t edge);
/// What stands beside a graph edge in a pane: the bytes of a stash, else the type.
std::string edgeText(const LayoutGraph& graph, const PictureState& state, Pane pane, std::uint32_t edge);
/// The same for a placed edge: a stash says the bytes of all values that it stands for.
std::string edgeText(const Scene& scene, Pane pane, const PlacedEdge& edge);

/// Distance from a world point to the edge's curves.
double distanceToEdge(const Layout& layout, const PlacedEdge& edge, Point world);

} // namespace secateur
