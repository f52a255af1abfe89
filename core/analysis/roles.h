// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/onnx/type_inference.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace secateur {

/// What a node is there for in a training graph.
enum class Role : std::uint8_t { forward, loss, backward, accumulator, optimizer, recompute, metric };

/// "forward", "loss" ... as JSON writes it.
[[nodiscard]] std::string_view roleName(Role role);

/// A value made by the forward half and read by the backward half: kept in memory in between.
struct StashEdge {
    ValueId value;
    NodeId producer; ///< none for a graph input or weight
    std::vector<NodeId> readers; ///< backward nodes, program order
    std::uint64_t bytes = 0;     ///< 0 where the size is unknown
};

/// Roles of all nodes, by structure and operator types alone: never by a name.
struct RoleTable {
    std::vector<Role> byNode;          ///< by NodeId index; nodes made later count as forward
    std::vector<NodeId> gradientOf;    ///< by NodeId index: the forward node whose gradient a backward node computes, or none
    std::vector<StashEdge> stashes;
    bool isTrainingGraph = false;      ///< any node that is not forward, or any that runs in training mode

    [[nodiscard]] Role of(NodeId node) const { return node.index < byNode.size() ? byNode[node.index] : Role::forward; }
};

/// Roles with respect to `targets` (the chosen prediction values; with none, the best candidates are used).
[[nodiscard]] RoleTable findRoles(const Model& model, const TypeTable& types, std::span<const ValueId> targets);

} // namespace secateur
