// SPDX-License-Identifier: Apache-2.0
#include "tests/core/onnx/proto_models.h"
#include "tests/temporary_folder.h"

#include "core/ir/editor.h"
#include "core/ir/journal.h"

namespace secateur {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

onnx::ModelProto parsed(const std::string& bytes) {
    onnx::ModelProto proto;
    EXPECT_TRUE(proto.ParseFromString(bytes));
    return proto;
}

onnx::ModelProto written(const Model& model) {
    return parsed(serializeModel(model).value());
}

TEST(Save, whatIsErasedIsNotWritten) {
    LoadedModel loaded = testing::loadProto(testing::smallModel());
    Model& m = loaded.model;
    Editor edit(m);
    const ValueId sum = m.findValue("sum"), weight = m.findValue("W");
    const NodeId add = m.producer(sum);
    edit.replace(sum, m.findValue("X"));
    edit.eraseNode(add);
    edit.eraseValue(weight);
    const onnx::ModelProto proto = written(m);
    EXPECT_EQ(proto.graph().node_size(), 1);
    EXPECT_EQ(proto.graph().node(0).input(0), "X");
    EXPECT_EQ(proto.graph().initializer_size(), 0);
    EXPECT_EQ(proto.graph().value_info_size(), 0);
    Journal::unwind(m, {});
    EXPECT_EQ(serializeModel(m).value() == testing::smallModel().SerializeAsString(), true);
}

TEST(Save, newNodesTensorsAndTypesAreWrittenTheUsualWay) {
    LoadedModel loaded = testing::loadProto(testing::smallModel());
    Model& m = loaded.model;
    Editor edit(m);
    const ValueId weight = edit.createInitializer(m.mainGraph(), "w2", makeFloatTensor({2}, {1, 2}));
    const NodeId node = edit.createNode(
        m.mainGraph(), {"Gemm", "", "", {weight, ValueId(), weight}, {"g"}, {Attribute::of("alpha", 0.5F)}});
    ValueInfo info;
    info.type = Type::tensor(ElementType::float32, {2});
    edit.appendGraphOutput(m.mainGraph(), m.output(node, 0), "g", std::make_shared<const ValueInfo>(info));
    const onnx::GraphProto graph = written(m).graph();
    ASSERT_EQ(graph.node_size(), 3);
    EXPECT_EQ(graph.node(2).input(1), "");
    EXPECT_FALSE(graph.node(2).has_name());
    EXPECT_EQ(graph.node(2).attribute(0).type(), onnx::AttributeProto::FLOAT);
    EXPECT_EQ(graph.node(2).attribute(0).f(), 0.5F);
    EXPECT_EQ(graph.initializer(1).raw_data().size(), 8U);
    EXPECT_EQ(graph.output(1).type().tensor_type().shape().dim(0).dim_value(), 2);
}

TEST(Save, aSplatIsWrittenInFull) {
    LoadedModel loaded = testing::loadProto(testing::smallModel());
    Editor edit(loaded.model);
    Tensor splat = *makeFloatTensor({1}, {2.5F});
    splat.encoding = Tensor::Encoding::splat;
    splat.dims = {300, 100};
    edit.setTensor(loaded.model.findValue("W"), std::make_shared<const Tensor>(splat));
    const std::string raw = written(loaded.model).graph().initializer(0).raw_data();
    ASSERT_EQ(raw.size(), 120000U);
    for (std::size_t i = 0; i < raw.size(); i += 4) {
        float value = 0;
        std::memcpy(&value, raw.data() + i, 4);
        ASSERT_EQ(value, 2.5F);
    }
    EXPECT_EQ(*serializedSize(loaded.model), serializeModel(loaded.model)->size());
}

TEST(Save, anEditedImportKeepsItsForm) {
    LoadedModel loaded = testing::loadProto(testing::smallModel());
    Editor edit(loaded.model);
    ModelHeader header = loaded.model.header();
    header.opsets[0].version = 20;
    header.metadata.emplace_back("k", "v");
    edit.setModelHeader(header);
    onnx::ModelProto expected = testing::smallModel();
    expected.mutable_opset_import(0)->set_version(20);
    auto* entry = expected.add_metadata_props();
    entry->set_key("k");
    entry->set_value("v");
    EXPECT_EQ(serializeModel(loaded.model).value() == expected.SerializeAsString(), true);
}

TEST(Save, overTheOpenedFileIsSafe) {
    const TemporaryFolder folder;
    onnx::ModelProto proto = testing::smallModel();
    testing::addWeight(proto.mutable_graph(), "big", std::vector<float>(1 << 20, 3.0F));
    const auto path = folder.put("model.onnx", proto.SerializeAsString());
    auto loaded = loadModel(path);
    ASSERT_TRUE(loaded);
    Editor(loaded->model).setNodeName(*loaded->model.nodes(loaded->model.mainGraph()).begin(), "renamed");
    for (int i = 0; i < 2; ++i)
        ASSERT_TRUE(saveModel(loaded->model, path));
    proto.mutable_graph()->mutable_node(0)->set_name("renamed");
    EXPECT_EQ(testing::readAll(path) == proto.SerializeAsString(), true);
}

TEST(Save, aFailureLeavesNothingBehind) {
    const TemporaryFolder folder;
    const LoadedModel loaded = testing::loadProto(testing::smallModel());
    EXPECT_FALSE(saveModel(loaded.model, folder / "absent/model.onnx"));
    fs::create_directory(folder / "taken.onnx");
    EXPECT_FALSE(saveModel(loaded.model, folder / "taken.onnx"));
    WorkContext work;
    work.cancel.cancel();
    const auto old = folder.put("old.onnx", "as it was");
    auto saved = saveModel(loaded.model, old, work);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, ErrorCode::cancelled);
    EXPECT_EQ(testing::readAll(old), "as it was");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 2);
}

TEST(Save, anOutputThatWouldLoseItsNameIsAnError) {
    LoadedModel loaded = testing::loadProto(testing::smallModel());
    Editor edit(loaded.model);
    edit.appendGraphOutput(loaded.model.mainGraph(), loaded.model.findValue("sum"), "another name");
    auto bytes = serializeModel(loaded.model);
    ASSERT_FALSE(bytes);
    EXPECT_NE(bytes.error().message.find("another name"), std::string::npos);
}

TEST(Save, whatIsTooLargeForOneFileGoesBesideIt) {
    const TemporaryFolder folder;
    LoadedModel loaded = testing::loadProto(testing::smallModel());
    Editor edit(loaded.model);
    Tensor splat = *makeTensor(ElementType::uint8, {1}, {std::byte{7}});
    splat.encoding = Tensor::Encoding::splat;
    splat.dims = {200000};
    edit.createInitializer(loaded.model.mainGraph(), "splat", std::make_shared<const Tensor>(splat));
    const TensorPtr tied = makeFloatTensor({1000}, std::vector<float>(1000, 1.5F));
    edit.createInitializer(loaded.model.mainGraph(), "tied1", tied);
    edit.createInitializer(loaded.model.mainGraph(), "tied2", tied);
    auto saved = saveModel(loaded.model, folder / "big.onnx", {}, {4096});
    ASSERT_TRUE(saved) << saved.error().toString();
    EXPECT_LT(fs::file_size(folder / "big.onnx"), 4096U);
    EXPECT_EQ(fs::file_size(folder / "big.onnx.data"), 204000U); // tied weights once
    auto again = loadModel(folder / "big.onnx");
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->problems.empty());
    const Model& m = again->model;
    EXPECT_EQ(asIntegers(*m.value(m.findValue("splat")).tensor, 200000),
              std::vector<std::int64_t>(200000, 7));
    EXPECT_EQ(asDoubles(*m.value(m.findValue("tied2")).tensor), std::vector<double>(1000, 1.5));
    EXPECT_EQ(m.value(m.findValue("W")).tensor->encoding, Tensor::Encoding::raw);
    // Moving into the very file that other tensors still lie in: those move along.
    ASSERT_TRUE(saveModel(m, folder / "big.onnx", {}, {64}));
    EXPECT_TRUE(loadModel(folder / "big.onnx")->problems.empty());
}

} // namespace
} // namespace secateur
