// SPDX-License-Identifier: Apache-2.0
#include "core/passes/simplify/callees.h"

#include "core/ir/walk.h"
#include "core/onnx/schemas.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace secateur {
namespace {

/// Functions that can call one another around in a circle, found in one walk along all calls (the strongly
/// connected components, after Tarjan), without recursion of our own.
class Circles {
  public:
    Circles(const Model& model, const FunctionTable& table) : m_model(model), m_table(table) {}

    std::set<GraphId> find() {
        for (const GraphId start : m_model.header().functions) {
            if (m_order.contains(start)) continue;
            enter(start);
            while (!m_path.empty())
                goOn();
        }
        return std::move(m_found);
    }

  private:
    struct Visit {
        GraphId function;
        std::vector<GraphId> calls;
        std::size_t next = 0;
        std::size_t lowest = 0; ///< place of the first function on the stack that it leads back to
    };

    void enter(GraphId function) {
        const std::size_t place = m_order.size();
        m_order.emplace(function, place);
        m_stack.push_back(function);
        m_open.insert(function);
        m_path.push_back({function, calledFunctions(m_model, function, m_table), 0, place});
    }

    void goOn() {
        Visit& visit = m_path.back();
        if (visit.next == visit.calls.size()) return leave();
        const GraphId called = visit.calls[visit.next++];
        if (called == visit.function) m_found.insert(called);
        const auto at = m_order.find(called);
        if (at == m_order.end())
            enter(called);
        else if (m_open.contains(called))
            visit.lowest = std::min(visit.lowest, at->second);
    }

    void leave() {
        const Visit visit = std::move(m_path.back());
        m_path.pop_back();
        if (!m_path.empty()) m_path.back().lowest = std::min(m_path.back().lowest, visit.lowest);
        if (visit.lowest != m_order.at(visit.function)) return;
        const bool isCircle = m_stack.back() != visit.function;
        GraphId member;
        do {
            member = m_stack.back();
            m_stack.pop_back();
            m_open.erase(member);
            if (isCircle) m_found.insert(member);
        } while (member != visit.function);
    }

    const Model& m_model;
    const FunctionTable& m_table;
    std::map<GraphId, std::size_t> m_order;
    std::vector<Visit> m_path;
    std::vector<GraphId> m_stack;
    std::set<GraphId> m_open, m_found;
};

/// Does an operator mean the same at two versions of its operator set?
bool isSameOperator(std::string_view domain, std::string_view op, std::int64_t one, std::int64_t other) {
    if (one == other) return true;
    const auto here = schemaOf(domain, op, one);
    const auto there = schemaOf(domain, op, other);
    return here && there && here->sinceVersion == there->sinceVersion;
}

} // namespace

Callees::Callees(const Model& model) : m_model(model), m_table(model) {
    if (!m_table.empty()) m_endless = Circles(model, m_table).find();
}

Callee& Callees::of(GraphId function) {
    const auto [at, isNew] = m_entries.try_emplace(function);
    Entry& entry = at->second;
    if (isNew) look(function, entry.callee);
    const std::size_t imports = m_model.header().opsets.size();
    if (isNew || (entry.awaitsImport && entry.imports != imports)) compareOperators(function, entry);
    entry.imports = imports;
    return entry.callee;
}

void Callees::look(GraphId function, Callee& callee) const {
    callee.isEndless = m_endless.contains(function);
    std::unordered_map<std::uint32_t, std::size_t> depths{{function.index, 0}};
    for (const GraphId graph : graphsWithin(m_model, function)) { // a body stands behind what holds it
        const std::size_t depth = depths[graph.index];
        callee.depth = std::max(callee.depth, depth);
        callee.size += m_model.graph(graph).nodeCount;
        for (const NodeId node : m_model.nodes(graph)) {
            if (!m_model.node(node).attributes) continue;
            for (const GraphId body : m_model.subgraphs(node))
                depths[body.index] = depth + 1;
        }
    }
    lookAtResults(function, callee);
}

/// Every result must be made in the function, or be something that the call gives; so must those of bodies.
void Callees::lookAtResults(GraphId function, Callee& callee) const {
    std::unordered_map<std::uint32_t, std::size_t> places;
    const auto formals = m_model.graphInputs(function);
    for (std::size_t i = 0; i < formals.size(); ++i)
        places.emplace(formals[i].index, i);
    std::set<std::size_t> handedOn;
    for (const GraphId graph : graphsWithin(m_model, function)) {
        for (const ValueId output : m_model.graphOutputs(graph)) {
            if (output.isNone()) {
                callee.lacksResult = true;
                continue;
            }
            const auto place = places.find(output.index);
            if (place != places.end())
                handedOn.insert(place->second);
            else if (graph == function && m_model.producer(output).isNone())
                callee.lacksResult = true;
        }
    }
    callee.handedOn.assign(handedOn.begin(), handedOn.end());
}

void Callees::compareOperators(GraphId function, Entry& entry) const {
    entry.callee.other = {};
    entry.awaitsImport = false;
    Symbol last; // runs of nodes share a domain
    std::optional<std::int64_t> inside, outside;
    for (const NodeId node : nodesWithin(m_model, function)) {
        if (!m_table.calledBy(m_model, node).isNone()) continue;
        if (const Symbol domain = m_model.node(node).domain; domain != last) {
            last = domain;
            inside = m_model.opsetVersion(m_model.text(domain), function);
            outside = m_model.opsetVersion(m_model.text(domain));
        }
        if (inside && !outside) entry.awaitsImport = true; // it can be added
        if (inside && (!outside || isSameOperator(m_model.domain(node), m_model.op(node), *inside, *outside)))
            continue;
        entry.callee.other = node;
        return;
    }
}

} // namespace secateur
