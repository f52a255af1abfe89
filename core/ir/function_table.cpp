// SPDX-License-Identifier: Apache-2.0
#include "core/ir/function_table.h"

#include "core/ir/domains.h"
#include "core/ir/walk.h"

#include <set>

namespace secateur {

FunctionTable::FunctionTable(const Model& model) {
    for (const GraphId id : model.header().functions) {
        const GraphHeader& header = *model.graph(id).header;
        m_functions.emplace(std::tuple(std::string(plainDomain(header.domain)), header.name, header.overload),
                            id);
    }
}

GraphId FunctionTable::find(std::string_view domain, std::string_view name, std::string_view overload) const {
    const auto at = m_functions.find(std::tuple(plainDomain(domain), name, overload));
    return at == m_functions.end() ? GraphId() : at->second;
}

GraphId FunctionTable::calledBy(const Model& model, NodeId node) const {
    if (m_functions.empty()) return {};
    return find(model.domain(node), model.op(node), model.text(model.node(node).overload));
}

std::vector<GraphId> calledFunctions(const Model& model, GraphId graph, const FunctionTable& table) {
    std::vector<GraphId> called;
    if (table.empty()) return called;
    std::set<GraphId> seen;
    for (const NodeId node : nodesWithin(model, graph)) {
        const GraphId function = table.calledBy(model, node);
        if (!function.isNone() && seen.insert(function).second) called.push_back(function);
    }
    return called;
}

} // namespace secateur
