// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/dead_ends.h"

#include "core/analysis/reachability.h"
#include "core/ir/editor.h"
#include "core/ir/walk.h"
#include "tests/core/session/session_fixture.h"
#include "tests/support/models.h"

namespace secateur {
namespace {

/// x -> a -> b -> c (read by nobody), b -> out; a -> d -> e -> f (read by nobody).
struct Fork {
    Fork() {
        Editor editor(model);
        main = editor.createGraph(GraphKind::main);
        const ValueId x = editor.createValue(main, "x");
        editor.setGraphInputs(main, std::vector{x});
        a = add(editor, "a", x);
        b = add(editor, "b", model.output(a, 0));
        c = add(editor, "c", model.output(b, 0));
        d = add(editor, "d", model.output(a, 0));
        e = add(editor, "e", model.output(d, 0));
        f = add(editor, "f", model.output(e, 0));
        editor.appendGraphOutput(main, model.output(b, 0), "out");
    }
    NodeId add(Editor& editor, const std::string& name, ValueId input) {
        return editor.createNode(main, {"Relu", "", name, {input}, {name + "_out"}, {}});
    }
    Model model;
    GraphId main;
    NodeId a, b, c, d, e, f;
};

TEST(DeadEnds, theShortestWayIsTaken) {
    const Fork fork;
    const DeadEnds ends(fork.model);
    EXPECT_EQ(ends.path(fork.a), (std::vector{fork.a, fork.b})) << "b fills an output of the graph";
    EXPECT_EQ(ends.path(fork.d), (std::vector{fork.d, fork.e, fork.f}));
    EXPECT_EQ(ends.path(fork.c), std::vector{fork.c});
    EXPECT_EQ(ends.pathLength(fork.d), 3U);
}

TEST(DeadEnds, everyPathIsAWayOfRealEdgesToARealEnd) {
    const auto path = testing::trainingModel("transformer");
    if (path.empty()) GTEST_SKIP() << "no folder of models: set SECATEUR_MODELS";
    const auto original = testing::openModel(path);
    const Model& model = original->file.model;
    const Reachability reach = findReachable(model, original->targets.clear);
    const DeadEnds ends(model);
    std::size_t removed = 0;
    for (const NodeId node : nodesWithin(model, model.mainGraph())) {
        if (reach.isReached(node)) continue;
        ++removed;
        const auto way = ends.path(node);
        ASSERT_EQ(way.size(), ends.pathLength(node));
        ASSERT_EQ(way.size(), pathToDeadEnd(model, node).size())
            << "as long as the search from this node alone finds";
        for (std::size_t i = 0; i + 1 < way.size(); ++i) {
            bool isEdge = false;
            for (const ValueId value : model.outputs(way[i])) {
                if (value.isNone()) continue;
                for (const Use use : model.uses(value))
                    isEdge = isEdge || use.node == way[i + 1];
            }
            ASSERT_TRUE(isEdge) << model.name(way[i]) << " -> " << model.name(way[i + 1]);
        }
    }
    EXPECT_GT(removed, 100U);
}

TEST(DeadEnds, aChainOfAHundredThousandNodesIsNoTrouble) {
    Model model;
    Editor editor(model);
    const GraphId main = editor.createGraph(GraphKind::main);
    ValueId at = editor.createValue(main, "x");
    editor.setGraphInputs(main, std::vector{at});
    for (int i = 0; i < 100'000; ++i) {
        at = model.output(editor.createNode(main, {"Relu", "", "", {at}, {"v" + std::to_string(i)}, {}}), 0);
    }
    EXPECT_EQ(DeadEnds(model).path(model.graph(main).head).size(), 100'000U);
}

} // namespace
} // namespace secateur
