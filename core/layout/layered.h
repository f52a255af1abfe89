// SPDX-License-Identifier: Apache-2.0
//
// The layered layout. Ranks run down the page. Forward nodes and the loss stand in the left column, backward
// nodes in the middle, accumulators and the optimizer at the right. The backward half is folded: its edges
// are reversed for ranking and a gradient node takes the rank of its forward twin, so a stash is a short
// dashed edge to the right. Open groups that are blocks of the network are laid out one by one and stacked,
// each with its backward half right beside it. Edges run along the ranks and in the gaps between them with
// few bends and under no box. Time and memory are linear in nodes and edges: edges over more than maxSpan
// ranks become labelled portals instead of rows of virtual nodes, and so do values with many readers.
#pragma once

#include "core/layout/geometry.h"
#include "core/layout/hierarchy.h"
#include "core/layout/layout_graph.h"
#include "core/layout/spatial_index.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace secateur {

struct Layout;
class LayerImprover;

struct LayoutOptions {
    double rankGap = 28; ///< and more where edges run side by side
    double nodeGap = 16;
    double columnGap = 48;
    std::uint32_t maxSpan = 30;      ///< longer edges become portals
    std::uint32_t portalFanOut = 12; ///< a value with more readers than this becomes a portal
    std::uint32_t sweeps = 4;        ///< pairs of median sweeps (down, up)
    LeftOut leftOut;                 ///< takes no room; see layout_moves.h
    /// Another layout of the same graph with the same groups open: what stands left of what there stands so
    /// here. Must live as long as the call.
    const Layout* orderFrom = nullptr;
    LayerImprover* improver = nullptr; ///< a second opinion on the order within blocks; see layer_improver.h
    /// Asked between phases and often within those that take long; may be empty. After a yes the layout comes
    /// back cancelled and empty.
    std::function<bool()> isCancelled;
};

/// A box of the picture: a node, or the part of a closed group that stands in one column.
struct PlacedItem {
    std::uint32_t node = kNoIndex;  ///< node index, kNoIndex for a blob
    std::uint32_t group = kNoIndex; ///< group index of a blob
    std::uint32_t nodeCount = 1;    ///< nodes inside, folded ones counted
    NodeRole role = NodeRole::forward;
    std::uint32_t rank = 0;
    std::uint8_t column = 0;
    Rect rect;
};

/// A drawn edge: one of the graph's, or several between the same two boxes put together.
struct PlacedEdge {
    std::uint32_t from = 0; ///< item index
    std::uint32_t to = 0;
    std::uint32_t edge = 0;      ///< the first graph edge behind it
    std::uint32_t count = 1;     ///< how many graph edges it stands for; edgeList[firstEdge, +count)
    std::uint32_t firstEdge = 0; ///< into Layout::edgeList
    EdgeClass edgeClass = EdgeClass::data;
    bool isPortal = false;        ///< drawn as two tags, whole only for the hovered or selected node
    std::uint32_t firstPoint = 0; ///< into Layout::points: start, then triples of cubic Bezier points
    std::uint32_t pointCount = 0;
    Point labelAt;         ///< left middle of the label (centre for edges between columns)
    double labelWidth = 0; ///< room for it, in which nothing else is; 0: none
};

/// The ends of a box's edges that are not drawn whole: one tag above the box for what it reads, one below it
/// for what it feeds. It says the title of the other end when there is just one, else how many there are.
struct Portal {
    std::uint32_t item = 0;
    std::uint32_t edge = 0;  ///< the first of its placed edges
    bool isSource = false;   ///< stands at the producer
    std::uint32_t count = 0; ///< graph edges that meet in it
    EdgeClass edgeClass = EdgeClass::data;
    std::string text;
    Rect rect;
};

/// An opened group's frame. A group that stands alone in its ranks has one frame around all its columns; of
/// others each column has a frame of its own. A group whose boxes others stand between has none.
struct GroupFrame {
    std::uint32_t group = 0;
    std::uint8_t column = 0; ///< the first one inside
    std::uint32_t nodeCount = 0;
    Rect rect;
    std::array<Rect, 3> parts{};     ///< what of it each column fills; empty where it has nothing
    std::array<NodeRole, 3> roles{}; ///< of the first node in each part, as a closed group has it
    /// By column: the next frame around this part, if any.
    std::array<std::uint32_t, 3> around{kNoIndex, kNoIndex, kNoIndex};
};

/// Work done, for tests of linear growth.
struct LayoutCounters {
    std::uint64_t itemsPlaced = 0;
    std::uint64_t virtualNodes = 0;
    std::uint64_t portals = 0;
    std::uint64_t legs = 0; ///< pieces of the ways of edges: more where edges pass into groups
    std::uint64_t rankVisits = 0;
    std::uint64_t sweepVisits = 0;
    std::uint64_t placementVisits = 0;
    std::uint32_t sweeps = 0;    ///< over the layers of the block that needed most
    std::uint64_t crossings = 0; ///< pairwise inversions between neighbouring ranks
    std::uint32_t unfolded = 0;  ///< gradient nodes that could not take their twin's rank
};

struct Layout {
    std::vector<PlacedItem> items;
    std::vector<PlacedEdge> edges;
    std::vector<Point> points;
    std::vector<std::uint32_t> edgeList; ///< graph edge indices, grouped by placed edge
    std::vector<Portal> portals;
    std::vector<GroupFrame> frames;
    std::vector<std::uint32_t> itemOfNode; ///< by node index: its own box or the blob that hides it
    std::vector<double> rankTop;           ///< of the outermost ranks
    std::array<Rect, 3> columns{};         ///< hulls of what stands in each column
    Rect bounds;
    LayoutCounters counters;
    bool cancelled = false;

    // Derived, for drawing and hit testing.
    std::vector<std::uint32_t>
        itemOfGroup; ///< by group index: its blob (first column), or the blob that hides it
    std::vector<std::uint32_t> innerFrame;       ///< by item: the innermost frame around it, if any
    std::vector<std::uint32_t> edgesOfItemStart; ///< items + 1 offsets into edgesOfItem
    std::vector<std::uint32_t> edgesOfItem;      ///< placed edge indices
    SpatialIndex itemIndex;
    SpatialIndex edgeIndex; ///< edges that are no portals
    SpatialIndex portalIndex;

    /// `visit(frame, column)` for each frame around a box, the innermost first.
    template <class Visit> void eachFrameAround(std::uint32_t item, Visit visit) const {
        if (item >= innerFrame.size()) return;
        const std::uint8_t column = items[item].column;
        for (std::uint32_t f = innerFrame[item]; f != kNoIndex; f = frames[f].around[column])
            visit(f, column);
    }
};

/// Lays out the visible part of the graph. Same input, same coordinates.
Layout layoutGraph(const LayoutGraph& graph, const Hierarchy& hierarchy, const ExpandState& expanded,
                   const LayoutOptions& options = {});

/// Lays out every node, without groups.
Layout layoutGraph(const LayoutGraph& graph, const LayoutOptions& options = {});

} // namespace secateur
