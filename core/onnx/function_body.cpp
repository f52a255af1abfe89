// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/function_body.h"

#include "core/ir/constants.h"
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
    return writeBody(editor, node, {at->second, at->second.mainGraph(), {}, m_constants});
}

} // namespace secateur
