// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/onnx/load.h"
#include "core/onnx/save.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace secateur::testing {

inline ByteRef toBytes(std::string_view text) {
    std::vector<std::byte> bytes(text.size());
    if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
    return ByteRef::own(std::move(bytes));
}

inline Result<LoadedModel> loadText(std::string_view bytes) {
    return loadModelFromBytes(toBytes(bytes), "test");
}

/// Loads what must load.
inline LoadedModel loadProto(const onnx::ModelProto& proto) {
    auto loaded = loadText(proto.SerializeAsString());
    if (!loaded) {
        ADD_FAILURE() << loaded.error().toString();
        return {};
    }
    return std::move(*loaded);
}

/// What protobuf writes after parsing `bytes`; false when it does not parse.
inline bool rewrite(std::string_view bytes, std::string& out) {
    onnx::ModelProto proto;
    google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
    google::protobuf::io::CodedInputStream coded(&stream);
    coded.SetRecursionLimit(10000);
    if (!proto.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage()) return false;
    out = proto.SerializeAsString();
    return true;
}

/// The law of loading and saving: the bytes that protobuf writes after parsing the same.
inline void expectLaw(std::string_view bytes) {
    std::string reference;
    ASSERT_TRUE(rewrite(bytes, reference));
    auto loaded = loadText(bytes);
    ASSERT_TRUE(loaded) << loaded.error().toString();
    EXPECT_TRUE(brokenInvariants(loaded->model).empty());
    auto ours = serializeModel(loaded->model);
    ASSERT_TRUE(ours) << ours.error().toString();
    EXPECT_TRUE(*ours == reference) << "bytes differ";
    EXPECT_EQ(*serializedSize(loaded->model), reference.size());
}

inline void expectLaw(const onnx::ModelProto& proto) {
    expectLaw(proto.SerializeAsString());
}

inline onnx::ValueInfoProto* setType(onnx::ValueInfoProto* info, const std::string& name,
                                     std::vector<std::int64_t> dims) {
    info->set_name(name);
    auto* tensor = info->mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t dim : dims)
        tensor->mutable_shape()->add_dim()->set_dim_value(dim);
    return info;
}

inline onnx::NodeProto* addNode(onnx::GraphProto* graph, const std::string& op,
                                const std::vector<std::string>& inputs,
                                const std::vector<std::string>& outputs) {
    auto* node = graph->add_node();
    for (const std::string& name : inputs)
        node->add_input(name);
    for (const std::string& name : outputs)
        node->add_output(name);
    node->set_op_type(op);
    return node;
}

inline onnx::TensorProto* addWeight(onnx::GraphProto* graph, const std::string& name,
                                    std::vector<float> values) {
    auto* tensor = graph->add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(onnx::TensorProto::FLOAT);
    tensor->add_dims(static_cast<std::int64_t>(values.size()));
    tensor->set_raw_data(
        std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
    return tensor;
}

/// X -> Add(W) -> Relu -> Y.
inline onnx::ModelProto smallModel() {
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.set_producer_name("tests");
    auto* opset = model.add_opset_import();
    opset->set_domain("");
    opset->set_version(17);
    auto* graph = model.mutable_graph();
    graph->set_name("main");
    setType(graph->add_input(), "X", {2, 3});
    setType(graph->add_output(), "Y", {2, 3});
    addWeight(graph, "W", {1, 2, 3});
    addNode(graph, "Add", {"X", "W"}, {"sum"})->set_name("add");
    addNode(graph, "Relu", {"sum"}, {"Y"})->set_name("relu");
    setType(graph->add_value_info(), "sum", {2, 3});
    return model;
}

/// A model with at least one of everything that the format knows.
onnx::ModelProto richModel();

} // namespace secateur::testing
