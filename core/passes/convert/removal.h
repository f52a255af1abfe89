// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/roles.h"
#include "core/ir/editor.h"
#include "core/ir/readers.h"
#include "core/rewrite/pass.h"

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace secateur {

/// A set of roles.
class RoleSet {
  public:
    RoleSet(std::initializer_list<Role> roles) {
        for (const Role role : roles)
            m_bits |= bit(role);
    }
    [[nodiscard]] bool has(Role role) const { return (m_bits & bit(role)) != 0; }

  private:
    static unsigned bit(Role role) { return 1U << static_cast<unsigned>(role); }
    unsigned m_bits = 0;
};

/// What a pruning pass takes.
struct RemovalPlan {
    std::string_view rule;
    RoleSet roles;         ///< of the nodes that go
    RoleSet alongWithThem; ///< of nodes that go, too, where they depend on one of those
    RoleSet isSilent;      ///< of nodes that need no miss where they cannot go yet: a later pass takes them
};

/// Removes the nodes of the main graph that no graph output depends on and whose role is in the plan, each
/// after its readers, whether the file is sorted or not. One rewrite takes a run of neighbours with one role,
/// one node whose gradient they compute, and one dead end; nodes that read each other in circles go in one. A
/// node that something else still reads stays, with a miss that names the reader. Linear in nodes and edges
/// but for a priority queue of nodes.
Result<void> removeUnreached(PassContext& context, const RemovalPlan& plan);

/// Erases the producers of those of `values` that nobody reads any more, now that `reader` is gone or reads
/// something else, and what only they read, and so on. Initializers and graph inputs stay. Nodes that the
/// rewrite is not about get a reason of their own in `record`: what they fed.
void eraseDeadProducers(Editor& editor, std::span<const ValueId> values, NodeId reader,
                        RewriteRecord& record);

} // namespace secateur
