// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/explain.h"
#include "core/session/history.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace secateur {

/// A value that reaches a reader without the removed node between them.
struct Feed {
    ValueId value; ///< in the model at the cursor
    NodeId reader; ///< in the model at the cursor; none: it is a target, an output of the result
    friend bool operator==(const Feed&, const Feed&) = default;
    friend auto operator<=>(const Feed&, const Feed&) = default;
};

/// What became of one node in a history, and why.
struct NodeStory {
    /// Of a node that is there at the cursor: why it is needed, along a way that is there, too. Of one that
    /// goes: why, and the way that it had in the original. Of one that a step made: the reason of that step,
    /// or of the later one that took it away.
    Explanation why;
    /// The model that names the nodes and values of `why`.
    const Model* model = nullptr;
    std::optional<std::size_t> erasedBy, madeBy; ///< steps, counted from 0
    /// Nodes that the step put in its place; empty where it left nothing (see UnionGraph::isReplaced).
    std::vector<NodeId> replacements;
    /// Of a node that was bypassed: what its readers read at the cursor instead of its results. Empty where
    /// none is left, and where the cursor stands before that step.
    std::vector<Feed> nowFeeds;
    /// Of a node that a step made: the nodes in whose place it stands.
    std::vector<NodeId> replaced;

    [[nodiscard]] bool isReplaced() const { return !replacements.empty(); }
};

/// A reason of a story as a sentence: names are those of `first`, and those of `then` for what only steps
/// made.
[[nodiscard]] std::string reasonText(const Reason& reason, const Model& first, const Model& then);

/// How far something that stays is from the nearest target.
struct Need {
    ValueId target;
    std::uint32_t distance = 0;   ///< in edges
    const Model* model = nullptr; ///< names the target
};

/// What stands for a value from a step on.
struct EqualValue {
    ValueId value;
    std::size_t step = 0;
};

/// Tells what became of the nodes of one history: the one source for the command line, the window and
/// reports. Points into the history, whose cursor it follows; made in time linear in the original, and used
/// by one thread at a time, as the history is.
class Storyteller {
  public:
    explicit Storyteller(const History& history);

    /// The story of `node`, of the original or made by a step.
    [[nodiscard]] NodeStory tell(NodeId node) const;
    /// How far a node that stays is from the target that its way leads to (constant time but for finding
    /// which of several targets that is); none for one that goes, or that no target depends on.
    [[nodiscard]] std::optional<Need> need(NodeId node) const;
    /// Number of nodes of the way that tell() gives of a node of the original that goes.
    [[nodiscard]] std::uint64_t pathLength(NodeId node) const;
    /// The reader of a value from which the way to a target is shortest at the cursor, else the first one in
    /// the original; none where no node reads it.
    [[nodiscard]] NodeId nearestReader(ValueId value) const;
    /// The targets at the cursor, and in the original.
    [[nodiscard]] const std::vector<ValueId>& targets() const { return now().targets; }
    [[nodiscard]] const std::vector<ValueId>& targetsBefore() const { return m_before.targets; }
    [[nodiscard]] const History& history() const { return *m_history; }

  private:
    const Reachability& now() const;
    void tellMaking(NodeStory& story) const;
    [[nodiscard]] const Reason& reasonOf(NodeId node, const RewriteRecord& record) const;

    const History* m_history;
    Reachability m_before;                   ///< of the chosen targets in the original
    DeadEnds m_ends;                         ///< of the original
    std::vector<const Reason*> m_ownReasons; ///< by NodeId index: null where the node goes by its rewrite's
    std::vector<bool> m_isReplaced;          ///< by NodeId index: a step put others in its place
    struct Maker {
        std::size_t step = 0;
        const RewriteRecord* record = nullptr;
    };
    std::vector<Maker> m_makers;                 ///< by NodeId index: null where the node is of the original
    std::map<ValueId, EqualValue> m_equalValues; ///< what stands for the results of bypassed nodes
    mutable Reachability m_now;                  ///< of the targets in the model at `m_lookedAt`
    mutable std::optional<std::size_t> m_lookedAt;
};

/// The nodes in whose place a rewrite put others: those that it was about. What only they read merely goes.
[[nodiscard]] std::vector<NodeId> replacedBy(const RewriteRecord& record);

} // namespace secateur
