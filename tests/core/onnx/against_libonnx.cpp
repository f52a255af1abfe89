// SPDX-License-Identifier: Apache-2.0
#include "tests/core/onnx/against_libonnx.h"

#include "core/onnx/proto_types.h"

#include <onnx/shape_inference/implementation.h>

#include <fstream>
#include <iterator>
#include <unordered_map>

namespace secateur {
namespace {

using TypesByName = std::unordered_map<std::string, const onnx::TypeProto*>;

/// Does `ours` say all that `theirs` says? Symbols count as "not known".
bool saysAll(const Type& ours, const Type& theirs) {
    if (theirs.kind == Type::Kind::none) return true;
    if (ours.kind != theirs.kind) return false;
    if (theirs.element != ElementType::undefined && ours.element != theirs.element) return false;
    if (theirs.hasShape) {
        if (!ours.hasShape || ours.dims.size() != theirs.dims.size()) return false;
        for (std::size_t i = 0; i < theirs.dims.size(); ++i) {
            // -1 stands for "unknown" with some exporters.
            if (theirs.dims[i].value && *theirs.dims[i].value >= 0 &&
                ours.dims[i].value != theirs.dims[i].value)
                return false;
        }
    }
    return !theirs.inner || (ours.inner && saysAll(*ours.inner, *theirs.inner));
}

class Comparer {
  public:
    Comparer(const Model& model, const TypeTable& types) : m_model(model), m_types(types) {}

    void compare(GraphId graph, const onnx::GraphProto& proto) {
        TypesByName known;
        for (const auto& info : proto.value_info())
            known[info.name()] = &info.type();
        for (const auto& info : proto.output())
            known[info.name()] = &info.type();
        int index = 0;
        for (const NodeId node : m_model.nodes(graph)) {
            if (index >= proto.node_size()) break;
            compareNode(node, proto.node(index++), known);
        }
    }

    Comparison result;

  private:
    void compareNode(NodeId node, const onnx::NodeProto& proto, const TypesByName& known) {
        for (int i = 0; i < proto.output_size(); ++i) {
            const ValueId value = m_model.output(node, static_cast<std::size_t>(i));
            if (value.isNone()) continue;
            const auto at = known.find(proto.output(i));
            const Type theirs = at == known.end() ? Type() : fromProto(*at->second);
            const Type& ours = m_types.type(value);
            ++result.values;
            if (!saysAll(ours, theirs)) {
                result.lost.push_back(proto.op_type() + " " + proto.output(i) + ": " + ours.text() +
                                      ", libonnx " + theirs.text());
            } else if (saysAll(theirs, ours)) {
                ++result.equal;
            } else {
                ++result.ours;
            }
        }
        const auto bodies = m_model.subgraphs(node);
        std::size_t body = 0;
        for (const auto& attribute : proto.attribute()) {
            if (attribute.has_g() && body < bodies.size()) compare(bodies[body++], attribute.g());
        }
    }

    const Model& m_model;
    const TypeTable& m_types;
};

} // namespace

void dropValueInfo(onnx::GraphProto& graph) {
    graph.clear_value_info();
    for (auto& node : *graph.mutable_node()) {
        for (auto& attribute : *node.mutable_attribute()) {
            if (attribute.has_g()) dropValueInfo(*attribute.mutable_g());
        }
    }
}

onnx::ModelProto readProto(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    onnx::ModelProto proto;
    proto.ParseFromIstream(&in);
    return proto;
}

Comparison compareWithLibonnx(const Model& model, const TypeTable& types, onnx::ModelProto proto) {
    Comparer comparer(model, types);
    onnx::shape_inference::DataValueMap values;
    try {
        onnx::shape_inference::InferShapes(proto, onnx::OpSchemaRegistry::Instance(),
                                           onnx::ShapeInferenceOptions(false, 0, true), &values);
    } catch (const std::exception& failure) {
        comparer.result.failure = failure.what();
    }
    comparer.compare(model.mainGraph(), proto.graph());
    return std::move(comparer.result);
}

} // namespace secateur
