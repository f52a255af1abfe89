// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/role.h"
#include "core/ir/model.h"
#include "core/onnx/type_inference.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace secateur {

/// "forward", "loss" ... as JSON writes it.
[[nodiscard]] std::string_view roleName(Role role);

/// A value made by the forward half and read by the backward half: kept in memory in between.
struct StashEdge {
    ValueId value;
    NodeId producer;             ///< none for a graph input or weight
    std::vector<NodeId> readers; ///< backward nodes, program order
    std::uint64_t bytes = 0;     ///< 0 where the size is unknown
};

/// What a backward node handles.
enum class BackwardKind : std::uint8_t {
    none,           ///< no backward node
    shape,          ///< shapes and types alone: its result does not depend on data
    preparation,    ///< what the forward half computed, and no gradient yet
    lossDerivative, ///< predictions, labels and the loss, on the way to the gradient of the prediction
    gradient,       ///< a gradient of something before the prediction
};

/// Roles of all nodes, by structure and operator types alone: never by a name.
struct RoleTable {
    std::vector<Role> byNode; ///< by NodeId index; nodes made later count as forward
    /// By NodeId index: the forward node whose gradient a backward node computes, or that a recompute node
    /// repeats.
    std::vector<NodeId> gradientOf;
    /// By NodeId index, of nodes that are not forward: the forward value that it works for. Backward: the
    /// value (weight or activation) whose gradient it makes or helps to make; accumulator and optimizer: the
    /// weight whose gradient is added up, or which is updated; recompute: the value that is made again. None
    /// where that is not known.
    std::vector<ValueId> serves;
    std::vector<BackwardKind> backwardKinds; ///< by NodeId index
    /// By NodeId index, of backward nodes that handle a gradient: the forward value whose gradient they work
    /// on with certainty (the output of a layer, a prediction); none where no such value is known.
    std::vector<ValueId> gradientFrom;
    std::vector<bool> isTwinSure; ///< by NodeId index: the twin is known, not merely likely
    std::vector<bool> isWeight;   ///< by ValueId index: an operator reads it where weights are read
    std::vector<StashEdge> stashes;
    /// Nodes of the main graph that run in training mode (Dropout, BatchNormalization, drawn masks ...), in
    /// topological order, whatever their role.
    std::vector<NodeId> inTrainingMode;
    bool hasGradientOperators = false; ///< the backward half has operators of its own, such as ReluGrad
    bool hasForwardDerivative =
        false; ///< the backward nodes are a derivative that is computed forwards, beside the network
    bool isTrainingGraph = false; ///< any node that is not forward, or any that runs in training mode

    [[nodiscard]] ValueId servedBy(NodeId node) const {
        return node.index < serves.size() ? serves[node.index] : ValueId();
    }
    [[nodiscard]] NodeId twinOf(NodeId node) const {
        return node.index < gradientOf.size() ? gradientOf[node.index] : NodeId();
    }
    [[nodiscard]] BackwardKind backwardKindOf(NodeId node) const {
        return node.index < backwardKinds.size() ? backwardKinds[node.index] : BackwardKind::none;
    }
    [[nodiscard]] ValueId gradientFromOf(NodeId node) const {
        return node.index < gradientFrom.size() ? gradientFrom[node.index] : ValueId();
    }
    /// The twin where it is certain, else none: for sentences.
    [[nodiscard]] NodeId sureTwinOf(NodeId node) const {
        return node.index < isTwinSure.size() && isTwinSure[node.index] ? twinOf(node) : NodeId();
    }
    [[nodiscard]] Role of(NodeId node) const {
        return node.index < byNode.size() ? byNode[node.index] : Role::forward;
    }
};

/// Roles with respect to `targets` (the chosen prediction values; with none, the best candidates are used).
[[nodiscard]] RoleTable findRoles(const Model& model, const TypeTable& types,
                                  std::span<const ValueId> targets);

} // namespace secateur
