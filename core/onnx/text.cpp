// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/text.h"

#include "core/messages/sentences.h"
#include "core/onnx/save.h"

#include <onnx/defs/parser.h>
#include <onnx/defs/printer.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <exception>

namespace secateur {
namespace {

/// The message of a model; LITE_RUNTIME keeps no more of it than the call needs.
Result<onnx::ModelProto> messageOf(const Model& model) {
    const std::string bytes = TRY(serializeModel(model));
    onnx::ModelProto proto;
    if (!proto.ParseFromString(bytes)) return invalidInput(formatMessage("model-text.not-one-message", {}));
    return proto;
}

template <class Message> Result<std::string> print(const Message& message) {
    try {
        return onnx::ProtoToString(message) + "\n";
    } catch (const std::exception& failure) {
        return invalidInput(formatMessage("model-text.none", {failure.what()}));
    }
}

/// The message of a body: the graphs in the attributes of node number `node` of `outer`, the `which`-th of
/// them.
const onnx::GraphProto* bodyIn(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes, int node,
                               std::size_t which) {
    if (node >= nodes.size()) return nullptr;
    for (const auto& attribute : nodes.Get(node).attribute()) {
        if (attribute.has_g() && which-- == 0) return &attribute.g();
        for (const auto& graph : attribute.graphs()) {
            if (which-- == 0) return &graph;
        }
    }
    return nullptr;
}

int positionOf(const Model& model, NodeId wanted) {
    int position = 0;
    for (const NodeId node : model.nodes(model.node(wanted).graph)) {
        if (node == wanted) return position;
        ++position;
    }
    return position;
}

} // namespace

Result<std::string> modelText(const Model& model) {
    const onnx::ModelProto proto = TRY(messageOf(model));
    return print(proto);
}

Result<std::string> graphText(const Model& model, GraphId graph) {
    const onnx::ModelProto proto = TRY(messageOf(model));
    std::vector<GraphId> path{graph}; // innermost first
    while (model.graph(path.back()).kind == GraphKind::subgraph)
        path.push_back(model.graph(path.back()).parent);
    const google::protobuf::RepeatedPtrField<onnx::NodeProto>* nodes = &proto.graph().node();
    if (model.graph(path.back()).kind == GraphKind::function) {
        const auto& functions = model.header().functions;
        const auto at = std::find(functions.begin(), functions.end(), path.back());
        const auto index = static_cast<int>(at - functions.begin());
        if (index >= proto.functions_size())
            return invalidInput(formatMessage("model-text.foreign-function", {}));
        if (path.size() == 1) return print(proto.functions(index));
        nodes = &proto.functions(index).node();
    } else if (model.graph(path.back()).kind != GraphKind::main) {
        return invalidInput(formatMessage("model-text.training-graph", {}));
    } else if (path.size() == 1) {
        return print(proto.graph());
    }
    const onnx::GraphProto* body = nullptr;
    for (std::size_t i = path.size() - 1; i-- > 0;) {
        const NodeId holder = model.graph(path[i]).parentNode;
        const auto bodies = model.subgraphs(holder);
        const auto which =
            static_cast<std::size_t>(std::find(bodies.begin(), bodies.end(), path[i]) - bodies.begin());
        body = bodyIn(*nodes, positionOf(model, holder), which);
        if (!body) return invalidInput(formatMessage("model-text.foreign-body", {}));
        nodes = &body->node();
    }
    return print(*body);
}

Result<LoadedModel> parseModelText(std::string_view text, std::string name) {
    onnx::ModelProto proto;
    std::string failure;
    try {
        onnx::OnnxParser parser(text);
        const auto status = parser.Parse(proto);
        if (!status.IsOK())
            failure = status.ErrorMessage();
        else if (!parser.EndOfInput())
            failure = message("model-text.more-text");
    } catch (const std::exception& thrown) {
        failure = thrown.what();
    }
    if (!failure.empty())
        return invalidInput(formatMessage("model-text.refused", {failure}), std::move(name));
    const std::string bytes = proto.SerializeAsString();
    std::vector<std::byte> copy(bytes.size());
    std::memcpy(copy.data(), bytes.data(), bytes.size());
    return loadModelFromBytes(ByteRef::own(std::move(copy)), std::move(name));
}

bool looksLikeModelText(std::string_view text) {
    const auto isBlank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
    std::size_t at = 0;
    while (at < text.size() && isBlank(text[at]))
        ++at;
    if (at < text.size() && text[at] == '<') {
        const std::string_view head = text.substr(at, 400);
        return head.find("ir_version") != std::string_view::npos ||
               head.find("opset_import") != std::string_view::npos;
    }
    std::size_t end = at;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        ++end;
    if (end == at) return false;
    while (end < text.size() && isBlank(text[end]))
        ++end;
    return end < text.size() && text[end] == '(';
}

} // namespace secateur
