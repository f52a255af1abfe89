// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/function_body.h"

#include "core/ir/constants.h"
#include "core/ir/node_edits.h"
#include "core/ir/walk.h"
#include "core/messages/sentences.h"
#include "core/onnx/load.h"
#include "core/onnx/microsoft_bodies.h"
#include "core/onnx/proto_types.h"

#include <onnx/defs/schema.h>
#include <onnx/shape_inference/attribute_binder.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <unordered_map>

namespace secateur {
namespace {

const onnx::OpSchema* schemaFor(const Model& model, NodeId node) {
    const std::string domain(model.isDefaultDomain(node) ? "" : model.domain(node));
    const auto version = model.opsetVersion(domain, model.node(node).graph);
    if (!version) return nullptr;
    return onnx::OpSchemaRegistry::Schema(std::string(model.op(node)), static_cast<int>(*version), domain);
}

/// The node as a message; every slot that is there has some name.
onnx::NodeProto messageOf(const Model& model, NodeId node) {
    onnx::NodeProto proto;
    proto.set_op_type(std::string(model.op(node)));
    proto.set_domain(std::string(model.domain(node)));
    int slot = 0;
    for (const ValueId input : model.inputs(node))
        proto.add_input(input.isNone() ? "" : "in" + std::to_string(slot++));
    slot = 0;
    for (const ValueId output : model.outputs(node)) {
        proto.add_output(output.isNone() ? "" : "out" + std::to_string(slot++));
    }
    for (const Attribute& attribute : model.attributes(node)) {
        if (attribute.reference.empty())
            toProto(model, attribute, attribute.name, SIZE_MAX, *proto.add_attribute());
    }
    return proto;
}

void addDefaults(const onnx::OpSchema& schema, onnx::NodeProto& node) {
    for (const auto& [name, attribute] : schema.attributes()) {
        if (!attribute.default_value.has_name()) continue;
        const bool isGiven = std::any_of(node.attribute().begin(), node.attribute().end(),
                                         [&](const auto& given) { return given.name() == name; });
        if (!isGiven) *node.add_attribute() = attribute.default_value;
    }
}

Result<onnx::FunctionProto> bodyOf(const Model& model, NodeId node, const TypeTable& types) {
    if (model.domain(node) == "com.microsoft") {
        if (!hasMicrosoftBody(model.op(node))) return invalidInput(formatMessage("body.none-here", {}));
        if (auto body = microsoftBody(model, node, types)) return std::move(*body);
        return invalidInput(formatMessage("body.no-float-type", {}));
    }
    const onnx::OpSchema* schema = schemaFor(model, node);
    if (!schema) return invalidInput(formatMessage("body.unknown-operator", {}));
    const auto version = static_cast<int>(
        *model.opsetVersion(model.isDefaultDomain(node) ? "" : model.domain(node), model.node(node).graph));
    onnx::NodeProto call = messageOf(model, node);
    onnx::FunctionProto body;
    try {
        if (const onnx::FunctionProto* plain = schema->GetFunction(version, true)) {
            body = *plain;
        } else if (schema->HasContextDependentFunction()) {
            std::vector<onnx::TypeProto> inputTypes;
            for (const ValueId input : model.inputs(node)) {
                onnx::TypeProto& type = inputTypes.emplace_back();
                if (!input.isNone()) toProto(types.type(input), type);
            }
            const onnx::FunctionBodyBuildContextImpl context(call, inputTypes);
            if (!schema->BuildContextDependentFunction(context, body, version)) {
                return invalidInput(formatMessage("body.none-for-types", {}));
            }
        } else {
            return invalidInput(formatMessage("body.none-at-opset", {}));
        }
        addDefaults(*schema, call);
        onnx::internal::AttributeBinder::BindAttributes(call, body);
    } catch (const std::exception& failure) {
        return invalidInput(formatMessage("body.failed", {failure.what()}));
    }
    return body;
}

/// The body as a model of its own, to be copied from.
Result<Model> asModel(const Model& caller, const onnx::FunctionProto& body) {
    onnx::ModelProto proto;
    proto.set_ir_version(caller.header().irVersion);
    for (const auto& opset : body.opset_import())
        *proto.add_opset_import() = opset;
    onnx::GraphProto& graph = *proto.mutable_graph();
    graph.set_name("body");
    for (const std::string& input : body.input())
        graph.add_input()->set_name(input);
    for (const std::string& output : body.output())
        graph.add_output()->set_name(output);
    *graph.mutable_node() = body.node();
    const std::string bytes = proto.SerializeAsString();
    std::vector<std::byte> copy(bytes.size());
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    auto loaded = TRY(loadModelFromBytes(ByteRef::own(std::move(copy)), "body"));
    return std::move(loaded.model);
}

Result<Model> buildBody(const Model& model, NodeId node, const TypeTable& types) {
    const onnx::FunctionProto body = TRY(bodyOf(model, node, types));
    return asModel(model, body);
}

/// A type with its symbols by the order in which they first occur: a body sees which of them are equal, and
/// their names nowhere. Inference gives each layer of a network symbols of its own.
std::string shapeKey(const Type& type, std::vector<std::string>& symbols) {
    if (!type.isTensor()) return type.text();
    std::string key = std::to_string(static_cast<int>(type.element)) + (type.hasShape ? ":" : "?");
    for (const Dim& dim : type.dims) {
        if (dim.isKnown()) {
            key += std::to_string(*dim.value) + ",";
            continue;
        }
        auto at = dim.symbol.empty() ? symbols.end() : std::find(symbols.begin(), symbols.end(), dim.symbol);
        if (at == symbols.end()) at = symbols.insert(at, dim.symbol);
        key += "s" + std::to_string(at - symbols.begin()) + ",";
    }
    return key;
}

/// All that the body of a node depends on.
std::string keyOf(const Model& model, NodeId node, const TypeTable& types) {
    std::string key = messageOf(model, node).SerializeAsString();
    for (const std::string_view domain : {std::string_view(), model.domain(node)})
        key += '/' + std::to_string(model.opsetVersion(domain, model.node(node).graph).value_or(0));
    std::vector<std::string> symbols;
    for (const ValueId input : model.inputs(node))
        key += '/' + (input.isNone() ? std::string() : shapeKey(types.type(input), symbols));
    return key;
}

/// Copies the nodes of a body in front of the node that they replace.
class BodyCopier {
  public:
    BodyCopier(Editor& editor, NodeId call, const Model& body, const ConstantMaker& constants)
        : m_editor(editor), m_call(call), m_from(body), m_constants(constants) {
        const Model& model = editor.model();
        m_stem = model.name(call);
        for (const ValueId output : model.outputs(call)) {
            if (m_stem.empty() && !output.isNone()) m_stem = model.name(output);
        }
        if (m_stem.empty()) m_stem = model.op(call);
    }

    std::vector<NodeId> run() {
        const Model& to = m_editor.model();
        const auto formals = m_from.graphInputs(m_from.mainGraph());
        for (std::size_t i = 0; i < formals.size(); ++i)
            m_values[formals[i].index] = to.input(m_call, i);
        copyNodes(m_from.mainGraph(), to.node(m_call).graph, m_call);
        handOver();
        return std::move(m_made);
    }

  private:
    /// The results of the call become results of the copies, where these make them, and are read from
    /// elsewhere where the body hands an input or a constant on.
    void handOver() {
        const Model& model = m_editor.model();
        const auto formals = m_from.graphOutputs(m_from.mainGraph());
        std::vector<ValueId> results; // that copies make now
        for (std::size_t slot = 0; slot < formals.size(); ++slot) {
            const ValueId result = model.output(m_call, slot);
            if (result.isNone() || mapped(formals[slot]).isNone()) continue;
            const ValueId made = mapped(formals[slot]);
            const NodeId maker = model.producer(made);
            const bool isCopied = std::find(m_made.begin(), m_made.end(), maker) != m_made.end();
            const bool isTaken = std::find(results.begin(), results.end(), made) != results.end();
            if (!isCopied || isTaken) {
                m_editor.replace(result, made);
                continue;
            }
            results.push_back(takeOver(m_editor, m_call, slot, made));
            m_values[formals[slot].index] = result; // the body may give it twice
        }
        retire(m_editor, m_call, results.empty() ? ValueId() : results.front());
    }

    [[nodiscard]] std::string freshName(std::string_view part) {
        return m_editor.freshName(m_stem + "/" + std::string(part));
    }

    [[nodiscard]] ValueId mapped(ValueId value) const {
        const auto at = value.isNone() ? m_values.end() : m_values.find(value.index);
        return at == m_values.end() ? ValueId() : at->second;
    }

    void copyNodes(GraphId from, GraphId to, NodeId before) {
        for (const NodeId node : m_from.nodes(from)) {
            const TensorPtr constant = before.isNone() ? nullptr : constantOf(m_from, m_from.output(node, 0));
            if (constant)
                m_values[m_from.output(node, 0).index] =
                    m_constants(m_editor, m_call, m_from.name(m_from.output(node, 0)), constant);
            else
                copyNode(node, to, before);
        }
    }

    void copyNode(NodeId node, GraphId to, NodeId before) {
        NodeSpec spec;
        spec.op = m_from.op(node);
        spec.domain = m_from.domain(node);
        for (const ValueId input : m_from.inputs(node))
            spec.inputs.push_back(mapped(input));
        for (const ValueId output : m_from.outputs(node)) {
            spec.outputs.push_back(output.isNone() ? "" : freshName(m_from.name(output)));
        }
        for (const Attribute& attribute : m_from.attributes(node)) {
            Attribute& made = spec.attributes.emplace_back(attribute);
            if (auto* body = std::get_if<GraphId>(&made.value)) *body = copyBody(*body, to);
            if (auto* bodies = std::get_if<std::vector<GraphId>>(&made.value)) {
                for (GraphId& each : *bodies)
                    each = copyBody(each, to);
            }
        }
        const NodeId made = m_editor.createNode(to, spec, before);
        m_made.push_back(made);
        for (const GraphId body : m_editor.model().subgraphs(made))
            m_editor.setGraphParent(body, to, made);
        for (std::size_t i = 0; i < spec.outputs.size(); ++i) {
            const ValueId output = m_from.output(node, i);
            if (!output.isNone()) m_values[output.index] = m_editor.model().output(made, i);
        }
    }

    GraphId copyBody(GraphId from, GraphId parent) {
        const GraphId to = m_editor.createGraph(GraphKind::subgraph, parent);
        GraphHeader header = *m_from.graph(from).header;
        header.quantization.clear();
        m_editor.setGraphHeader(to, std::move(header));
        std::vector<ValueId> inputs;
        for (const ValueId input : m_from.graphInputs(from)) {
            inputs.push_back(m_editor.createValue(to, freshName(m_from.name(input))));
            m_editor.setInfo(inputs.back(), m_from.value(input).info);
            m_values[input.index] = inputs.back();
        }
        m_editor.setGraphInputs(to, inputs);
        for (const ValueId value : m_from.graph(from).initializers) {
            m_values[value.index] =
                m_editor.createInitializer(to, freshName(m_from.name(value)), m_from.value(value).tensor);
        }
        copyNodes(from, to, {});
        const auto& slots = *m_from.graph(from).outputs;
        std::size_t slot = 0;
        for (const ValueId output : m_from.graphOutputs(from)) {
            const ValueId value = mapped(output);
            m_editor.appendGraphOutput(to, value, m_editor.model().name(value),
                                       slot < slots.size() ? slots[slot].info : ValueInfoPtr());
            ++slot;
        }
        return to;
    }

    Editor& m_editor;
    NodeId m_call;
    const Model& m_from;
    const ConstantMaker& m_constants;
    std::string m_stem; ///< of the names it makes
    std::vector<NodeId> m_made;
    std::unordered_map<std::uint32_t, ValueId> m_values; // of `m_from` to those of the model that is written
};

} // namespace

bool hasFunctionBody(const Model& model, NodeId node) {
    if (model.domain(node) == "com.microsoft") return hasMicrosoftBody(model.op(node));
    const onnx::OpSchema* schema = schemaFor(model, node);
    return schema && (schema->HasFunction() || schema->HasContextDependentFunction());
}

Result<std::vector<NodeId>> FunctionBodies::inlineAt(Editor& editor, NodeId node) {
    const Model& model = editor.model();
    std::string key = keyOf(model, node, m_types);
    auto at = m_bodies.find(key);
    if (at == m_bodies.end())
        at = m_bodies.emplace(std::move(key), TRY(buildBody(model, node, m_types))).first;
    return BodyCopier(editor, node, at->second, m_constants).run();
}

} // namespace secateur
