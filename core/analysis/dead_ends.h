// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// For every node of a model the shortest way forward to where its results end: a node without any reader, or
/// one that fills an output of the main graph. One search from all ends for all nodes: linear, where asking
/// node by node is not.
class DeadEnds {
  public:
    explicit DeadEnds(const Model& model);

    /// The nodes from `node` to its dead end, both included. The node alone when every way leads into a
    /// cycle.
    [[nodiscard]] std::vector<NodeId> path(NodeId node) const;
    /// Number of nodes of that path.
    [[nodiscard]] std::uint32_t pathLength(NodeId node) const { return m_distance[node.index] + 1; }

  private:
    std::vector<NodeId> m_next;
    std::vector<std::uint32_t> m_distance;
};

} // namespace secateur
