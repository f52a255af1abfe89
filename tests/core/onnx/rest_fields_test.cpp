// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/rest_fields.h"

#include "core/ir/editor.h"
#include "tests/core/onnx/proto_models.h"

namespace secateur {
namespace {

NodeId nodeOf(const Model& model, std::string_view op) {
    for (const NodeId node : model.nodes(model.mainGraph())) {
        if (model.op(node) == op) return node;
    }
    return {};
}

TEST(RestFields, docStringsAndMetadataAreRead) {
    const LoadedModel loaded = testing::loadProto(testing::richModel());
    const Model& m = loaded.model;
    const RestFields node = nodeFields(m, nodeOf(m, "Odd"));
    EXPECT_EQ(node.docString, "a node");
    ASSERT_NE(node.find("pkg.torch.onnx.stack_trace"), nullptr);
    EXPECT_EQ(*node.find("pkg.torch.onnx.stack_trace"), "line 1\nline 2");
    EXPECT_EQ(node.find("absent"), nullptr);
    EXPECT_EQ(valueFields(*m.value(m.findValue("shapes")).info).docString, "a value");
}

TEST(RestFields, strippingLeavesAllElse) {
    onnx::ModelProto proto = testing::richModel();
    LoadedModel loaded = testing::loadProto(proto);
    EXPECT_GT(loaded.metadataBytes, 0U);
    Editor edit(loaded.model);
    for (std::size_t i = 0; i < loaded.model.nodeIdCount(); ++i) {
        const std::string_view rest = loaded.model.text(loaded.model.node(NodeId(i)).rest);
        edit.setNodeRest(NodeId(i), nodeRestWithoutTexts(rest));
    }
    for (std::size_t i = 0; i < loaded.model.valueIdCount(); ++i) {
        edit.setInfo(ValueId(i), infoWithoutTexts(loaded.model.value(ValueId(i)).info));
    }
    auto* graph = proto.mutable_graph();
    for (auto& node : *graph->mutable_node()) {
        node.clear_doc_string();
        node.clear_metadata_props();
    }
    for (auto& info : *graph->mutable_value_info()) {
        info.clear_doc_string();
        info.clear_metadata_props();
    }
    for (auto& node : *proto.mutable_functions(0)->mutable_node()) {
        node.clear_doc_string();
        node.clear_metadata_props();
    }
    onnx::ModelProto ours;
    ASSERT_TRUE(ours.ParseFromString(serializeModel(loaded.model).value()));
    EXPECT_EQ(ours.SerializeAsString() == proto.SerializeAsString(), true);
}

TEST(RestFields, aValueWithoutTextsKeepsItsInfo) {
    const LoadedModel loaded = testing::loadProto(testing::smallModel());
    const ValueInfoPtr info = loaded.model.value(loaded.model.findValue("sum")).info;
    EXPECT_EQ(infoWithoutTexts(info), info);
    EXPECT_EQ(infoWithoutTexts(nullptr), nullptr);
}

} // namespace
} // namespace secateur
