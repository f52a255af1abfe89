// SPDX-License-Identifier: Apache-2.0
#include "core/ir/model.h"

#include "core/ir/domains.h"
#include "core/ir/journal.h"

namespace secateur {
namespace {

template <class T> const T* attributeValue(const Model& model, NodeId id, std::string_view name) {
    const Attribute* attribute = model.attribute(id, name);
    return attribute ? std::get_if<T>(&attribute->value) : nullptr;
}

} // namespace

Model::Model()
    : m_strings(std::make_shared<StringPool>()), m_header(std::make_shared<const ModelHeader>()),
      m_journal(std::make_unique<Journal>()) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Model Model::clone() const {
    Model copy;
    copy.m_strings = m_strings;
    copy.m_header = m_header;
    copy.m_nodes = m_nodes;
    copy.m_values = m_values;
    copy.m_operands = m_operands;
    copy.m_results = m_results;
    copy.m_graphs = m_graphs;
    return copy;
}

std::optional<std::int64_t> Model::opsetVersion(std::string_view domain, GraphId id) const {
    GraphId at = id;
    while (graph(at).kind == GraphKind::subgraph)
        at = graph(at).parent;
    const bool isFunction = graph(at).kind == GraphKind::function;
    const auto& imports = isFunction ? graph(at).header->opsets : header().opsets;
    for (const OpsetImport& import : imports) {
        if (plainDomain(import.domain) == plainDomain(domain)) return import.version;
    }
    return std::nullopt;
}

bool Model::isInside(GraphId inner, GraphId outer) const {
    for (GraphId at = inner; !at.isNone(); at = graph(at).parent) {
        if (at == outer) return true;
    }
    return false;
}

bool Model::isDefaultDomain(NodeId id) const {
    return plainDomain(domain(id)).empty();
}

const AttributeList& Model::attributes(NodeId id) const {
    static const AttributeList kNoAttributes;
    const AttributeListPtr& list = node(id).attributes;
    return list ? *list : kNoAttributes;
}

std::int64_t Model::intAttribute(NodeId id, std::string_view name, std::int64_t otherwise) const {
    const auto* value = attributeValue<std::int64_t>(*this, id, name);
    return value ? *value : otherwise;
}

float Model::floatAttribute(NodeId id, std::string_view name, float otherwise) const {
    const auto* value = attributeValue<float>(*this, id, name);
    return value ? *value : otherwise;
}

std::string_view Model::stringAttribute(NodeId id, std::string_view name, std::string_view otherwise) const {
    const auto* value = attributeValue<std::string>(*this, id, name);
    return value ? std::string_view(*value) : otherwise;
}

std::vector<std::int64_t> Model::intsAttribute(NodeId id, std::string_view name) const {
    const auto* value = attributeValue<std::vector<std::int64_t>>(*this, id, name);
    return value ? *value : std::vector<std::int64_t>{};
}

std::vector<GraphId> Model::subgraphs(NodeId id) const {
    std::vector<GraphId> out;
    for (const Attribute& attribute : attributes(id)) {
        if (const auto* one = std::get_if<GraphId>(&attribute.value)) out.push_back(*one);
        if (const auto* many = std::get_if<std::vector<GraphId>>(&attribute.value)) {
            out.insert(out.end(), many->begin(), many->end());
        }
    }
    return out;
}

NodeId Model::ancestorIn(GraphId target, NodeId id) const {
    NodeId at = id;
    while (!at.isNone() && node(at).graph != target)
        at = graph(node(at).graph).parentNode;
    return at;
}

bool Model::isGraphOutput(ValueId id) const {
    for (const Use use : uses(id)) {
        if (node(use.node).kind == NodeKind::exit) return true;
    }
    return false;
}

const Type& Model::declaredType(ValueId id) const {
    static const Type kNothing;
    if (value(id).info) return value(id).info->type;
    for (const Use use : uses(id)) {
        const Node& reader = node(use.node);
        if (reader.kind != NodeKind::exit || reader.graph != value(id).graph) continue;
        const auto& slots = *graph(reader.graph).outputs;
        if (use.slot < slots.size() && slots[use.slot].info) return slots[use.slot].info->type;
    }
    return kNothing;
}

ValueId Model::findValue(std::string_view name, GraphId id) const {
    const Symbol symbol = findSymbol(name);
    if (symbol.isNone() || name.empty()) return {};
    for (GraphId scope = id; !scope.isNone(); scope = graph(scope).parent) {
        for (std::size_t i = 0; i < m_values.size(); ++i) {
            const Value& v = m_values[i];
            if (v.name == symbol && v.graph == scope && !v.isErased) return ValueId(i);
        }
    }
    return {};
}

} // namespace secateur
