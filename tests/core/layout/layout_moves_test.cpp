// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layout_moves.h"

#include "core/picture/history_state.h"
#include "core/picture/left_out.h"
#include "core/picture/union_graph.h"
#include "core/session/recipe.h"
#include "tests/core/layout/graph_builder.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

/// Everything but the forward half and the loss.
LeftOut withoutTraining(const LayoutGraph& graph) {
    LeftOut out;
    for (const LayoutNode& node : graph.nodes)
        out.nodes.push_back(columnOf(node.role) != 0);
    return out;
}

TEST(LayoutMoves, compactClosesHolesAndKeepsBoxesInTheirOrder) {
    GraphBuilder b;
    const std::uint32_t top = b.node("x");
    std::vector<std::uint32_t> left, right;
    for (int side = 0; side < 2; ++side) {
        std::uint32_t before = top;
        for (int i = 0; i < 6; ++i) {
            const std::uint32_t next = b.node(side == 0 ? "Left" : "Right");
            b.edge(before, next);
            (side == 0 ? left : right).push_back(next);
            before = next;
        }
    }
    // The middle four of each branch go; what is left is joined.
    b.edge(left[0], left[5]);
    b.edge(right[0], right[5]);
    const LayoutGraph graph = b.build();
    const Layout locked = layoutGraph(graph);
    LeftOut out;
    out.nodes.resize(graph.nodes.size(), false);
    for (int i = 1; i < 5; ++i)
        out.nodes[left[static_cast<std::size_t>(i)]] = out.nodes[right[static_cast<std::size_t>(i)]] = true;
    const Hierarchy none;
    const Layout compact = compactLayout(graph, none, {}, locked, out);
    ASSERT_EQ(compact.items.size(), locked.items.size());
    EXPECT_EQ(compact.rankTop.size(), 3U) << "x, the first and the last of each branch";
    EXPECT_LT(compact.bounds.height, locked.bounds.height / 2);
    const auto isLeft = [](const Layout& l, std::uint32_t a, std::uint32_t c) {
        return l.items[a].rect.x < l.items[c].rect.x;
    };
    EXPECT_EQ(isLeft(compact, left[0], right[0]), isLeft(locked, left[0], right[0]));
    EXPECT_EQ(isLeft(compact, left[5], right[5]), isLeft(locked, left[5], right[5]));
    EXPECT_TRUE(compact.items[left[2]].rect.isEmpty());
    EXPECT_EQ(firstFault(graph, compact), "");
}

TEST(LayoutMoves, withNothingLeftOutNothingMoves) {
    const LayoutGraph graph = trainingGraph(20);
    const Layout locked = layoutGraph(graph);
    const Layout compact = compactLayout(graph, {}, {}, locked, {});
    const LayoutMoves moves(locked, compact);
    EXPECT_TRUE(moves.areAlike());
    for (std::size_t i = 0; i < locked.items.size(); ++i)
        EXPECT_EQ(locked.items[i].rect.y, compact.items[i].rect.y);
}

TEST(LayoutMoves, boxesGoFromOnePlaceToTheOtherAndFadeWhereTheyEnd) {
    const LayoutGraph graph = trainingGraph(10);
    const Layout locked = layoutGraph(graph);
    const Layout compact = compactLayout(graph, {}, {}, locked, withoutTraining(graph));
    const LayoutMoves moves(locked, compact);
    ASSERT_TRUE(moves.areAlike());
    EXPECT_GT(moves.moving(), 0U);
    for (std::uint32_t i = 0; i < locked.items.size(); ++i) {
        const bool stays = columnOf(graph.nodes[i].role) == 0;
        EXPECT_EQ(moves.rectAt(i, 0), locked.items[i].rect);
        EXPECT_EQ(moves.opacityAt(i, 0), 1);
        EXPECT_EQ(moves.opacityAt(i, 1), stays ? 1 : 0);
        if (stays) {
            EXPECT_EQ(moves.rectAt(i, 1), compact.items[i].rect);
        }
        const Rect half = moves.rectAt(i, 0.5);
        EXPECT_GE(half.y, std::min(moves.rectAt(i, 0).y, moves.rectAt(i, 1).y));
        EXPECT_LE(half.y, std::max(moves.rectAt(i, 0).y, moves.rectAt(i, 1).y));
    }
    EXPECT_LT(moves.boundsAt(1).width, moves.boundsAt(0).width) << "the empty columns are gone";
}

TEST(LayoutMoves, everyMomentOfAModelIsCompactWithoutFaults) {
    for (const char* name : {"cnn", "transformer"}) {
        const auto path = testing::trainingModel(name);
        if (path.empty()) GTEST_SKIP() << "no models beside the sources";
        const auto opened = openOriginal(path);
        ASSERT_TRUE(opened.ok());
        auto run = History::run(*opened, conversionRecipe());
        ASSERT_TRUE(run.ok());
        History history = std::move(run).take();
        UnionGraph united = buildUnionGraph(**opened, &history);
        const Hierarchy hierarchy = buildHierarchy(united.graph, united.hints);
        const ExpandState open = initialExpandState(united.graph, hierarchy);
        const Layout locked = layoutGraph(united.graph, hierarchy, open);
        double before = locked.bounds.width * locked.bounds.height;
        for (std::size_t step = 0; step <= history.steps().size(); ++step) {
            history.moveCursor(step);
            const PictureState state = pictureStateOf(united, **opened, &history, {});
            const LeftOut out = leftOutOf(united.graph, state, Pane::after);
            const Layout compact = compactLayout(united.graph, hierarchy, open, locked, out);
            EXPECT_EQ(firstFault(united.graph, compact), "") << name << " " << step;
            for (std::uint32_t n = 0; n < united.graph.nodes.size(); ++n) {
                const bool isThere = !compact.items[compact.itemOfNode[n]].rect.isEmpty();
                EXPECT_EQ(isThere, isPresent(state.stateOf(n).diff, Pane::after))
                    << name << " " << step << " " << n;
            }
            before = std::max(before, compact.bounds.width * compact.bounds.height);
            if (step == history.steps().size()) {
                EXPECT_LT(compact.bounds.width * compact.bounds.height, before / 3) << name;
            }
        }
    }
}

} // namespace
} // namespace secateur
