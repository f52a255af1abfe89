// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/check.h"

#include "core/ir/walk.h"
#include "core/onnx/text.h"
#include "core/onnx/type_inference.h"
#include "core/support/most_counted.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace secateur {
namespace {

/// One Add with a weight of nine floats in `w.bin` beside the file.
std::string externalModel() {
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    onnx::GraphProto& graph = *model.mutable_graph();
    graph.set_name("g");
    for (auto* info : {graph.add_input(), graph.add_output()}) {
        info->set_name(info == &graph.input(0) ? "x" : "y");
        auto& tensor = *info->mutable_type()->mutable_tensor_type();
        tensor.set_elem_type(onnx::TensorProto::FLOAT);
        tensor.mutable_shape()->add_dim()->set_dim_value(9);
    }
    onnx::TensorProto& weight = *graph.add_initializer();
    weight.set_name("w");
    weight.set_data_type(onnx::TensorProto::FLOAT);
    weight.add_dims(9);
    weight.set_data_location(onnx::TensorProto::EXTERNAL);
    auto& location = *weight.add_external_data();
    location.set_key("location");
    location.set_value("w.bin");
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type("Add");
    node.add_input("x");
    node.add_input("w");
    node.add_output("y");
    return model.SerializeAsString();
}

TEST(CheckModel, weightsInAnotherFileAreNoFault) {
    const testing::TemporaryFolder folder;
    std::ofstream(folder.path() / "m.onnx", std::ios::binary) << externalModel();
    std::ofstream(folder.path() / "w.bin", std::ios::binary) << std::string(36, '\0');
    const auto loaded = loadModel(folder.path() / "m.onnx");
    ASSERT_TRUE(loaded.ok());
    const auto checked = checkModel(loaded->model);
    EXPECT_TRUE(checked.ok()) << checked.error().toString();
}

/// f0 calls f1 ten times, f1 calls f2 ten times ...: few nodes that come to 10^depth.
std::string explodingModel(int depth, const std::string& leaf = "Neg") {
    std::string text = "<ir_version: 8, opset_import: [\"\" : 17, \"my\" : 1]> g (float[2] x) => (float[2] "
                       "y) { y = my.f0(x) }";
    for (int level = 0; level < depth; ++level) {
        const std::string next = level + 1 == depth ? leaf : "my.f" + std::to_string(level + 1);
        text += "\n<domain: \"my\", opset_import: [\"\" : 17, \"my\" : 1]> f" + std::to_string(level) +
                " (a) => (b) { ";
        for (int i = 0; i < 10; ++i)
            text += (i == 9 ? "b" : "t" + std::to_string(i)) + " = " + next + "(" +
                    (i == 0 ? "a" : "t" + std::to_string(i - 1)) + ") ";
        text += "}";
    }
    return text;
}

/// `depth` functions, each of which calls the next `times` times, one behind the other.
std::string nestedFunctions(int depth, int times) {
    std::string text =
        "<ir_version: 8, opset_import: [\"\" : 17, \"my\" : 1]> g (float[2] x) => (float[2] y) "
        "{ y = my.f0(x) }";
    for (int level = 0; level < depth; ++level) {
        const std::string next = level + 1 == depth ? "Neg" : "my.f" + std::to_string(level + 1);
        text += "\n<domain: \"my\", opset_import: [\"\" : 17, \"my\" : 1]> f" + std::to_string(level) +
                " (a) => (b) { ";
        for (int i = 0; i < times; ++i)
            text += (i + 1 == times ? "b" : "t" + std::to_string(i)) + " = " + next + "(" +
                    (i == 0 ? "a" : "t" + std::to_string(i - 1)) + ") ";
        text += "}";
    }
    return text;
}

TEST(ExplodingFunctions, areInferredOnceForEachKindOfCall) {
    const auto loaded = parseModelText(nestedFunctions(40, 2));
    ASSERT_TRUE(loaded.ok()) << loaded.error().toString();
    TypeTable types;
    types.inferAll(loaded->model);
    EXPECT_LT(types.visits(), 1000U);
    EXPECT_TRUE(types.problems().empty());
    const ValueId y = loaded->model.graphOutputs(loaded->model.mainGraph())[0];
    EXPECT_EQ(types.type(y).text(), "float[2]");
}

TEST(ExplodingFunctions, thatAreTooDeepSaySoOnce) {
    const auto loaded = parseModelText(nestedFunctions(64, 2));
    ASSERT_TRUE(loaded.ok()) << loaded.error().toString();
    TypeTable types;
    types.inferAll(loaded->model);
    EXPECT_LT(types.visits(), 1000U);
    EXPECT_LT(types.problems().size(), 5U);
    EXPECT_FALSE(types.problems().empty());
    EXPECT_EQ(countNodes(loaded->model), kMostCounted);
}

TEST(NestedFunctions, areCountedHoweverDeepTheyAre) {
    EXPECT_EQ(countNodes(parseModelText(nestedFunctions(4000, 1))->model), 1U);
    EXPECT_EQ(countNodes(parseModelText(nestedFunctions(10, 2))->model), 1024U);
}

TEST(FunctionCalls, whatIsUnknownInOneIsNotTheSameInAnother) {
    const auto loaded = parseModelText(R"(<ir_version: 8, opset_import: ["" : 17, "my" : 1]>
        g (float[4] x, float[4] z) => (int64[1, n] y) {
            p = my.where(x)
            q = my.where(z)
            y = Add(p, q)
        }
        <domain: "my", opset_import: ["" : 17]> where (a) => (b) { b = NonZero(a) })");
    ASSERT_TRUE(loaded.ok()) << loaded.error().toString();
    const Model& model = loaded->model;
    TypeTable types;
    types.inferAll(model);
    std::vector<Type> found;
    for (const NodeId node : model.nodes(model.mainGraph()))
        found.push_back(types.type(model.output(node, 0)));
    ASSERT_EQ(found[0].dims.size(), 2U);
    ASSERT_EQ(found[1].dims.size(), 2U);
    EXPECT_FALSE(found[0].dims[1] == found[1].dims[1]) << found[0].text() << " and " << found[1].text();
}

TEST(ExplodingFunctions, areCountedWithoutOverflow) {
    EXPECT_EQ(countNodes(parseModelText(explodingModel(30))->model), kMostCounted);
    EXPECT_EQ(countNodes(parseModelText(explodingModel(3))->model), 1000U);
}

TEST(ExplodingFunctions, whoseCallsAllDifferAreGivenUpAndNamedOnce) {
    // Every call makes dimensions of its own.
    const auto loaded = parseModelText(explodingModel(30, "NonZero"));
    ASSERT_TRUE(loaded.ok()) << loaded.error().toString();
    TypeTable types;
    types.inferAll(loaded->model);
    std::size_t said = 0;
    for (const Problem& problem : types.problems())
        said += problem.text.find("two hundred thousand") != std::string::npos ? 1 : 0;
    EXPECT_EQ(said, 1U);
}

} // namespace
} // namespace secateur
