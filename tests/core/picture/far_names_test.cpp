// SPDX-License-Identifier: Apache-2.0
//
// Names in pictures that are seen from far away.
#include "core/layout/font_metrics.h"
#include "tests/core/picture/scene_fixture.h"

#include <algorithm>

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

} // namespace
} // namespace secateur
