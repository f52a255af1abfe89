// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node_count.h"

#include "core/ir/function_table.h"
#include "core/ir/walk.h"
#include "core/support/most_counted.h"

#include <map>
#include <utility>
#include <vector>

namespace secateur {

/// Node counts of graphs with calls inlined, each computed once. By worklist: calls may be nested as deep as
/// there are functions.
class NodeCounter::InlinedCount {
  public:
    InlinedCount(const Model& model, std::function<bool(NodeId)> isCounted)
        : m_model(model), m_functions(model), m_isCounted(std::move(isCounted)) {}

    std::uint64_t of(std::span<const NodeId> nodes) {
        open({}, nodes);
        while (!m_open.empty()) {
            Open& top = m_open.back();
            if (top.next < top.calls.size()) {
                const auto known = m_known.find(top.calls[top.next]);
                if (known == m_known.end()) {
                    // Once it is counted the call is looked at again.
                    open(top.calls[top.next], nodesWithin(m_model, top.calls[top.next]));
                    continue;
                }
                top.nodes = addCounts(top.nodes, known->second);
                ++top.next;
                continue;
            }
            m_known[top.graph] = top.nodes;
            m_open.pop_back();
        }
        const std::uint64_t all = m_known[{}];
        m_known.erase(GraphId());
        return all;
    }

  private:
    struct Open {
        GraphId graph;
        std::uint64_t nodes = 0;
        std::vector<GraphId> calls;
        std::size_t next = 0;
    };

    void open(GraphId graph, std::span<const NodeId> nodes) {
        m_known[graph] = m_isCounted ? 0 : 1; // what calls itself: one node each time, until it is known
        Open& opened = m_open.emplace_back();
        opened.graph = graph;
        for (const NodeId node : nodes) {
            const GraphId callee = m_functions.calledBy(m_model, node);
            if (!callee.isNone())
                opened.calls.push_back(callee);
            else if (!m_isCounted || m_isCounted(node))
                ++opened.nodes;
        }
    }

    const Model& m_model;
    FunctionTable m_functions;
    std::function<bool(NodeId)> m_isCounted;
    std::map<GraphId, std::uint64_t> m_known;
    std::vector<Open> m_open;
};

NodeCounter::NodeCounter(const Model& model, std::function<bool(NodeId)> isCounted)
    : m_count(std::make_unique<InlinedCount>(model, std::move(isCounted))), m_model(model) {}
NodeCounter::~NodeCounter() = default;

std::uint64_t NodeCounter::of(std::span<const NodeId> nodes) {
    std::vector<NodeId> all;
    for (const NodeId node : nodes) {
        all.push_back(node);
        if (!m_model.node(node).attributes) continue;
        for (const GraphId body : m_model.subgraphs(node)) {
            const auto within = nodesWithin(m_model, body);
            all.insert(all.end(), within.begin(), within.end());
        }
    }
    return m_count->of(all);
}

std::uint64_t countNodes(const Model& model) {
    std::vector<NodeId> nodes;
    for (const NodeId node : model.nodes(model.mainGraph()))
        nodes.push_back(node);
    return NodeCounter(model).of(nodes);
}

} // namespace secateur
