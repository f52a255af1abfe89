// SPDX-License-Identifier: Apache-2.0
// How names become values.
#include "tests/core/onnx/proto_models.h"

#include "core/ir/constants.h"

#include <algorithm>

namespace secateur {
namespace {

using testing::addNode;
using testing::loadProto;

NodeId nodeAt(const Model& model, std::size_t index, GraphId graph = GraphId(0U)) {
    auto at = model.nodes(graph).begin();
    for (; index > 0; --index)
        ++at;
    return *at;
}

bool hasProblem(const LoadedModel& loaded, std::string_view id) {
    return std::any_of(loaded.problems.begin(), loaded.problems.end(),
                       [&](const Problem& p) { return p.id == id; });
}

TEST(Names, aReaderBeforeItsProducerIsConnected) {
    onnx::ModelProto proto = testing::smallModel();
    proto.mutable_graph()->mutable_node()->SwapElements(0, 1);
    const LoadedModel loaded = loadProto(proto);
    EXPECT_EQ(loaded.model.producer(loaded.model.input(nodeAt(loaded.model, 0), 0)), nodeAt(loaded.model, 1));
    EXPECT_TRUE(hasProblem(loaded, "problem.order"));
    testing::expectLaw(proto);
}

TEST(Names, readersGetTheDefinitionBeforeThemElseTheLast) {
    onnx::ModelProto proto = testing::smallModel();
    auto* graph = proto.mutable_graph();
    graph->clear_node();
    addNode(graph, "Early", {"v"}, {"e"});
    addNode(graph, "First", {"X"}, {"v"});
    addNode(graph, "ReadsFirst", {"v"}, {"a"});
    addNode(graph, "Second", {"X"}, {"v"});
    addNode(graph, "ReadsSecond", {"v"}, {"Y"});
    const LoadedModel loaded = loadProto(proto);
    const Model& m = loaded.model;
    EXPECT_EQ(m.producer(m.input(nodeAt(m, 2), 0)), nodeAt(m, 1));
    EXPECT_EQ(m.producer(m.input(nodeAt(m, 4), 0)), nodeAt(m, 3));
    EXPECT_EQ(m.producer(m.input(nodeAt(m, 0), 0)), nodeAt(m, 3));
    EXPECT_TRUE(hasProblem(loaded, "problem.duplicate-value"));
    testing::expectLaw(proto);
}

TEST(Names, anUndefinedNameIsOneValueAndAProblem) {
    onnx::ModelProto proto = testing::smallModel();
    addNode(proto.mutable_graph(), "A", {"ghost"}, {"a"});
    addNode(proto.mutable_graph(), "B", {"ghost", "ghost"}, {"b"});
    const LoadedModel loaded = loadProto(proto);
    const Model& m = loaded.model;
    const ValueId ghost = m.input(nodeAt(m, 2), 0);
    ASSERT_TRUE(ghost);
    EXPECT_TRUE(m.producer(ghost).isNone());
    EXPECT_EQ(m.useCount(ghost), 3U);
    EXPECT_TRUE(hasProblem(loaded, "problem.missing-value"));
    testing::expectLaw(proto);
}

TEST(Names, anOmittedInputIsNoValue) {
    onnx::ModelProto proto = testing::smallModel();
    addNode(proto.mutable_graph(), "Clip", {"X", "", "W"}, {"clipped", ""});
    const LoadedModel loaded = loadProto(proto);
    const NodeId clip = nodeAt(loaded.model, 2);
    EXPECT_EQ(loaded.model.inputs(clip).size(), 3U);
    EXPECT_TRUE(loaded.model.input(clip, 1).isNone());
    EXPECT_TRUE(loaded.model.output(clip, 1).isNone());
    EXPECT_TRUE(loaded.problems.empty());
}

TEST(Names, nodesMayShareANameOrHaveNone) {
    onnx::ModelProto proto = testing::smallModel();
    for (auto& node : *proto.mutable_graph()->mutable_node())
        node.set_name("same");
    proto.mutable_graph()->mutable_node(1)->clear_name();
    EXPECT_TRUE(loadProto(proto).problems.empty());
    testing::expectLaw(proto);
}

TEST(Names, anInnerDefinitionHidesTheOuterOneOnlyInside) {
    onnx::ModelProto proto = testing::smallModel();
    auto* graph = proto.mutable_graph();
    auto* choice = addNode(graph, "If", {"X"}, {"chosen"});
    auto* attribute = choice->add_attribute();
    attribute->set_name("then_branch");
    attribute->set_type(onnx::AttributeProto::GRAPH);
    addNode(attribute->mutable_g(), "Neg", {"W"}, {"sum"});
    addNode(attribute->mutable_g(), "Abs", {"sum"}, {"out"});
    testing::setType(attribute->mutable_g()->add_output(), "out", {3});
    addNode(graph, "Exp", {"sum"}, {"after"});
    const LoadedModel loaded = loadProto(proto);
    const Model& m = loaded.model;
    const GraphId body = m.subgraphs(nodeAt(m, 2)).at(0);
    EXPECT_EQ(m.graph(body).parentNode, nodeAt(m, 2));
    EXPECT_EQ(m.graph(body).parent, m.mainGraph());
    EXPECT_EQ(m.producer(m.input(nodeAt(m, 1, body), 0)), nodeAt(m, 0, body));
    EXPECT_EQ(m.producer(m.input(nodeAt(m, 3), 0)), nodeAt(m, 0));
    EXPECT_EQ(m.value(m.input(nodeAt(m, 0, body), 0)).graph, m.mainGraph()); // a capture
}

onnx::ModelProto nestedIfs(int levels) {
    onnx::ModelProto proto = testing::smallModel();
    auto* graph = proto.mutable_graph();
    for (int i = 0; i < levels; ++i) {
        auto* node = addNode(graph, "If", {"X"}, {"o" + std::to_string(i)});
        auto* attribute = node->add_attribute();
        attribute->set_name("then_branch");
        attribute->set_type(onnx::AttributeProto::GRAPH);
        graph = attribute->mutable_g();
        testing::setType(graph->add_output(), "i" + std::to_string(i), {1});
        addNode(graph, "Identity", {"W"}, {"i" + std::to_string(i)});
    }
    return proto;
}

TEST(Names, twoHundredNestedBodiesReachTheOutermostValue) {
    const onnx::ModelProto proto = nestedIfs(200);
    const LoadedModel loaded = loadProto(proto);
    ASSERT_EQ(loaded.problems.size(), 1U);
    EXPECT_EQ(loaded.problems.front().id, "problem.deep-bodies");
    EXPECT_EQ(loaded.model.graphIdCount(), 201U);
    EXPECT_EQ(loaded.model.useCount(loaded.model.findValue("W")), 201U);
    testing::expectLaw(proto);
}

TEST(Names, bodiesNestedBeyondReasonAreRefused) {
    auto loaded = testing::loadText(nestedIfs(700).SerializeAsString());
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().message.find("nested"), std::string::npos) << loaded.error().message;
}

TEST(Names, anInitializerThatIsAnInputIsOneValue) {
    for (const int irVersion : {3, 8}) {
        onnx::ModelProto proto = testing::smallModel();
        proto.set_ir_version(irVersion);
        testing::setType(proto.mutable_graph()->add_input(), "W", {3});
        const LoadedModel loaded = loadProto(proto);
        const ValueId weight = loaded.model.findValue("W");
        EXPECT_TRUE(loaded.model.isGraphInput(weight));
        EXPECT_TRUE(loaded.model.isInitializer(weight));
        EXPECT_EQ(isOverridable(loaded.model, weight), irVersion > 3);
        EXPECT_EQ(loaded.model.graph(loaded.model.mainGraph()).initializers.size(), 1U);
        EXPECT_TRUE(loaded.problems.empty());
        testing::expectLaw(proto);
    }
}

TEST(Names, aTrainingGraphSeesTheWeightsOfTheMainGraph) {
    onnx::ModelProto proto = testing::smallModel();
    auto* algorithm = proto.add_training_info()->mutable_algorithm();
    addNode(algorithm, "Neg", {"W"}, {"n"});
    testing::setType(algorithm->add_output(), "n", {3});
    const LoadedModel loaded = loadProto(proto);
    const GraphId graph = loaded.model.header().trainingInfos.at(0).algorithm;
    EXPECT_EQ(loaded.model.input(nodeAt(loaded.model, 0, graph), 0), loaded.model.findValue("W"));
    EXPECT_EQ(loaded.model.useCount(loaded.model.findValue("W")), 2U);
}

TEST(Names, aFunctionSeesOnlyItsOwnNames) {
    onnx::ModelProto proto = testing::smallModel();
    auto* function = proto.add_functions();
    function->set_name("F");
    function->add_input("a");
    function->add_output("b");
    auto* node = function->add_node();
    node->set_op_type("Add");
    node->add_input("a");
    node->add_input("W");
    node->add_output("b");
    const LoadedModel loaded = loadProto(proto);
    const GraphId graph = loaded.model.header().functions.at(0);
    const ValueId outer = loaded.model.input(nodeAt(loaded.model, 0, graph), 1);
    EXPECT_NE(outer, loaded.model.findValue("W"));
    EXPECT_TRUE(hasProblem(loaded, "problem.missing-value"));
}

TEST(Names, aWeightOfTheWrongSizeIsAProblem) {
    onnx::ModelProto proto = testing::smallModel();
    proto.mutable_graph()->mutable_initializer(0)->set_raw_data("short");
    EXPECT_TRUE(hasProblem(loadProto(proto), "problem.tensor-size"));
    testing::expectLaw(proto);
}

} // namespace
} // namespace secateur
