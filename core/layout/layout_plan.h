// SPDX-License-Identifier: Apache-2.0
//
// What the phases of a layout hand to each other. The picture is a tree of containers: the whole graph, open
// groups that stand in it as blocks of their own, and the small pieces that accumulators and the optimizer
// fall into. A container has units (boxes, and the parts of its child containers, one a column) in ranks, and
// each column of it is laid out by itself. Coordinates of a container count from its own corner until the
// end.
#pragma once

#include "core/layout/layered.h"
#include "core/layout/visible_graph.h"

#include <array>
#include <cstdint>
#include <vector>

namespace secateur {

constexpr std::size_t kColumnCount = 3;

namespace layout_plan {

/// What stands in a rank: a box, or the part of a child container in one column.
struct Unit {
    std::uint32_t item = kNoIndex;      ///< visible item
    std::uint32_t child = kNoIndex;     ///< container whose part it is
    std::uint32_t container = kNoIndex; ///< where it stands; kNoIndex: hidden, or between the ranks
    std::uint8_t column = 0;
    std::uint32_t rank = kNoIndex; ///< in its container; kNoIndex: in the area of updates
    double left = 0;               ///< from the anchor to the left edge
    double right = 0;
    double height = 0;
    double x = 0; ///< of the anchor, in its container
    double y = 0; ///< of the top, in its container
};

/// Where edges of one value pass the border of a container in one column.
struct Port {
    std::uint32_t container = 0;
    std::uint8_t column = 0;
    bool isTop = true;
    std::uint32_t source = 0; ///< visible item that makes the value
    double x = 0;             ///< in its container
};

/// An end of a trunk: a box, a port of the container itself, or a port of a child (unit and port are set).
struct End {
    std::uint32_t unit = kNoIndex;
    std::uint32_t port = kNoIndex;
    friend bool operator==(const End&, const End&) = default;
};

/// All edges of one value that run down (or up) one column of a container from one end: they share lanes as
/// far as they go together.
struct Trunk {
    std::uint32_t container = 0;
    std::uint8_t column = 0;
    bool isDown = true;
    End from;
    std::vector<End> to;
    std::vector<double> entryX; ///< by target: where it is entered
    double exitX = 0;
    std::uint32_t firstLane = 0; ///< into Plan::laneX, from the source on
    std::uint32_t laneCount = 0;
    std::vector<std::uint32_t> tracks; ///< by gap, from the source on
    /// Its only target is entered from the side, by what leads to its port: nothing is drawn.
    bool isDirect = false;
};

/// An edge that passes from column to column through the gap between two ranks of a container.
struct Hop {
    std::uint32_t container = 0;
    std::uint32_t gap = 0; ///< the rank above it, plus one
    bool isDown = true;
    End from, to;
    double exitX = 0;
    double entryX = 0;
    std::uint32_t track = 0;
};

/// All edges of one value from one box to boxes of the next column.
struct Side {
    std::uint32_t container = 0;
    std::uint32_t from = 0; ///< unit
    struct Target {
        std::uint32_t unit = kNoIndex;
        std::uint32_t port = kNoIndex; ///< top port of the piece of updates `unit`
        bool entersAbove = false;      ///< something stands in front of it
        double entry = 0;              ///< x where it enters from above, else y below the unit's top
        std::uint32_t track = 0;       ///< in the gap above
        double rise = 0;               ///< above the top of a piece of updates: where it runs to its entry
    };
    std::vector<Target> to;
    bool hasLongLabel = false; ///< a stash of unknown size: "batch × 512 B", or a type
    bool leavesBelow = false;  ///< something stands beside its source
    double exit = 0;           ///< x where it leaves below, else y below the unit's top
    bool hasExit = false;      ///< a straight target has chosen it
    std::uint32_t exitTrack = 0;
    double channelX = 0;    ///< where it changes its height
    bool isStraight = true; ///< it does not change its height
};

/// One piece of the way of an edge.
struct Leg {
    enum class Kind : std::uint8_t { trunk, hop, side };
    Kind kind = Kind::trunk;
    std::uint32_t index = 0;
    std::uint32_t target = 0; ///< of a trunk or side: which of its targets
};

/// How a visible edge is drawn.
enum class Fate : std::uint8_t { ways, portal, loop, free };

/// Space between two ranks.
struct Gap {
    double above = 0; ///< free room under the upper rank, for labels
    std::uint32_t tracks = 0;
    double below = 0;
    double top = 0; ///< y in the container
    [[nodiscard]] double height() const;
    [[nodiscard]] double trackY(std::uint32_t track) const;
};
constexpr double kTrackPitch = 6;

inline double Gap::height() const {
    return above + kTrackPitch * tracks + below;
}
inline double Gap::trackY(std::uint32_t track) const {
    return top + above + kTrackPitch * (track + 0.5);
}

/// The extent of a container in one column, in its own coordinates.
struct Part {
    bool isUsed = false;
    double left = 0;
    double right = 0;
    double anchor = 0;              ///< x that its neighbours align with
    std::uint32_t spine = kNoIndex; ///< the unit whose x that is, if any
    std::uint32_t unit = kNoIndex;  ///< it in the parent
    double baseX = 0;               ///< from own to final coordinates
};

struct Container {
    enum class Kind : std::uint8_t { root, group, update };
    Kind kind = Kind::root;
    std::uint32_t group = kNoIndex;
    std::uint32_t parent = kNoIndex;
    bool isStack = false; ///< open groups stand in it as containers
    std::vector<std::uint32_t> units;
    std::vector<std::uint32_t> children;
    std::vector<std::uint32_t> updates; ///< containers of kind update that stand in its area of updates
    std::uint32_t rankCount = 0;
    std::vector<std::uint32_t> ports;
    std::vector<std::uint32_t> trunks;
    std::vector<std::uint32_t> hops;
    std::vector<std::uint32_t> sides;
    std::vector<Gap> gaps; ///< rankCount + 1
    std::vector<double> rowTop, rowBottom;
    std::array<Part, kColumnCount> parts;
    double areaLeft = 0; ///< of the area of updates
    double height = 0;
    double baseY = 0;
    std::uint32_t source = kNoIndex; ///< of an update: the unit of the parent that feeds it, if any
};

struct Plan {
    Plan(const LayoutGraph& theGraph, const Hierarchy& theHierarchy, const ExpandState& theExpanded,
         const LayoutOptions& theOptions)
        : graph(theGraph), hierarchy(theHierarchy), expanded(theExpanded), options(theOptions) {}

    const LayoutGraph& graph;
    const Hierarchy& hierarchy;
    const ExpandState& expanded;
    const LayoutOptions& options;
    VisibleGraph visible;
    std::vector<Container> containers; ///< parents before children
    std::vector<Unit> units;           ///< by visible item, then parts
    std::vector<Port> ports;
    std::vector<Trunk> trunks;
    std::vector<Hop> hops;
    std::vector<Side> sides;
    std::vector<double> laneX;
    std::vector<Fate> fates;             ///< by visible edge
    std::vector<std::uint32_t> legStart; ///< visible edges + 1 offsets into legs
    std::vector<Leg> legs;
    std::vector<std::uint32_t> tagRoomTop, tagRoomBottom; ///< by visible item: width taken by a portal's tag
    LayoutCounters counters;

    [[nodiscard]] Container& containerOf(std::uint32_t unit) { return containers[units[unit].container]; }
    /// Layer of an end in its container: ports stand in the first and the last, rank r in layer r + 1.
    [[nodiscard]] std::uint32_t layerOf(const Container& container, const End& end) const {
        if (end.unit != kNoIndex) return units[end.unit].rank + 1;
        return ports[end.port].isTop ? 0 : container.rankCount + 1;
    }
    [[nodiscard]] bool isCancelled() const { return options.isCancelled && options.isCancelled(); }
    /// The same for the step of a long loop: asks at one in a few thousand.
    [[nodiscard]] bool isCancelledAt(std::size_t step) const {
        return step % kAskEvery == 0 && isCancelled();
    }
    static constexpr std::size_t kAskEvery = 4096;
};

} // namespace layout_plan
} // namespace secateur
