// SPDX-License-Identifier: Apache-2.0
//
// The pictures of all real models: nothing overlaps, nothing runs under a box, the backward half stands
// beside the forward half, and no step moves what it keeps.
#include "core/ir/walk.h"
#include "core/picture/union_graph.h"
#include "core/session/recipe.h"
#include "tests/core/layout/layout_checks.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

constexpr std::size_t kSmallEnough = 4000; ///< nodes of a model that is also laid out with everything open

/// The models of the folder, where there is one, and our own.
std::vector<std::filesystem::path> allModels() {
    std::vector<std::filesystem::path> paths;
    const std::filesystem::path source(SECATEUR_SOURCE_DIR);
    for (const std::filesystem::path& folder :
         {source / "resources" / "samples", source / "tests" / "data", testing::modelsFolder()}) {
        if (folder.empty()) continue;
        const auto found = testing::filesBelow(folder, ".onnx");
        paths.insert(paths.end(), found.begin(), found.end());
    }
    return paths;
}

TEST(ModelLayout, nothingOverlapsAndNoEdgeRunsUnderABox) {
    std::size_t laidOut = 0;
    for (const auto& path : allModels()) {
        const auto original = openOriginal(path);
        if (!original.ok()) continue; // of our own some are broken on purpose
        ++laidOut;
        UnionGraph united = buildUnionGraph(**original, nullptr);
        const Hierarchy hierarchy = buildHierarchy(united.graph, united.hints);
        const ExpandState first = initialExpandState(united.graph, hierarchy);
        const Layout layout = layoutGraph(united.graph, hierarchy, first);
        EXPECT_EQ(firstFault(united.graph, layout), "") << path;
        if (united.graph.nodes.size() > kSmallEnough) continue;
        ExpandState open;
        open.open.assign(hierarchy.groups.size(), true);
        EXPECT_EQ(firstFault(united.graph, layoutGraph(united.graph, hierarchy, open)), "")
            << path << ", open";
        open.open.assign(hierarchy.groups.size(), false);
        EXPECT_EQ(firstFault(united.graph, layoutGraph(united.graph, hierarchy, open)), "")
            << path << ", closed";
        EXPECT_EQ(firstFault(united.graph, layoutGraph(united.graph)), "") << path << ", without groups";
    }
    EXPECT_GE(laidOut, 15U);
}

TEST(ModelLayout, everyBodyAndFunctionIsAPictureOfItsOwn) {
    const bool hasModels = !testing::modelsFolder().empty();
    std::size_t bodies = 0;
    for (const auto& path : allModels()) {
        const auto original = openOriginal(path);
        if (!original.ok()) continue;
        const Model& model = (*original)->file.model;
        for (const GraphId graph : allGraphs(model)) {
            if (graph == model.mainGraph()) continue;
            ++bodies;
            UnionGraph united = buildUnionGraph(**original, nullptr, graph);
            for (const NodeId node : model.nodes(graph))
                EXPECT_NE(united.graph.find(node.index), kNoIndex) << path << " " << model.name(node);
            const Hierarchy hierarchy = buildHierarchy(united.graph, united.hints);
            const Layout layout =
                layoutGraph(united.graph, hierarchy, initialExpandState(united.graph, hierarchy));
            EXPECT_EQ(firstFault(united.graph, layout), "") << path << " graph " << graph.index;
        }
    }
    EXPECT_TRUE(!hasModels || bodies >= 50U) << bodies << ": If, Loop and nested ones";
}

TEST(ModelLayout, everyGroupCanBeOpenedAlone) {
    const auto path = testing::trainingModel("transformer48");
    if (path.empty()) GTEST_SKIP() << "no models beside the sources";
    const auto original = openOriginal(path);
    ASSERT_TRUE(original.ok());
    UnionGraph united = buildUnionGraph(**original, nullptr);
    const Hierarchy hierarchy = buildHierarchy(united.graph, united.hints);
    const ExpandState first = initialExpandState(united.graph, hierarchy);
    for (std::uint32_t g = 0; g < hierarchy.groups.size(); g += 7) {
        ExpandState state = first;
        for (std::uint32_t up = g; up != kNoIndex; up = hierarchy.groups[up].parent)
            state.open[up] = true;
        const Layout layout = layoutGraph(united.graph, hierarchy, state);
        EXPECT_EQ(firstFault(united.graph, layout), "") << hierarchy.groups[g].title;
    }
}

/// The parts of a closed group, by column.
std::array<Rect, 3> partsOf(const Layout& layout, std::uint32_t group) {
    std::array<Rect, 3> parts{};
    for (const PlacedItem& item : layout.items)
        if (item.group == group) parts[item.column] = item.rect;
    return parts;
}

TEST(ModelLayout, theBackwardHalfOfABlockStandsRightBesideIt) {
    for (const char* name : {"transformer48", "transformer48.adamw.step"}) {
        const auto path = testing::trainingModel(name);
        if (path.empty()) GTEST_SKIP() << "no models beside the sources";
        const auto original = openOriginal(path);
        ASSERT_TRUE(original.ok());
        UnionGraph united = buildUnionGraph(**original, nullptr);
        const Hierarchy hierarchy = buildHierarchy(united.graph, united.hints);
        const Layout layout =
            layoutGraph(united.graph, hierarchy, initialExpandState(united.graph, hierarchy));
        std::uint32_t blocks = 0;
        for (std::uint32_t g = 0; g < hierarchy.groups.size(); ++g) {
            const auto [forward, backward, update] = partsOf(layout, g);
            if (hierarchy.groups[g].name.rfind("b.", 0) != 0 || forward.isEmpty()) continue;
            ++blocks;
            EXPECT_EQ(backward.y, forward.y) << hierarchy.groups[g].title;
            EXPECT_EQ(update.y, forward.y) << hierarchy.groups[g].title;
            EXPECT_GE(backward.x - forward.right(), 48) << hierarchy.groups[g].title;
            EXPECT_LE(backward.x - forward.right(), 96) << hierarchy.groups[g].title;
            EXPECT_LE(update.x - backward.right(), 96) << hierarchy.groups[g].title;
        }
        EXPECT_EQ(blocks, 48U) << name;
        EXPECT_LT(layout.bounds.width, 1400) << name;
    }
}

TEST(ModelLayout, stashesAreShortAndCarryTheirBytes) {
    const auto path = testing::trainingModel("cnn");
    if (path.empty()) GTEST_SKIP() << "no models beside the sources";
    const auto original = openOriginal(path);
    ASSERT_TRUE(original.ok());
    UnionGraph united = buildUnionGraph(**original, nullptr);
    const Hierarchy hierarchy = buildHierarchy(united.graph, united.hints);
    const Layout layout = layoutGraph(united.graph, hierarchy, initialExpandState(united.graph, hierarchy));
    std::uint32_t stashes = 0, labelled = 0;
    for (const PlacedEdge& edge : layout.edges) {
        if (edge.edgeClass != EdgeClass::stash) continue;
        ++stashes;
        labelled += edge.labelWidth > 0 ? 1U : 0U;
        EXPECT_FALSE(edge.isPortal);
        const auto apart =
            static_cast<int>(layout.items[edge.to].rank) - static_cast<int>(layout.items[edge.from].rank);
        EXPECT_LE(std::abs(apart), 2) << "its reader stands in the same rank or near it";
    }
    EXPECT_GE(stashes, 10U);
    EXPECT_GE(labelled * 2, stashes);
}

/// The places of all nodes at one moment of a history, with what stands in the way of a good picture.
std::vector<Rect> rectsAt(const Original& original, History& history, std::size_t step,
                          const std::string& what) {
    history.moveCursor(step);
    UnionGraph united = buildUnionGraph(original, &history);
    const Hierarchy hierarchy = buildHierarchy(united.graph, united.hints);
    const Layout layout = layoutGraph(united.graph, hierarchy, initialExpandState(united.graph, hierarchy));
    EXPECT_EQ(firstFault(united.graph, layout), "") << what;
    std::vector<Rect> rects;
    for (std::uint32_t n = 0; n < united.graph.nodes.size(); ++n)
        rects.push_back(layout.items[layout.itemOfNode[n]].rect);
    return rects;
}

/// Rectangles of the nodes of one moment are those of every other moment; of a large model of the first, the
/// middle and the last.
TEST(ModelLayout, noKeptNodeMovesThroughAnyStep) {
    std::size_t compared = 0;
    for (const auto& path : allModels()) {
        const auto opened = openOriginal(path);
        if (!opened.ok()) continue;
        auto run = History::run(*opened, conversionRecipe());
        if (!run.ok()) continue; // nothing can be kept of it: there are no steps
        History history = std::move(run).take();
        const std::size_t steps = history.steps().size();
        const std::vector<Rect> first = rectsAt(**opened, history, 0, path.string() + ", step 0");
        const std::size_t stride = first.size() > kSmallEnough ? std::max<std::size_t>(1, steps / 2) : 1;
        for (std::size_t step = stride; step <= steps; step += stride) {
            const std::string what = path.string() + ", step " + std::to_string(step);
            EXPECT_TRUE(rectsAt(**opened, history, step, what) == first)
                << what << ": a node stands elsewhere";
        }
        compared += steps > 0 ? 1 : 0;
    }
    EXPECT_GE(compared, 3U);
}

} // namespace
} // namespace secateur
