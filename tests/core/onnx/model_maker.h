// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"
#include "core/ir/model.h"

#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

namespace secateur {

/// Builds small models in memory, opset 17 unless said otherwise.
class ModelMaker {
  public:
    using DimSpec = std::variant<int, const char*>; // number, symbol; "?" is unknown

    explicit ModelMaker(std::int64_t opset = 17, std::int64_t irVersion = 8);

    static Type type(ElementType element, const std::vector<DimSpec>& dims);
    static ValueInfoPtr info(const Type& type);
    ValueId input(const char* name, ElementType element, const std::vector<DimSpec>& dims);
    ValueId constant(const char* name, std::vector<std::int64_t> dims); // float ones
    ValueId integers(const char* name, std::vector<std::int64_t> values);
    /// One node with one result, called after its operator, in the graph that is open.
    ValueId node(const char* op, std::vector<ValueId> inputs, AttributeList attributes = {},
                 const char* domain = "");
    NodeId nodes(const char* op, std::vector<ValueId> inputs, std::vector<std::string> outputs,
                 AttributeList attributes = {}, const char* domain = "");
    void output(ValueId value, ValueInfoPtr declared = {});
    /// A body without inputs or outputs, open until `close`.
    GraphId open(GraphKind kind = GraphKind::subgraph);
    void close() { m_graphs.pop_back(); }
    void import(const char* domain, std::int64_t version);

    Model model;
    Editor editor{model};

  private:
    std::vector<GraphId> m_graphs;
};

/// An attribute that holds a body.
Attribute bodyAttribute(const char* name, GraphId body);

} // namespace secateur
