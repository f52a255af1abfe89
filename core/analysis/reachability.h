// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"

#include <cstdint>
#include <span>
#include <vector>

namespace secateur {

/// Which nodes and values of a model the targets depend on, and how far they are. Captures of bodies and the
/// values that a kept Gradient node names in its xs, zs and y count as uses; an omitted input connects
/// nothing.
struct Reachability {
    static constexpr std::uint32_t kUnreached = UINT32_MAX;
    std::vector<std::uint32_t> nodeDistance; ///< by NodeId index: edges to the nearest target, or kUnreached
    std::vector<NodeId>
        nextTowardsTarget;          ///< by NodeId index: the reader on a shortest path, none at a target
    std::vector<bool> valueReached; ///< by ValueId index
    /// By ValueId index: the node by which a target needs the value first; none at a target.
    std::vector<NodeId> valueReader;
    /// By ValueId index, where that reader takes the value out of its body: the result that it becomes.
    std::vector<ValueId> becomes;
    /// By NodeId index: the result that is needed first; none for nodes that stay with the node around them.
    std::vector<ValueId> neededResult;
    std::vector<ValueId> targets; ///< what it was asked for

    [[nodiscard]] bool isReached(NodeId node) const {
        return node.index < nodeDistance.size() && nodeDistance[node.index] != kUnreached;
    }
};

/// Breadth-first from the targets against the edges, by worklist; linear in nodes and edges. A result of If,
/// Loop or Scan needs that of the bodies alone which becomes it, a state also what is carried into it.
[[nodiscard]] Reachability findReachable(const Model& model, std::span<const ValueId> targets);

/// The nodes from `node` to a target, both ends included; empty when it reaches none.
[[nodiscard]] std::vector<NodeId> pathToTarget(const Reachability& reachability, NodeId node);

/// Where the results of an unreached node end: the nodes along one shortest forward path from it to a node
/// without any reader (or to a graph output that is no target), both ends included.
[[nodiscard]] std::vector<NodeId> pathToDeadEnd(const Model& model, NodeId node);

} // namespace secateur
