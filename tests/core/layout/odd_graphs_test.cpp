// SPDX-License-Identifier: Apache-2.0
//
// Graphs that break viewers: every one is laid out, and nothing overlaps.
#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"
#include "core/onnx/text.h"
#include "core/picture/union_graph.h"
#include "tests/core/layout/graph_builder.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

/// Lays out with groups closed, open, and without groups.
void expectNoFaults(LayoutGraph graph, const HierarchyHints& hints) {
    const Hierarchy hierarchy = buildHierarchy(graph, hints);
    for (const bool isOpen : {false, true}) {
        ExpandState state;
        state.open.assign(hierarchy.groups.size(), isOpen);
        const Layout layout = layoutGraph(graph, hierarchy, state);
        EXPECT_EQ(layout.itemOfNode.size(), graph.nodes.size());
        EXPECT_EQ(firstFault(graph, layout), "") << (isOpen ? "open" : "closed");
    }
    EXPECT_EQ(firstFault(graph, layoutGraph(graph)), "");
}

TEST(OddGraphs, noNodeAndOneNode) {
    expectNoFaults({}, {});
    GraphBuilder b;
    b.node("Relu");
    expectNoFaults(b.build(), {});
    EXPECT_TRUE(initialExpandState({}, {}).open.empty());
}

TEST(OddGraphs, emptyAndDuplicateNames) {
    GraphBuilder b;
    HierarchyHints hints;
    for (std::uint32_t i = 0; i < 60; ++i) {
        b.node(i % 3 == 0 ? "" : "Add");
        hints.nodeNames.push_back(i % 2 == 0 ? "" : "/same/name");
        if (i > 0) b.edge(i - 1, i);
    }
    expectNoFaults(b.build(), hints);
}

TEST(OddGraphs, strangeLettersAndVeryLongNames) {
    GraphBuilder b;
    HierarchyHints hints;
    const std::string names[] = {std::string(200, 'x'),
                                 "\u6A21\u578B\u5C42",
                                 "\U0001F9EA\U0001F9EC\U0001F600",
                                 "\u0645\u0631\u062D\u0628\u0627 \u05E9\u05DC\u05D5\u05DD",
                                 "a\tb\nc",
                                 "\xFF\xFE broken"};
    for (std::uint32_t i = 0; i < 36; ++i) {
        b.node(names[i % 6]);
        b.at(i).rows.push_back({LayoutRow::Kind::weight, "W", names[(i + 1) % 6], kNoIndex});
        hints.nodeNames.push_back("/" + names[i / 6] + "/" + names[i % 6]);
        if (i > 0) b.edge(i - 1, i);
    }
    LayoutGraph graph = b.build();
    for (const LayoutNode& node : graph.nodes)
        EXPECT_LE(node.width, node_metrics::kMaxWidth);
    expectNoFaults(std::move(graph), hints);
}

TEST(OddGraphs, cyclesSelfReadersAndDoubleEdges) {
    GraphBuilder b;
    for (int i = 0; i < 40; ++i)
        b.node("N", i < 25 ? NodeRole::forward : NodeRole::backward,
               i < 25 ? kNoIndex : static_cast<std::uint32_t>(i - 25));
    for (std::uint32_t i = 0; i < 40; ++i) {
        b.edge(i, (i + 1) % 40);
        b.edge(i, (i * 7 + 3) % 40);
        b.edge(i, (i * 7 + 3) % 40, EdgeClass::data, 1);
        if (i % 5 == 0) b.edge(i, i);
    }
    HierarchyHints hints;
    for (int i = 0; i < 40; ++i)
        hints.nodeNames.push_back("/g" + std::to_string(i % 4) + "/n");
    expectNoFaults(b.build(), hints);
}

TEST(OddGraphs, programOrderThatIsNone) {
    GraphBuilder b;
    for (std::uint32_t i = 0; i < 50; ++i) {
        b.node("N");
        b.at(i).order = (i * 37) % 50;
    }
    for (std::uint32_t i = 1; i < 50; ++i)
        b.edge(i, i - 1); // the last node comes first
    expectNoFaults(b.build(), {});
}

TEST(OddGraphs, sixtyInputsShareOnePointOfTheirSinkAndOneTrack) {
    GraphBuilder b;
    const std::uint32_t sink = b.node("Concat");
    for (std::uint16_t i = 0; i < 60; ++i)
        b.edge(b.node("In"), sink, EdgeClass::data, i);
    const LayoutGraph graph = b.build();
    const Layout layout = layoutGraph(graph);
    EXPECT_EQ(firstFault(graph, layout), "");
    ASSERT_EQ(layout.rankTop.size(), 2U);
    EXPECT_LE(layout.rankTop[1] - layout.rankTop[0], 80) << "the gap does not grow with the number of edges";
    for (const PlacedEdge& edge : layout.edges)
        EXPECT_EQ(layout.points[edge.firstPoint + edge.pointCount - 1].x,
                  layout.points[layout.edges.front().firstPoint + layout.edges.front().pointCount - 1].x);
}

TEST(OddGraphs, aGroupOfBackwardNodesAloneAndOneOfUpdatesAlone) {
    GraphBuilder b;
    HierarchyHints hints;
    for (std::uint32_t i = 0; i < 90; ++i) {
        const NodeRole role = i < 30 ? NodeRole::forward : i < 60 ? NodeRole::backward : NodeRole::optimizer;
        b.node("N", role);
        hints.nodeNames.push_back("/part" + std::to_string(i / 15) + "/n");
        if (i > 0) b.edge(i - 1, i);
    }
    expectNoFaults(b.build(), hints);
}

TEST(OddGraphs, operatorsThatNobodyKnowsAreMarkedAndDrawn) {
    auto loaded = parseModelText(R"(
<ir_version: 8, opset_import: ["" : 17, "strange.land" : 1]>
odd (float[4] x) => (y) {
   a = strange.land.Mystery <depth = 3> (x)
   b, , c = strange.land.Mystery (a, x)
   y = Add (b, c)
})");
    ASSERT_TRUE(loaded.ok()) << loaded.error().message;
    const UnionGraph united = buildUnionGraph(*makeOriginal(std::move(loaded).take()), nullptr);
    std::uint32_t unknown = 0;
    for (const LayoutNode& node : united.graph.nodes)
        unknown += node.kind == OperatorKind::unknown ? 1U : 0U;
    EXPECT_EQ(unknown, 2U);
    for (const LayoutEdge& edge : united.graph.edges)
        EXPECT_FALSE(edge.label.empty()) << "what is not known is a question mark";
    expectNoFaults(united.graph, united.hints);
}

} // namespace
} // namespace secateur
