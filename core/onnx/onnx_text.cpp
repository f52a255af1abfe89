// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/onnx_text.h"

#include "core/messages/sentences.h"
#include "core/onnx/parse_message.h"
#include "core/onnx/proto_types.h"
#include "core/onnx/save.h"
#include "core/support/printable.h"
#include "core/support/text.h"

#include <onnx/defs/printer.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <string_view>
#include <variant>
#include <vector>

namespace secateur {
namespace {

/// True where the elements were left out.
bool shorten(onnx::TensorProto& tensor, std::uint64_t mostElements) {
    std::uint64_t elements = 1;
    for (const auto dim : tensor.dims())
        elements *= static_cast<std::uint64_t>(dim > 0 ? dim : 0);
    if (elements <= mostElements) return false;
    tensor.clear_raw_data();
    // The syntax has a place for a note only where a tensor says that its data lie elsewhere.
    tensor.set_data_location(onnx::TensorProto_DataLocation_EXTERNAL);
    tensor.clear_external_data();
    auto* note = tensor.add_external_data();
    note->set_key(std::string(message("model-text.left-out")));
    note->set_value(formatMessage("model-text.elements", {std::to_string(elements)}));
    return true;
}

/// The syntax has quotes for the names of values and nodes alone. What else is called so that it could not be
/// read back has underscores in their places.
std::string identifier(const std::string& name, bool hasDots = false) {
    std::string out;
    for (const char c : name) {
        const bool isPart =
            std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || (hasDots && c == '.');
        out += isPart ? c : '_';
    }
    return !out.empty() && std::isdigit(static_cast<unsigned char>(out.front())) != 0 ? "_" + out : out;
}

void makeIdentifiers(onnx::NodeProto& node) {
    node.set_op_type(identifier(node.op_type()));
    if (!node.domain().empty()) node.set_domain(identifier(node.domain(), true));
    if (!node.overload().empty()) node.set_overload(identifier(node.overload()));
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
        attribute.set_name(identifier(attribute.name()));
        if (!attribute.ref_attr_name().empty())
            attribute.set_ref_attr_name(identifier(attribute.ref_attr_name()));
    }
}

/// The characters of a string, those that are written out with their backslash doubled.
void appendSeen(std::string_view inner, std::string& out) {
    for (std::size_t at = 0, begin = 0; begin < inner.size(); begin = at) {
        nextCodePoint(inner, at);
        const std::string_view one = inner.substr(begin, at - begin);
        const std::string seen = printable(one);
        out.append(seen == one ? "" : "\\").append(seen);
    }
}

/// Strings of the syntax with what cannot be seen written out, behind a backslash that is itself escaped.
std::string withSeenStrings(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t open = std::min(text.find('"', at), text.size());
        out += printableLines(text.substr(at, open - at));
        std::size_t close = open + 1;
        while (close < text.size() && text[close] != '"')
            close += text[close] == '\\' ? 2U : 1U;
        close = std::min(close, text.size());
        if (open < text.size()) {
            const std::string_view inner = text.substr(open + 1, close - open - 1);
            const std::string seen = printable(inner);
            out += '"';
            if (seen == inner)
                out += seen;
            else
                appendSeen(inner, out);
            out += '"';
        }
        at = close + 1;
    }
    return out;
}

/// All graphs of the message, nested ones included, by worklist. How many tensors lost their elements.
std::uint64_t prepare(onnx::ModelProto& model, std::uint64_t mostElements) {
    std::uint64_t shortened = 0;
    const auto shortenOne = [&](onnx::TensorProto& tensor) {
        shortened += shorten(tensor, mostElements) ? 1U : 0U;
    };
    std::vector<onnx::GraphProto*> graphs{model.mutable_graph()};
    const auto readNode = [&](onnx::NodeProto& node) {
        makeIdentifiers(node);
        for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
            if (attribute.has_t()) shortenOne(*attribute.mutable_t());
            for (onnx::TensorProto& tensor : *attribute.mutable_tensors())
                shortenOne(tensor);
            if (attribute.has_g()) graphs.push_back(attribute.mutable_g());
            for (onnx::GraphProto& graph : *attribute.mutable_graphs())
                graphs.push_back(&graph);
        }
    };
    for (onnx::OperatorSetIdProto& opset : *model.mutable_opset_import())
        opset.set_domain(identifier(opset.domain(), true));
    for (onnx::FunctionProto& function : *model.mutable_functions()) {
        function.set_name(identifier(function.name()));
        function.set_domain(identifier(function.domain(), true));
        function.set_overload(identifier(function.overload()));
        for (onnx::OperatorSetIdProto& opset : *function.mutable_opset_import())
            opset.set_domain(identifier(opset.domain(), true));
        for (std::string& attribute : *function.mutable_attribute())
            attribute = identifier(attribute);
        for (onnx::NodeProto& node : *function.mutable_node())
            readNode(node);
    }
    for (std::size_t at = 0; at < graphs.size(); ++at) {
        onnx::GraphProto& graph = *graphs[at];
        for (onnx::TensorProto& tensor : *graph.mutable_initializer())
            shortenOne(tensor);
        for (onnx::NodeProto& node : *graph.mutable_node())
            readNode(node);
    }
    return shortened;
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
    makeIdentifiers(node);
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
            text += withSeenStrings(onnx::ProtoToString(messageOf(model, id, mostElements))) + '\n';
    } catch (const std::exception& thrown) {
        return invalidInput(formatMessage("onnx-text.none", {thrown.what()}));
    }
    return text;
}

Result<ModelText> onnxText(const Model& model, std::uint64_t mostElements) {
    const std::string bytes = TRY(serializeModel(model));
    onnx::ModelProto proto;
    if (parseMessage(bytes, proto) == ParsedMessage::none)
        return invalidInput(formatMessage("model-text.not-one-message", {}));
    ModelText text;
    text.leftOut = prepare(proto, mostElements);
    if (text.leftOut > 0)
        text.text = "# " +
                    formatMessage("model-text.note", {formatCount(text.leftOut), formatCount(mostElements)}) +
                    "\n";
    try {
        text.text += withSeenStrings(onnx::ProtoToString(proto)) + "\n";
    } catch (const std::exception& thrown) {
        return invalidInput(formatMessage("model-text.none", {thrown.what()}));
    }
    return text;
}

} // namespace secateur
