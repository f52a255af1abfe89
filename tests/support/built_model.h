// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/editor.h"
#include "core/session/history.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace secateur::testing {

/// A model built by hand, to be opened as a file would be.
class BuiltModel {
  public:
    explicit BuiltModel(std::int64_t opset = 17) : m_editor(model) {
        model.journal().setRecording(false);
        m_main = m_editor.createGraph(GraphKind::main);
        ModelHeader header;
        header.irVersion = 8;
        header.opsets = {{"", opset, ""}, {"com.microsoft", 1, ""}};
        m_editor.setModelHeader(std::move(header));
    }

    ValueId input(std::string_view name, std::vector<std::int64_t> dims,
                  ElementType element = ElementType::float32) {
        const ValueId value = m_editor.createValue(m_main, name);
        ValueInfo info;
        info.type = Type::tensor(element, std::move(dims));
        m_editor.setInfo(value, std::make_shared<const ValueInfo>(std::move(info)));
        const auto old = model.graphInputs(m_main);
        std::vector<ValueId> inputs(old.begin(), old.end());
        inputs.push_back(value);
        m_editor.setGraphInputs(m_main, inputs);
        return value;
    }
    ValueId initializer(std::string_view name, TensorPtr tensor) {
        return m_editor.createInitializer(m_main, name, std::move(tensor));
    }
    /// A node called `name`, with results `<name>.0`, `<name>.1` ...; the first of them.
    ValueId node(std::string_view name, std::string_view op, std::vector<ValueId> inputs,
                 std::size_t results = 1, AttributeList attributes = {}, std::string_view domain = "") {
        NodeSpec spec{std::string(op),      std::string(domain), std::string(name), std::move(inputs), {},
                      std::move(attributes)};
        for (std::size_t i = 0; i < results; ++i)
            spec.outputs.push_back(std::string(name) + "." + std::to_string(i));
        return model.output(m_editor.createNode(m_main, spec), 0);
    }
    void output(ValueId value) { m_editor.appendGraphOutput(m_main, value, model.name(value)); }
    Editor& editor() { return m_editor; }

    /// The model is moved out: build no more afterwards.
    std::shared_ptr<const Original> open() {
        LoadedModel file;
        model.journal().setRecording(true);
        file.model = std::move(model);
        return makeOriginal(std::move(file));
    }

    Model model;

  private:
    Editor m_editor;
    GraphId m_main;
};

/// The node called `name`; the last one where several are.
inline NodeId nodeCalled(const Model& model, std::string_view name) {
    NodeId found;
    for (const NodeId node : model.nodes(model.mainGraph()))
        if (model.name(node) == name) found = node;
    return found;
}

} // namespace secateur::testing
