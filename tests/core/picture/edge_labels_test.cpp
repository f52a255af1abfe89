// SPDX-License-Identifier: Apache-2.0
#include "core/picture/edge_labels.h"

#include "core/layout/font_metrics.h"
#include "core/picture/frames.h"
#include "tests/core/picture/scene_fixture.h"

#include <cmath>
#include <map>

namespace secateur {
namespace {

/// Labels are told from other texts by what stands in them.
class EdgeLabels : public SceneFixture {
  protected:
    static bool isLabel(std::string_view text) {
        return text.substr(0, 6) == "float[" || text.find("KiB") != std::string_view::npos;
    }
    /// World boxes of the labels that are drawn, by text and place.
    std::vector<Rect> labels() {
        std::vector<Rect> boxes;
        for (const DrawItem& item : draw().items) {
            if (item.op != DrawOp::text || !isLabel(list.textOf(item))) continue;
            const Point corner = toWorld(request, {item.rect.x, item.rect.y});
            boxes.push_back(
                {corner.x, corner.y, item.rect.width / request.zoom, item.rect.height / request.zoom});
        }
        return boxes;
    }
    /// Rows of nodes that all read several of the row before.
    static LayoutGraph denseGraph() {
        GraphBuilder b;
        constexpr std::uint32_t kWide = 7, kRows = 12;
        for (std::uint32_t i = 0; i < kWide * kRows; ++i)
            b.node(i % 3 == 0 ? "Add" : "MatMul");
        for (std::uint32_t i = kWide; i < kWide * kRows; ++i)
            for (std::uint32_t k = 0; k < 3; ++k)
                b.edge(i / kWide * kWide - kWide + (i * 5 + k * 2) % kWide, i, EdgeClass::data,
                       static_cast<std::uint16_t>(k));
        return b.build();
    }
};

TEST_F(EdgeLabels, lieOnNothingElse) {
    for (LayoutGraph graphToOpen : {denseGraph(), trainingGraph(12)}) {
        open(std::move(graphToOpen));
        for (const double zoom : {0.6, 0.7, 1.0, 2.0}) {
            request.zoom = zoom;
            const std::vector<Rect> boxes = labels();
            EXPECT_FALSE(boxes.empty()) << zoom;
            for (std::size_t i = 0; i < boxes.size(); ++i) {
                std::vector<std::uint32_t> cards;
                layout.itemIndex.query(boxes[i], cards);
                EXPECT_TRUE(cards.empty()) << "a card under a label at zoom " << zoom;
                for (std::size_t k = 0; k < i; ++k)
                    EXPECT_FALSE(boxes[i].intersects(boxes[k])) << "two labels at zoom " << zoom;
            }
        }
    }
}

TEST_F(EdgeLabels, areReadOverTheRingAroundWhatIsSelected) {
    open(trainingGraph(6));
    for (const std::uint32_t node : {7U, 13U}) {
        state.nodes.assign(graph.nodes.size(), {});
        state.nodes[node].isSelected = true;
        const Rect& box = layout.items[layout.itemOfNode[node]].rect;
        for (const double zoom : {0.7, 1.0}) {
            request.zoom = zoom;
            draw();
            const Point corner = toView(request, {box.x, box.y});
            const Rect ring = Rect{corner.x, corner.y, box.width * zoom, box.height * zoom}.inflated(6);
            const auto drawn = std::find_if(list.items.begin(), list.items.end(), [&](const DrawItem& item) {
                return item.op == DrawOp::rect && item.stroke.role == ThemeRole::accent && item.rect == ring;
            });
            ASSERT_NE(drawn, list.items.end());
            int onRing = 0;
            for (auto item = list.items.begin(); item != list.items.end(); ++item) {
                if (item->op != DrawOp::text || !isLabel(list.textOf(*item))) continue;
                if (!item->rect.intersects(ring)) continue;
                ++onRing;
                EXPECT_GT(item, drawn);
                const DrawItem& plate = *(item - 1);
                EXPECT_TRUE(plate.op == DrawOp::rect && plate.hasFill);
                EXPECT_EQ(plate.fill.role, ThemeRole::canvas);
                EXPECT_TRUE(plate.rect.intersects(item->rect));
            }
            EXPECT_GT(onRing, 0);
        }
    }
}

TEST_F(EdgeLabels, areReadOverTheRingAroundAClosedGroupOfTheStep) {
    HierarchyHints hints;
    LayoutGraph training = trainingGraph(12);
    for (std::uint32_t n = 0; n < training.nodes.size(); ++n)
        hints.nodeNames.push_back("/b" + std::to_string(std::min((n + 5) / 6, 12U) / 4) + "/Op");
    openWithGroups(training, hints, false);
    for (std::uint32_t n = 0; n < graph.nodes.size(); ++n)
        if (graph.nodes[n].role == NodeRole::backward) state.nodes[n].isInSelectedStep = true;
    state.tally(graph, layout);
    request.zoom = 0.7;
    draw();
    std::vector<Rect> rings;
    for (const DrawItem& item : list.items)
        if (item.op == DrawOp::rect && item.hasStroke && item.stroke.role == ThemeRole::accent &&
            item.dash == DashStyle::dashed)
            rings.push_back(item.rect);
    ASSERT_FALSE(rings.empty());
    int onRing = 0;
    for (std::size_t i = 1; i < list.items.size(); ++i) {
        const DrawItem& item = list.items[i];
        if (item.op != DrawOp::text || !isLabel(list.textOf(item))) continue;
        const bool isOn = std::any_of(rings.begin(), rings.end(),
                                      [&](const Rect& ring) { return ring.intersects(item.rect); });
        if (!isOn) continue;
        ++onRing;
        const DrawItem& plate = list.items[i - 1];
        EXPECT_TRUE(plate.op == DrawOp::rect && plate.hasFill && plate.fill.role == ThemeRole::canvas);
    }
    EXPECT_GT(onRing, 0);
    // What is gone leaves a hole, which the step is not shown on.
    for (NodeState& node : state.nodes)
        if (node.isInSelectedStep) node.diff = DiffState::removedBySelectedStep;
    state.tally(graph, layout);
    request.pane = Pane::after;
    draw();
    for (const DrawItem& item : list.items)
        EXPECT_FALSE(item.op == DrawOp::rect && item.hasStroke && item.stroke.role == ThemeRole::accent);
}

TEST_F(EdgeLabels, areReadOverThePathAndNotUnderItsNumbers) {
    open(trainingGraph(6));
    request.path.nodes = {1, 2, 7, 8, 13, 14};
    for (const double zoom : {0.7, 1.0}) {
        request.zoom = zoom;
        draw();
        std::size_t lastLine = 0, firstLabel = list.items.size(), discs = 0;
        std::vector<Rect> texts;
        for (std::size_t i = 0; i < list.items.size(); ++i) {
            const DrawItem& item = list.items[i];
            const bool isAccent = item.hasStroke && item.stroke.role == ThemeRole::accent;
            if (item.op == DrawOp::path && isAccent) lastLine = i;
            if (item.op != DrawOp::text || !isLabel(list.textOf(item))) continue;
            firstLabel = std::min(firstLabel, i);
            texts.push_back(item.rect);
        }
        EXPECT_GT(lastLine, 0U);
        EXPECT_LT(lastLine, firstLabel);
        for (const DrawItem& item : list.items) {
            const bool isDisc = item.op == DrawOp::rect && item.hasFill && item.hasStroke &&
                                item.fill.role == ThemeRole::accent && item.stroke.role == ThemeRole::canvas;
            if (!isDisc) continue;
            ++discs;
            for (const Rect& text : texts)
                EXPECT_FALSE(text.intersects(item.rect)) << "zoom " << zoom;
        }
        EXPECT_EQ(discs, request.path.nodes.size());
    }
}

TEST_F(EdgeLabels, areWholeOrNotThere) {
    open(denseGraph());
    for (const double zoom : {0.6, 1.0}) {
        request.zoom = zoom;
        draw();
        EXPECT_EQ(list.strings.find("float[\xE2\x80\xA6"), std::string::npos);
        for (const DrawItem& item : list.items) {
            if (item.op != DrawOp::text || !isLabel(list.textOf(item))) continue;
            EXPECT_EQ(list.textOf(item), "float[32,4096]");
        }
    }
}

TEST_F(EdgeLabels, doNotCrossTheBorderOfAGroup) {
    LayoutGraph training = trainingGraph(12);
    HierarchyHints hints;
    hints.nodeNames.resize(training.nodes.size());
    for (std::uint32_t n = 1; n < training.nodes.size(); ++n)
        hints.nodeNames[n] = "/b." + std::to_string((n - 1) / 24) + "/" + training.nodes[n].title;
    openWithGroups(std::move(training), hints, true);
    std::size_t drawn = 0;
    const std::vector<Rect> boxes = labels();
    EXPECT_FALSE(boxes.empty());
    for (std::uint32_t i = 0; i < layout.frames.size(); ++i) {
        if (!isFrameDrawn(scene, request, i)) continue;
        ++drawn;
        const Rect& f = layout.frames[i].rect;
        for (const Rect& box : boxes) {
            const bool isInside =
                box.x >= f.x && box.right() <= f.right() && box.y >= f.y && box.bottom() <= f.bottom();
            EXPECT_TRUE(isInside || !box.intersects(f));
        }
    }
    EXPECT_GT(drawn, 0U);
}

TEST_F(EdgeLabels, stayWhilePanning) {
    open(denseGraph());
    request.zoom = 1;
    const Rect all = request.viewport;
    std::map<std::pair<long, long>, Rect> whole;
    const auto place = [](const Rect& box) { return std::pair(std::lround(box.x), std::lround(box.y)); };
    for (const Rect& box : labels())
        whole[place(box)] = box;
    for (double x = all.x; x < all.right(); x += 53) {
        request.viewport = {x, all.y + 100, 300, 400};
        std::size_t seen = 0;
        for (const Rect& box : labels()) {
            EXPECT_EQ(whole.count(place(box)), 1U) << "appears only when panned";
            ++seen;
        }
        std::size_t expected = 0;
        for (const auto& [corner, box] : whole)
            if (request.viewport.inflated(-4).intersects(box)) ++expected;
        EXPECT_GE(seen, expected) << "vanishes when panned";
    }
}

TEST_F(EdgeLabels, theHoveredEdgeSaysItsTypeWherever) {
    open(denseGraph());
    request.zoom = 1;
    const std::size_t before = labels().size();
    std::size_t silent = 0;
    for (std::uint32_t e = 0; e < layout.edges.size(); ++e) {
        if (layout.edges[e].isPortal) continue;
        request.hovered.kind = Hit::Kind::edge;
        request.hovered.index = e;
        silent += labels().size() > before ? 0U : 1U;
    }
    EXPECT_EQ(silent, 0U);
}

TEST_F(EdgeLabels, aStashWithANamedBatchSaysBytesForOne) {
    LayoutGraph training = trainingGraph(2);
    for (LayoutEdge& edge : training.edges) {
        if (edge.edgeClass != EdgeClass::stash) continue;
        edge.bytes = -1;
        edge.factor = "batch";
        edge.bytesForOne = 12288;
    }
    open(std::move(training));
    draw();
    EXPECT_NE(list.strings.find("batch × 12 KiB"), std::string::npos) << list.strings;
}

TEST_F(EdgeLabels, betweenTheHalvesThereIsRoomForTheNamesThatExportersGive) {
    LayoutGraph training = trainingGraph(2);
    for (LayoutEdge& edge : training.edges) {
        if (edge.edgeClass != EdgeClass::stash) continue;
        edge.bytes = -1;
        edge.factor = "unk__859";
        edge.bytesForOne = 512;
    }
    open(std::move(training));
    draw();
    EXPECT_NE(list.strings.find("unk__859 × 512 B"), std::string::npos) << list.strings;
    EXPECT_LE(layout.columns[1].x - layout.columns[0].right(), 96);
}

TEST_F(EdgeLabels, onAPageNoneReachesOverItsEdge) {
    open(denseGraph());
    request = wholePicture(scene, Pane::before);
    for (const Rect& box : labels()) {
        EXPECT_GE(box.x, request.viewport.x + 3);
        EXPECT_LE(box.right(), request.viewport.right() - 3);
    }
}

TEST_F(EdgeLabels, leaveTheSignsOfNodesAlone) {
    open(trainingGraph(12));
    request.pane = Pane::before;
    for (NodeState& node : state.nodes)
        node.diff = DiffState::removedBySelectedStep;
    state.tally(graph, layout);
    for (const double zoom : {0.6, 1.0, 1.5}) {
        request.zoom = zoom;
        const std::vector<Rect> boxes = labels();
        EXPECT_FALSE(boxes.empty()) << zoom;
        std::size_t badges = 0;
        for (const DrawItem& item : list.items) {
            if (item.op != DrawOp::ellipse) continue;
            ++badges;
            const Point corner = toWorld(request, {item.rect.x, item.rect.y});
            const Rect badge{corner.x, corner.y, item.rect.width / zoom, item.rect.height / zoom};
            for (const Rect& box : boxes)
                EXPECT_FALSE(box.intersects(badge)) << "a label under a sign at zoom " << zoom;
        }
        EXPECT_GT(badges, 12U);
    }
}

TEST_F(EdgeLabels, whatAStepPutsInAnEdgesPlaceSaysItsTypeToo) {
    GraphBuilder b;
    const std::uint32_t first = b.node("Conv"), gone = b.node("Dropout"), last = b.node("Gemm");
    b.edge(first, gone);
    b.edge(gone, last);
    b.edge(first, last); // once Dropout is gone
    open(b.build());
    state.edges = {kEdgeInBefore, kEdgeInBefore, kEdgeInAfter};
    state.nodes[gone].diff = DiffState::removedEarlier;
    state.tally(graph, layout);
    request.pane = Pane::before;
    EXPECT_EQ(labels().size(), 2U);
    request.pane = Pane::after;
    EXPECT_EQ(labels().size(), 1U);
}

TEST_F(EdgeLabels, inAFrameTooNarrowForThemTheyLieOnTheirLines) {
    GraphBuilder b;
    HierarchyHints hints;
    std::uint32_t before = kNoIndex;
    for (std::uint32_t i = 0; i < 24; ++i) {
        const std::uint32_t node = b.node("Relu");
        if (before != kNoIndex) b.edge(before, node);
        before = node;
        hints.nodeNames.push_back(i < 12 ? "/a/op" : "/b/op");
    }
    openWithGroups(b.build(), hints, true);
    request.pane = Pane::before;
    ASSERT_EQ(layout.frames.size(), 2U);
    EXPECT_EQ(labels().size(), 22U) << "all but that of the edge from frame to frame";
}

} // namespace
} // namespace secateur
