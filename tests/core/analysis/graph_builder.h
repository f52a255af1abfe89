// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"
#include "core/ir/model.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace secateur {

/// Small graphs for tests, one line a node. Every value is called by its C++ variable; names are given only
/// where the test is about them.
class GraphBuilder {
  public:
    GraphBuilder() : m_editor(m_model) {
        m_editor.createGraph(GraphKind::main);
        ModelHeader header;
        header.irVersion = 8;
        header.opsets = {{"", 17, ""}, {"com.microsoft", 1, ""}};
        m_editor.setModelHeader(std::move(header));
    }

    Model& model() { return m_model; }
    const Model& model() const { return m_model; }
    Editor& editor() { return m_editor; }
    GraphId main() const { return m_model.mainGraph(); }

    static ValueInfoPtr declare(ElementType type, std::vector<std::int64_t> dims) {
        auto info = std::make_shared<ValueInfo>();
        info->type = Type::tensor(type, std::move(dims));
        return info;
    }

    /// A graph input; a dimension below zero is the symbol "batch".
    ValueId input(const std::string& name, std::vector<std::int64_t> dims,
                  ElementType type = ElementType::float32) {
        return inputOf(main(), name, std::move(dims), type);
    }
    ValueId inputOf(GraphId graph, const std::string& name, std::vector<std::int64_t> dims,
                    ElementType type = ElementType::float32) {
        const ValueId value = m_editor.createValue(graph, name);
        auto info = std::make_shared<ValueInfo>();
        info->type = Type::tensor(type, dims);
        for (std::size_t i = 0; i < dims.size(); ++i)
            if (dims[i] < 0) info->type.dims[i] = Dim{std::nullopt, "batch"};
        m_editor.setInfo(value, info);
        std::vector<ValueId> all(m_model.graphInputs(graph).begin(), m_model.graphInputs(graph).end());
        all.push_back(value);
        m_editor.setGraphInputs(graph, all);
        return value;
    }
    ValueId weight(const std::string& name, std::vector<std::int64_t> dims) {
        std::size_t count = 1;
        for (const std::int64_t dim : dims)
            count *= static_cast<std::size_t>(dim);
        return m_editor.createInitializer(main(), name,
                                          makeFloatTensor(dims, std::vector<float>(count, 0.25F)));
    }
    ValueId scalar(const std::string& name, float value) {
        return m_editor.createInitializer(main(), name, makeFloatTensor({}, {value}));
    }
    ValueId integers(const std::string& name, const std::vector<std::int64_t>& values) {
        return m_editor.createInitializer(
            main(), name, makeInt64Tensor({static_cast<std::int64_t>(values.size())}, values));
    }

    /// A node of the main graph; "ms." before the operator puts it into com.microsoft.
    NodeId node(std::string op, std::vector<ValueId> inputs, std::vector<std::string> outputs,
                AttributeList attributes = {}) {
        return nodeIn(main(), std::move(op), std::move(inputs), std::move(outputs), std::move(attributes));
    }
    NodeId nodeIn(GraphId graph, std::string op, std::vector<ValueId> inputs,
                  std::vector<std::string> outputs, AttributeList attributes = {}) {
        NodeSpec spec;
        if (op.starts_with("ms.")) {
            spec.domain = "com.microsoft";
            op.erase(0, 3);
        }
        spec.op = std::move(op);
        spec.inputs = std::move(inputs);
        spec.outputs = std::move(outputs);
        spec.attributes = std::move(attributes);
        return m_editor.createNode(graph, spec);
    }
    /// A node with one result, and that result.
    ValueId value(std::string op, std::vector<ValueId> inputs, const std::string& output = "v",
                  AttributeList attributes = {}) {
        return m_model.output(node(std::move(op), std::move(inputs), {fresh(output)}, std::move(attributes)),
                              0);
    }
    ValueId out(NodeId id, std::size_t slot = 0) const { return m_model.output(id, slot); }
    void output(ValueId value, const std::string& name, ElementType type = ElementType::float32,
                std::vector<std::int64_t> dims = {}) {
        m_editor.appendGraphOutput(main(), value, name, declare(type, std::move(dims)));
    }
    std::string fresh(const std::string& hint) { return hint + "_" + std::to_string(m_count++); }

  private:
    Model m_model;
    Editor m_editor;
    int m_count = 0;
};

} // namespace secateur
