// SPDX-License-Identifier: Apache-2.0
//
// What one moment of the walk through the steps adds to the layout: which nodes are there, and how each
// differs.
#pragma once

#include "core/layout/hierarchy.h"
#include "core/layout/layered.h"
#include "core/layout/layout_graph.h"
#include "core/picture/heat.h"
#include "core/picture/node_face.h"
#include "core/picture/picture_walk.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

enum class Pane : std::uint8_t { before, after, overlay };
enum class ColorMode : std::uint8_t { kind, role, heat };

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
    std::uint8_t changedRows = 0;      ///< bit i: row i of the Before pane differs (drawn dotted under)
    std::uint8_t changedRowsAfter = 0; ///< the same for the face of the After pane
    bool isReplaced = false;           ///< gone, and other nodes stand in its place
};

/// What is written beside an edge.
struct EdgeText {
    std::string label; ///< the type
    double bytes = -1; ///< as in LayoutEdge
    double bytesForOne = -1;
    std::string factor;
};

/// A few texts by node or edge index. Filled in rising order.
template <class Text> class TextOverrides {
  public:
    void add(std::uint32_t index, Text text) { m_texts.emplace_back(index, std::move(text)); }
    [[nodiscard]] const Text* find(std::uint32_t index) const {
        const auto at = std::lower_bound(m_texts.begin(), m_texts.end(), index,
                                         [](const auto& entry, std::uint32_t i) { return entry.first < i; });
        return at != m_texts.end() && at->first == index ? &at->second : nullptr;
    }
    [[nodiscard]] bool empty() const { return m_texts.empty(); }

  private:
    std::vector<std::pair<std::uint32_t, Text>> m_texts;
};

/// Bits of PictureState::edges.
constexpr std::uint8_t kEdgeInBefore = 1;
constexpr std::uint8_t kEdgeInAfter = 2;

/// Nodes of a blob by fate. A node is one of the model, drawn by itself or as a row of another; inputs and
/// outputs of the graph are none. Every number of nodes that people see of a group is one of these.
struct GroupTally {
    std::uint32_t total = 0;    ///< of the original
    std::uint32_t removed = 0;  ///< of these, not in the After pane: removed or replaced
    std::uint32_t replaced = 0; ///< of the removed, those in whose place others stand
    std::uint32_t changed = 0;
    std::uint32_t added = 0;
    std::uint32_t ends = 0; ///< inputs and outputs of the graph that are there in the After pane
    std::uint32_t selected = 0;
    std::uint32_t inSelectedStep = 0;
    std::uint32_t problems = 0;
    std::array<std::uint32_t, kNodeRoleCount> roles{};

    /// Nodes that the After pane shows of it.
    [[nodiscard]] std::uint32_t now() const { return total - removed + added; }
    /// Those of the original that are still there.
    [[nodiscard]] std::uint32_t kept() const { return total - removed; }
};

/// Nodes of a blob that a walk has reached.
struct WalkTally {
    std::uint32_t lit = 0;
    std::uint32_t total = 0;
};

struct PictureState {
    std::vector<NodeState> nodes;    ///< by node index; missing entries are kept
    std::vector<DiffState> folded;   ///< parallel to LayoutGraph::folded; missing entries follow their host
    std::vector<std::uint8_t> edges; ///< by edge index; missing entries are in both panes
    /// What nodes and edges say in a pane where it is not what the graph says. Overlay shows the After faces.
    TextOverrides<NodeFace> facesBefore, facesAfter;
    TextOverrides<EdgeText> edgeTextsAfter;
    bool showRoles = false; ///< rail and letter: set by tally when a role other than forward occurs

    // Derived by tally().
    std::vector<GroupTally> items;            ///< by item of the layout
    std::vector<ByColumn<GroupTally>> frames; ///< by frame of the layout
    // Derived by tallyWalk() and sumHeat(), for blobs; empty while there is no walk and no heat map.
    struct {
        std::vector<WalkTally> items;
        std::vector<ByColumn<WalkTally>> frames;
    } walk;
    HeatSums heat;

    NodeState stateOf(std::uint32_t node) const { return node < nodes.size() ? nodes[node] : NodeState{}; }
    std::uint8_t edgeBits(std::uint32_t edge) const {
        return edge < edges.size() ? edges[edge] : std::uint8_t{kEdgeInBefore | kEdgeInAfter};
    }
    /// The face of a node in a pane; null: what the graph says.
    const NodeFace* faceOf(std::uint32_t node, Pane pane) const {
        return (pane == Pane::before ? facesBefore : facesAfter).find(node);
    }
    /// Counts the fates inside blobs. Call when nodes, folded or the layout have changed. Linear in nodes
    /// (times the depth of groups).
    void tally(const LayoutGraph& graph, const Layout& layout);
    /// Counts what a walk has reached up to a wave. Linear.
    void tallyWalk(const LayoutGraph& graph, const Layout& layout, const WalkWaves& waves,
                   std::uint32_t limit);
};

/// The same of the whole graph. Linear.
[[nodiscard]] GroupTally tallyAll(const LayoutGraph& graph, const PictureState& state);
/// The same of every group of a hierarchy with all that lies inside of it, open or closed. Linear.
[[nodiscard]] std::vector<GroupTally> tallyGroups(const LayoutGraph& graph, const Hierarchy& hierarchy,
                                                  const PictureState& state);

/// Whether a node with this state has a card (not a hole, not nothing) in the pane.
bool isPresent(DiffState state, Pane pane);
/// Whether it leaves a hole: a dotted outline where a removed node stood.
bool isHole(DiffState state, Pane pane);

/// Bounds of what the pane shows, holes left out: the limits of fit and scroll.
Rect visibleBounds(const Layout& layout, const PictureState& state, Pane pane);

} // namespace secateur
