// SPDX-License-Identifier: Apache-2.0
#include "core/exec/branch_log.h"

#include "core/ir/walk.h"
#include "core/messages/messages.h"
#include "core/messages/sentences.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace secateur {
namespace {

constexpr std::string_view kBranches[] = {"then_branch", "else_branch"};

std::optional<GraphId> branchOf(const Model& model, NodeId node, std::string_view name) {
    const Attribute* held = model.attribute(node, name);
    const auto* graph = held == nullptr ? nullptr : std::get_if<GraphId>(&held->value);
    return graph == nullptr ? std::nullopt : std::optional(*graph);
}

/// Does a graph lie in the main graph? What functions hold is fed by their calls.
bool isWithinMain(const Model& model, GraphId graph) {
    while (!model.graph(graph).parentNode.isNone())
        graph = model.node(model.graph(graph).parentNode).graph;
    return graph == model.mainGraph();
}

} // namespace

void BranchLog::note(const Model& model, NodeId node) {
    m_model = &model;
    if (m_now.size() <= node.index) m_now.resize(std::size_t{node.index} + 1);
    ++m_now[node.index];
}

void BranchLog::keep(bool counts) {
    if (counts) {
        m_all.resize(std::max(m_all.size(), m_now.size()));
        for (std::size_t i = 0; i < m_now.size(); ++i)
            m_all[i] += m_now[i];
    }
    std::fill(m_now.begin(), m_now.end(), 0);
}

std::vector<std::string> BranchLog::unentered(bool hasOpenSizes) const {
    std::vector<std::string> found;
    if (m_model == nullptr) return found;
    const Model& model = *m_model;
    const std::vector<bool> isFed = fedByInputs(model, hasOpenSizes);
    const auto runsOf = [&](NodeId node) { return node.index < m_all.size() ? m_all[node.index] : 0; };
    const auto firstOf = [&](GraphId graph) { return model.graph(graph).head; };
    for (const GraphId graph : allGraphs(model))
        for (const NodeId node : model.nodes(graph)) {
            if (!model.isOp(node, "If") || runsOf(node) == 0) continue;
            const ValueId condition = model.input(node, 0);
            const bool isKnown = isWithinMain(model, graph);
            if (isKnown && (condition.isNone() || !isFed[condition.index])) continue;
            for (const std::size_t b : {0U, 1U}) {
                const auto branch = branchOf(model, node, kBranches[b]);
                const auto other = branchOf(model, node, kBranches[1 - b]);
                if (!branch || !other) continue;
                // One without nodes hands values on: it ran as often as the other one did not.
                const bool isEmpty = firstOf(*branch).isNone();
                const std::uint64_t others = firstOf(*other).isNone() ? 0 : runsOf(firstOf(*other));
                const bool isEntered = isEmpty ? runsOf(node) > others : runsOf(firstOf(*branch)) > 0;
                if (isEntered || (isEmpty && firstOf(*other).isNone())) continue;
                found.push_back(
                    formatMessage(b == 0 ? "exec.branch-then" : "exec.branch-else", {nodeText(model, node)}));
            }
        }
    return found;
}

std::vector<bool> fedByInputs(const Model& model, bool countsShapes) {
    std::vector<bool> isFed(model.valueIdCount());
    std::vector<ValueId> open;
    const auto meet = [&](ValueId next) {
        if (next.isNone() || isFed[next.index]) return;
        isFed[next.index] = true;
        open.push_back(next);
    };
    for (const ValueId input : model.graphInputs(model.mainGraph()))
        if (!input.isNone() && !model.isInitializer(input)) meet(input);
    while (!open.empty()) {
        const ValueId at = open.back();
        open.pop_back();
        const NodeId made = model.producer(at);
        const bool isShape = !made.isNone() && model.isOp(made, "Shape");
        for (const Use use : model.uses(at)) {
            const bool asksShape = model.isOp(use.node, "Shape") || model.isOp(use.node, "Size");
            // How many dimensions there are is as little a matter of the inputs as what stands in the file.
            if (asksShape && (!countsShapes || isShape)) continue;
            // What a body reads, the nodes that hold it read.
            for (NodeId node = use.node; !node.isNone();
                 node = model.graph(model.node(node).graph).parentNode) {
                if (model.node(node).kind != NodeKind::operation) continue;
                for (const ValueId result : model.outputs(node))
                    meet(result);
                for (const GraphId body : model.subgraphs(node))
                    for (const ValueId input : model.graphInputs(body))
                        meet(input);
            }
        }
    }
    return isFed;
}

} // namespace secateur
