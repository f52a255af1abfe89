// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/onnx_text.h"

#include "core/messages/sentences.h"
#include "core/onnx/proto_types.h"
#include "core/onnx/save.h"

#include <onnx/defs/printer.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <exception>
#include <variant>
#include <vector>

namespace secateur {
namespace {

void shorten(onnx::TensorProto& tensor, std::uint64_t mostElements) {
    std::uint64_t elements = 1;
    for (const auto dim : tensor.dims())
        elements *= static_cast<std::uint64_t>(dim > 0 ? dim : 0);
    if (elements <= mostElements) return;
    tensor.clear_raw_data();
    // The syntax has a place for a note only where a tensor says that its data lie elsewhere.
    tensor.set_data_location(onnx::TensorProto_DataLocation_EXTERNAL);
    tensor.clear_external_data();
    auto* note = tensor.add_external_data();
    note->set_key(std::string(message("model-text.left-out")));
    note->set_value(formatMessage("model-text.elements", {std::to_string(elements)}));
}

/// All graphs of the message, nested ones included, by worklist.
void shortenTensors(onnx::ModelProto& model, std::uint64_t mostElements) {
    std::vector<onnx::GraphProto*> graphs{model.mutable_graph()};
    const auto readNode = [&](onnx::NodeProto& node) {
        for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
            if (attribute.has_t()) shorten(*attribute.mutable_t(), mostElements);
            for (onnx::TensorProto& tensor : *attribute.mutable_tensors())
                shorten(tensor, mostElements);
            if (attribute.has_g()) graphs.push_back(attribute.mutable_g());
            for (onnx::GraphProto& graph : *attribute.mutable_graphs())
                graphs.push_back(&graph);
        }
    };
    for (onnx::FunctionProto& function : *model.mutable_functions()) {
        for (onnx::NodeProto& node : *function.mutable_node())
            readNode(node);
    }
    for (std::size_t at = 0; at < graphs.size(); ++at) {
        onnx::GraphProto& graph = *graphs[at];
        for (onnx::TensorProto& tensor : *graph.mutable_initializer())
            shorten(tensor, mostElements);
        for (onnx::NodeProto& node : *graph.mutable_node())
            readNode(node);
    }
}

onnx::NodeProto messageOf(const Model& model, NodeId id, std::uint64_t mostElements) {
    onnx::NodeProto node;
    node.set_op_type(std::string(model.op(id)));
    node.set_domain(std::string(model.domain(id)));
    node.set_name(std::string(model.name(id)));
    const auto nameOf = [&](ValueId value) {
        return value.isNone() ? std::string() : std::string(model.name(value));
    };
    for (const ValueId input : model.inputs(id))
        node.add_input(nameOf(input));
    for (const ValueId result : model.outputs(id))
        node.add_output(nameOf(result));
    constexpr std::size_t kLargestElement = 16; // bytes: complex128
    for (const Attribute& attribute : model.attributes(id)) {
        onnx::AttributeProto& out = *node.add_attribute();
        toProto(model, attribute, attribute.name, static_cast<std::size_t>(mostElements) * kLargestElement,
                out);
        if (out.has_t()) shorten(*out.mutable_t(), mostElements);
        for (onnx::TensorProto& tensor : *out.mutable_tensors())
            shorten(tensor, mostElements);
        if (const auto* body = std::get_if<GraphId>(&attribute.value))
            out.mutable_g()->set_name("body_of_" + std::to_string(model.graph(*body).nodeCount) + "_nodes");
    }
    return node;
}

} // namespace

Result<std::string> nodesText(const Model& model, std::vector<NodeId> nodes, std::uint64_t mostElements) {
    std::erase_if(
        nodes, [&](NodeId id) { return !model.isAlive(id) || model.node(id).kind != NodeKind::operation; });
    std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
        const GraphId one = model.node(a).graph, other = model.node(b).graph;
        return one != other ? one < other : model.isBefore(a, b);
    });
    std::string text;
    try {
        for (const NodeId id : nodes)
            text += onnx::ProtoToString(messageOf(model, id, mostElements)) + '\n';
    } catch (const std::exception& thrown) {
        return invalidInput(formatMessage("onnx-text.none", {thrown.what()}));
    }
    return text;
}

Result<std::string> onnxText(const Model& model, std::uint64_t mostElements) {
    const std::string bytes = TRY(serializeModel(model));
    onnx::ModelProto proto;
    if (!proto.ParseFromString(bytes)) return invalidInput(formatMessage("model-text.not-one-message", {}));
    shortenTensors(proto, mostElements);
    try {
        return onnx::ProtoToString(proto) + "\n";
    } catch (const std::exception& thrown) {
        return invalidInput(formatMessage("model-text.none", {thrown.what()}));
    }
}

} // namespace secateur
