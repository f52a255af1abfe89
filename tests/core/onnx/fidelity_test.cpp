// SPDX-License-Identifier: Apache-2.0
// Nothing is lost: presence, unknown fields, odd encodings.
#include "tests/core/onnx/proto_models.h"

#include "core/onnx/wire.h"
#include "core/onnx/wire_schema.h"

#include <random>

namespace secateur {
namespace {

using testing::expectLaw;
using testing::loadProto;
using testing::loadText;

TEST(Fidelity, aModelWithEverythingIsWrittenByteForByte) {
    expectLaw(testing::richModel());
}

TEST(Fidelity, givenThoughEmptyDiffersFromAbsent) {
    const onnx::ModelProto plain = testing::smallModel();
    const auto expectKept = [&](auto change) {
        onnx::ModelProto changed = plain;
        change(changed);
        ASSERT_NE(changed.SerializeAsString(), plain.SerializeAsString());
        expectLaw(changed);
    };
    expectKept([](auto& m) { m.clear_ir_version(); });
    expectKept([](auto& m) { m.mutable_opset_import(0)->clear_domain(); });
    expectKept([](auto& m) { m.mutable_opset_import(0)->clear_version(); });
    expectKept([](auto& m) { m.mutable_graph()->clear_name(); });
    expectKept([](auto& m) { m.mutable_graph()->set_name(""); });
    expectKept([](auto& m) { m.mutable_graph()->set_doc_string(""); });
    expectKept([](auto& m) { m.mutable_graph()->mutable_node(0)->set_name(""); });
    expectKept([](auto& m) { m.mutable_graph()->mutable_node(0)->set_domain(""); });
    expectKept([](auto& m) { m.mutable_graph()->mutable_node(0)->set_overload(""); });
    expectKept([](auto& m) { m.mutable_graph()->mutable_node(0)->set_doc_string(""); });
    expectKept([](auto& m) { m.mutable_graph()->mutable_node(0)->clear_op_type(); });
    expectKept([](auto& m) { m.mutable_graph()->mutable_initializer(0)->clear_data_type(); });
    expectKept([](auto& m) { m.mutable_graph()->mutable_input(0)->clear_name(); });
    expectKept([](auto& m) { m.mutable_graph()->mutable_input(0)->clear_type(); });
    expectKept([](auto& m) { m.mutable_graph()->mutable_output(0)->clear_type(); });
    expectKept([](auto& m) { m.add_metadata_props()->set_key("no value"); });
    expectKept([](auto& m) { m.mutable_graph()->mutable_node(0)->add_attribute()->set_ref_attr_name(""); });
}

TEST(Fidelity, anInputListedAmongTheInnerValuesKeepsBothDeclarations) {
    onnx::ModelProto same = testing::smallModel();
    testing::setType(same.mutable_graph()->add_value_info(), "X", {2, 3});
    expectLaw(same);
    onnx::ModelProto other = testing::smallModel();
    testing::setType(other.mutable_graph()->add_value_info(), "X", {7});
    testing::setType(other.mutable_graph()->add_value_info(), "Y", {7});
    testing::setType(other.mutable_graph()->add_value_info(), "Y", {8});
    testing::setType(other.mutable_graph()->add_value_info(), "W", {3});
    expectLaw(other);
}

TEST(Fidelity, unknownFieldsInTheMiddleComeLast) {
    using wire::WireType;
    const onnx::ModelProto model = testing::smallModel();
    for (const auto type : {WireType::varint, WireType::length, WireType::fixed32, WireType::fixed64}) {
        std::string unknown;
        wire::appendTag(unknown, 999, type);
        if (type == WireType::varint) unknown += '\x07';
        if (type == WireType::length) unknown += std::string("\x02hi");
        if (type == WireType::fixed32) unknown += "four";
        if (type == WireType::fixed64) unknown += "eight...";
        expectLaw(unknown + model.SerializeAsString());
        std::string graph = unknown + model.graph().SerializeAsString();
        onnx::ModelProto outer = model;
        outer.clear_graph();
        std::string bytes;
        wire::appendBytes(bytes, 7, graph);
        expectLaw(bytes + outer.SerializeAsString());
        bytes.clear();
        std::string node;
        wire::appendBytes(node, 1, unknown + model.graph().node(0).SerializeAsString());
        wire::appendBytes(bytes, 7, node + model.graph().SerializeAsString());
        expectLaw(outer.SerializeAsString() + bytes);
    }
}

TEST(Fidelity, unknownEnumeratorsAndGroupsSurvive) {
    onnx::ModelProto model = testing::smallModel();
    model.clear_graph();
    std::string attribute;
    wire::appendBytes(attribute, 1, "future");
    wire::appendTag(attribute, 20, wire::WireType::varint);
    wire::appendVarint(attribute, 99);
    wire::appendTag(attribute, 77, wire::WireType::group);
    wire::appendBytes(attribute, 1, "inside");
    wire::appendTag(attribute, 77, wire::WireType::endGroup);
    wire::appendBytes(attribute, 21, "reference");
    std::string tensor;
    wire::appendTag(tensor, 14, wire::WireType::varint);
    wire::appendVarint(tensor, 7);
    wire::appendBytes(tensor, 8, "W");
    std::string node, graph, bytes;
    wire::appendBytes(node, 5, attribute);
    wire::appendBytes(graph, 1, node);
    wire::appendBytes(graph, 5, tensor);
    wire::appendBytes(bytes, 7, graph);
    bytes += model.SerializeAsString();
    expectLaw(bytes);
    auto loaded = loadText(bytes);
    ASSERT_TRUE(loaded);
    const NodeId first = *loaded->model.nodes(loaded->model.mainGraph()).begin();
    EXPECT_EQ(static_cast<int>(loaded->model.attributes(first)[0].type), 99);
}

TEST(Fidelity, otherWaysToWriteTheSameAreNormalised) {
    onnx::ModelProto model = testing::smallModel();
    model.clear_graph();
    std::string ints; // packed, as proto3 writers do
    wire::appendBytes(ints, 8, std::string("\x01\x80\x01", 3));
    wire::appendBytes(ints, 1, "axes"); // and out of order
    wire::appendTag(ints, 20, wire::WireType::varint);
    ints += std::string("\x87\x00", 2); // a varint longer than it needs to be
    std::string tensor;
    for (int i = 0; i < 2; ++i) { // unpacked elements
        wire::appendTag(tensor, 7, wire::WireType::varint);
        wire::appendVarint(tensor, static_cast<std::uint64_t>(-1 - i));
    }
    wire::appendBytes(tensor, 1, std::string("\x02", 1)); // packed dims
    std::string node, graph, bytes;
    wire::appendBytes(node, 5, ints);
    wire::appendBytes(node, 4, "first");
    wire::appendBytes(node, 4, "Squeeze"); // the last one counts
    wire::appendBytes(graph, 1, node);
    wire::appendBytes(graph, 5, tensor);
    wire::appendBytes(bytes, 7, graph);
    bytes += model.SerializeAsString();
    graph.clear();
    wire::appendBytes(graph, 2, "merged");
    wire::appendBytes(bytes, 7, graph); // a singular message twice
    expectLaw(bytes);
    auto loaded = loadText(bytes);
    ASSERT_TRUE(loaded);
    const Model& m = loaded->model;
    const NodeId first = *m.nodes(m.mainGraph()).begin();
    EXPECT_EQ(m.op(first), "Squeeze");
    EXPECT_EQ(m.intsAttribute(first, "axes"), (std::vector<std::int64_t>{1, 128}));
    EXPECT_EQ(m.graph(m.mainGraph()).header->name, "merged");
    const auto values = asIntegers(Tensor{ElementType::int64,
                                          {2},
                                          Tensor::Encoding::typed,
                                          7,
                                          m.value(m.graph(m.mainGraph()).initializers[0]).tensor->payload,
                                          {},
                                          {},
                                          {},
                                          {},
                                          0});
    EXPECT_EQ(values, (std::vector<std::int64_t>{-1, -2}));
}

/// Damage of every kind: what protobuf parses we open and write as it does, what it refuses we refuse with
/// words.
TEST(Fidelity, damagedBytesAreReadAsProtobufReadsThem) {
    const std::string whole = testing::richModel().SerializeAsString();
    std::mt19937 random(20260714);
    int opened = 0, refused = 0;
    for (int round = 0; round < 6000; ++round) {
        std::string bytes = whole;
        for (unsigned flips = 1 + random() % 4; flips > 0; --flips)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        std::string reference;
        const bool parses = testing::rewrite(bytes, reference);
        auto loaded = loadText(bytes);
        if (!loaded) {
            ++refused;
            EXPECT_FALSE(loaded.error().message.empty());
            EXPECT_TRUE(!parses || loaded.error().message.find("no graph") != std::string::npos)
                << "round " << round << ": " << loaded.error().message;
            continue;
        }
        ++opened;
        EXPECT_TRUE(parses) << "round " << round;
        EXPECT_TRUE(brokenInvariants(loaded->model).empty()) << "round " << round;
        EXPECT_EQ(serializeModel(loaded->model).value() == reference, true) << "round " << round;
        if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GT(opened, 1000);
    EXPECT_GT(refused, 100);
}

TEST(Fidelity, truncationIsRefusedWithByteAndField) {
    const std::string whole = testing::richModel().SerializeAsString();
    for (std::size_t size = 0; size < whole.size(); size += 97) {
        auto loaded = loadText(std::string_view(whole).substr(0, size));
        if (loaded) continue; // cut between two fields of the model, behind the graph: a whole message
        EXPECT_FALSE(loaded.error().message.empty()) << size;
        EXPECT_EQ(loaded.error().where, "test");
        EXPECT_EQ(loaded.error().code, ErrorCode::invalidInput);
    }
    auto cut = loadText(std::string_view(whole).substr(0, 500));
    ASSERT_FALSE(cut);
    EXPECT_NE(cut.error().message.find("byte "), std::string::npos) << cut.error().message;
    EXPECT_NE(cut.error().message.find("field 7"), std::string::npos) << cut.error().message;
}

TEST(Fidelity, theTableOfTheFormatAgreesWithProtobuf) {
    std::mt19937 random(7);
    const std::string whole = testing::richModel().SerializeAsString();
    for (int round = 0; round < 2000; ++round) {
        std::string bytes = whole;
        bytes[random() % bytes.size()] = static_cast<char>(random());
        std::string reference;
        if (!testing::rewrite(bytes, reference)) continue;
        EXPECT_EQ(wire::canonicalize(wire::Message::model, bytes) == reference, true) << round;
        if (wire::isCanonical(wire::Message::model, bytes)) {
            EXPECT_EQ(bytes == reference, true) << round;
        }
    }
    EXPECT_TRUE(wire::isCanonical(wire::Message::model, whole));
}

} // namespace
} // namespace secateur
