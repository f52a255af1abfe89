// SPDX-License-Identifier: Apache-2.0
#include "core/picture/path_proof.h"

#include "core/picture/compose.h"
#include "tests/core/picture/history_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace secateur {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// x -> a -> b -> c -> y, the target; b -> d -> e -> l, another output; b -> f, read by nobody; w -> g -> c.
constexpr std::string_view kForks = R"(
<ir_version: 8, opset_import: ["": 17]>
g (float[2] x, float[batch] w) => (float[2] y, float[2] l)
{
  [a] va = Relu (x)
  [b] vb = Tanh (va)
  [g] vg = Abs (w)
  [c] y = Add (vb, vg)
  [d] vd = Neg (vb)
  [e] l = Exp (vd)
  [f] vf = Sin (vb)
})";

class PathProofTest : public ::testing::Test {
  protected:
    void SetUp() override {
        original = testing::originalFromText(kForks);
        united = buildUnionGraph(*original, nullptr);
        const ValueId target = original->file.model.findValue("y");
        reach = findReachable(original->file.model, std::span(&target, 1));
        Recipe recipe = conversionRecipe();
        recipe.targets = {"y"};
        history = std::make_unique<History>(std::move(*History::run(original, recipe)));
    }
    std::uint32_t indexOf(std::string_view name) const {
        for (std::uint32_t i = 0; i < united.graph.nodes.size(); ++i)
            if (united.graph.nodes[i].name == name) return i;
        throw std::runtime_error("no node " + std::string(name));
    }
    std::vector<std::string> namesOf(const PathProof& proof) const {
        std::vector<std::string> names;
        for (const std::uint32_t node : proof.nodes)
            names.push_back(united.graph.nodes[node].name);
        return names;
    }
    PathProof proofOf(std::string_view name) const {
        return pathProof(united, Storyteller(*history), united.graph.nodes[indexOf(name)].key);
    }

    std::shared_ptr<const Original> original;
    std::unique_ptr<History> history;
    UnionGraph united;
    Reachability reach;
};

TEST_F(PathProofTest, aKeptNodeLeadsToTheTargetAndItsOutput) {
    const PathProof proof = proofOf("a");
    EXPECT_THAT(namesOf(proof), ElementsAre("a", "b", "c", "y"));
    EXPECT_EQ(proof.end, PathProof::End::target);
    EXPECT_EQ(proof.endText, "target y");
}

TEST_F(PathProofTest, aRemovedNodeLeadsToItsDeadEnd) {
    const PathProof proof = proofOf("d");
    EXPECT_THAT(namesOf(proof), ElementsAre("d", "e", "l"));
    EXPECT_EQ(proof.end, PathProof::End::otherOutput);
    EXPECT_THAT(proof.endText, HasSubstr("leaves as l,"));
    EXPECT_EQ(proofOf("f").end, PathProof::End::unread);
    EXPECT_THAT(namesOf(proofOf("f")), ElementsAre("f"));
}

TEST_F(PathProofTest, aGraphInputLeadsThroughItsNearestReader) {
    EXPECT_THAT(namesOf(proofOf("w")), ElementsAre("w", "g", "c", "y"));
}

TEST_F(PathProofTest, anOutputHasNone) {
    EXPECT_TRUE(proofOf("y").nodes.empty());
}

TEST_F(PathProofTest, wavesCountFromTheTargets) {
    const WalkWaves waves = walkWaves(united, reach);
    const auto waveOf = [&](std::string_view name) { return waves.waveOf[indexOf(name)]; };
    EXPECT_EQ(waveOf("y"), 0U);
    EXPECT_EQ(waveOf("c"), 1U);
    EXPECT_EQ(waveOf("b"), 2U);
    EXPECT_EQ(waveOf("g"), 2U);
    EXPECT_EQ(waveOf("a"), 3U);
    EXPECT_EQ(waveOf("w"), 3U);
    EXPECT_EQ(waveOf("x"), 4U);
    for (const char* never : {"d", "e", "f", "l"})
        EXPECT_EQ(waveOf(never), kNoIndex) << never;
    EXPECT_THAT(waves.sizes, ElementsAre(0U, 1U, 2U, 1U, 0U));
    EXPECT_TRUE(waves.isReached(indexOf("b"), 2));
    EXPECT_FALSE(waves.isReached(indexOf("a"), 2));
    EXPECT_FALSE(waves.isReached(indexOf("d"), 4));
}

/// The picture with a path or a walk on it.
class PathPicture : public PathProofTest {
  protected:
    void SetUp() override {
        PathProofTest::SetUp();
        layout = layoutGraph(united.graph);
        state.nodes.assign(united.graph.nodes.size(), {});
        state.tally(united.graph, layout);
        scene = {&united.graph, &layout, &hierarchy, &state};
        request = wholePicture(scene, Pane::before);
    }
    /// Items stroked or filled in the accent colour, by kind.
    std::size_t accents(DrawOp op) {
        compose(scene, request, list);
        std::size_t count = 0;
        for (const DrawItem& item : list.items) {
            const ColorRef color = item.hasFill ? item.fill : item.stroke;
            count += item.op == op && color == ColorRef{ThemeRole::accent, Shade::solid} ? 1U : 0U;
        }
        return count;
    }

    Layout layout;
    Hierarchy hierarchy;
    PictureState state;
    Scene scene;
    ViewRequest request;
    DisplayList list;
};

TEST_F(PathPicture, everyEdgeOfThePathIsDrawnInTheAccentColourAndEveryNodeNumbered) {
    EXPECT_EQ(accents(DrawOp::path), 0U);
    request.path = proofOf("a");
    EXPECT_EQ(accents(DrawOp::path), 3U);
    EXPECT_EQ(accents(DrawOp::rect), 4U) << "four discs";
    EXPECT_NE(list.strings.find("target y"), std::string::npos);
    EXPECT_EQ(list.strings.find('`'), std::string::npos) << "ticks are for sentences";
    EXPECT_EQ(accents(DrawOp::ellipse), 1U) << "the bull's eye";
}

TEST_F(PathPicture, liesOverOtherLinesAndUnderTheTextOfCards) {
    request.path = proofOf("a");
    for (const double zoom : {0.2, 1.0}) {
        request.zoom = zoom;
        compose(scene, request, list);
        std::size_t lastPath = 0, lastLine = 0, firstBox = list.items.size();
        for (std::size_t i = 0; i < list.items.size(); ++i) {
            const DrawItem& item = list.items[i];
            const bool isLine = item.op == DrawOp::path || item.op == DrawOp::lineBatch;
            const bool isAccent = item.hasStroke && item.stroke == ColorRef{ThemeRole::accent, Shade::solid};
            const bool isGround = item.hasStroke && item.stroke == ColorRef{ThemeRole::canvas, Shade::solid};
            if (isLine && isAccent) lastPath = i;
            if (isLine && !isAccent && !isGround) lastLine = i;
            const bool isBox = item.op == DrawOp::text || item.op == DrawOp::rectBatch;
            if (isBox) firstBox = std::min(firstBox, i);
        }
        EXPECT_GT(lastPath, lastLine) << zoom;
        EXPECT_LT(lastPath, firstBox) << zoom;
    }
}

TEST_F(PathPicture, numbersCoverNoTitle) {
    request.path = proofOf("a");
    for (const bool showsRoles : {false, true})
        for (const double zoom : {0.46, 0.5, 0.62, 1.0, 2.0}) { // titles are drawn from 0.46 on
            state.showRoles = showsRoles;
            request.zoom = zoom;
            compose(scene, request, list);
            std::vector<Rect> titles, discs;
            for (const DrawItem& item : list.items) {
                if (item.op == DrawOp::text && item.align == TextAlign::left &&
                    list.textOf(item) != "target y")
                    titles.push_back(item.rect);
                if (item.op == DrawOp::rect && item.hasFill && item.radius > 5 &&
                    item.fill == ColorRef{ThemeRole::accent, Shade::solid})
                    discs.push_back(item.rect);
            }
            EXPECT_EQ(discs.size(), 4U) << zoom;
            EXPECT_GE(titles.size(), 4U) << zoom;
            for (const Rect& disc : discs)
                for (const Rect& title : titles)
                    EXPECT_FALSE(disc.intersects(title)) << zoom;
        }
}

TEST_F(PathPicture, farAwayItIsStillThere) {
    request.path = proofOf("a");
    for (const double zoom : {0.2, 0.05}) {
        request.zoom = zoom;
        EXPECT_EQ(accents(DrawOp::path), 3U) << zoom;
        EXPECT_EQ(accents(DrawOp::rect), zoom < kBlobZoom ? 1U : 4U) << "dots at zoom " << zoom;
    }
}

TEST_F(PathPicture, theWordsAtTheEndStayInTheView) {
    request.path = proofOf("a");
    const Rect end = layout.items[layout.itemOfNode[indexOf("y")]].rect;
    for (const double room : {4.0, 30.0, 60.0, 300.0}) { // right of the middle of the last node
        request.viewport = {end.centerX() + room - 400, end.y - 200, 400, 400};
        compose(scene, request, list);
        bool isFound = false;
        for (const DrawItem& item : list.items) {
            if (item.op != DrawOp::text || list.textOf(item).find("target") == std::string_view::npos)
                continue;
            isFound = true;
            EXPECT_GE(item.rect.x, 0) << room;
            EXPECT_LE(item.rect.right(), 400) << room;
        }
        EXPECT_TRUE(isFound) << room;
    }
}

TEST_F(PathPicture, ofWhatThePaneDoesNotShowNothingIsDrawn) {
    for (const char* name : {"d", "e", "l"})
        state.nodes[indexOf(name)].diff = DiffState::removedBySelectedStep;
    request.path = proofOf("d");
    request.pane = Pane::after;
    EXPECT_EQ(accents(DrawOp::path), 0U);
    request.pane = Pane::before;
    EXPECT_EQ(accents(DrawOp::path), 2U);
}

TEST_F(PathPicture, aNodeHasTheSameNumberInBothPanes) {
    state.nodes[indexOf("b")].diff = DiffState::removedBySelectedStep;
    request.path = proofOf("a");
    const auto numberOf = [&](Pane pane, std::string_view name) {
        request.pane = pane;
        compose(scene, request, list);
        const Rect box = layout.items[layout.itemOfNode[indexOf(name)]].rect;
        const Point corner = toView(request, {box.x, box.y});
        std::string number;
        for (const DrawItem& item : list.items)
            if (item.op == DrawOp::text && item.align == TextAlign::center &&
                std::abs(item.rect.right() - corner.x) < 24 && std::abs(item.rect.y - corner.y) < 24)
                number = list.textOf(item);
        return number;
    };
    EXPECT_EQ(numberOf(Pane::before, "a"), "1");
    EXPECT_EQ(numberOf(Pane::before, "b"), "2");
    EXPECT_EQ(numberOf(Pane::before, "c"), "3");
    EXPECT_EQ(numberOf(Pane::after, "a"), "1");
    EXPECT_EQ(numberOf(Pane::after, "b"), "") << "a hole";
    EXPECT_EQ(numberOf(Pane::after, "c"), "3");
}

TEST_F(PathPicture, theWalkLightsItsWavesOneByOne) {
    const WalkWaves waves = walkWaves(united, reach);
    request.walk = &waves;
    const auto lit = [&](std::uint32_t limit) {
        request.waveLimit = limit;
        compose(scene, request, list);
        std::size_t fills = 0; // title bars in the colour of a kind
        for (const DrawItem& item : list.items)
            fills += item.op == DrawOp::rect && item.hasFill && item.fill.role >= ThemeRole::kindLayer &&
                             item.radius > 0
                         ? 1U
                         : 0U;
        return fills;
    };
    // A node of the front is filled with the accent colour; behind it the kinds come back.
    EXPECT_EQ(lit(0), 0U);
    EXPECT_EQ(lit(1), 1U) << "y";
    EXPECT_EQ(lit(2), 2U) << "y, c";
    EXPECT_EQ(lit(4), 6U) << "all that is reached but x, the front";
    const auto isFront = [](const DrawItem& item) {
        return item.op == DrawOp::rect && item.hasFill && item.radius > 0 &&
               item.fill == ColorRef{ThemeRole::accent, Shade::solid};
    };
    EXPECT_EQ(std::count_if(list.items.begin(), list.items.end(), isFront), 1) << "x";
}

} // namespace
} // namespace secateur
