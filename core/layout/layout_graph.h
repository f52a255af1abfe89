// SPDX-License-Identifier: Apache-2.0
//
// What the layout works on: plain data without a model behind it. One LayoutGraph holds the union of the
// nodes and edges of all steps, so that one layout serves every step and a kept node never moves.
#pragma once

#include "core/analysis/role.h"

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

namespace secateur {

constexpr std::uint32_t kNoIndex = std::numeric_limits<std::uint32_t>::max();

/// Keys of graph inputs and outputs: value id (inputs) or output slot (outputs) with one of these bits set.
/// The key of an operator node is its NodeId index.
constexpr std::uint32_t kInputKeyBit = 0x80000000U;
constexpr std::uint32_t kOutputKeyBit = 0x40000000U;

/// What part of a training graph a node plays (letter chips F L B A O R M of the window).
using NodeRole = Role;
constexpr int kNodeRoleCount = 7;

/// Operator family, which picks the title fill in the colour mode Kind.
enum class OperatorKind : std::uint8_t {
    layer,
    activation,
    pool,
    normalization,
    shape,
    tensor,
    transform,
    quantization,
    attention,
    dropout,
    control,
    constant,
    input,
    output,
    generic,
    unknown,
};
constexpr int kOperatorKindCount = 16;

enum class EdgeClass : std::uint8_t { data, stash, capture, gradient, control };

/// One line under a node's title: `W` and `b.0.q.weight [64,64]`. A constant or a chain of shape arithmetic
/// is such a line as well: a chip in the place of its nodes.
struct LayoutRow {
    enum class Kind : std::uint8_t { weight, attribute, constant, shapeChain, note };
    Kind kind = Kind::note;
    std::string label;            ///< muted, left; may be empty
    std::string value;            ///< monospaced, right of the label
    std::uint32_t key = kNoIndex; ///< the value id behind the row, if any
    /// Key of the node that makes the value and is drawn as this row, if any; LayoutGraph::foldedAt finds it.
    std::uint32_t node = kNoIndex;
    friend bool operator==(const LayoutRow&, const LayoutRow&) = default;
};

/// Size of a card at 100 % zoom.
struct CardSize {
    double width = 0;
    double height = 0;
};

struct LayoutNode {
    std::uint32_t key = 0;
    std::string title;
    std::string name; ///< the node's own name, for lists and accessibility; may be empty
    std::vector<LayoutRow> rows;
    OperatorKind kind = OperatorKind::generic;
    NodeRole role = NodeRole::forward;
    double width = 120; ///< filled by measureNodes
    double height = 22;
    CardSize least;                 ///< room for what the node says at other moments
    std::uint32_t group = kNoIndex; ///< innermost group of the Hierarchy, if any
    std::uint32_t twin = kNoIndex;  ///< index of the forward node whose gradient this one computes, if known
    std::uint32_t order = 0;        ///< program order; ties are broken by it
    std::uint32_t folded = 0;       ///< constants and shape arithmetic drawn as rows of this node
    /// Indices of the nodes that this one replaces (fusion, standard operators): it is placed at their
    /// barycentre.
    std::vector<std::uint32_t> replaces;
};

struct LayoutEdge {
    std::uint32_t from = 0; ///< node index
    std::uint32_t to = 0;
    std::uint16_t fromSlot = 0;
    std::uint16_t toSlot = 0;
    EdgeClass edgeClass = EdgeClass::data;
    std::uint32_t value = kNoIndex; ///< value id; equal for all uses of one value
    std::string label;              ///< `float32[32,4096]`, or `?`
    double bytes = -1;              ///< below 0: unknown
    /// Dimensions that are names, as a product ("batch × time"), and the bytes for one of each; empty where
    /// `bytes` is known or nothing is.
    std::string factor;
    double bytesForOne = -1;
};

/// A node of the model that is not drawn by itself but as a row of another node, or inside of it.
struct FoldedNode {
    std::uint32_t key = 0;
    std::uint32_t host = 0;       ///< node index
    std::uint32_t row = kNoIndex; ///< row of the host that shows it; kNoIndex: none does (nodes of a body)
};

struct LayoutGraph {
    std::vector<LayoutNode> nodes;
    std::vector<LayoutEdge> edges;
    std::vector<FoldedNode> folded;                              ///< by ascending key
    std::unordered_map<std::uint32_t, std::uint32_t> indexOfKey; ///< also of folded nodes: their host's index

    /// Index of the node with this key (or of the node that it is folded into), kNoIndex when there is none.
    std::uint32_t find(std::uint32_t key) const {
        const auto it = indexOfKey.find(key);
        return it == indexOfKey.end() ? kNoIndex : it->second;
    }
    /// Index into `folded` of the node with this key; kNoIndex when it is drawn by itself or unknown.
    std::uint32_t foldedAt(std::uint32_t key) const;
    /// Fills indexOfKey from nodes and folded. Call after the lists have changed.
    void indexKeys();
};

/// What a picture leaves out, by node and by edge index (a shorter list: nothing beyond its end).
struct LeftOut {
    std::vector<bool> nodes;
    std::vector<bool> edges;

    [[nodiscard]] bool hasNode(std::uint32_t i) const { return i < nodes.size() && nodes[i]; }
    [[nodiscard]] bool hasEdge(std::uint32_t i) const { return i < edges.size() && edges[i]; }
};

/// The room that a title and rows need (font_metrics.h), within the sizes of the window's grid: no text is
/// cut in a card narrower than the widest, from node_metrics::kWholeTextZoom on.
CardSize measureCard(const std::string& title, const std::vector<LayoutRow>& rows, OperatorKind kind);

/// Sets width and height of every node from its texts, and at least to its `least`.
void measureNodes(LayoutGraph& graph);

/// The column that a role stands in: 0 forward and loss, 1 backward and recompute, 2 accumulators and
/// optimizer.
int columnOf(NodeRole role);

} // namespace secateur
