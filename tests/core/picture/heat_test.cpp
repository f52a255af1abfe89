// SPDX-License-Identifier: Apache-2.0
#include "core/picture/heat.h"

#include "core/picture/heat_sums.h"
#include "core/picture/heat_values.h"
#include "tests/core/picture/history_fixture.h"
#include "tests/core/picture/scene_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace secateur {
namespace {

constexpr ThemeKind kThemes[] = {ThemeKind::light, ThemeKind::dark};

ThemeRole heatRole(int step) {
    return static_cast<ThemeRole>(static_cast<int>(ThemeRole::heat0) + step);
}

Heat heatOf(std::vector<double> values) {
    Heat heat;
    heat.values = std::move(values);
    finishHeat(heat);
    return heat;
}

TEST(Heat, theScaleIsLogarithmicFromTheLowestToTheHighest) {
    const Heat heat = heatOf({1, 1000, 1e6, Heat::kNotMeasured, 0});
    EXPECT_EQ(heat.range.lowest, 1);
    EXPECT_EQ(heat.range.highest, 1e6);
    EXPECT_EQ(heatColor(heat.range, 1).role, heatRole(0));
    EXPECT_LT(heatColor(heat.range, 0).role, heatRole(0)) << "zero is not the lowest above zero";
    EXPECT_EQ(heatColor(heat.range, 1000).role, heatRole(kHeatSteps / 2));
    EXPECT_EQ(heatColor(heat.range, 1e6).role, heatRole(kHeatSteps - 1));
    EXPECT_EQ(heatColor(heat.range, 1e9).role, heatRole(kHeatSteps - 1)) << "the sum of a group";
}

TEST(Heat, whatIsNotMeasuredIsBlankAndNotZero) {
    const Heat heat = heatOf({5, Heat::kNotMeasured});
    EXPECT_EQ(heatColor(heat.range, heat.valueOf(1)), (ColorRef{ThemeRole::card, Shade::solid}));
    EXPECT_NE(heatColor(heat.range, 0), heatColor(heat.range, heat.valueOf(1)));
    EXPECT_EQ(heat.valueOf(99), Heat::kNotMeasured);
    const HeatLegend none = heatLegend(heatOf({Heat::kNotMeasured}), {});
    EXPECT_TRUE(none.steps.empty());
    EXPECT_TRUE(none.low.empty());
}

TEST(Heat, theLegendNamesBothEnds) {
    Heat heat = heatOf({512, 3 << 20});
    const HeatLegend legend = heatLegend(heat, heat.range);
    EXPECT_EQ(legend.low, "512 B");
    EXPECT_EQ(legend.high, "3 MiB");
    EXPECT_EQ(legend.steps.size(), static_cast<std::size_t>(kHeatSteps));
    heat.kind = HeatKind::flops;
    EXPECT_EQ(heatText(heat, 3.21e9), "3.2 GFLOP");
    EXPECT_EQ(heatText(heat, 12), "12 FLOP");
}

TEST(Heat, oneNumberForAllIsOneColourInTheLegend) {
    const Heat same = heatOf({512, 512, Heat::kNotMeasured});
    const HeatLegend one = heatLegend(same, same.range);
    EXPECT_EQ(one.low, "512 B");
    EXPECT_EQ(one.high, "");
    EXPECT_EQ(one.steps, std::vector{heatColor(same.range, 512)});
    const Heat zeros = heatOf({0, 0});
    const HeatLegend none = heatLegend(zeros, zeros.range);
    EXPECT_EQ(none.low, "0 B");
    EXPECT_EQ(none.high, "");
    EXPECT_EQ(none.steps, std::vector{heatColor(zeros.range, 0)});
}

TEST(Heat, theScaleDoesNotReachUpToTheSumOfAnOpenGroup) {
    LayoutGraph graph = trainingGraph(8);
    HierarchyHints hints;
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
        hints.nodeNames.push_back("/b" + std::to_string(i % 2) + "/op");
    const Hierarchy hierarchy = buildHierarchy(graph, hints);
    ExpandState expanded;
    expanded.open.assign(hierarchy.groups.size(), true);
    const Layout layout = layoutGraph(graph, hierarchy, expanded);
    ASSERT_FALSE(layout.frames.empty());
    std::vector<double> values(graph.nodes.size(), 1 << 20);
    values[2] = 2 << 20;
    const Heat heat = heatOf(values);
    const HeatSums sums = sumHeat(heat, layout);
    const HeatLegend legend = heatLegend(heat, scaleOf(heat, sums));
    EXPECT_EQ(legend.high, "2 MiB") << "the largest card";
}

TEST(Heat, colorsStepEvenlyForEveryEye) {
    for (const ThemeKind theme : kThemes) {
        const auto color = [&](int step) { return themeColor(theme, {heatRole(step), Shade::solid}); };
        const int sign = theme == ThemeKind::light ? -1 : 1; // more stands out more from the canvas
        for (int step = 1; step < kHeatSteps; ++step) {
            const int difference = (greyOf(color(step)) - greyOf(color(step - 1))) * sign;
            EXPECT_GE(difference, 10) << "without any colour, step " << step;
            EXPECT_LE(difference, 40) << "step " << step;
        }
        for (int step = 0; step < kHeatSteps; ++step)
            EXPECT_GE(contrastRatio(themeColor(theme, {heatRole(step), Shade::textOn}), color(step)), 4.5)
                << step;
    }
}

TEST(Heat, sumsOfGroupsLeaveOutWhatIsNotMeasured) {
    LayoutGraph graph = trainingGraph(8);
    HierarchyHints hints;
    hints.parameterNames.resize(graph.nodes.size());
    for (std::uint32_t i = 0; i < 8; ++i)
        hints.parameterNames[1 + i * 6] = "b." + std::to_string(i) + ".fc.weight";
    const Hierarchy hierarchy = buildHierarchy(graph, hints);
    const Layout layout = layoutGraph(graph, hierarchy, {});
    std::vector<double> values(graph.nodes.size(), 2);
    values[1] = Heat::kNotMeasured;
    const HeatSums sums = sumHeat(heatOf(values), layout);
    double all = 0;
    for (const double sum : sums.items)
        all += std::max(0.0, sum);
    EXPECT_EQ(all, 2.0 * static_cast<double>(graph.nodes.size() - 1));
}

TEST(Heat, aGroupOfZerosAndUnknownsIsUnknownAndNotZero) {
    LayoutGraph graph = trainingGraph(8);
    HierarchyHints hints;
    hints.parameterNames.resize(graph.nodes.size());
    for (std::uint32_t i = 0; i < 8; ++i)
        hints.parameterNames[1 + i * 6] = "b." + std::to_string(i) + ".fc.weight";
    const Hierarchy hierarchy = buildHierarchy(graph, hints);
    const Layout layout = layoutGraph(graph, hierarchy, {});
    const std::uint32_t item = layout.itemOfNode[1];
    ASSERT_EQ(layout.items[item].node, kNoIndex);
    std::vector<double> values(graph.nodes.size(), 0);
    EXPECT_EQ(sumHeat(heatOf(values), layout).items[item], 0) << "all counted";
    values[1] = Heat::kNotMeasured;
    Heat heat = heatOf(values);
    EXPECT_EQ(sumHeat(heat, layout).items[item], Heat::kNotMeasured);
    heat.kind = HeatKind::flops;
    EXPECT_EQ(heatText(heat, Heat::kNotMeasured), "unknown");
    values[2] = 7;
    EXPECT_EQ(sumHeat(heatOf(values), layout).items[item], 7);
}

TEST(Heat, whatIsReplacedAndWhatReplacesItCountOnce) {
    GraphBuilder b;
    const std::uint32_t x = b.node("x"), matmul = b.node("MatMul"), add = b.node("Add");
    const std::uint32_t gone = b.node("Loss"), gemm = b.node("Gemm");
    b.edge(x, matmul);
    b.edge(matmul, add);
    b.edge(add, gone);
    b.at(gemm).replaces = {matmul, add};
    LayoutGraph graph = b.build();
    Layout layout = layoutGraph(graph);
    // As if one closed group held all of them.
    layout.itemOfNode.assign(graph.nodes.size(), 0);
    PictureState state;
    state.nodes.assign(graph.nodes.size(), {});
    state.nodes[matmul].diff = state.nodes[add].diff = DiffState::replaced;
    state.nodes[gone].diff = DiffState::removedEarlier;
    state.nodes[gemm].diff = DiffState::added;
    const Heat heat = heatOf({1, 10, 100, 1000, 10000});
    EXPECT_EQ(sumHeatOf(heat, graph, layout, state, Pane::before).items[0], 1111);
    EXPECT_EQ(sumHeatOf(heat, graph, layout, state, Pane::after).items[0], 10001);
    EXPECT_EQ(sumHeatOf(heat, graph, layout, state, Pane::overlay).items[0], 1111);
}

TEST(Heat, theScaleGoesOverTheBoxesThatAreShownAndPartialSumsSaySo) {
    LayoutGraph graph = trainingGraph(8);
    HierarchyHints hints;
    hints.parameterNames.resize(graph.nodes.size());
    for (std::uint32_t i = 0; i < 8; ++i)
        hints.parameterNames[1 + i * 6] = "b." + std::to_string(i) + ".fc.weight";
    const Hierarchy hierarchy = buildHierarchy(graph, hints);
    const Layout layout = layoutGraph(graph, hierarchy, {});
    std::vector<double> values(graph.nodes.size(), 1 << 20);
    values[1] = Heat::kNotMeasured;
    const Heat heat = heatOf(values);
    const HeatSums sums = sumHeat(heat, layout);
    const std::uint32_t group = layout.itemOfNode[1];
    ASSERT_EQ(layout.items[group].node, kNoIndex);
    EXPECT_GT(sums.items[group], heat.range.highest) << "a group holds more than the largest node";
    EXPECT_EQ(sums.range.lowest, 1 << 20);
    EXPECT_GE(sums.range.highest, *std::max_element(sums.items.begin(), sums.items.end()));
    const HeatRange& scale = scaleOf(heat, sums);
    EXPECT_THAT(heatLegend(heat, scale).title, ::testing::HasSubstr("groups are sums"));
    EXPECT_EQ(heatColor(scale, scale.highest).role, heatRole(kHeatSteps - 1));
    EXPECT_LT(heatColor(scale, heat.range.highest).role, heatRole(kHeatSteps - 1)) << "one node is not all";
    EXPECT_EQ(heatLegend(heat, scale).high, heatText(heat, scale.highest));
    EXPECT_EQ(sums.unknownInItems[group], 1U);
    EXPECT_EQ(heatText(heat, 3.5 * (1 << 20), 4), "at least 3.5 MiB, 4 unknown");
    EXPECT_EQ(heatText(heat, Heat::kNotMeasured, 4), "unknown");
}

TEST(Heat, bytesAreResultsAndWeights) {
    const auto original = testing::twoEqualWeights();
    const UnionGraph united = buildUnionGraph(*original, nullptr);
    const Heat heat = bytesHeat(united, *original, nullptr);
    for (std::uint32_t i = 0; i < united.graph.nodes.size(); ++i) {
        if (united.graph.nodes[i].name != "up") continue;
        EXPECT_EQ(heat.valueOf(i), 4 * (8 * 64 + 64 * 64)) << "the result and the weight";
    }
    EXPECT_TRUE(heat.note.empty()) << "no dimension is a name";
    const auto named = testing::originalFromText(R"(
<ir_version: 8, opset_import: ["": 17]>
g (float[batch,64] x) => (float[batch,64] y) { y = Relu (x) })");
    EXPECT_EQ(bytesHeat(buildUnionGraph(*named, nullptr), *named, nullptr).note, "counted for batch = 1");
    EXPECT_FALSE(timeHeat(united).isMeasured);
    EXPECT_FALSE(timeHeat(united).note.empty());
}

class HeatPicture : public SceneFixture {};

TEST_F(HeatPicture, titlesTakeTheColourOfTheirNumber) {
    open(trainingGraph(1));
    request.colorMode = ColorMode::heat;
    request.drawCanvas = false;
    const auto heatRects = [&] {
        std::size_t count = 0;
        for (const DrawItem& item : draw().items)
            count += item.hasFill && item.fill.role >= ThemeRole::heat0 ? 1U : 0U;
        return count;
    };
    EXPECT_EQ(heatRects(), 0U) << "no numbers: every title is blank";
    std::vector<double> values(graph.nodes.size(), Heat::kNotMeasured);
    values[2] = 100;
    const Heat heat = heatOf(values);
    request.heat = &heat;
    EXPECT_EQ(heatRects(), 1U);
    request.zoom = 0.2;
    EXPECT_EQ(heatRects(), 1U) << "far away as well";
}

} // namespace
} // namespace secateur
