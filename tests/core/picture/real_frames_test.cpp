// SPDX-License-Identifier: Apache-2.0
//
// Frames of real models as a window shows them, at the zooms that a person goes through: every text can be
// read, none is cut by its box and none lies on another.
#include "core/layout/font_metrics.h"
#include "core/picture/compose.h"
#include "core/picture/edges.h"
#include "core/picture/history_state.h"
#include "core/session/recipe.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace secateur {
namespace {

/// Where the glyphs of a text stand.
Rect inkOf(const DisplayList& list, const DrawItem& item) {
    const double width = textWidth(list.textOf(item), item.face, item.textPx);
    double left = item.rect.x;
    if (item.align == TextAlign::center) left = item.rect.centerX() - width / 2;
    if (item.align == TextAlign::right) left = item.rect.right() - width;
    return {left, item.baselineY - 0.7 * item.textPx, width, 0.75 * item.textPx};
}

/// The first text of a frame that cannot be read, in words.
std::string firstUnreadable(const DisplayList& list) {
    std::vector<std::pair<Rect, std::string>> inks;
    for (const DrawItem& item : list.items) {
        if (item.op != DrawOp::text) continue;
        const std::string text(list.textOf(item));
        if (item.textPx < kSmallestTextPx) return "`" + text + "` is " + std::to_string(item.textPx) + " px";
        const Rect ink = inkOf(list, item);
        if (ink.width > item.rect.width + 1.5) return "`" + text + "` is cut";
        inks.emplace_back(ink, text);
    }
    std::sort(inks.begin(), inks.end(), [](const auto& a, const auto& b) { return a.first.y < b.first.y; });
    for (std::size_t i = 0; i < inks.size(); ++i)
        for (std::size_t k = i + 1; k < inks.size() && inks[k].first.y < inks[i].first.bottom() - 1; ++k) {
            const Rect &a = inks[i].first, &b = inks[k].first;
            if (a.x < b.right() - 1 && b.x < a.right() - 1)
                return "`" + inks[i].second + "` and `" + inks[k].second + "` lie on each other";
        }
    return {};
}

/// The picture of a model with its conversion steps.
struct Picture {
    UnionGraph united;
    Hierarchy hierarchy;
    Layout layout;
    PictureState state;

    explicit Picture(const std::filesystem::path& path) {
        const auto original = openOriginal(path);
        EXPECT_TRUE(original.ok()) << path;
        if (!original.ok()) return;
        auto run = History::run(*original, conversionRecipe());
        std::optional<History> history;
        if (run.ok()) history.emplace(std::move(run).take());
        united = buildUnionGraph(**original, history ? &*history : nullptr);
        hierarchy = buildHierarchy(united.graph, united.hints);
        layout = layoutGraph(united.graph, hierarchy, initialExpandState(united.graph, hierarchy));
        state = pictureStateOf(united, **original, history ? &*history : nullptr, {});
        state.tally(united.graph, layout);
    }
};

/// The boxes of a frame that something is painted in, without the outlines of open groups.
std::vector<Rect> paintedBoxes(const DisplayList& list) {
    std::vector<Rect> boxes;
    for (const DrawItem& item : list.items) {
        if (item.op == DrawOp::rect && item.hasFill) boxes.push_back(item.rect);
        if (item.op == DrawOp::rectBatch)
            boxes.insert(boxes.end(), list.rects.begin() + item.first,
                         list.rects.begin() + item.first + item.count);
    }
    return boxes;
}

class RealFrames : public ::testing::TestWithParam<const char*> {};

TEST_P(RealFrames, everyTextCanBeReadAtEveryZoom) {
    const auto folder = testing::modelsFolder();
    if (folder.empty()) GTEST_SKIP() << "no models beside the sources";
    const Picture picture(folder / GetParam() / "model.onnx");
    const Scene scene{&picture.united.graph, &picture.layout, &picture.hierarchy, &picture.state};
    constexpr double kWidth = 900, kHeight = 640;
    DisplayList list;
    std::size_t texts = 0;
    for (const Pane pane : {Pane::before, Pane::after, Pane::overlay}) {
        const Rect all = visibleBounds(picture.layout, picture.state, pane);
        const double fit = std::min((kWidth - 32) / all.width, (kHeight - 32) / all.height);
        for (const double zoom : {fit, 0.1, 0.2, 0.26, 0.4, 0.5, 0.62, 0.8, 1.0, 1.6})
            for (const double place : {0.0, 0.5, 1.0}) {
                ViewRequest request;
                request.pane = pane;
                request.zoom = zoom;
                const double width = kWidth / zoom, height = kHeight / zoom;
                request.viewport = {all.x + place * std::max(0.0, all.width - width),
                                    all.y + place * std::max(0.0, all.height - height), width, height};
                compose(scene, request, list);
                EXPECT_EQ(firstUnreadable(list), "")
                    << "pane " << static_cast<int>(pane) << ", zoom " << zoom << ", place " << place;
                texts += static_cast<std::size_t>(
                    std::count_if(list.items.begin(), list.items.end(),
                                  [](const DrawItem& item) { return item.op == DrawOp::text; }));
            }
    }
    EXPECT_GT(texts, 100U);
}

TEST_P(RealFrames, everyEdgeEndsWhereSomethingIsDrawn) {
    const auto folder = testing::modelsFolder();
    if (folder.empty()) GTEST_SKIP() << "no models beside the sources";
    const Picture picture(folder / GetParam() / "model.onnx");
    const Scene scene{&picture.united.graph, &picture.layout, &picture.hierarchy, &picture.state};
    const Layout& layout = picture.layout;
    DisplayList list;
    std::size_t ends = 0;
    for (const Pane pane : {Pane::before, Pane::after, Pane::overlay})
        for (const double zoom : {0.01, 0.03, 0.05, 0.074, 0.1, 0.2, 0.3, 1.0}) {
            ViewRequest request;
            request.pane = pane;
            request.zoom = zoom;
            request.viewport = layout.bounds.inflated(10);
            request.drawCanvas = false;
            compose(scene, request, list);
            const std::vector<Rect> boxes = paintedBoxes(list);
            std::vector<int> isDrawn(layout.items.size(), -1);
            const auto draws = [&](std::uint32_t item) {
                if (isDrawn[item] >= 0) return isDrawn[item] == 1;
                const Rect& world = layout.items[item].rect;
                const Point at = toView(request, {world.centerX(), world.centerY()});
                const Rect box = Rect{at.x, at.y, 0, 0}.inflated(2);
                isDrawn[item] =
                    std::any_of(boxes.begin(), boxes.end(), [&](const Rect& r) { return r.intersects(box); });
                return isDrawn[item] == 1;
            };
            std::size_t missing = 0;
            for (const PlacedEdge& edge : layout.edges) {
                if (edge.isPortal || edge.pointCount < 4) continue;
                if (!edgeLookOf(scene, request, edge).isVisible) continue;
                missing += draws(edge.from) ? 0U : 1U;
                missing += draws(edge.to) ? 0U : 1U;
                ends += 2;
            }
            EXPECT_EQ(missing, 0U) << "pane " << static_cast<int>(pane) << ", zoom " << zoom;
        }
    EXPECT_GT(ends, 100U);
}

TEST(RealFrame, allBlocksOfALargeTransformerAreNamedWhereAllOfItIsSeen) {
    const auto path = testing::trainingModel("transformer48");
    if (path.empty()) GTEST_SKIP() << "no models beside the sources";
    const Picture picture(path);
    const Scene scene{&picture.united.graph, &picture.layout, &picture.hierarchy, &picture.state};
    const Rect all = visibleBounds(picture.layout, picture.state, Pane::before);
    constexpr double kWidth = 600, kHeight = 420; // what the smaller window leaves for a pane
    ViewRequest request;
    request.pane = Pane::before;
    request.zoom = std::min((kWidth - 32) / all.width, (kHeight - 32) / all.height);
    request.viewport = {all.centerX() - kWidth / 2 / request.zoom, all.centerY() - kHeight / 2 / request.zoom,
                        kWidth / request.zoom, kHeight / request.zoom};
    DisplayList list;
    compose(scene, request, list);
    EXPECT_EQ(firstUnreadable(list), "");
    std::set<std::string> names;
    for (const DrawItem& item : list.items)
        if (item.op == DrawOp::text) names.emplace(list.textOf(item));
    for (int i = 0; i < 48; ++i)
        EXPECT_TRUE(names.contains("b." + std::to_string(i))) << i;
}

TEST(RealFrame, whatIsKeptForTheBackwardHalfIsSaidAtItsOwnLine) {
    const auto path = testing::trainingModel("transformer48");
    if (path.empty()) GTEST_SKIP() << "no models beside the sources";
    const Picture picture(path);
    const Scene scene{&picture.united.graph, &picture.layout, &picture.hierarchy, &picture.state};
    ViewRequest request = wholePicture(scene, Pane::before);
    DisplayList list;
    compose(scene, request, list);
    std::size_t shortened = 0;
    for (const DrawItem& item : list.items) {
        if (item.op != DrawOp::text) continue;
        const std::string text(list.textOf(item));
        if (text.find("batch \xC3\x97 ") != 0) continue;
        shortened += text == "batch \xC3\x97 10 KiB + \xE2\x80\xA6" ? 1U : 0U;
        const Point corner = toWorld(request, {item.rect.x, item.rect.y});
        const Rect box{corner.x, corner.y, item.rect.width, item.rect.height};
        std::string nearest;
        double distance = 1e9;
        for (const PlacedEdge& edge : picture.layout.edges)
            for (std::uint32_t k = 0; k + 3 < edge.pointCount; k += 3) {
                const Point* p = &picture.layout.points[edge.firstPoint + k];
                const double away = std::abs(p[0].y - box.centerY());
                if (edge.edgeClass != EdgeClass::stash || p[0].y != p[3].y || away >= distance) continue;
                if (std::max(p[0].x, p[3].x) <= box.x || std::min(p[0].x, p[3].x) >= box.right()) continue;
                distance = away;
                nearest = edgeText(scene, Pane::before, edge);
            }
        const std::string said = text.substr(0, text.find(" + ")); // before what was left out
        EXPECT_EQ(nearest.substr(0, said.size()), said) << "at y " << box.y;
    }
    EXPECT_GE(shortened, 40U) << "what each block keeps";
}

TEST(RealFrame, atLeastTwentyNamesOfGroupsAreReadWhereALargeModelIsSeenWhole) {
    const auto folder = testing::modelsFolder();
    if (folder.empty()) GTEST_SKIP() << "no models beside the sources";
    for (const char* model :
         {"training/transformer48", "training/transformer48.adamw.step", "training/transformer200",
          "training/transformer48.exported", "training/mobilenet.adamw.step", "training/resnet.sgd.step",
          "inference/light_densenet121", "inference/tv_ssdlite320_mobilenetv3_rand"}) {
        const Picture picture(folder / model / "model.onnx");
        const Scene scene{&picture.united.graph, &picture.layout, &picture.hierarchy, &picture.state};
        const Rect all = visibleBounds(picture.layout, picture.state, Pane::before);
        constexpr double kWidth = 590, kHeight = 420; // of a pane at 1440 x 900
        ViewRequest request;
        request.pane = Pane::before;
        request.zoom = std::min((kWidth - 32) / all.width, (kHeight - 32) / all.height);
        request.viewport = {all.centerX() - kWidth / 2 / request.zoom,
                            all.centerY() - kHeight / 2 / request.zoom, kWidth / request.zoom,
                            kHeight / request.zoom};
        DisplayList list;
        compose(scene, request, list);
        std::set<std::string> groups, names;
        for (const Group& group : picture.hierarchy.groups)
            groups.insert(group.title);
        for (const DrawItem& item : list.items) {
            if (item.op != DrawOp::text) continue;
            const std::string text(list.textOf(item));
            const bool isCut = text.find("\xE2\x80\xA6") != std::string::npos; // of long names an end is read
            if (isCut || groups.contains(text)) names.insert(text);
        }
        EXPECT_GE(names.size(), 20U) << model;
    }
}

INSTANTIATE_TEST_SUITE_P(Models, RealFrames,
                         ::testing::Values("training/cnn", "training/resnet", "training/transformer",
                                           "training/transformer48", "training/mobilenet.adamw.step",
                                           "inference/light_densenet121",
                                           "inference/tv_ssdlite320_mobilenetv3_rand",
                                           "inference/silero_vad"));

} // namespace
} // namespace secateur
