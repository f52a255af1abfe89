// SPDX-License-Identifier: Apache-2.0
#include "core/exec/run_order.h"

#include "core/ir/walk.h"
#include "core/messages/messages.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_map>

namespace secateur {
namespace {

/// The values of `graph` that a node needs, those that its bodies capture included.
std::vector<ValueId> needsOf(const Model& model, GraphId graph, NodeId node) {
    std::vector<ValueId> needs;
    const auto add = [&](ValueId value) {
        if (!value.isNone() && model.value(value).graph == graph) needs.push_back(value);
    };
    for (const ValueId value : model.inputs(node))
        add(value);
    for (const ValueId value : capturesOf(model, node))
        add(value);
    return needs;
}

/// Kahn's algorithm, the earliest in program order first.
class Sorter {
  public:
    Sorter(const Model& model, GraphId graph) : m_model(model), m_graph(graph) {
        for (const NodeId node : model.nodes(graph)) {
            m_place.emplace(node.index, m_nodes.size());
            m_nodes.push_back(node);
        }
        m_waitsFor.assign(m_nodes.size(), 0);
        m_readers.resize(m_nodes.size());
        for (std::size_t i = 0; i < m_nodes.size(); ++i) {
            for (const ValueId value : needsOf(model, graph, m_nodes[i])) {
                const auto made = m_place.find(model.producer(value).index);
                if (made == m_place.end()) continue;
                m_readers[made->second].push_back(i);
                ++m_waitsFor[i];
            }
        }
    }

    Result<std::vector<NodeId>> sort() {
        std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
        for (std::size_t i = 0; i < m_nodes.size(); ++i) {
            if (m_waitsFor[i] == 0) ready.push(i);
        }
        std::vector<NodeId> order;
        while (!ready.empty()) {
            const std::size_t at = ready.top();
            ready.pop();
            order.push_back(m_nodes[at]);
            for (const std::size_t reader : m_readers[at]) {
                if (--m_waitsFor[reader] == 0) ready.push(reader);
            }
        }
        if (order.size() == m_nodes.size()) return order;
        const auto stuck =
            std::find_if(m_waitsFor.begin(), m_waitsFor.end(), [](std::size_t n) { return n != 0; });
        const NodeId node = m_nodes[static_cast<std::size_t>(stuck - m_waitsFor.begin())];
        return invalidInput(formatMessage("exec.cycle", {nodeText(m_model, node)}));
    }

  private:
    const Model& m_model;
    GraphId m_graph;
    std::vector<NodeId> m_nodes;
    std::unordered_map<std::uint32_t, std::size_t> m_place;
    std::vector<std::size_t> m_waitsFor;
    std::vector<std::vector<std::size_t>> m_readers;
};

} // namespace

Result<GraphSchedule> scheduleGraph(const Model& model, GraphId graph) {
    GraphSchedule schedule;
    std::unordered_map<std::uint32_t, std::size_t> lastReader;
    for (const NodeId node : TRY(Sorter(model, graph).sort())) {
        for (const ValueId value : needsOf(model, graph, node))
            lastReader[value.index] = schedule.entries.size();
        schedule.entries.push_back({node, {}});
    }
    // What leaves the graph lives to its end.
    constexpr std::size_t kEnd = SIZE_MAX;
    for (const ValueId value : model.graphOutputs(graph)) {
        if (!value.isNone()) lastReader[value.index] = kEnd;
    }
    for (const ValueId input : model.graphInputs(graph)) {
        if (!input.isNone() && !lastReader.contains(input.index)) schedule.unread.push_back(input);
    }
    // In value order, so that runs are alike.
    std::vector<std::pair<std::uint32_t, std::size_t>> ordered(lastReader.begin(), lastReader.end());
    std::sort(ordered.begin(), ordered.end());
    for (const auto& [value, entry] : ordered) {
        if (entry != kEnd && !model.isInitializer(ValueId(value)))
            schedule.entries[entry].lastUses.push_back(ValueId(value));
    }
    for (auto& entry : schedule.entries) {
        for (const ValueId result : model.outputs(entry.node)) {
            if (!result.isNone() && !lastReader.contains(result.index)) entry.lastUses.push_back(result);
        }
    }
    return schedule;
}

} // namespace secateur
