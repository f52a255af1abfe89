// SPDX-License-Identifier: Apache-2.0
#include "core/picture/export_picture.h"

#include "tests/core/picture/scene_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace secateur {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ExportPicture : public SceneFixture {
  protected:
    /// The training half is removed.
    void openPruned(std::uint32_t blocks) {
        open(trainingGraph(blocks));
        for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
            if (graph.nodes[n].role != NodeRole::forward) state.nodes[n].diff = DiffState::removedEarlier;
        state.tally(graph, layout);
    }
    std::string svg(ExportOptions options) const {
        return exportSvg({graph, hierarchy, expanded, layout, state}, options);
    }
    static ExportOptions pane(Pane which, bool isCompact = true) {
        ExportOptions options;
        options.pane = which;
        options.isCompact = isCompact;
        return options;
    }

    ExpandState expanded;
};

TEST_F(ExportPicture, ofAfterHasNoHolesAndIsNoLargerThanWhatIsThere) {
    openPruned(6);
    const DisplayList compact = exportList({graph, hierarchy, expanded, layout, state}, pane(Pane::after));
    for (const DrawItem& item : compact.items)
        EXPECT_NE(item.dash, DashStyle::dotted) << "a hole";
    const DisplayList before = exportList({graph, hierarchy, expanded, layout, state}, pane(Pane::before));
    EXPECT_LT(compact.width, before.width / 2);
    EXPECT_LT(compact.width, 420) << "one column of cards";
}

TEST_F(ExportPicture, lockedAfterKeepsPlacesAndCutsTheEmptyColumnsOff) {
    openPruned(6);
    const DisplayList locked =
        exportList({graph, hierarchy, expanded, layout, state}, pane(Pane::after, false));
    EXPECT_LE(locked.width, layout.columns[0].width + 64 + 1);
}

TEST_F(ExportPicture, leavesSelectionAndHoveringOut) {
    openPruned(2);
    const std::string plain = svg(pane(Pane::before));
    state.nodes[1].isSelected = true;
    EXPECT_EQ(svg(pane(Pane::before)), plain);
}

TEST_F(ExportPicture, takesTheFacesOfItsPane) {
    openPruned(1);
    NodeFace face = faceOf(graph.nodes[1]);
    face.title = "FusedMatMul";
    state.facesAfter.add(1, face);
    EXPECT_THAT(svg(pane(Pane::after)), HasSubstr(">FusedMatMul</text>"));
    EXPECT_THAT(svg(pane(Pane::before)), Not(HasSubstr(">FusedMatMul</text>")));
}

TEST_F(ExportPicture, aHeatMapHasItsLegendAboveThePicture) {
    openPruned(2);
    Heat heat;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        heat.values.push_back(n == 1 ? Heat::kNotMeasured : 1024.0 * static_cast<double>(n + 1));
    heat.note = "counted for batch = 1";
    finishHeat(heat);
    for (const Pane which : {Pane::before, Pane::after}) {
        ExportOptions options = pane(which);
        options.colorMode = ColorMode::heat;
        const DisplayList drawn = exportList({graph, hierarchy, expanded, layout, state, &heat}, options);
        EXPECT_NE(drawn.strings.find("counted for batch = 1"), std::string::npos);
        double legendBottom = 0, cardTop = drawn.height;
        for (const DrawItem& item : drawn.items) {
            if (item.op != DrawOp::text) continue;
            EXPECT_LE(item.rect.right(), drawn.width) << drawn.textOf(item) << " is cut by the page";
            if (drawn.textOf(item).find("batch = 1") != std::string_view::npos)
                legendBottom = item.rect.bottom();
            if (drawn.textOf(item) == "x") cardTop = item.rect.y;
        }
        EXPECT_LT(legendBottom, cardTop);
    }
}

/// Where an item of a list reaches to.
Rect reachOf(const DisplayList& list, const DrawItem& item) {
    const bool hasPoints = item.op == DrawOp::path || item.op == DrawOp::polyline;
    if (!hasPoints) return item.rect;
    Point low = list.points[item.first], high = low;
    for (std::uint32_t k = item.first; k < item.first + item.count; ++k) {
        const Point& p = list.points[k];
        low = {std::min(low.x, p.x), std::min(low.y, p.y)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    return {low.x, low.y, high.x - low.x, high.y - low.y};
}

/// Each of `count` nodes feeds all behind it up to `reach` away.
LayoutGraph denseGraph(std::uint32_t count, std::uint32_t reach) {
    GraphBuilder b;
    for (std::uint32_t i = 0; i < count; ++i)
        b.node("Sum");
    for (std::uint32_t i = 0; i < count; ++i)
        for (std::uint32_t k = i + 1; k < count && k <= i + reach; ++k)
            b.edge(i, k, EdgeClass::data, static_cast<std::uint16_t>(k - i - 1));
    return b.build();
}

TEST_F(ExportPicture, thePageHoldsAllThatIsDrawn) {
    for (const std::uint32_t reach : {2U, 5U, 11U}) {
        open(denseGraph(60, reach));
        for (const bool isCompact : {true, false})
            for (const Pane which : {Pane::before, Pane::after, Pane::overlay}) {
                const DisplayList page =
                    exportList({graph, hierarchy, expanded, layout, state}, pane(which, isCompact));
                std::size_t edges = 0;
                for (const DrawItem& item : page.items) {
                    const Rect box = reachOf(page, item);
                    if (box.width >= page.width) continue; // the ground
                    edges += item.op == DrawOp::path ? 1 : 0;
                    EXPECT_GE(box.x, 16) << "reach " << reach;
                    EXPECT_GE(box.y, 16) << "reach " << reach;
                    EXPECT_LE(box.right(), page.width - 16) << "reach " << reach;
                    EXPECT_LE(box.bottom(), page.height - 16) << "reach " << reach;
                }
                EXPECT_GT(edges, 50U);
            }
    }
}

TEST_F(ExportPicture, labelsAtTheRimHaveRoomOnThePage) {
    GraphBuilder b;
    const std::uint32_t from = b.node("A"), to = b.node("B");
    b.edge(from, to);
    open(b.build());
    LayoutEdge& edge = graph.edges.front();
    edge.label = "float[a_dimension_with_a_name,a_dimension_with_another]";
    layout = layoutGraph(graph);
    scene.layout = &layout;
    const DisplayList page = exportList({graph, hierarchy, expanded, layout, state}, pane(Pane::before));
    EXPECT_THAT(page.strings, HasSubstr("dimension"));
}

TEST_F(ExportPicture, endlessNamesOfDimensionsAreCut) {
    GraphBuilder b;
    const std::uint32_t from = b.node("A"), to = b.node("B");
    b.edge(from, to);
    open(b.build());
    graph.edges.front().label = "float[" + std::string(300, 'n') + "]";
    layout = layoutGraph(graph);
    scene.layout = &layout;
    const DisplayList page = exportList({graph, hierarchy, expanded, layout, state}, pane(Pane::before));
    EXPECT_THAT(page.strings, HasSubstr("float[nnn"));
    EXPECT_THAT(page.strings, Not(HasSubstr(std::string(100, 'n'))));
    EXPECT_LT(page.width, 900);
}

TEST_F(ExportPicture, boundsOfALayoutHoldItsEdges) {
    open(denseGraph(60, 11));
    for (const Point& p : layout.points) {
        EXPECT_GE(p.x, layout.bounds.x);
        EXPECT_LE(p.x, layout.bounds.right());
    }
}

} // namespace
} // namespace secateur
