// SPDX-License-Identifier: Apache-2.0
//
// From a model and its steps to the graph that is laid out: nodes of the original and nodes that steps made,
// edges of all moments, constants and shape arithmetic as rows of the nodes that read them.
#pragma once

#include "core/layout/hierarchy.h"
#include "core/layout/layout_graph.h"
#include "core/picture/node_face.h"
#include "core/session/history.h"

#include <cstdint>
#include <string>
#include <vector>

namespace secateur {

/// From a step on a node says or means something else than before.
struct NodeMoment {
    std::uint32_t node = 0;    ///< index
    std::uint32_t step = 0;    ///< holds after this step (counted from 1); the first one: since it is there
    std::uint64_t meaning = 0; ///< equal as long as operator, attributes and inputs are
    std::uint32_t face = kNoIndex; ///< into UnionGraph::faces; kNoIndex: the graph's own
};

/// The union over all steps. Index lists run parallel to `graph.nodes`; a step is counted from 1, 0 means
/// never.
struct UnionGraph {
    LayoutGraph graph;
    GraphId modelGraph; ///< which graph of the model it shows
    HierarchyHints hints;
    std::vector<std::uint32_t> createdBy; ///< the step that made the node, 0: it is in the original
    std::vector<std::uint32_t> erasedBy;  ///< the step that removed it, 0: it stays
    std::vector<std::uint8_t> isReplaced; ///< its removal put other nodes in its place
    std::vector<NodeMoment> moments;      ///< of the nodes that change; of one node by rising step
    std::vector<NodeFace> faces;
    std::vector<std::string> outputNames; ///< of `kOutputKeyBit | i`: outputs of the original, then new ones
};

/// Builds the union of the original and all steps of `history` (null: the original alone), of the main graph,
/// or of any other: the body of an If, Loop or Scan, whose captured values stand in it as inputs, or a
/// function. The cursor of `history` is moved along the steps to see what each left, and put back. Linear in
/// nodes and edges for every step.
[[nodiscard]] UnionGraph buildUnionGraph(const Original& original, History* history,
                                         GraphId graph = GraphId(0U));

/// Is this graph input drawn as a row of its readers (a weight, a buffer) and not as a node of its own? In a
/// body only initializers are.
[[nodiscard]] bool isParameterLike(const Model& model, const RoleTable& roles, ValueId input);

} // namespace secateur
