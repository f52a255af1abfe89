// SPDX-License-Identifier: Apache-2.0
#pragma once

// What libonnx's inference functions see of one node of ours. Heavy: for .cpp files of core/onnx.

#include "core/onnx/inference_facts.h"

#include <onnx/defs/shape_inference.h>

#include <memory>
#include <string>
#include <vector>

namespace secateur {

class InferenceEngine;

/// An InferenceContext that also knows the graph around the node: for the operators of our own table.
class GraphAwareContext : public onnx::InferenceContext {
  public:
    /// The type of input `slot` of the node that makes input `index` as its result `result`, when that node
    /// is `op` of the default domain; null otherwise.
    [[nodiscard]] virtual const onnx::TypeProto* typeBehind(std::size_t index, std::string_view op,
                                                            std::size_t result, std::size_t slot) const = 0;
    /// Known elements of an input: of a constant, or partially propagated; null when nothing is known.
    [[nodiscard]] virtual const onnx::TensorShapeProto* partialValue(std::size_t index) = 0;
    /// Tells the elements of an output as far as they are known.
    virtual void setPartialValue(std::size_t index, onnx::TensorShapeProto value) = 0;
};

/// One node in one frame, for the time of one call. Reused for the next node: buffers stay.
class NodeContext final : public GraphAwareContext {
  public:
    void begin(InferenceEngine& engine, Frame& frame, NodeId node);

    [[nodiscard]] NodeId node() const { return m_node; }
    [[nodiscard]] Frame& frame() const { return *m_frame; }
    [[nodiscard]] onnx::TypeProto& output(std::size_t index) { return m_outputs[index]; }
    void clearOutputs();
    /// Does a type among the inputs, or of a result of a body, rest on a declaration?
    [[nodiscard]] bool restsOnDeclaration() const { return m_restsOnDeclaration; }
    void setRestsOnDeclaration() { m_restsOnDeclaration = true; }
    [[nodiscard]] bool isInferred(GraphId body) const;
    void setInferred(GraphId body) { m_inferredBodies.push_back(body); }
    /// Was anything propagated about the elements of an input?
    [[nodiscard]] bool hasPropagatedInput() const;
    std::vector<PartialValue>
        returned; ///< what a call, or an operator of our own table, tells of its results

    const onnx::AttributeProto* getAttribute(const std::string& name) const override;
    std::size_t getNumInputs() const override { return m_inputs.size(); }
    const onnx::TypeProto* getInputType(std::size_t index) const override;
    bool hasInput(std::size_t index) const override;
    const onnx::TensorProto* getInputData(std::size_t index) const override;
    std::size_t getNumOutputs() const override { return m_outputCount; }
    onnx::TypeProto* getOutputType(std::size_t index) override;
    bool hasOutput(std::size_t index) override;
    onnx::GraphInferencer* getGraphAttributeInferencer(const std::string& name) override;
    const onnx::SparseTensorProto* getInputSparseData(std::size_t) const override { return nullptr; }
    const onnx::TensorShapeProto* getSymbolicInput(std::size_t index) const override;

    const onnx::TypeProto* typeBehind(std::size_t index, std::string_view op, std::size_t result,
                                      std::size_t slot) const override;
    const onnx::TensorShapeProto* partialValue(std::size_t index) override;
    void setPartialValue(std::size_t index, onnx::TensorShapeProto value) override;

  private:
    struct Input {
        ValueId value; // none: omitted
        std::uint32_t type = 0;
        bool isConstantRead = false;
        bool isPartialRead = false;
        std::unique_ptr<onnx::TensorProto> constant;
        std::unique_ptr<onnx::TensorShapeProto> partial;            // read off a constant
        mutable std::unique_ptr<onnx::TensorShapeProto> dimensions; // the elements that can be dimensions
    };
    struct NamedAttribute {
        const Attribute* attribute;
        std::unique_ptr<onnx::AttributeProto> proto;
    };

    [[nodiscard]] const Input& inputAt(std::size_t index) const;
    [[nodiscard]] std::unique_ptr<onnx::TensorProto> readConstant(const Input& input) const;

    InferenceEngine* m_engine = nullptr;
    Frame* m_frame = nullptr;
    NodeId m_node;
    mutable std::vector<Input> m_inputs;
    std::vector<onnx::TypeProto> m_outputs;
    std::size_t m_outputCount = 0;
    mutable std::vector<NamedAttribute> m_attributes;
    std::vector<std::unique_ptr<onnx::GraphInferencer>> m_inferencers;
    std::vector<GraphId> m_inferredBodies;
    bool m_restsOnDeclaration = false;
};

/// The same node for libonnx's data propagation; writes partially known elements back as facts.
class PropagationContext final : public onnx::DataPropagationContext {
  public:
    PropagationContext(InferenceEngine& engine, NodeContext& node) : m_engine(engine), m_node(node) {}

    const onnx::AttributeProto* getAttribute(const std::string& name) const override {
        return m_node.getAttribute(name);
    }
    std::size_t getNumInputs() const override { return m_node.getNumInputs(); }
    const onnx::TypeProto* getInputType(std::size_t index) const override {
        return m_node.getInputType(index);
    }
    std::size_t getNumOutputs() const override { return m_node.getNumOutputs(); }
    const onnx::TypeProto* getOutputType(std::size_t index) const override {
        return m_node.getOutputType(index);
    }
    const onnx::TensorShapeProto* getInputData(std::size_t index) override;
    void addOutputData(std::size_t index, onnx::TensorShapeProto&& value) override;

  private:
    InferenceEngine& m_engine;
    NodeContext& m_node;
    std::vector<std::unique_ptr<onnx::TensorShapeProto>>
        m_unknown; // vectors of which only the length is known
};

} // namespace secateur
