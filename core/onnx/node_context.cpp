// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/node_context.h"

#include "core/messages/sentences.h"
#include "core/onnx/inference_engine.h"
#include "core/onnx/proto_types.h"
#include "core/onnx/size_expression.h"
#include "core/onnx/value_propagation.h"

#include <algorithm>
#include <stdexcept>

namespace secateur {
namespace {

/// Infers one body of a control-flow node for libonnx.
class BodyInferencer final : public onnx::GraphInferencer {
  public:
    BodyInferencer(InferenceEngine& engine, NodeContext& context, GraphId body)
        : m_engine(engine), m_context(context), m_body(body) {}

    std::vector<const onnx::TypeProto*> doInferencing(const std::vector<const onnx::TypeProto*>& inputTypes,
                                                      const std::vector<const onnx::TensorProto*>&) override {
        return m_engine.inferBody(m_context, m_body, inputTypes);
    }

  private:
    InferenceEngine& m_engine;
    NodeContext& m_context;
    GraphId m_body;
};

/// A constant of at most one dimension as a partial value; null when it is no small integer constant.
std::unique_ptr<onnx::TensorShapeProto> readPartial(const Tensor& tensor) {
    if (tensor.dims.size() > 1 || (tensor.type != ElementType::int64 && tensor.type != ElementType::int32))
        return {};
    const auto numbers = asIntegers(tensor, kElementLimit);
    if (!numbers) return {};
    auto out = std::make_unique<onnx::TensorShapeProto>();
    for (const std::int64_t number : *numbers)
        out->add_dim()->set_dim_value(number);
    return out;
}

} // namespace

void NodeContext::begin(InferenceEngine& engine, Frame& frame, NodeId node) {
    m_engine = &engine;
    m_frame = &frame;
    m_node = node;
    m_attributes.clear();
    m_inferencers.clear();
    m_inferredBodies.clear();
    m_restsOnDeclaration = false;
    returned.clear();
    const InputRange inputs = engine.model().inputs(node);
    m_inputs.resize(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        Input& input = m_inputs[i];
        input = Input();
        const ValueId value = inputs[i];
        if (value.isNone() || std::find(frame.absentInputs.begin(), frame.absentInputs.end(), value) !=
                                  frame.absentInputs.end()) {
            continue;
        }
        const ValueFacts& facts = engine.facts(frame, value);
        input.value = value;
        input.type = facts.type;
        m_restsOnDeclaration = m_restsOnDeclaration || facts.isDeclared;
    }
    m_outputCount = engine.model().outputs(node).size();
    if (m_outputs.size() < m_outputCount) m_outputs.resize(m_outputCount);
    clearOutputs();
}

void NodeContext::clearOutputs() {
    for (std::size_t i = 0; i < m_outputCount; ++i)
        m_outputs[i].Clear();
}

bool NodeContext::isInferred(GraphId body) const {
    return std::find(m_inferredBodies.begin(), m_inferredBodies.end(), body) != m_inferredBodies.end();
}

bool NodeContext::hasPropagatedInput() const {
    return std::any_of(m_inputs.begin(), m_inputs.end(), [&](const Input& input) {
        return !input.value.isNone() && m_engine->facts(*m_frame, input.value).value;
    });
}

const NodeContext::Input& NodeContext::inputAt(std::size_t index) const {
    if (index >= m_inputs.size())
        throw std::out_of_range(formatMessage("inference.no-input", {std::to_string(index)}));
    return m_inputs[index];
}

const onnx::AttributeProto* NodeContext::getAttribute(const std::string& name) const {
    const Model& model = m_engine->model();
    const Attribute* attribute = model.attribute(m_node, name);
    if (attribute) attribute = m_engine->resolve(*m_frame, *attribute);
    if (!attribute) return nullptr;
    for (const NamedAttribute& made : m_attributes) {
        if (made.attribute == attribute && made.proto->name() == name) return made.proto.get();
    }
    // The contents of a Constant are read through `constant`, never copied into an attribute: dtype and dims
    // do.
    const std::size_t limit = model.isOp(m_node, "Constant") ? 0 : kContentLimit;
    NamedAttribute& made = m_attributes.emplace_back(attribute, std::make_unique<onnx::AttributeProto>());
    toProto(model, *attribute, name, limit, *made.proto);
    return made.proto.get();
}

const onnx::TypeProto* NodeContext::getInputType(std::size_t index) const {
    const std::uint32_t type = inputAt(index).type;
    return type == 0 ? nullptr : &m_engine->pool().proto(type);
}

bool NodeContext::hasInput(std::size_t index) const {
    return index < m_inputs.size() && !m_inputs[index].value.isNone();
}

const onnx::TensorProto* NodeContext::getInputData(std::size_t index) const {
    (void)inputAt(index); // refuses what is out of range
    Input& input = m_inputs[index];
    if (input.value.isNone()) return nullptr;
    if (!input.isConstantRead) {
        input.isConstantRead = true;
        input.constant = readConstant(input);
    }
    return input.constant.get();
}

std::unique_ptr<onnx::TensorProto> NodeContext::readConstant(const Input& input) const {
    auto proto = std::make_unique<onnx::TensorProto>();
    if (const TensorPtr tensor = m_engine->constant(*m_frame, input.value)) {
        return toProto(*tensor, kContentLimit, *proto) ? std::move(proto) : nullptr;
    }
    // A computed vector whose elements are all known is as good as a constant, and many functions ask for
    // those only.
    const PartialValue& known = m_engine->facts(*m_frame, input.value).value;
    const Type& type = m_engine->pool().type(input.type);
    const bool isList = type.element == ElementType::int64 && type.hasShape && type.dims.size() <= 1;
    if (!known || !isList || (type.dims.empty() && known->dim_size() != 1)) return nullptr;
    for (const auto& element : known->dim()) {
        if (!element.has_dim_value()) return nullptr;
        proto->add_int64_data(element.dim_value());
    }
    proto->set_data_type(onnx::TensorProto::INT64);
    if (!type.dims.empty()) proto->add_dims(known->dim_size());
    return proto;
}

onnx::TypeProto* NodeContext::getOutputType(std::size_t index) {
    if (index >= m_outputCount)
        throw std::out_of_range(formatMessage("inference.no-output", {std::to_string(index)}));
    return &m_outputs[index];
}

bool NodeContext::hasOutput(std::size_t index) {
    return index < m_outputCount && !m_engine->model().outputs(m_node)[index].isNone();
}

onnx::GraphInferencer* NodeContext::getGraphAttributeInferencer(const std::string& name) {
    const Attribute* attribute = m_engine->model().attribute(m_node, name);
    const auto* body = attribute ? std::get_if<GraphId>(&attribute->value) : nullptr;
    if (!body) throw std::runtime_error(formatMessage("inference.no-body", {name}));
    return m_inferencers.emplace_back(std::make_unique<BodyInferencer>(*m_engine, *this, *body)).get();
}

const onnx::TensorShapeProto* NodeContext::getSymbolicInput(std::size_t index) const {
    const Input& input = inputAt(index);
    if (input.value.isNone()) return nullptr;
    const onnx::TensorShapeProto* known = m_engine->facts(*m_frame, input.value).value.get();
    if (known == nullptr) return nullptr;
    const auto mayBeNone = [](const auto& element) { return mayBeNegative(element.dim_param()); };
    if (std::none_of(known->dim().begin(), known->dim().end(), mayBeNone)) return known;
    // An inference function takes elements for dimensions: -1 among them means another one.
    if (!input.dimensions) {
        input.dimensions = std::make_unique<onnx::TensorShapeProto>(*known);
        for (auto& element : *input.dimensions->mutable_dim()) {
            if (mayBeNone(element)) element.clear_dim_param();
        }
    }
    return input.dimensions.get();
}

const onnx::TypeProto* NodeContext::typeBehind(std::size_t index, std::string_view op, std::size_t result,
                                               std::size_t slot) const {
    if (!hasInput(index)) return nullptr;
    const Model& model = m_engine->model();
    const Value& value = model.value(m_inputs[index].value);
    if (value.producer.isNone() || !model.isOp(value.producer, op) || value.resultIndex != result)
        return nullptr;
    const ValueId wanted = model.input(value.producer, slot);
    if (wanted.isNone()) return nullptr;
    const std::uint32_t type = m_engine->facts(*m_frame, wanted).type;
    return type == 0 ? nullptr : &m_engine->pool().proto(type);
}

const onnx::TensorShapeProto* NodeContext::partialValue(std::size_t index) {
    if (!hasInput(index)) return nullptr;
    Input& input = m_inputs[index];
    if (const auto& known = m_engine->facts(*m_frame, input.value).value) return known.get();
    if (!input.isPartialRead) {
        input.isPartialRead = true;
        if (const TensorPtr tensor = m_engine->constant(*m_frame, input.value))
            input.partial = readPartial(*tensor);
    }
    return input.partial.get();
}

void NodeContext::setPartialValue(std::size_t index, onnx::TensorShapeProto value) {
    if (value.dim_size() > kElementLimit) return;
    if (returned.size() <= index) returned.resize(index + 1);
    returned[index] = std::make_shared<const onnx::TensorShapeProto>(std::move(value));
}

const onnx::TensorShapeProto* PropagationContext::getInputData(std::size_t index) {
    if (const onnx::TensorShapeProto* known = m_node.partialValue(index)) return known;
    const onnx::TypeProto* type = m_node.getInputType(index);
    if (!type || !type->has_tensor_type() || !type->tensor_type().has_shape()) return nullptr;
    const std::int32_t element = type->tensor_type().elem_type();
    const onnx::TensorShapeProto& shape = type->tensor_type().shape();
    if ((element != onnx::TensorProto::INT64 && element != onnx::TensorProto::INT32) ||
        shape.dim_size() != 1 || !shape.dim(0).has_dim_value() || shape.dim(0).dim_value() < 0 ||
        shape.dim(0).dim_value() > kElementLimit) {
        return nullptr;
    }
    auto made = std::make_unique<onnx::TensorShapeProto>();
    for (std::int64_t i = 0; i < shape.dim(0).dim_value(); ++i)
        made->add_dim();
    return m_unknown.emplace_back(std::move(made)).get();
}

void PropagationContext::addOutputData(std::size_t index, onnx::TensorShapeProto&& value) {
    const onnx::TypeProto* type = m_node.getOutputType(index);
    if (!type->has_tensor_type()) return;
    for (auto& element : *value.mutable_dim())
        element = heldBy(type->tensor_type().elem_type(), std::move(element));
    m_engine.setPartialValue(m_node, index, std::move(value));
}

} // namespace secateur
