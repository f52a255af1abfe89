// SPDX-License-Identifier: Apache-2.0
//
// What one moment of the walk through the steps adds to the layout: which nodes are there, and how each
// differs.
#pragma once

#include "core/layout/hierarchy.h"
#include "core/layout/layered.h"
#include "core/layout/layout_graph.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace secateur {

enum class Pane : std::uint8_t { before, after, overlay };
enum class ColorMode : std::uint8_t { kind, role };

enum class DiffState : std::uint8_t {
    kept,
    removedBySelectedStep,
    removedEarlier,
    willGo,
    replaced, ///< original node that was folded, fused or rewritten into others
    changed,  ///< attribute, input or type
    added,    ///< created by a step
    absent,   ///< in neither pane at this moment (made by a later step, or made and gone again)
};

enum class Finding : std::uint8_t { none, problem, failedCheck };

struct NodeState {
    DiffState diff = DiffState::kept;
    Finding finding = Finding::none;
    bool isSelected = false;
    bool isInSelectedStep = false;
    std::uint8_t changedRows = 0; ///< bit i: row i differs (drawn dotted under)
};

/// Bits of PictureState::edges.
constexpr std::uint8_t kEdgeInBefore = 1;
constexpr std::uint8_t kEdgeInAfter = 2;

/// Nodes of a blob by fate.
struct GroupTally {
    std::uint32_t total = 0;
    std::uint32_t removed = 0;
    std::uint32_t changed = 0;
    std::uint32_t added = 0;
    std::uint32_t selected = 0;
    std::uint32_t inSelectedStep = 0;
    std::uint32_t problems = 0;
    std::array<std::uint32_t, kNodeRoleCount> roles{};
};

struct PictureState {
    std::vector<NodeState> nodes;    ///< by node index; missing entries are kept
    std::vector<DiffState> folded;   ///< parallel to LayoutGraph::folded; missing entries follow their host
    std::vector<std::uint8_t> edges; ///< by edge index; missing entries are in both panes
    bool showRoles = false;          ///< rail and letter: set by tally when a role other than forward occurs

    // Derived by tally().
    std::vector<GroupTally> items;  ///< by item of the layout
    std::vector<GroupTally> frames; ///< by frame of the layout; filled for outermost frames

    NodeState stateOf(std::uint32_t node) const { return node < nodes.size() ? nodes[node] : NodeState{}; }
    std::uint8_t edgeBits(std::uint32_t edge) const {
        return edge < edges.size() ? edges[edge] : std::uint8_t{kEdgeInBefore | kEdgeInAfter};
    }
    /// Counts the fates inside blobs. Call when nodes, folded or the layout have changed. Linear.
    void tally(const LayoutGraph& graph, const Layout& layout);
};

/// Whether a node with this state has a card (not a hole, not nothing) in the pane.
bool isPresent(DiffState state, Pane pane);
/// Whether it leaves a hole: a dotted outline where a removed node stood.
bool isHole(DiffState state, Pane pane);

/// Bounds of what the pane shows, holes left out: the limits of fit and scroll.
Rect visibleBounds(const Layout& layout, const PictureState& state, Pane pane);

} // namespace secateur
