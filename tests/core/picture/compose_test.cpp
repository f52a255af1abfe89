// SPDX-License-Identifier: Apache-2.0
#include "core/picture/compose.h"

#include "core/layout/font_metrics.h"
#include "tests/core/picture/scene_fixture.h"

#include <gmock/gmock.h>

#include <map>
#include <set>

namespace secateur {
namespace {

class Compose : public SceneFixture {};

/// What an eye sees of a display list with all colour taken away.
std::string greySignature(const DisplayList& list, ThemeKind theme) {
    std::string s;
    for (const DrawItem& item : list.items) {
        s += std::to_string(static_cast<int>(item.op)) + ',' + std::to_string(static_cast<int>(item.dash)) +
             ',';
        if (item.hasFill) s += 'f' + std::to_string(greyOf(themeColor(theme, item.fill)) / 8);
        if (item.hasStroke) {
            s += 's' + std::to_string(greyOf(themeColor(theme, item.stroke)) / 8) + 'w' +
                 std::to_string(item.strokeWidth);
        }
        s += ';';
    }
    return s;
}

/// The same without any colour or grey: shapes and patterns only.
std::string shapeSignature(const DisplayList& list) {
    std::string s;
    for (const DrawItem& item : list.items) {
        s += std::to_string(static_cast<int>(item.op)) + ',' + std::to_string(static_cast<int>(item.dash)) +
             ',' + std::to_string(item.strokeWidth) + (item.hasFill ? "f" : "") + std::to_string(item.count) +
             ';';
    }
    return s;
}

LayoutGraph oneBackwardNode() {
    GraphBuilder b;
    b.node("GeluGrad", NodeRole::backward);
    b.at(0).rows.push_back({LayoutRow::Kind::attribute, "alpha", "1.0", kNoIndex});
    return b.build();
}

constexpr DiffState kStates[] = {DiffState::kept,           DiffState::removedBySelectedStep,
                                 DiffState::removedEarlier, DiffState::willGo,
                                 DiffState::replaced,       DiffState::changed,
                                 DiffState::added};

TEST_F(Compose, everyDiffStateIsToldApartInGrey) {
    open(oneBackwardNode());
    for (const ThemeKind theme : {ThemeKind::light, ThemeKind::dark}) {
        for (const double zoom : {1.0, 0.5}) {
            request.zoom = zoom;
            std::map<std::string, DiffState> seen;
            for (const DiffState diff : kStates) {
                state.nodes[0].diff = diff;
                const auto [it, isNew] = seen.emplace(greySignature(draw(), theme), diff);
                EXPECT_TRUE(isNew) << static_cast<int>(diff) << " looks like "
                                   << static_cast<int>(it->second);
            }
        }
    }
}

TEST_F(Compose, allButTheTwoStrengthsOfRemovedDifferByShapeAlone) {
    open(oneBackwardNode());
    std::map<std::string, DiffState> seen;
    for (const DiffState diff : kStates) {
        if (diff == DiffState::removedEarlier) continue;
        state.nodes[0].diff = diff;
        EXPECT_TRUE(seen.emplace(shapeSignature(draw()), diff).second) << static_cast<int>(diff);
    }
}

TEST_F(Compose, farAwayStatesStillDiffer) {
    open(oneBackwardNode());
    request.zoom = 0.2;
    std::map<std::string, DiffState> seen;
    for (const DiffState diff : {DiffState::kept, DiffState::removedBySelectedStep, DiffState::removedEarlier,
                                 DiffState::willGo, DiffState::changed}) {
        state.nodes[0].diff = diff;
        EXPECT_TRUE(seen.emplace(greySignature(draw(), ThemeKind::light), diff).second)
            << static_cast<int>(diff);
    }
}

TEST_F(Compose, marksBesidesTheDiffAreToldApartToo) {
    open(oneBackwardNode());
    std::map<std::string, int> seen;
    const auto expectNew = [&](int what) {
        EXPECT_TRUE(seen.emplace(shapeSignature(draw()), what).second) << what;
    };
    expectNew(0);
    state.nodes[0].isSelected = true;
    expectNew(1);
    state.nodes[0] = {};
    state.nodes[0].isInSelectedStep = true;
    expectNew(2);
    state.nodes[0] = {};
    state.nodes[0].finding = Finding::problem;
    expectNew(3);
    state.nodes[0].finding = Finding::failedCheck;
    expectNew(4);
    state.nodes[0] = {};
    request.hovered.kind = Hit::Kind::node;
    request.hovered.index = 0;
    expectNew(5);
    request.hovered = {};
    state.nodes[0].changedRows = 1;
    state.nodes[0].diff = DiffState::changed;
    expectNew(6);
}

TEST_F(Compose, removedLeavesAHoleInAfterAndAddedNothingInBefore) {
    open(oneBackwardNode());
    request.drawCanvas = false;
    request.pane = Pane::after;
    state.nodes[0].diff = DiffState::removedBySelectedStep;
    ASSERT_EQ(draw().items.size(), 1U);
    EXPECT_EQ(list.items[0].dash, DashStyle::dotted);
    request.pane = Pane::before;
    state.nodes[0].diff = DiffState::added;
    EXPECT_TRUE(draw().items.empty());
}

TEST_F(Compose, noTextIsSmallerThanEightPixelsAtAnyZoom) {
    HierarchyHints hints;
    LayoutGraph training = trainingGraph(12);
    hints.parameterNames.resize(training.nodes.size());
    for (std::uint32_t i = 0; i < 12; ++i)
        hints.parameterNames[1 + i * 6] = "b." + std::to_string(i) + ".fc.weight";
    for (const bool isOpen : {true, false}) {
        openWithGroups(trainingGraph(12), hints, isOpen);
        for (double zoom = 0.01; zoom < 4; zoom *= 1.17) {
            request.zoom = zoom;
            for (const DrawItem& item : draw().items) {
                EXPECT_TRUE(item.op != DrawOp::text || item.textPx >= 8.0F) << zoom;
            }
        }
    }
}

TEST_F(Compose, anOpenGroupFarAwayHasTheRolesOfItsNodesAsAClosedOneHas) {
    HierarchyHints hints;
    LayoutGraph training = trainingGraph(12);
    for (std::uint32_t n = 0; n < training.nodes.size(); ++n)
        hints.nodeNames.push_back("/b" + std::to_string(std::min((n + 5) / 6, 12U) / 4) + "/Op");
    const auto rolesDrawn = [&](bool isOpen) {
        openWithGroups(training, hints, isOpen);
        request.zoom = kBlobZoom * 0.9;
        bool hasAccumulators = false, hasOptimizer = false;
        for (const DrawItem& item : draw().items)
            for (const ThemeRole role : {item.hasFill ? item.fill.role : ThemeRole::canvas,
                                         item.hasStroke ? item.stroke.role : ThemeRole::canvas}) {
                hasAccumulators = hasAccumulators || role == themeRoleOf(NodeRole::accumulator);
                hasOptimizer = hasOptimizer || role == themeRoleOf(NodeRole::optimizer);
            }
        return std::pair(hasAccumulators, hasOptimizer);
    };
    EXPECT_EQ(rolesDrawn(false), std::pair(true, false));
    EXPECT_EQ(rolesDrawn(true), std::pair(true, false));
    EXPECT_FALSE(layout.frames.empty());
}

TEST_F(Compose, aClosedGroupHasTheColourOfARoleAlsoWhereCardsHaveThatOfTheirKind) {
    GraphBuilder b;
    HierarchyHints hints;
    for (std::uint32_t i = 0; i < 12; ++i) {
        b.node("Conv", NodeRole::forward);
        if (i > 0) b.edge(i - 1, i);
        hints.nodeNames.push_back("/b" + std::to_string(i / 4) + "/Op");
    }
    openWithGroups(b.build(), hints, false);
    ASSERT_FALSE(state.showRoles);
    for (const double zoom : {0.05, 0.2, 1.0}) {
        request.zoom = zoom;
        std::size_t inRole = 0;
        for (const DrawItem& item : draw().items) {
            EXPECT_FALSE(item.hasFill && item.fill.role >= ThemeRole::kindLayer) << zoom;
            inRole += item.hasFill && item.fill.role == themeRoleOf(NodeRole::forward) ? 1U : 0U;
        }
        EXPECT_EQ(inRole, 3U) << zoom;
    }
}

TEST_F(Compose, noLineRunsOverTheNameOfAGroup) {
    HierarchyHints hints;
    LayoutGraph training = trainingGraph(12);
    for (std::uint32_t n = 0; n < training.nodes.size(); ++n)
        hints.nodeNames.push_back("/b" + std::to_string(std::min((n + 5) / 6, 12U) / 4) + "/Op");
    openWithGroups(training, hints, true);
    for (const double zoom : {0.2, 0.5, 1.0}) {
        request.zoom = zoom;
        std::size_t lastLine = 0, firstTitle = draw().items.size();
        for (std::size_t i = 0; i < list.items.size(); ++i) {
            const DrawItem& item = list.items[i];
            const bool isTitle = item.op == DrawOp::text && list.textOf(item).substr(0, 1) == "b";
            if (item.op == DrawOp::path || item.op == DrawOp::lineBatch) lastLine = i;
            if (isTitle) firstTitle = std::min(firstTitle, i);
        }
        EXPECT_LT(lastLine, firstTitle) << zoom;
        EXPECT_LT(firstTitle, list.items.size()) << zoom;
    }
}

TEST_F(Compose, textStaysInsideItsNode) {
    GraphBuilder b;
    b.node("AnOperatorWithAVeryLongNameThatCannotPossiblyFitIntoThreeHundredAndTwentyPixels",
           NodeRole::backward);
    b.at(0).rows.push_back({LayoutRow::Kind::weight, "label", std::string(300, 'x'), kNoIndex});
    open(b.build());
    for (const double zoom : {0.5, 1.0, 2.5}) {
        request.zoom = zoom;
        const Rect box{toView(request, {0, 0}).x, 0, 320 * zoom, 0};
        for (const DrawItem& item : draw().items) {
            if (item.op != DrawOp::text || item.align != TextAlign::left) continue;
            const double width = textWidth(list.textOf(item), item.face, item.textPx);
            EXPECT_LE(item.rect.x + width, box.right() + 0.5) << list.textOf(item);
        }
    }
}

TEST_F(Compose, farLevelsDrawBatchesOfOpaqueShapes) {
    open(trainingGraph(200));
    request.zoom = 0.1;
    std::size_t batches = 0;
    for (const DrawItem& item : draw().items) {
        EXPECT_NE(item.op, DrawOp::text);
        EXPECT_NE(item.op, DrawOp::path);
        batches += item.op == DrawOp::rectBatch || item.op == DrawOp::lineBatch ? 1 : 0;
    }
    EXPECT_GT(batches, 3U);
    EXPECT_LT(list.items.size(), 60U) << "one item for each colour, not for each node";
}

TEST_F(Compose, aFrameCostsWhatIsVisible) {
    open(trainingGraph(50));
    const Rect window{0, 800, 900, 700};
    request.viewport = window;
    const std::size_t small = draw().items.size();
    open(trainingGraph(5000));
    request.viewport = window;
    EXPECT_LE(draw().items.size(), small + 4);
    EXPECT_GT(small, 100U);
}

TEST_F(Compose, sameSceneGivesTheSameList) {
    open(trainingGraph(10));
    for (std::size_t n = 0; n < state.nodes.size(); ++n)
        state.nodes[n].diff = kStates[n % 7];
    const std::string first = greySignature(draw(), ThemeKind::dark);
    const std::string strings = list.strings;
    EXPECT_EQ(greySignature(draw(), ThemeKind::dark), first);
    EXPECT_EQ(list.strings, strings);
}

TEST_F(Compose, groupsShowTheirFateInABarAndInWords) {
    LayoutGraph training = trainingGraph(8);
    HierarchyHints hints;
    hints.parameterNames.resize(training.nodes.size());
    for (std::uint32_t i = 0; i < 8; ++i)
        hints.parameterNames[1 + i * 6] = "b." + std::to_string(i) + ".fc.weight";
    openWithGroups(std::move(training), hints, false);
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        if (graph.nodes[n].role != NodeRole::forward) state.nodes[n].diff = DiffState::removedBySelectedStep;
    }
    state.tally(graph, layout);
    draw();
    EXPECT_NE(list.strings.find("b.3"), std::string::npos);
    EXPECT_NE(list.strings.find("3 of 3 removed"), std::string::npos);
}

TEST_F(Compose, whatWasReplacedIsNotRemovedAndLivesOnInAfter) {
    GraphBuilder b;
    for (const char* title :
         {"Conv", "BatchNorm", "Relu", "Clip", "MatMul", "Gelu", "Add", "Tanh", "BatchNorm"})
        b.node(title);
    for (std::uint32_t i = 0; i < 7; ++i)
        b.edge(i, i + 1);
    b.at(8).replaces = {1};
    HierarchyHints hints;
    hints.nodeNames = {"/a/0", "/a/1", "/a/2", "/a/3", "/b/0", "/b/1", "/b/2", "/b/3", ""};
    hints.homes.assign(9, kNoIndex);
    hints.homes[8] = 1;
    openWithGroups(b.build(), hints, false);
    ASSERT_EQ(state.items.size(), 2U);
    state.nodes[8].diff = DiffState::added;
    const auto wordsIn = [&](Pane pane) {
        state.tally(graph, layout);
        request.pane = pane;
        return draw().strings;
    };
    using ::testing::HasSubstr;
    using ::testing::Not;
    for (const DiffState diff : {DiffState::replaced, DiffState::removedEarlier}) {
        state.nodes[1].diff = diff;
        state.nodes[1].isReplaced = true;
        EXPECT_THAT(wordsIn(Pane::before), HasSubstr("1 of 4 replaced"));
        EXPECT_THAT(wordsIn(Pane::after), Not(HasSubstr("before"))) << "as many as there were";
        EXPECT_THAT(wordsIn(Pane::after), Not(HasSubstr("removed")));
    }
    state.nodes[2].diff = DiffState::removedBySelectedStep;
    EXPECT_THAT(wordsIn(Pane::before), HasSubstr("1 of 4 removed, 1 replaced"));
    EXPECT_THAT(wordsIn(Pane::after), HasSubstr("3 nodes, 4 before"));
    // All of it replaced by one: a box of one node, full and not dashed.
    for (std::uint32_t n = 0; n < 4; ++n) {
        state.nodes[n].diff = DiffState::replaced;
        state.nodes[n].isReplaced = true;
    }
    EXPECT_THAT(wordsIn(Pane::after), HasSubstr("1 node, 4 before"));
    EXPECT_TRUE(std::none_of(list.items.begin(), list.items.end(), [](const DrawItem& item) {
        return item.dash == DashStyle::dashed || item.dash == DashStyle::dotted;
    })) << "something is there";
    EXPECT_THAT(wordsIn(Pane::before), HasSubstr("4 of 4 replaced"));
}

TEST_F(Compose, countsOfAGroupLeaveGraphInputsAndOutputsOut) {
    GraphBuilder b;
    for (const char* title : {"x", "Conv", "Relu", "Clip", "MatMul", "Gelu", "Add", "y"})
        b.node(title);
    b.at(0).key = kInputKeyBit;
    b.at(7).key = kOutputKeyBit;
    for (std::uint32_t i = 0; i < 7; ++i)
        b.edge(i, i + 1);
    HierarchyHints hints;
    hints.nodeNames = {"/a/x", "/a/Conv", "/a/Relu", "/a/Clip", "/b/MatMul", "/b/Gelu", "/b/Add", "/b/y"};
    openWithGroups(b.build(), hints, false);
    ASSERT_EQ(state.items.size(), 4U);
    std::vector<std::uint32_t> totals;
    for (std::uint32_t i = 0; i < layout.items.size(); ++i)
        totals.push_back(state.items[i].total);
    std::sort(totals.begin(), totals.end());
    EXPECT_EQ(totals, (std::vector<std::uint32_t>{0, 0, 3, 3}));
}

TEST_F(Compose, hitTestFindsNodesRowsEdgesAndNothing) {
    open(trainingGraph(4));
    const std::uint32_t matmul = 1;
    const Hit hit = hitTest(scene, request, middleOf(matmul));
    EXPECT_EQ(hit.kind, Hit::Kind::node);
    EXPECT_EQ(hit.node, matmul);
    const Rect box = nodeRect(graph, layout, matmul);
    EXPECT_EQ(hitTest(scene, request, toView(request, {box.x + 20, box.bottom() - 6})).row, 0);
    EXPECT_EQ(hitTest(scene, request, toView(request, {box.x + 20, box.y + 5})).row, -1);
    EXPECT_EQ(hitTest(scene, request, toView(request, {box.centerX(), box.bottom() + 12})).kind,
              Hit::Kind::edge);
    EXPECT_EQ(hitTest(scene, request, {-500, -500}).kind, Hit::Kind::none);
    EXPECT_TRUE(nodeRect(graph, layout, 123456).isEmpty());
}

TEST_F(Compose, hitTestSkipsWhatThePaneDoesNotShow) {
    open(trainingGraph(2));
    state.nodes[1].diff = DiffState::added;
    request.pane = Pane::before;
    EXPECT_NE(hitTest(scene, request, middleOf(1)).kind, Hit::Kind::node);
    request.pane = Pane::after;
    EXPECT_EQ(hitTest(scene, request, middleOf(1)).kind, Hit::Kind::node);
}

TEST_F(Compose, rubberBandTakesWhatItTouches) {
    open(trainingGraph(3));
    const Rect all{0, 0, request.viewport.width, request.viewport.height};
    EXPECT_EQ(hitTestArea(scene, request, all).size(), layout.items.size());
    EXPECT_TRUE(hitTestArea(scene, request, {-50, -50, 10, 10}).empty());
}

TEST_F(Compose, boundsOfAfterLeaveTheHolesOut) {
    open(trainingGraph(5));
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
        if (columnOf(graph.nodes[n].role) > 0) state.nodes[n].diff = DiffState::removedBySelectedStep;
    }
    EXPECT_LE(visibleBounds(layout, state, Pane::after).right(), layout.columns[0].right());
    EXPECT_GE(visibleBounds(layout, state, Pane::before).right(), layout.columns[2].x);
}

TEST_F(Compose, aCancelledLayoutDrawsNothing) {
    open(trainingGraph(3));
    LayoutOptions options;
    options.isCancelled = [] { return true; };
    layout = layoutGraph(graph, options);
    state.nodes[2].isSelected = true;
    state.tally(graph, layout);
    request.hovered.kind = Hit::Kind::node;
    request.hovered.index = 7;
    EXPECT_EQ(draw().items.size(), 1U) << "the canvas alone";
    EXPECT_EQ(hitTest(scene, request, {5, 5}).kind, Hit::Kind::none);
}

TEST_F(Compose, portalsAreDrawnWholeForTheHoveredNode) {
    GraphBuilder b;
    const std::uint32_t mask = b.node("Mask");
    for (int i = 0; i < 20; ++i)
        b.edge(mask, b.node("Mul"), EdgeClass::data, 1);
    open(b.build());
    const auto paths = [&] {
        std::size_t count = 0;
        for (const DrawItem& item : draw().items)
            count += item.op == DrawOp::path ? 1 : 0;
        return count;
    };
    EXPECT_EQ(paths(), 0U);
    request.hovered = hitTest(scene, request, middleOf(mask));
    EXPECT_EQ(paths(), 20U);
    request.hovered = hitTest(scene, request, middleOf(3));
    EXPECT_EQ(paths(), 1U);
}

TEST_F(Compose, edgesLeaveThePaneThatTheyAreNotIn) {
    open(trainingGraph(1));
    request.drawCanvas = false;
    const auto paths = [&] {
        std::size_t count = 0;
        for (const DrawItem& item : draw().items)
            count += item.op == DrawOp::path ? 1 : 0;
        return count;
    };
    request.pane = Pane::after;
    const std::size_t all = paths();
    state.edges.assign(graph.edges.size(), kEdgeInBefore | kEdgeInAfter);
    state.edges[0] = kEdgeInBefore;
    EXPECT_EQ(paths(), all - 1);
    request.pane = Pane::before;
    EXPECT_EQ(paths(), all);
}

/// Groups whose names differ only in the middle.
TEST_F(Compose, closedGroupsWithLongNamesStayDifferentAndKeepTheirNumbers) {
    GraphBuilder b;
    HierarchyHints hints;
    std::uint32_t before = b.node("x");
    hints.nodeNames.emplace_back();
    for (const char* side : {"left", "right", "upper", "lower"})
        for (int i = 0; i < 12; ++i) {
            const std::uint32_t node = b.node("Relu");
            b.edge(before, node);
            before = node;
            hints.nodeNames.push_back(std::string("/network_of_encoder_blocks_") + side +
                                      "_with_attention_and_dropout/op");
        }
    openWithGroups(b.build(), hints, false);
    for (const double zoom : {1.0, 0.5}) {
        request.zoom = zoom;
        draw();
        std::set<std::string> names;
        std::uint32_t numbers = 0;
        for (const DrawItem& item : list.items) {
            if (item.op != DrawOp::text) continue;
            const std::string said(list.textOf(item));
            numbers += said.ends_with(" nodes") ? 1U : 0U;
            if (said.find("…") != std::string::npos) names.insert(said);
        }
        EXPECT_EQ(names.size(), 4U) << zoom;
        EXPECT_EQ(numbers, 4U) << zoom;
    }
}

} // namespace
} // namespace secateur
