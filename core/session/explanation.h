// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/explain.h"
#include "core/session/history.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace secateur {

/// A value that reaches a reader without the removed node between them.
struct Feed {
    ValueId value; ///< in the model at the end
    NodeId reader; ///< in the model at the end; none: it is a target, an output of the result
    friend bool operator==(const Feed&, const Feed&) = default;
};

/// What became of one node in a history, and why.
struct NodeStory {
    /// Of a node that is there at the cursor: why it is needed, along a way that is there, too. Of one that
    /// goes: why, and the way that it had in the original. Of one that a step made: the reason of that step.
    Explanation why;
    /// The model that names the nodes and values of `why`.
    const Model* model = nullptr;
    std::optional<std::size_t> erasedBy, madeBy; ///< steps, counted from 0
    /// Nodes that the step put in its place; empty where it left nothing (see UnionGraph::isReplaced).
    std::vector<NodeId> replacements;
    /// Of a node that was bypassed: what its readers read now instead of its results. Empty where none is
    /// left.
    std::vector<Feed> nowFeeds;
    /// Of a node that a step made: the nodes in whose place it stands.
    std::vector<NodeId> replaced;

    [[nodiscard]] bool isReplaced() const { return !replacements.empty(); }
};

/// Tells the story of `node`, of the original or made by a step. `reach` is that of the chosen targets in the
/// original.
[[nodiscard]] NodeStory tellStory(const History& history, const Reachability& reach, NodeId node);

/// The reason that a rewrite gives for taking this node away: the node's own, else the rewrite's.
[[nodiscard]] const Reason& reasonFor(const RewriteRecord& record, NodeId node);

/// The nodes in whose place a rewrite put others: those that it was about. What only they read merely goes.
[[nodiscard]] std::vector<NodeId> replacedBy(const RewriteRecord& record);

} // namespace secateur
