// SPDX-License-Identifier: Apache-2.0
#include "core/ir/node_order.h"

#include "core/ir/walk.h"

#include <algorithm>
#include <set>
#include <utility>

namespace secateur {
namespace {

/// The edge behind one input: the node of the producer's graph that must come after the producer. None when
/// the value has no producer, or when reader and producer share no graph.
struct Edge {
    NodeId producer, reader;
};

Edge edgeOf(const Model& model, NodeId reader, ValueId value) {
    if (value.isNone()) return {};
    const NodeId producer = model.producer(value);
    if (producer.isNone() || model.node(producer).kind != NodeKind::operation) return {};
    const GraphId graph = model.node(producer).graph;
    if (model.node(reader).graph == graph) return {producer, reader};
    const NodeId above = model.ancestorIn(graph, reader);
    return above.isNone() ? Edge{} : Edge{producer, above};
}

bool isAhead(const Model& model, const Edge& edge) {
    return !edge.producer.isNone() && model.node(edge.reader).kind == NodeKind::operation &&
           !model.isBefore(edge.producer, edge.reader);
}

/// The dependencies among the nodes of one graph, as far as they are on the list.
class Dependencies {
  public:
    Dependencies(const Model& model, GraphId graph) : m_model(model), m_graph(graph) {
        for (const NodeId node : nodesWithin(model, graph))
            addReads(node);
        // Exits of bodies read, too.
        for (const GraphId body : graphsWithin(model, graph)) {
            if (body != graph) addReads(model.graph(body).exit);
        }
    }

    /// Kahn's algorithm, the earliest node in program order first; fills the cycles' members separately.
    std::vector<NodeId> sort(std::vector<NodeId>& onCycles) {
        std::map<std::uint32_t, std::size_t> waiting;
        for (const NodeId node : m_model.nodes(m_graph))
            waiting[node.index] = m_before[node.index].size();
        std::vector<NodeId> order;
        run(waiting, order);
        while (!waiting.empty()) {
            // What is left are cycles and what stands behind them. Nodes that nobody left waits for are
            // behind.
            std::set<std::uint32_t> members;
            for (const auto& [node, count] : waiting)
                members.insert(node);
            trim(members);
            if (members.empty()) break;
            for (const std::uint32_t node : members) {
                onCycles.push_back(NodeId(node));
                waiting.erase(node);
            }
            for (const std::uint32_t node : members)
                release(node, waiting);
            run(waiting, order);
        }
        return order;
    }

  private:
    void addReads(NodeId node) {
        for (const ValueId value : m_model.inputs(node)) {
            const Edge edge = edgeOf(m_model, node, value);
            if (edge.producer.isNone() || m_model.node(edge.producer).graph != m_graph) continue;
            if (m_before[edge.reader.index].insert(edge.producer.index).second) {
                m_after[edge.producer.index].push_back(edge.reader.index);
            }
        }
    }

    void release(std::uint32_t node, std::map<std::uint32_t, std::size_t>& waiting) {
        for (const std::uint32_t next : m_after[node]) {
            if (const auto at = waiting.find(next); at != waiting.end() && at->second > 0) --at->second;
        }
    }

    void run(std::map<std::uint32_t, std::size_t>& waiting, std::vector<NodeId>& order) {
        std::set<std::pair<std::uint64_t, std::uint32_t>> ready;
        for (const auto& [node, count] : waiting) {
            if (count == 0) ready.emplace(m_model.node(NodeId(node)).order, node);
        }
        while (!ready.empty()) {
            const std::uint32_t node = ready.begin()->second;
            ready.erase(ready.begin());
            waiting.erase(node);
            order.push_back(NodeId(node));
            for (const std::uint32_t next : m_after[node]) {
                const auto at = waiting.find(next);
                if (at != waiting.end() && --at->second == 0)
                    ready.emplace(m_model.node(NodeId(next)).order, next);
            }
        }
    }

    /// Takes away, again and again, nodes that no other member depends on.
    void trim(std::set<std::uint32_t>& members) {
        std::map<std::uint32_t, std::size_t> readers;
        for (const std::uint32_t node : members) {
            for (const std::uint32_t before : m_before[node]) {
                if (members.contains(before)) ++readers[before];
            }
        }
        std::vector<std::uint32_t> leaves;
        for (const std::uint32_t node : members) {
            if (readers[node] == 0) leaves.push_back(node);
        }
        while (!leaves.empty()) {
            const std::uint32_t node = leaves.back();
            leaves.pop_back();
            members.erase(node);
            for (const std::uint32_t before : m_before[node]) {
                if (members.contains(before) && --readers[before] == 0) leaves.push_back(before);
            }
        }
    }

    const Model& m_model;
    GraphId m_graph;
    std::map<std::uint32_t, std::set<std::uint32_t>> m_before;
    std::map<std::uint32_t, std::vector<std::uint32_t>> m_after;
};

} // namespace

GraphOrders findOrders(const Model& model) {
    std::set<std::uint32_t> unsorted;
    for (const GraphId graph : allGraphs(model)) {
        const auto look = [&](NodeId node) {
            for (const ValueId value : model.inputs(node)) {
                const Edge edge = edgeOf(model, node, value);
                if (isAhead(model, edge)) unsorted.insert(model.node(edge.producer).graph.index);
            }
        };
        for (const NodeId node : model.nodes(graph))
            look(node);
        look(model.graph(graph).exit);
    }
    GraphOrders orders;
    for (const std::uint32_t graph : unsorted) {
        orders.unsorted[graph] = Dependencies(model, GraphId(graph)).sort(orders.onCycles);
    }
    return orders;
}

std::vector<NodeId> cycleAmong(const Model& model, const std::vector<NodeId>& members) {
    if (members.empty()) return {};
    const std::set<NodeId> among(members.begin(), members.end());
    const auto makerIn = [&](NodeId reader) {
        for (const ValueId value : model.inputs(reader)) {
            const Edge edge = edgeOf(model, reader, value);
            if (!edge.producer.isNone() && among.contains(edge.producer)) return edge.producer;
        }
        return NodeId();
    };
    // Each member waits for another: going back from one to the next ends in a cycle.
    const auto makerOf = [&](NodeId node) {
        if (const NodeId direct = makerIn(node); !direct.isNone()) return direct;
        for (const GraphId top : model.subgraphs(node)) {
            for (const GraphId body : graphsWithin(model, top)) {
                for (const NodeId inner : model.nodes(body)) {
                    if (const NodeId maker = makerIn(inner); !maker.isNone()) return maker;
                }
                if (const NodeId maker = makerIn(model.graph(body).exit); !maker.isNone()) return maker;
            }
        }
        return NodeId();
    };
    std::vector<NodeId> path;
    std::set<NodeId> seen;
    NodeId at = members.front();
    for (; !at.isNone() && seen.insert(at).second; at = makerOf(at))
        path.push_back(at);
    if (at.isNone()) return {members.front(), members.front()};
    path.erase(path.begin(), std::find(path.begin(), path.end(), at));
    path.push_back(at);
    std::reverse(path.begin(), path.end());
    return path;
}

std::size_t sortNodes(Editor& editor) {
    const GraphOrders orders = findOrders(editor.model());
    std::size_t sorted = 0;
    for (const auto& [index, order] : orders.unsorted) {
        const GraphId graph(index);
        if (order.size() != editor.model().graph(graph).nodeCount) continue; // a cycle
        for (const NodeId node : order)
            editor.moveNode(node, graph);
        ++sorted;
    }
    return sorted;
}

bool readsAhead(const Model& model, NodeId node) {
    for (const ValueId value : model.inputs(node)) {
        if (isAhead(model, edgeOf(model, node, value))) return true;
    }
    return false;
}

} // namespace secateur
