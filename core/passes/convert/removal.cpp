// SPDX-License-Identifier: Apache-2.0
#include "core/passes/convert/removal.h"

#include "core/analysis/explain.h"
#include "core/analysis/reachability.h"
#include "core/ir/walk.h"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <utility>

namespace secateur {
namespace {

/// Plans and makes the removals of one pass over the main graph.
class Removal {
  public:
    Removal(PassContext& context, const RemovalPlan& plan, const RoleTable& roles)
        : m_context(context), m_model(context.model()), m_plan(plan), m_roles(roles) {}

    Result<void> run() {
        std::vector<ValueId> roots;
        for (const ValueId output : m_model.graphOutputs(m_model.mainGraph()))
            roots.push_back(output);
        m_reach = findReachable(m_model, roots);
        m_goes.assign(m_model.nodeIdCount(), false);
        m_isBlocked.assign(m_model.nodeIdCount(), false);
        findCandidates();
        countReaders();
        std::size_t done = 0;
        while (!m_ready.empty()) {
            if (++done % 1024 == 0 && m_context.work().isCancelled()) return cancelled();
            const NodeId node = m_ready.top().second;
            m_ready.pop();
            visit(node);
            release(node);
        }
        flush();
        eraseCircles();
        return {};
    }

  private:
    /// Unreached nodes with a role of the plan, and those that depend on them with a role that goes along.
    void findCandidates() {
        for (const NodeId node : m_model.nodes(m_model.mainGraph())) {
            if (!m_reach.isReached(node) && m_plan.roles.has(m_roles.of(node))) add(node);
        }
        for (std::size_t at = 0; at < m_candidates.size(); ++at) {
            forEachReader(m_candidates[at], [&](NodeId reader) {
                const bool goesAlong = m_model.node(reader).kind == NodeKind::operation &&
                                       !m_goes[reader.index] && !m_reach.isReached(reader) &&
                                       m_plan.alongWithThem.has(m_roles.of(reader));
                if (goesAlong) add(reader);
            });
        }
    }

    void add(NodeId node) {
        m_goes[node.index] = true;
        m_candidates.push_back(node);
    }

    /// Calls `visit` with the node of the main graph, or its exit, behind each use of a result.
    template <class Visit> void forEachReader(NodeId node, const Visit& visit) const {
        for (const ValueId result : m_model.outputs(node)) {
            if (result.isNone()) continue;
            for (const Use use : m_model.uses(result)) {
                const NodeId reader = m_model.ancestorIn(m_model.mainGraph(), use.node);
                visit(reader.isNone() ? use.node : reader);
            }
        }
    }

    /// Candidates are visited after all candidates that read them, whatever the order of the file is; among
    /// those that wait for none, the last one first.
    void countReaders() {
        m_waitsFor.assign(m_model.nodeIdCount(), 0);
        for (const NodeId node : m_candidates)
            forEachReader(node,
                          [&](NodeId reader) { m_waitsFor[node.index] += m_goes[reader.index] ? 1U : 0U; });
        for (const NodeId node : m_candidates) {
            if (m_waitsFor[node.index] == 0) m_ready.emplace(m_model.node(node).order, node);
        }
        m_isCandidate = m_goes;
    }

    /// `reader` was visited: what it reads waits for one less.
    void release(NodeId reader) {
        m_isCandidate[reader.index] = false;
        forEachRead(reader, [&](NodeId node) {
            if (m_isCandidate[node.index] && --m_waitsFor[node.index] == 0)
                m_ready.emplace(m_model.node(node).order, node);
        });
    }

    /// Calls `visit` with the node of the main graph behind each operand of `reader` and of what lies in it:
    /// the other end of forEachReader.
    template <class Visit> void forEachRead(NodeId reader, const Visit& visit) const {
        const auto look = [&](NodeId node) {
            for (const ValueId value : m_model.inputs(node)) {
                const NodeId maker = value.isNone() ? NodeId() : m_model.producer(value);
                const bool isNode = !maker.isNone() && m_model.node(maker).kind == NodeKind::operation &&
                                    m_model.node(maker).graph == m_model.mainGraph();
                if (isNode) visit(maker);
            }
        };
        look(reader);
        if (!m_model.node(reader).attributes) return;
        for (const GraphId body : m_model.subgraphs(reader)) {
            for (const GraphId graph : graphsWithin(m_model, body)) {
                for (const NodeId node : m_model.nodes(graph))
                    look(node);
                look(m_model.graph(graph).exit);
            }
        }
    }

    void visit(NodeId node) {
        const NodeId reader = readerThatStays(node);
        if (!reader.isNone()) return block(node, reader);
        if (!m_region.empty() && !belongsToRegion(node)) {
            flush();
            if (!readerThatStays(node).isNone())
                return visit(node); // the recipe keeps the region that reads it
        }
        m_region.push_back(node);
    }

    void block(NodeId node, NodeId reader) {
        m_goes[node.index] = false;
        m_isBlocked[node.index] = true;
        // What hangs on a blocked node needs no word of its own.
        if (!m_isBlocked[reader.index] && !m_plan.isSilent.has(m_roles.of(node)))
            m_context.miss(m_plan.rule, node, Reason("prune.miss.still-read", {node, reader}));
    }

    /// Candidates that still wait read each other in a circle, or are read from one. They go together, but
    /// for what a node reads that stays.
    void eraseCircles() {
        std::vector<NodeId> left;
        for (const NodeId node : m_candidates) {
            if (m_isCandidate[node.index]) left.push_back(node);
        }
        std::vector<NodeId> staying;
        for (const NodeId node : left) {
            const NodeId reader = readerThatStays(node);
            if (reader.isNone()) continue;
            block(node, reader);
            staying.push_back(node);
        }
        while (!staying.empty()) {
            const NodeId reader = staying.back();
            staying.pop_back();
            forEachRead(reader, [&](NodeId node) {
                if (!m_isCandidate[node.index] || !m_goes[node.index]) return;
                block(node, reader);
                staying.push_back(node);
            });
        }
        for (const NodeId node : left) {
            if (m_goes[node.index]) m_region.push_back(node);
        }
        flush();
    }

    NodeId readerThatStays(NodeId node) const {
        NodeId found;
        forEachReader(node, [&](NodeId reader) {
            if (found.isNone() && !m_goes[reader.index]) found = reader;
        });
        return found;
    }

    bool belongsToRegion(NodeId node) const {
        const NodeId first = m_region.front();
        return hasReadResult(m_model, node) && m_roles.of(node) == m_roles.of(first) &&
               twinOf(node) == twinOf(first);
    }

    NodeId twinOf(NodeId node) const {
        return node.index < m_roles.gradientOf.size() ? m_roles.gradientOf[node.index] : NodeId();
    }

    /// Told from the model as it was opened: earlier steps have taken readers and outputs off this one.
    Reason reasonFor(NodeId node) const {
        const Model* original = m_context.environment().original;
        const bool isKnown = original != nullptr && node.index < original->nodeIdCount();
        return reasonForRemoval(isKnown ? *original : m_model, m_roles, m_reach, node);
    }

    void flush() {
        if (m_region.empty()) return;
        RewriteRecord request;
        request.rule = m_plan.rule;
        request.root = m_region.front();
        request.matched = m_region;
        for (const NodeId node : m_region)
            request.nodeReasons.emplace_back(node, reasonFor(node));
        request.reason = request.nodeReasons.front().second;
        const bool isDone = m_context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) {
            editor.eraseNodes(m_region);
            return kDone;
        });
        if (!isDone) {
            for (const NodeId node : m_region) {
                m_goes[node.index] = false;
                m_isBlocked[node.index] = true;
            }
        }
        m_region.clear();
    }

    PassContext& m_context;
    const Model& m_model;
    const RemovalPlan& m_plan;
    const RoleTable& m_roles;
    Reachability m_reach;
    std::vector<NodeId> m_candidates;
    std::vector<bool> m_goes, m_isBlocked; ///< by NodeId index
    std::vector<bool> m_isCandidate;       ///< by NodeId index: and not visited yet
    std::vector<std::uint32_t> m_waitsFor; ///< by NodeId index: uses by candidates that are not visited yet
    std::priority_queue<std::pair<std::uint64_t, NodeId>>
        m_ready;                  ///< by place in the file, the last one first
    std::vector<NodeId> m_region; ///< readers before what they read
};

} // namespace

Result<void> removeUnreached(PassContext& context, const RemovalPlan& plan) {
    PassEnvironment& environment = context.environment();
    if (!environment.roles) {
        environment.roles = std::make_shared<const RoleTable>(
            findRoles(context.model(), context.types(), environment.targets));
    }
    const std::shared_ptr<const RoleTable> roles = environment.roles;
    return Removal(context, plan, *roles).run();
}

void eraseDeadProducers(Editor& editor, std::span<const ValueId> values, NodeId reader,
                        RewriteRecord& record) {
    const Model& model = editor.model();
    std::vector<std::pair<ValueId, NodeId>> pending; // with what read it
    const auto add = [&](std::span<const ValueId> read, NodeId by) {
        for (std::size_t i = read.size(); i-- > 0;)
            pending.emplace_back(read[i], by);
    };
    add(values, reader);
    while (!pending.empty()) {
        const auto [value, by] = pending.back();
        pending.pop_back();
        if (value.isNone() || !model.isAlive(value)) continue;
        const NodeId producer = model.producer(value);
        if (producer.isNone() || model.node(producer).kind != NodeKind::operation || !model.isAlive(producer))
            continue;
        if (hasReadResult(model, producer)) continue;
        const std::vector<ValueId> read = allReadBy(model, producer);
        editor.eraseNode(producer);
        const bool isMatched =
            std::find(record.matched.begin(), record.matched.end(), producer) != record.matched.end();
        if (!isMatched) record.nodeReasons.emplace_back(producer, Reason("rewrite.only-fed", {producer, by}));
        add(read, producer);
    }
}

} // namespace secateur
