// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/dead_ends.h"
#include "core/analysis/reachability.h"
#include "core/analysis/roles.h"
#include "core/ir/model.h"
#include "core/ir/reason.h"

#include <vector>

namespace secateur {

/// Why a node that no target depends on goes, in one sentence about this very node: what it computes for (the
/// gradient of which parameter, which accumulation, the loss, the moments of the optimizer ...), and that
/// none of that reaches a target. All from `roles` and `reach`, both of the original `model`; constant time.
[[nodiscard]] Reason reasonForRemoval(const Model& model, const RoleTable& roles, const Reachability& reach,
                                      NodeId node);

/// Why a node stays or goes, as data for the command line and the window.
struct Explanation {
    NodeId node;
    Role role = Role::forward;
    bool isKept = false; ///< a target depends on it
    Reason reason;       ///< kept: what it is needed for; removed: why it goes
    /// Kept: the nodes from it to the nearest target. Removed: the nodes from it to the dead end of its
    /// results. Taken by a rewrite from the way to a target (bypassed, replaced): that way, as it was. Both
    /// ends included.
    std::vector<NodeId> path;
    Reason end; ///< what the last node of `path` makes: a target, a value nobody reads, another output; of a
                ///< node taken from the way to a target: that it stood there
    bool stoodOnWay = false; ///< taken from the way to a target
    NodeId twin;             ///< the forward node to whose derivative it belongs, or that it repeats; or none
};

/// Explains `node` of the original `model`, whose dead ends are `ends`. `fate` is the reason of the rewrite
/// that took the node away, where there is one: it wins over the general one, and a node that targets depend
/// on counts as removed.
[[nodiscard]] Explanation explainNode(const Model& model, const RoleTable& roles, const Reachability& reach,
                                      const DeadEnds& ends, NodeId node, const Reason* fate = nullptr);

/// Why `node`, which the targets of `reach` depend on, is needed in the model that `reach` was found in, with
/// the way that leads to a target there.
[[nodiscard]] Explanation explainNeed(const Model& model, const RoleTable& roles, const Reachability& reach,
                                      NodeId node);

} // namespace secateur
