// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/reachability.h"

#include "tests/core/analysis/graph_builder.h"

#include <gtest/gtest.h>

#include <array>

namespace secateur {
namespace {

Reachability from(const GraphBuilder& g, ValueId target) {
    return findReachable(g.model(), std::array{target});
}

AttributeList bodies(GraphId thenBody, GraphId elseBody) {
    AttributeList list(2);
    list[0].name = "then_branch";
    list[0].type = AttributeType::graph;
    list[0].value = thenBody;
    list[1].name = "else_branch";
    list[1].type = AttributeType::graph;
    list[1].value = elseBody;
    return list;
}

TEST(Reachability, keepsAncestorsOfTheTargetAndNothingElse) {
    GraphBuilder g;
    const ValueId x = g.input("x", {4});
    const NodeId relu = g.node("Relu", {x}, {"a"});
    const NodeId target = g.node("Tanh", {g.out(relu)}, {"b"});
    const NodeId behind = g.node("Exp", {g.out(target)}, {"c"});
    const NodeId beside = g.node("Neg", {g.out(relu)}, {"d"});
    const auto reach = from(g, g.out(target));
    EXPECT_EQ(reach.nodeDistance[target.index], 0U);
    EXPECT_EQ(reach.nodeDistance[relu.index], 1U);
    EXPECT_FALSE(reach.isReached(behind));
    EXPECT_FALSE(reach.isReached(beside));
    EXPECT_TRUE(reach.valueReached[x.index]);
    EXPECT_FALSE(reach.valueReached[g.out(beside).index]);
    EXPECT_EQ(pathToTarget(reach, relu), (std::vector{relu, target}));
    EXPECT_TRUE(pathToTarget(reach, beside).empty());
}

TEST(Reachability, distanceIsThatOfTheNearestTarget) {
    GraphBuilder g;
    const ValueId x = g.input("x", {4});
    const NodeId first = g.node("Relu", {x}, {"a"});
    const NodeId middle = g.node("Relu", {g.out(first)}, {"b"});
    const NodeId last = g.node("Add", {g.out(middle), g.out(first)}, {"c"});
    const auto reach = from(g, g.out(last));
    EXPECT_EQ(reach.nodeDistance[first.index], 1U);
    EXPECT_EQ(pathToTarget(reach, first), (std::vector{first, last}));
}

TEST(Reachability, omittedInputsAndOutputsConnectNothing) {
    GraphBuilder g;
    const ValueId x = g.input("x", {4});
    const NodeId other = g.node("ConvGrad", {x, ValueId()}, {"", "w"});
    const NodeId target = g.node("Clip", {x, ValueId(), ValueId()}, {"y"});
    EXPECT_FALSE(from(g, g.out(target)).isReached(other));
}

TEST(Reachability, capturesKeepOuterNodesAndInnerNodesStayWithTheirHolder) {
    GraphBuilder g;
    const ValueId condition = g.input("cond", {}, ElementType::boolean);
    const ValueId x = g.input("x", {4});
    const NodeId captured = g.node("Exp", {x}, {"captured"});
    const NodeId alsoCaptured = g.node("Log", {x}, {"alsoCaptured"});
    const NodeId unrelated = g.node("Neg", {x}, {"unrelated"});
    const GraphId thenBody = g.editor().createGraph(GraphKind::subgraph, g.main());
    const NodeId inner = g.nodeIn(thenBody, "Relu", {g.out(captured)}, {"t"});
    const NodeId idle = g.nodeIn(thenBody, "Sin", {g.out(alsoCaptured)}, {"idle"});
    g.editor().appendGraphOutput(thenBody, g.out(inner), "t");
    const GraphId elseBody = g.editor().createGraph(GraphKind::subgraph, g.main());
    const NodeId other = g.nodeIn(elseBody, "Cos", {x}, {"e"});
    g.editor().appendGraphOutput(elseBody, g.out(other), "e");
    const NodeId choice = g.node("If", {condition}, {"y"}, bodies(thenBody, elseBody));
    g.editor().setGraphParent(thenBody, g.main(), choice);
    g.editor().setGraphParent(elseBody, g.main(), choice);
    const auto reach = from(g, g.out(choice));
    for (const NodeId kept : {captured, alsoCaptured, inner, idle, other, choice})
        EXPECT_TRUE(reach.isReached(kept));
    EXPECT_FALSE(reach.isReached(unrelated));
    EXPECT_TRUE(reach.valueReached[condition.index]);
    EXPECT_EQ(pathToTarget(reach, captured), (std::vector{captured, inner, choice}));
}

/// If with two results, each of one node of each branch and of one before it.
struct TwoResults {
    GraphBuilder g;
    NodeId first, second, beforeSecond, choice;

    TwoResults() {
        const ValueId condition = g.input("cond", {}, ElementType::boolean);
        const ValueId x = g.input("x", {4});
        const GraphId thenBody = g.editor().createGraph(GraphKind::subgraph, g.main());
        first = g.nodeIn(thenBody, "Relu", {x}, {"a"});
        beforeSecond = g.nodeIn(thenBody, "Exp", {x}, {"h"});
        second = g.nodeIn(thenBody, "Neg", {g.out(beforeSecond)}, {"b"});
        g.editor().appendGraphOutput(thenBody, g.out(first), "a");
        g.editor().appendGraphOutput(thenBody, g.out(second), "b");
        const GraphId elseBody = g.editor().createGraph(GraphKind::subgraph, g.main());
        const NodeId other = g.nodeIn(elseBody, "Cos", {x}, {"e"});
        g.editor().appendGraphOutput(elseBody, g.out(other), "e");
        g.editor().appendGraphOutput(elseBody, g.out(other), "e");
        choice = g.node("If", {condition}, {"y", "z"}, bodies(thenBody, elseBody));
        g.editor().setGraphParent(thenBody, g.main(), choice);
        g.editor().setGraphParent(elseBody, g.main(), choice);
    }
};

TEST(Reachability, aResultOfABranchFeedsTheSameResultOfIfAlone) {
    TwoResults two;
    const NodeId target = two.g.node("Tanh", {two.g.out(two.choice)}, {"t"});
    const auto reach = from(two.g, two.g.out(target));
    EXPECT_EQ(pathToTarget(reach, two.first), (std::vector{two.first, two.choice, target}));
    // The second result goes nowhere: its nodes are there because the first one's are.
    EXPECT_EQ(pathToTarget(reach, two.beforeSecond), (std::vector{two.beforeSecond, two.choice, target}));
    EXPECT_EQ(reach.nodeDistance[two.beforeSecond.index], 2U);
}

TEST(Reachability, thePathOutOfABranchGoesOnFromItsOwnResult) {
    TwoResults two;
    const NodeId middle = two.g.node("Sin", {two.g.model().output(two.choice, 1)}, {"m"});
    const NodeId target = two.g.node("Add", {two.g.out(two.choice), two.g.out(middle)}, {"t"});
    const auto reach = from(two.g, two.g.out(target));
    EXPECT_EQ(pathToTarget(reach, two.first), (std::vector{two.first, two.choice, target}));
    EXPECT_EQ(pathToTarget(reach, two.second), (std::vector{two.second, two.choice, middle, target}));
    EXPECT_EQ(reach.nodeDistance[two.second.index], 3U);
    EXPECT_EQ(pathToTarget(reach, two.choice), (std::vector{two.choice, target}));
}

TEST(Reachability, aLoopsStatesAreCarriedIntoOneAnother) {
    GraphBuilder g;
    const ValueId trips = g.input("n", {}, ElementType::int64), x = g.input("x", {4}), u = g.input("u", {4});
    const GraphId body = g.editor().createGraph(GraphKind::subgraph, g.main());
    g.inputOf(body, "i", {}, ElementType::int64);
    const ValueId condition = g.inputOf(body, "c", {}, ElementType::boolean);
    const ValueId left = g.inputOf(body, "left", {4}), right = g.inputOf(body, "right", {4});
    const NodeId goesOn = g.nodeIn(body, "Identity", {condition}, {"c2"});
    const NodeId next = g.nodeIn(body, "Add", {left, right}, {"left2"});
    const NodeId grows = g.nodeIn(body, "Exp", {right}, {"right2"});
    const NodeId beforeIdle = g.nodeIn(body, "Sin", {left}, {"h"});
    const NodeId idle = g.nodeIn(body, "Neg", {g.out(beforeIdle)}, {"gathered"});
    for (const NodeId result : {goesOn, next, grows, idle})
        g.editor().appendGraphOutput(body, g.out(result), g.model().name(g.out(result)));
    AttributeList attributes(1);
    attributes[0].name = "body";
    attributes[0].type = AttributeType::graph;
    attributes[0].value = body;
    const NodeId loop = g.node("Loop", {trips, ValueId(), x, u}, {"l", "r", "s"}, std::move(attributes));
    g.editor().setGraphParent(body, g.main(), loop);
    const NodeId target = g.node("Tanh", {g.out(loop)}, {"t"});
    const auto reach = from(g, g.out(target));
    for (const NodeId needed : {goesOn, next, grows})
        EXPECT_EQ(pathToTarget(reach, needed), (std::vector{needed, loop, target}));
    // What is only gathered into a result that nobody reads stays with the loop.
    EXPECT_EQ(pathToTarget(reach, beforeIdle), (std::vector{beforeIdle, loop, target}));
}

TEST(Reachability, aDeadEndOfAnInnerNodeLeadsThroughItsHolder) {
    GraphBuilder g;
    const ValueId condition = g.input("cond", {}, ElementType::boolean);
    const ValueId x = g.input("x", {4});
    const NodeId captured = g.node("Exp", {x}, {"captured"});
    const GraphId body = g.editor().createGraph(GraphKind::subgraph, g.main());
    const NodeId inner = g.nodeIn(body, "Relu", {g.out(captured)}, {"t"});
    g.editor().appendGraphOutput(body, g.out(inner), "t");
    const NodeId choice = g.node("If", {condition}, {"y"}, bodies(body, body));
    g.editor().setGraphParent(body, g.main(), choice);
    EXPECT_EQ(pathToDeadEnd(g.model(), captured), (std::vector{captured, inner, choice}));
}

TEST(Reachability, gradientAttributesCountAsUses) {
    GraphBuilder g;
    const ValueId x = g.input("x", {4});
    const ValueId z = g.value("Exp", {x}, "z");
    const ValueId y = g.value("Tanh", {x}, "y");
    const ValueId unused = g.value("Neg", {x}, "unused");
    Attribute xs, zs;
    xs.name = "xs";
    xs.type = AttributeType::strings;
    xs.value = std::vector<std::string>{"x"};
    zs = xs;
    zs.name = "zs";
    zs.value = std::vector<std::string>{std::string(g.model().name(z))};
    NodeSpec spec;
    spec.op = "Gradient";
    spec.domain = "ai.onnx.preview.training";
    spec.inputs = {x};
    spec.outputs = {"dx"};
    spec.attributes = {xs, zs, Attribute::of("y", std::string(g.model().name(y)))};
    const NodeId gradient = g.editor().createNode(g.main(), spec);
    const auto reach = from(g, g.out(gradient));
    EXPECT_TRUE(reach.isReached(g.model().producer(z)));
    EXPECT_TRUE(reach.isReached(g.model().producer(y)));
    EXPECT_FALSE(reach.isReached(g.model().producer(unused)));
}

TEST(Reachability, bodiesOfCalledFunctionsCount) {
    GraphBuilder g;
    const ValueId x = g.input("x", {4});
    const GraphId function = g.editor().createGraph(GraphKind::function);
    GraphHeader header;
    header.name = "Twice";
    header.domain = "local";
    g.editor().setGraphHeader(function, header);
    const ValueId formal = g.inputOf(function, "f", {4});
    const NodeId inner = g.nodeIn(function, "Add", {formal, formal}, {"r"});
    g.editor().appendGraphOutput(function, g.out(inner), "r");
    ModelHeader model = g.model().header();
    model.functions = {function};
    g.editor().setModelHeader(model);
    NodeSpec spec;
    spec.op = "Twice";
    spec.domain = "local";
    spec.inputs = {x};
    spec.outputs = {"y"};
    const NodeId call = g.editor().createNode(g.main(), spec);
    const NodeId other = g.node("Relu", {x}, {"z"});
    EXPECT_TRUE(from(g, g.out(call)).isReached(inner));
    EXPECT_FALSE(from(g, g.out(other)).isReached(inner));
}

TEST(Reachability, deadEndIsTheNearestNodeWithoutReaderOrAnOutput) {
    GraphBuilder g;
    const ValueId x = g.input("x", {4});
    const NodeId start = g.node("Relu", {x}, {"a"});
    const NodeId middle = g.node("Exp", {g.out(start)}, {"b"});
    const NodeId exported = g.node("Neg", {g.out(middle)}, {"c"});
    const NodeId deep = g.node("Log", {g.out(exported)}, {"d"});
    g.node("Abs", {g.out(deep)}, {"e"});
    g.output(g.out(exported), "c");
    EXPECT_EQ(pathToDeadEnd(g.model(), start), (std::vector{start, middle, exported}));
    EXPECT_EQ(pathToDeadEnd(g.model(), exported), (std::vector{exported}));
}

TEST(Reachability, aChainOfOneHundredThousandNodesWorks) {
    GraphBuilder g;
    ValueId value = g.input("x", {4});
    NodeId first;
    for (int i = 0; i < 100000; ++i) {
        const NodeId node = g.node("Relu", {value}, {"v"});
        if (i == 0) first = node;
        value = g.out(node);
    }
    const auto reach = from(g, value);
    EXPECT_EQ(reach.nodeDistance[first.index], 99999U);
    EXPECT_EQ(pathToTarget(reach, first).size(), 100000U);
    EXPECT_EQ(pathToDeadEnd(g.model(), first).size(), 100000U);
}

} // namespace
} // namespace secateur
