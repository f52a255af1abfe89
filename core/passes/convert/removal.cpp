// SPDX-License-Identifier: Apache-2.0
#include "core/passes/convert/removal.h"

#include "core/analysis/explain.h"
#include "core/analysis/reachability.h"
#include "core/ir/walk.h"

#include <algorithm>
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
        std::vector<NodeId> order;
        for (const NodeId node : m_model.nodes(m_model.mainGraph())) {
            if (m_reach.isReached(node) || !isWanted(node)) continue;
            m_goes[node.index] = true;
            order.push_back(node);
        }
        std::size_t done = 0;
        for (auto at = order.rbegin(); at != order.rend(); ++at) {
            if (++done % 1024 == 0 && m_context.work().isCancelled()) return cancelled();
            visit(*at);
        }
        flush();
        return {};
    }

  private:
    /// In program order, so that what a node depends on is decided before it.
    bool isWanted(NodeId node) const {
        const Role role = m_roles.of(node);
        if (m_plan.roles.has(role)) return true;
        if (!m_plan.alongWithThem.has(role)) return false;
        for (const ValueId input : m_model.inputs(node)) {
            const NodeId producer = input.isNone() ? NodeId() : m_model.producer(input);
            if (!producer.isNone() && m_goes[producer.index]) return true;
        }
        return false;
    }

    void visit(NodeId node) {
        const NodeId reader = readerThatStays(node);
        if (!reader.isNone()) {
            m_goes[node.index] = false;
            m_isBlocked[node.index] = true;
            const bool isFirst =
                !m_isBlocked[reader.index]; // what hangs on a blocked node needs no word of its own
            if (isFirst && !m_plan.isSilent.has(m_roles.of(node))) {
                m_context.miss(m_plan.rule, node, Reason("prune.miss.still-read", {node, reader}));
            }
            return;
        }
        if (!m_region.empty() && !belongsToRegion(node)) {
            flush();
            if (!readerThatStays(node).isNone())
                return visit(node); // the recipe keeps the region that reads it
        }
        m_region.push_back(node);
    }

    NodeId readerThatStays(NodeId node) const {
        for (const ValueId result : m_model.outputs(node)) {
            if (result.isNone()) continue;
            for (const Use use : m_model.uses(result)) {
                const NodeId reader = m_model.ancestorIn(m_model.mainGraph(), use.node);
                if (reader.isNone() || !m_goes[reader.index]) return reader.isNone() ? use.node : reader;
            }
        }
        return {};
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
            for (const NodeId node : m_region)
                editor.eraseNode(node);
            return true;
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
    std::vector<bool> m_goes, m_isBlocked; // by NodeId index
    std::vector<NodeId> m_region;          // readers before what they read
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

std::vector<ValueId> allReadBy(const Model& model, NodeId node) {
    std::vector<ValueId> values;
    for (const ValueId input : model.inputs(node)) {
        if (!input.isNone()) values.push_back(input);
    }
    if (model.node(node).attributes && !model.subgraphs(node).empty()) {
        const std::vector<ValueId> captures = capturesOf(model, node);
        values.insert(values.end(), captures.begin(), captures.end());
    }
    return values;
}

bool hasReadResult(const Model& model, NodeId node) {
    const auto results = model.outputs(node);
    return std::any_of(results.begin(), results.end(),
                       [&](ValueId v) { return !v.isNone() && model.hasUses(v); });
}

void eraseDeadProducers(Editor& editor, std::span<const ValueId> values) {
    const Model& model = editor.model();
    std::vector<ValueId> pending(values.rbegin(), values.rend());
    while (!pending.empty()) {
        const ValueId value = pending.back();
        pending.pop_back();
        if (value.isNone() || !model.isAlive(value)) continue;
        const NodeId producer = model.producer(value);
        if (producer.isNone() || model.node(producer).kind != NodeKind::operation || !model.isAlive(producer))
            continue;
        if (hasReadResult(model, producer)) continue;
        const std::vector<ValueId> read = allReadBy(model, producer);
        editor.eraseNode(producer);
        pending.insert(pending.end(), read.rbegin(), read.rend());
    }
}

} // namespace secateur
