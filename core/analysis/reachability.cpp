// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/reachability.h"

#include "core/ir/function_table.h"
#include "core/ir/walk.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

namespace secateur {
namespace {

/// What a Gradient node names in its attributes: values of its own graph or of the graphs around it. The
/// names are part of the operator's meaning here, as an operand is; they are looked up once per graph.
class NamedValues {
  public:
    explicit NamedValues(const Model& model) : m_model(model) {}

    ValueId find(std::string_view name, GraphId graph) {
        const Symbol symbol = m_model.findSymbol(name);
        if (symbol.isNone() || name.empty()) return {};
        for (GraphId at = graph; !at.isNone(); at = m_model.graph(at).parent) {
            const auto& table = tableOf(at);
            if (const auto hit = table.find(symbol); hit != table.end()) return hit->second;
        }
        return {};
    }

  private:
    using Table = std::unordered_map<Symbol, ValueId>;

    const Table& tableOf(GraphId graph) {
        const auto known = m_tables.find(graph);
        if (known != m_tables.end()) return known->second;
        Table table;
        for (std::size_t i = 0; i < m_model.valueIdCount(); ++i) {
            const ValueId value(i);
            if (m_model.isAlive(value) && m_model.value(value).graph == graph)
                table.emplace(m_model.value(value).name, value);
        }
        return m_tables.emplace(graph, std::move(table)).first->second;
    }

    const Model& m_model;
    std::map<GraphId, Table> m_tables;
};

class Search {
  public:
    explicit Search(const Model& model) : m_model(model), m_named(model), m_functions(model) {
        m_result.nodeDistance.assign(model.nodeIdCount(), Reachability::kUnreached);
        m_result.nextTowardsTarget.assign(model.nodeIdCount(), NodeId());
        m_result.neededResult.assign(model.nodeIdCount(), ValueId());
        m_result.valueReached.assign(model.valueIdCount(), false);
        m_result.valueReader.assign(model.valueIdCount(), NodeId());
        m_result.becomes.assign(model.valueIdCount(), ValueId());
        m_isFollowed.assign(model.valueIdCount(), false);
    }

    Reachability run(std::span<const ValueId> targets) {
        m_result.targets.assign(targets.begin(), targets.end());
        for (const ValueId target : targets)
            if (!target.isNone() && m_model.isAlive(target)) reachValue(target, NodeId(), 0);
        drain();
        while (reachIdleInnerNodes())
            drain();
        return std::move(m_result);
    }

  private:
    /// A node to be gone on from, or a result of one of its bodies.
    struct Item {
        NodeId node;
        ValueId exit;    ///< none: the node itself
        ValueId becomes; ///< the node's result that the exit is
        std::uint32_t distance = 0;
    };

    void reachValue(ValueId value, NodeId reader, std::uint32_t distance, ValueId becomes = {}) {
        if (value.isNone()) return;
        m_result.valueReached[value.index] = true;
        if (m_isFollowed[value.index]) return;
        m_isFollowed[value.index] = true;
        m_result.valueReader[value.index] = reader;
        m_result.becomes[value.index] = becomes;
        const NodeId producer = m_model.producer(value);
        if (producer.isNone()) return;
        if (m_model.node(producer).kind == NodeKind::operation) {
            reachNode(producer, reader, distance, value);
            if (const auto first = firstExit(producer))
                for (const GraphId body : m_model.subgraphs(producer))
                    queueExit(producer, body, m_model.value(value).resultIndex + *first, value, distance);
        } else if (const NodeId parent = m_model.graph(m_model.value(value).graph).parentNode;
                   !parent.isNone()) {
            reachNode(parent, reader, distance); // an input of a body comes from the node that runs the body
            carry(value, parent);
        }
    }

    void reachNode(NodeId node, NodeId reader, std::uint32_t distance, ValueId result = {}) {
        if (m_result.nodeDistance[node.index] != Reachability::kUnreached) return;
        m_result.nodeDistance[node.index] = distance;
        m_result.nextTowardsTarget[node.index] = reader;
        m_result.neededResult[node.index] = result;
        m_queue.push_back({node, {}, {}, distance});
    }

    /// Which output of its bodies is the first result of a node; none where that is not known.
    [[nodiscard]] std::optional<std::size_t> firstExit(NodeId node) const {
        if (m_model.node(node).attributes == nullptr) return std::nullopt;
        if (m_model.isOp(node, "If") || m_model.isOp(node, "Scan")) return 0;
        if (m_model.isOp(node, "Loop")) return 1; // the condition comes before
        return std::nullopt;
    }

    void queueExit(NodeId node, GraphId body, std::size_t slot, ValueId becomes, std::uint32_t distance) {
        const auto outputs = m_model.graphOutputs(body);
        if (slot < outputs.size() && !outputs[slot].isNone())
            m_queue.push_back({node, outputs[slot], becomes, distance});
    }

    /// A state that the body reads is what the iteration before gave.
    void carry(ValueId input, NodeId holder) {
        const bool isLoop = m_model.isOp(holder, "Loop");
        if (!isLoop && !m_model.isOp(holder, "Scan")) return;
        const std::size_t slot = m_model.value(input).resultIndex;
        const auto inputs = m_model.graphInputs(m_model.value(input).graph).size();
        const auto scanned = static_cast<std::size_t>(
            std::max<std::int64_t>(m_model.intAttribute(holder, "num_scan_inputs", 0), 0));
        // A loop's states come behind the iteration and the condition, a scan's before what is scanned.
        const bool isState = isLoop ? slot >= 2 : slot + scanned < inputs;
        if (isState)
            queueExit(holder, m_model.value(input).graph, isLoop ? slot - 1 : slot, {},
                      m_result.nodeDistance[holder.index]);
    }

    void drain() {
        for (; m_next < m_queue.size(); ++m_next) {
            const Item item = m_queue[m_next];
            if (item.exit.isNone())
                expand(item.node);
            else
                reachValue(item.exit, item.node, item.distance + 1, item.becomes);
        }
    }

    void expand(NodeId node) {
        const std::uint32_t next = m_result.nodeDistance[node.index] + 1;
        for (const ValueId output : m_model.outputs(node))
            if (!output.isNone()) m_result.valueReached[output.index] = true;
        for (const ValueId input : m_model.inputs(node))
            reachValue(input, node, next);
        if (const NodeId parent = m_model.graph(m_model.node(node).graph).parentNode; !parent.isNone())
            reachNode(parent, node, next); // only where a target itself lies in a body
        if (m_model.node(node).attributes) {
            const auto bodies = m_model.subgraphs(node);
            if (!bodies.empty()) m_holders.push_back(node);
            for (const GraphId body : bodies)
                reachOwnExits(node, body, next);
            if (m_model.op(node) == "Gradient" && m_model.domain(node) == "ai.onnx.preview.training")
                reachGradientNames(node, next);
        }
        if (!m_functions.empty()) reachFunction(node, next);
    }

    /// What a node needs of its body whichever of its results is needed.
    void reachOwnExits(NodeId node, GraphId body, std::uint32_t distance) {
        const auto first = firstExit(node);
        if (!first) return reachExit(body, node, distance);
        const auto outputs = m_model.graphOutputs(body);
        for (std::size_t i = 0; i < *first && i < outputs.size(); ++i)
            reachValue(outputs[i], node, distance);
    }

    void reachExit(GraphId body, NodeId reader, std::uint32_t distance) {
        for (const ValueId output : m_model.graphOutputs(body))
            reachValue(output, reader, distance);
    }

    void reachFunction(NodeId node, std::uint32_t distance) {
        const GraphId body = m_functions.calledBy(m_model, node);
        if (body.isNone() || !m_entered.insert(body).second) return; // entered once, by its nearest call
        m_bodies.emplace_back(body, node);
        reachExit(body, node, distance);
    }

    void reachGradientNames(NodeId node, std::uint32_t distance) {
        const GraphId graph = m_model.node(node).graph;
        for (const std::string_view list : {"xs", "zs"}) {
            const Attribute* attribute = m_model.attribute(node, list);
            if (attribute == nullptr) continue;
            if (const auto* names = std::get_if<std::vector<std::string>>(&attribute->value))
                for (const std::string& name : *names)
                    reachValue(m_named.find(name, graph), node, distance);
        }
        reachValue(m_named.find(m_model.stringAttribute(node, "y", ""), graph), node, distance);
    }

    /// Nodes of the bodies of a kept node that its outputs do not need stay with it all the same, and so does
    /// what they read. Run when the queue is empty, so that needed nodes keep their own paths.
    bool reachIdleInnerNodes() {
        const std::size_t before = m_queue.size();
        for (; m_nextHolder < m_holders.size(); ++m_nextHolder) {
            const NodeId holder = m_holders[m_nextHolder];
            for (const GraphId body : m_model.subgraphs(holder))
                reachAllOf(body, holder);
        }
        for (; m_nextBody < m_bodies.size(); ++m_nextBody)
            reachAllOf(m_bodies[m_nextBody].first, m_bodies[m_nextBody].second);
        return m_queue.size() != before;
    }

    void reachAllOf(GraphId body, NodeId holder) {
        const std::uint32_t distance = m_result.nodeDistance[holder.index] + 1;
        for (const NodeId inner : m_model.nodes(body))
            reachNode(inner, holder, distance);
    }

    const Model& m_model;
    NamedValues m_named;
    Reachability m_result;
    FunctionTable m_functions;
    std::set<GraphId> m_entered;    ///< functions
    std::vector<bool> m_isFollowed; ///< by value: its producer is reached by it
    std::vector<Item> m_queue;      ///< what was reached; items from m_next on are to be gone on from
    std::vector<NodeId> m_holders;  ///< reached nodes with bodies
    std::vector<std::pair<GraphId, NodeId>> m_bodies; ///< entered functions with the call that reached them
    std::size_t m_next = 0, m_nextHolder = 0, m_nextBody = 0;
};

/// Forward search from one node; local, so that asking about a node near its end costs little in a large
/// model.
class ForwardSearch {
  public:
    explicit ForwardSearch(const Model& model) : m_model(model) {}

    std::vector<NodeId> runToDeadEnd(NodeId start) {
        push(start, NodeId());
        for (std::size_t at = 0; at < m_queue.size(); ++at) {
            const NodeId node = m_queue[at];
            if (!expand(node)) return pathTo(node);
        }
        return {start}; // every way leads into a cycle: no end to show
    }

  private:
    void push(NodeId node, NodeId from) {
        if (m_cameFrom.emplace(node, from).second) m_queue.push_back(node);
    }

    /// Queues the readers of the results of `node`; false when it has none, or fills an output of the main
    /// graph.
    bool expand(NodeId node) {
        bool hasReader = false, fillsOutput = false;
        for (const ValueId output : m_model.outputs(node)) {
            if (output.isNone()) continue;
            for (const Use use : m_model.uses(output)) {
                const NodeId reader = m_model.node(use.node).kind == NodeKind::operation
                                          ? use.node
                                          : m_model.graph(m_model.node(use.node).graph).parentNode;
                if (reader.isNone())
                    fillsOutput = true;
                else
                    push(reader, node);
                hasReader = true;
            }
        }
        return hasReader && !fillsOutput;
    }

    std::vector<NodeId> pathTo(NodeId end) const {
        std::vector<NodeId> path;
        for (NodeId at = end; !at.isNone(); at = m_cameFrom.at(at))
            path.push_back(at);
        std::reverse(path.begin(), path.end());
        return path;
    }

    const Model& m_model;
    std::unordered_map<NodeId, NodeId> m_cameFrom;
    std::vector<NodeId> m_queue;
};

} // namespace

Reachability findReachable(const Model& model, std::span<const ValueId> targets) {
    return Search(model).run(targets);
}

std::vector<NodeId> pathToTarget(const Reachability& reachability, NodeId node) {
    std::vector<NodeId> path;
    if (!reachability.isReached(node)) return path;
    // Distances can only shrink by one a step, but for nodes that merely stay with the node that holds them.
    ValueId result = reachability.neededResult[node.index];
    for (NodeId at = node; !at.isNone() && path.size() <= reachability.nodeDistance.size();) {
        path.push_back(at);
        ValueId becomes;
        if (result.isNone()) {
            at = reachability.nextTowardsTarget[at.index];
        } else {
            at = reachability.valueReader[result.index];
            becomes = reachability.becomes[result.index];
        }
        // Out of a body the way goes on from the result that its own becomes.
        result = becomes.isNone() && !at.isNone() ? reachability.neededResult[at.index] : becomes;
    }
    return path;
}

std::vector<NodeId> pathToDeadEnd(const Model& model, NodeId node) {
    return ForwardSearch(model).runToDeadEnd(node);
}

} // namespace secateur
