// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/rewrite/pass.h"
#include "core/rewrite/rule.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace secateur {

/// What a driver has done: counters for tests of linearity.
struct RuleCounters {
    std::uint64_t visits = 0;  ///< nodes taken off the worklist
    std::uint64_t pushes = 0;  ///< nodes that edits said to look at, on the list already or not
    std::uint64_t matches = 0; ///< calls of match functions
    std::uint64_t rewrites = 0;
    std::uint64_t rounds = 0; ///< times the worklist ran empty
};

/// Applies rules until none applies: a worklist of nodes, first all of them in program order, then those
/// near what was changed and those whose types became better known. Each rewrite is a transaction of the
/// pass context. Rewrites are bounded by the number of nodes, so that rules that undo each other end.
class RuleDriver {
  public:
    /// `rules` must outlive the driver. Rules looser than `loosest` are matched, and only counted.
    RuleDriver(PassContext& context, std::span<const Rule* const> rules, Exactness loosest,
               RuleLimits limits);

    /// Runs to the fix point, or until the work is cancelled.
    void run();
    /// Puts nodes whose neighbourhood was changed by others since `mark` on the list.
    void noteEdits(JournalMark mark);
    /// Hands the near misses over to the context: of living nodes, and of rewrites that a looser level would
    /// make.
    void tellMisses();

    [[nodiscard]] RuleView& view() { return m_view; }
    [[nodiscard]] const RuleCounters& counters() const { return m_counters; }
    [[nodiscard]] bool isExhausted() const { return m_isExhausted; }

  private:
    using Place = std::pair<std::uint32_t, std::uint32_t>; // rule, node

    void push(NodeId node);
    void pushReaders(ValueId value);
    void pushAround(NodeId node);
    void pushAll();
    void startRound();
    void visit(NodeId node);
    bool tryRule(std::uint32_t rule, NodeId node);
    bool apply(std::uint32_t rule, NodeId node, RuleHit& hit);
    [[nodiscard]] ValueId heldResult(const std::vector<NodeId>& matched) const;
    [[nodiscard]] std::uint64_t bytesOfConstant(NodeId node) const;
    struct Growth {
        std::uint64_t added = 0, freed = 0; ///< bytes
    };
    [[nodiscard]] Growth growthSince(JournalMark mark) const;
    void account(JournalMark mark);
    void sweep(Editor& editor, RewriteRecord& record, std::vector<ValueId> read);
    [[nodiscard]] const std::vector<std::uint32_t>& rulesFor(NodeId node);

    PassContext& m_context;
    const Model& m_model;
    std::span<const Rule* const> m_rules;
    Exactness m_loosest;
    RuleLimits m_limits;
    RuleView m_view;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> m_rulesByOperator; // by symbol of the op
    std::deque<NodeId> m_list;
    std::vector<bool> m_isListed;
    std::set<Place> m_declined;          // the recipe, or the edit itself, said no
    std::map<Place, Reason> m_misses;    // the latest of each
    std::map<Place, Exactness> m_looser; // would apply at a looser level
    RuleCounters m_counters;
    JournalMark m_typedAt; ///< the edits before it are in the types
    std::uint64_t m_mostRewrites = 0;
    bool m_isExhausted = false;
};

} // namespace secateur
