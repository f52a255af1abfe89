// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/graph_index.h"

#include "core/ir/function_table.h"
#include "core/ir/walk.h"

#include <map>
#include <string>
#include <tuple>

namespace secateur {
namespace {

OperatorTraits unionOf(const OperatorTraits& a, const OperatorTraits& b) {
    OperatorTraits out;
    out.isKnown = a.isKnown && b.isKnown;
    out.isPure = a.isPure && b.isPure;
    out.isRandom = a.isRandom || b.isRandom;
    out.hasSideEffect = a.hasSideEffect || b.hasSideEffect;
    out.isGradient = a.isGradient || b.isGradient;
    out.isLoss = a.isLoss || b.isLoss;
    out.isOptimizer = a.isOptimizer || b.isOptimizer;
    out.isAccumulator = a.isAccumulator || b.isAccumulator;
    return out;
}

OperatorTraits traitsOfBody(const Model& model, GraphId body) {
    OperatorTraits out;
    out.isKnown = out.isPure = true;
    for (const NodeId node : nodesWithin(model, body)) {
        if (model.subgraphs(node).empty()) out = unionOf(out, traitsOf(model.domain(node), model.op(node)));
    }
    return out;
}

} // namespace

GraphIndex::GraphIndex(const Model& model) : m_model(model) {
    orderNodes();
    readTraits();
    findConstants();
}

std::uint32_t GraphIndex::position(NodeId node) const {
    if (node.isNone() || node.index >= m_position.size()) return kNone;
    if (m_position[node.index] != kNone) return m_position[node.index];
    if (m_model.node(node).graph == m_model.mainGraph() || m_model.node(node).isErased) return kNone;
    const NodeId holder = m_model.ancestorIn(m_model.mainGraph(), node);
    return holder.isNone() ? kNone : m_position[holder.index];
}

void GraphIndex::findProducers() {
    m_producer.assign(m_model.valueIdCount(), kNone);
    for (std::uint32_t at = 0; at < size(); ++at)
        for (const ValueId output : m_model.outputs(m_nodes[at]))
            if (output) m_producer[output.index] = at;
}

void GraphIndex::orderNodes() {
    m_position.assign(m_model.nodeIdCount(), kNone);
    for (const NodeId node : m_model.nodes(m_model.mainGraph())) {
        m_position[node.index] = static_cast<std::uint32_t>(m_nodes.size());
        m_nodes.push_back(node);
    }
    findProducers();
    readInputs();
    bool isOrdered = true;
    for (std::uint32_t at = 0; at < size() && isOrdered; ++at)
        for (const ValueId value : inputs(at))
            if (const auto from = producer(value); from != kNone && from >= at) isOrdered = false;
    if (isOrdered) return;

    // A file out of order: Kahn's algorithm, first come first served.
    std::vector<std::uint32_t> missing(size(), 0), ready, order;
    std::vector<std::vector<std::uint32_t>> readers(size());
    for (std::uint32_t at = 0; at < size(); ++at) {
        for (const ValueId value : inputs(at)) {
            if (const auto from = producer(value); from != kNone) {
                readers[from].push_back(at);
                ++missing[at];
            }
        }
        if (missing[at] == 0) ready.push_back(at);
    }
    std::vector<bool> isDone(size(), false);
    for (std::size_t next = 0; next < ready.size(); ++next) {
        isDone[ready[next]] = true;
        for (const std::uint32_t reader : readers[ready[next]])
            if (--missing[reader] == 0) ready.push_back(reader);
    }
    for (std::uint32_t at = 0; at < size(); ++at)
        if (!isDone[at]) ready.push_back(at);
    std::vector<NodeId> sorted;
    for (const std::uint32_t at : ready)
        sorted.push_back(m_nodes[at]);
    m_nodes = std::move(sorted);
    readInputs();
    for (std::uint32_t at = 0; at < size(); ++at)
        m_position[m_nodes[at].index] = at;
    findProducers();
}

void GraphIndex::readInputs() {
    m_inputs.clear();
    m_inputBegin.assign(1, 0);
    for (const NodeId node : m_nodes) {
        for (const ValueId value : m_model.inputs(node))
            m_inputs.push_back(value);
        if (m_model.node(node).attributes && !m_model.subgraphs(node).empty()) {
            const auto captures = capturesOf(m_model, node);
            m_inputs.insert(m_inputs.end(), captures.begin(), captures.end());
        }
        m_inputBegin.push_back(static_cast<std::uint32_t>(m_inputs.size()));
    }
}

void GraphIndex::readTraits() {
    const FunctionTable functions(m_model);
    std::map<GraphId, OperatorTraits> ofFunction;
    for (const GraphId id : m_model.header().functions)
        ofFunction.emplace(id, traitsOfBody(m_model, id));
    std::map<std::pair<Symbol, Symbol>, OperatorTraits> known;
    for (const NodeId node : m_nodes) {
        const Node& n = m_model.node(node);
        if (const GraphId called = functions.calledBy(m_model, node); !called.isNone()) {
            m_traits.push_back(ofFunction.at(called));
            continue;
        }
        const auto [at, isNew] = known.try_emplace({n.domain, n.op});
        if (isNew) at->second = traitsOf(m_model.domain(node), m_model.op(node));
        m_traits.push_back(at->second);
        if (!n.attributes) continue;
        for (const GraphId body : m_model.subgraphs(node))
            m_traits.back() = unionOf(m_traits.back(), traitsOfBody(m_model, body));
    }
}

void GraphIndex::findConstants() {
    m_isConstant.assign(size(), false);
    for (std::uint32_t at = 0; at < size(); ++at) {
        bool isConstant = !m_traits[at].isRandom && !m_traits[at].hasSideEffect;
        for (const ValueId value : inputs(at)) {
            if (value.isNone()) continue;
            const auto from = producer(value);
            if (from == kNone ? !m_model.isInitializer(value) : !m_isConstant[from]) isConstant = false;
        }
        m_isConstant[at] = isConstant;
    }
}

GraphIndex::Flags GraphIndex::coneOf(std::span<const ValueId> values) const {
    Flags cone(size(), false);
    for (const ValueId value : values)
        if (const auto from = producer(value); from != kNone) cone[from] = true;
    for (std::uint32_t at = size(); at-- > 0;) {
        if (!cone[at]) continue;
        for (const ValueId value : inputs(at))
            if (const auto from = producer(value); from != kNone) cone[from] = true;
    }
    return cone;
}

GraphIndex::Flags GraphIndex::behind(Flags seeds) const {
    for (std::uint32_t at = 0; at < size(); ++at) {
        if (seeds[at]) continue;
        for (const ValueId value : inputs(at)) {
            if (const auto from = producer(value); from != kNone && seeds[from]) {
                seeds[at] = true;
                break;
            }
        }
    }
    return seeds;
}

GraphIndex::Flags GraphIndex::behindValues(const std::vector<bool>& values) const {
    Flags seeds(size(), false);
    for (std::uint32_t at = 0; at < size(); ++at)
        for (const ValueId value : inputs(at))
            if (!value.isNone() && values[value.index]) seeds[at] = true;
    return behind(std::move(seeds));
}

} // namespace secateur
