// SPDX-License-Identifier: Apache-2.0
//
// Layout + state + viewport -> display list, and the way back: a point of the view -> what lies there. A
// frame costs what is visible. Levels of detail: below zoom 0.08 one blob for a group, below 0.25 plain
// rectangles and opaque hairlines, else cards with text; no text under 8 px on screen at any zoom.
#pragma once

#include "core/layout/hierarchy.h"
#include "core/layout/layered.h"
#include "core/layout/layout_graph.h"
#include "core/picture/display_list.h"
#include "core/picture/heat.h"
#include "core/picture/picture_state.h"
#include "core/picture/picture_walk.h"

#include <cstdint>
#include <vector>

namespace secateur {

constexpr double kBlobZoom = 0.08;
constexpr double kCardZoom = 0.25;

/// What a point of the picture belongs to.
struct Hit {
    enum class Kind : std::uint8_t { none, node, group, edge, portal, frame };
    Kind kind = Kind::none;
    std::uint32_t index = kNoIndex; ///< item (node, group), placed edge, portal or frame index
    std::uint32_t node = kNoIndex;  ///< node index of a node
    std::uint32_t group = kNoIndex; ///< group index of a group or frame
    int row = -1;                   ///< row of the node under the point, -1: title or none
    friend bool operator==(const Hit&, const Hit&) = default;
};

/// A finished picture's input. All pointers outlive the call.
struct Scene {
    const LayoutGraph* graph = nullptr;
    const Layout* layout = nullptr;
    const Hierarchy* hierarchy = nullptr; ///< may be null
    const PictureState* state = nullptr;
};

struct ViewRequest {
    Rect viewport;   ///< the visible part, in world units
    double zoom = 1; ///< view pixels for one world unit
    Pane pane = Pane::overlay;
    ColorMode colorMode = ColorMode::kind;
    Hit hovered;
    bool showEdgeLabels = true;
    bool isWholePicture = false; ///< the viewport is the page: labels must not reach over its edges
    bool drawCanvas = true;      ///< begin with a rectangle in the canvas colour
    PathProof path;              ///< drawn over the picture; empty: none
    /// A walk from the targets: only nodes up to this wave are lit, those of this wave stand out. Null: none.
    const WalkWaves* walk = nullptr;
    std::uint32_t waveLimit = 0;
    const Heat* heat = nullptr; ///< the numbers behind ColorMode::heat; null: all titles are blank
};

/// Fills `out` (cleared first) with the picture of request.viewport. Deterministic.
void compose(const Scene& scene, const ViewRequest& request, DisplayList& out);

/// The request for all that a pane shows at 100 %, holes at its borders left out, with a margin.
ViewRequest wholePicture(const Scene& scene, Pane pane);

/// What lies at a point of the view (pixels). Nodes before portals before edges (within 5 px) before frames.
Hit hitTest(const Scene& scene, const ViewRequest& request, Point viewPoint);

/// All nodes and groups that touch an area of the view: the rubber band.
std::vector<Hit> hitTestArea(const Scene& scene, const ViewRequest& request, const Rect& viewArea);

/// World rectangle of the node with this key, or of the node or blob that it is drawn in; empty when unknown.
Rect nodeRect(const LayoutGraph& graph, const Layout& layout, std::uint32_t key);

Point toView(const ViewRequest& request, Point world);
Point toWorld(const ViewRequest& request, Point view);

} // namespace secateur
