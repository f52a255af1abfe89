// SPDX-License-Identifier: Apache-2.0
#include "core/picture/dot_writer.h"

#include "tests/core/layout/graph_builder.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(Dot, rolesRemovedMarksAndStashesAreWritten) {
    const LayoutGraph graph = trainingGraph(1);
    PictureState state;
    state.nodes.resize(graph.nodes.size());
    state.nodes[3].diff = DiffState::removedBySelectedStep;
    const std::string dot = writeDot(graph, state);
    EXPECT_TRUE(holds(dot, "digraph \"model\" {"));
    EXPECT_TRUE(holds(dot, "n1 [label=\"MatMul\\nW w0 [4096,4096]\", class=\"forward kept\""));
    EXPECT_TRUE(holds(dot, "class=\"backward removed\""));
    EXPECT_TRUE(holds(dot, "style=\"rounded,filled,dashed\""));
    EXPECT_TRUE(holds(dot, "n1 -> n3 [style=dashed, constraint=false"));
    EXPECT_TRUE(holds(dot, "label=\"512 KiB\""));
    EXPECT_TRUE(holds(dot, "n4 -> n3 [dir=back")) << "gradients are reversed for the ranks";
    EXPECT_EQ(writeDot(graph, state), dot);
}

TEST(Dot, afterLeavesOutWhatIsRemoved) {
    const LayoutGraph graph = trainingGraph(1);
    PictureState state;
    state.nodes.resize(graph.nodes.size());
    state.nodes[3].diff = DiffState::removedEarlier;
    DotOptions options;
    options.pane = Pane::after;
    const std::string dot = writeDot(graph, state, options);
    EXPECT_FALSE(holds(dot, "n3 "));
    EXPECT_TRUE(holds(dot, "n1 -> n2"));
}

TEST(Dot, namesAreQuoted) {
    GraphBuilder b;
    b.node("a\"b\\c");
    const std::string dot = writeDot(b.build(), {}, {"x\"y", Pane::overlay, ThemeKind::light});
    EXPECT_TRUE(holds(dot, "digraph \"x\\\"y\" {"));
    EXPECT_TRUE(holds(dot, "label=\"a\\\"b\\\\c\""));
}

} // namespace
} // namespace secateur
