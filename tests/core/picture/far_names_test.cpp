// SPDX-License-Identifier: Apache-2.0
//
// Names in pictures that are seen from far away.
#include "core/layout/font_metrics.h"
#include "tests/core/picture/scene_fixture.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace secateur {
namespace {

class FarNames : public SceneFixture {
  protected:
    void fit(double width, double height) {
        request.zoom = std::min({width / layout.bounds.width, height / layout.bounds.height, 1.0});
        request.viewport = {layout.bounds.centerX() - width / request.zoom / 2,
                            layout.bounds.centerY() - height / request.zoom / 2, width / request.zoom,
                            height / request.zoom};
    }
    [[nodiscard]] std::vector<Rect> texts() {
        std::vector<Rect> found;
        for (const DrawItem& item : draw().items) {
            if (item.op != DrawOp::text) continue;
            EXPECT_GE(item.textPx, kSmallestTextPx);
            found.push_back(item.rect);
        }
        return found;
    }
    void expectNoneOverBoxes(const std::vector<Rect>& texts) {
        for (std::size_t t = 0; t < texts.size(); ++t) {
            for (const PlacedItem& item : layout.items) {
                const Point corner = toView(request, {item.rect.x, item.rect.y});
                const Rect box{corner.x, corner.y, item.rect.width * request.zoom,
                               item.rect.height * request.zoom};
                const bool isInside = texts[t].x >= box.x && texts[t].right() <= box.right() + 1 &&
                                      item.node == kNoIndex; // the name of a closed group stands in its box
                EXPECT_TRUE(isInside || !texts[t].inflated(-1.5).intersects(box))
                    << t << " at " << request.zoom;
            }
            for (std::size_t k = 0; k < t; ++k)
                EXPECT_FALSE(texts[t].inflated(-1).intersects(texts[k])) << t << " and " << k;
        }
    }
};

TEST_F(FarNames, aPictureWithoutGroupsIsNotWithoutWords) {
    GraphBuilder b;
    std::uint32_t last = b.node("Conv");
    for (int i = 1; i < 150; ++i) {
        const std::uint32_t next = b.node(i % 3 == 0 ? "Conv" : i % 3 == 1 ? "Relu" : "BatchNormalization");
        b.edge(last, next);
        last = next;
    }
    open(b.build());
    fit(700, 900);
    ASSERT_LT(request.zoom, kCardZoom);
    const std::vector<Rect> found = texts();
    EXPECT_GE(found.size(), 12U);
    expectNoneOverBoxes(found);
    for (const Rect& text : found)
        EXPECT_TRUE(text.x >= 0 && text.y >= -1 && text.right() <= 700 && text.bottom() <= 901);
}

TEST_F(FarNames, namesOfOpenGroupsLieOnNoBox) {
    LayoutGraph training = trainingGraph(12);
    HierarchyHints hints;
    hints.parameterNames.resize(training.nodes.size());
    for (std::uint32_t i = 0; i < 12; ++i)
        hints.parameterNames[1 + i * 6] = "network.blocks." + std::to_string(i) + ".fc.weight";
    openWithGroups(std::move(training), hints, true);
    for (const double height : {400.0, 700.0, 1000.0, 1400.0}) {
        fit(800, height);
        if (request.zoom >= kCardZoom) continue;
        expectNoneOverBoxes(texts());
    }
}

TEST_F(FarNames, linesPassBelowThem) {
    GraphBuilder b;
    std::vector<std::uint32_t> nodes{b.node("Conv")};
    for (std::uint32_t i = 1; i < 120; ++i) {
        nodes.push_back(b.node("Relu"));
        for (std::uint32_t back = 1; back <= std::min(i, 4U); ++back)
            b.edge(nodes[i - back], nodes[i], EdgeClass::data, static_cast<std::uint16_t>(back));
    }
    open(b.build());
    fit(700, 900);
    ASSERT_LT(request.zoom, kCardZoom);
    const DisplayList& drawn = draw();
    std::size_t names = 0;
    for (std::size_t i = 0; i < drawn.items.size(); ++i) {
        if (drawn.items[i].op != DrawOp::text) continue;
        ++names;
        ASSERT_GT(i, 0U);
        const DrawItem& plate = drawn.items[i - 1];
        EXPECT_TRUE(plate.op == DrawOp::rect && plate.hasFill && plate.fill.role == ThemeRole::canvas);
        EXPECT_LE(plate.rect.x, drawn.items[i].rect.x);
        EXPECT_GE(plate.rect.right(), drawn.items[i].rect.right() - 1);
    }
    EXPECT_GT(names, 5U);
}

TEST_F(FarNames, bothPanesNameTheSameBoxes) {
    open(trainingGraph(24));
    fit(900, 700);
    ASSERT_LT(request.zoom, kCardZoom);
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
        if (graph.nodes[n].role != NodeRole::forward) state.nodes[n].diff = DiffState::removedEarlier;
    state.tally(graph, layout);
    const auto namesIn = [&](Pane pane, bool stayingOnly) {
        request.pane = pane;
        std::vector<std::pair<double, double>> places;
        for (const DrawItem& item : draw().items) {
            if (item.op != DrawOp::text) continue;
            bool isStaying = false;
            for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
                isStaying = isStaying || (graph.nodes[n].role == NodeRole::forward &&
                                          graph.nodes[n].title == list.textOf(item) &&
                                          std::abs(middleOf(n).y - item.rect.centerY()) < 1);
            if (!stayingOnly || isStaying) places.emplace_back(item.rect.x, item.rect.y);
        }
        std::sort(places.begin(), places.end());
        return places;
    };
    const auto after = namesIn(Pane::after, false);
    EXPECT_GT(after.size(), 3U);
    const auto before = namesIn(Pane::before, true);
    for (const auto& place : after)
        EXPECT_NE(std::find(before.begin(), before.end(), place), before.end());
}

} // namespace
} // namespace secateur
