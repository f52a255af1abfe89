// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/model.h"
#include "core/support/result.h"

#include <vector>

namespace secateur {

/// One graph made ready to run.
struct GraphSchedule {
    struct Entry {
        NodeId node;
        /// Values of this graph that nothing reads after this node.
        std::vector<ValueId> lastUses;
    };
    std::vector<Entry> entries;
    /// Inputs of the graph that nothing reads at all.
    std::vector<ValueId> unread;
};

/// The nodes of `graph` in an order in which each comes after what it and its bodies read: program order
/// where that is one, else the order nearest to it. Fails with `invalidInput` on a cycle, naming a node of
/// it.
Result<GraphSchedule> scheduleGraph(const Model& model, GraphId graph);

} // namespace secateur
