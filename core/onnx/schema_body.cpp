// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/schema_body.h"

#include <onnx/shape_inference/implementation.h>

#include <algorithm>

namespace secateur {
namespace {

/// A node as libonnx's body builders want to see it.
class BuildContext final : public onnx::FunctionBodyBuildContext {
  public:
    explicit BuildContext(NodeContext& node) : m_node(node) {}

    const onnx::AttributeProto* getAttribute(const std::string& name) const override {
        return m_node.getAttribute(name);
    }
    bool hasInput(int index) const override { return m_node.hasInput(static_cast<std::size_t>(index)); }
    bool hasOutput(int index) const override { return m_node.hasOutput(static_cast<std::size_t>(index)); }
    const onnx::TypeProto* getInputType(int index) const override {
        const auto slot = static_cast<std::size_t>(index);
        return slot < m_node.getNumInputs() ? m_node.getInputType(slot) : nullptr;
    }

  private:
    NodeContext& m_node;
};

/// Makes symbols that no other node makes.
class StemSymbols final : public onnx::SymbolTable {
  public:
    explicit StemSymbols(std::string stem) : m_stem(std::move(stem)) {}
    void addFromGraph(const onnx::GraphProto&) override {}
    std::string createNew(const std::string&) override { return m_stem + std::to_string(m_next++); }

  private:
    std::string m_stem;
    unsigned m_next = 0;
};

} // namespace

std::optional<onnx::FunctionProto> schemaBody(NodeContext& node, const onnx::OpSchema& schema,
                                              std::int64_t version) {
    const int requested = std::max(static_cast<int>(version), schema.SinceVersion());
    if (const onnx::FunctionProto* body = schema.GetFunction(requested)) return *body;
    if (!schema.HasContextDependentFunction()) return std::nullopt;
    onnx::FunctionProto body;
    if (!schema.BuildContextDependentFunction(BuildContext(node), body, requested)) return std::nullopt;
    return body;
}

void inferByBody(NodeContext& node, const onnx::OpSchema& schema, std::int64_t version, std::string stem) {
    const auto body = schemaBody(node, schema, version);
    if (!body) return;
    StemSymbols symbols(std::move(stem));
    onnx::shape_inference::DataValueMap values;
    for (int i = 0; i < body->input_size(); ++i) {
        if (const auto* known = node.partialValue(static_cast<std::size_t>(i)))
            values[body->input(i)] = *known;
    }
    onnx::shape_inference::InferShapeForFunctionNode(*body, onnx::OpSchemaRegistry::Instance(), node,
                                                     onnx::ShapeInferenceOptions(false, 0, true), {},
                                                     &symbols, &values);
}

} // namespace secateur
