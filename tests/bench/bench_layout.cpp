// SPDX-License-Identifier: Apache-2.0
//
// Layout and composing of training graphs of 1,000 to 100,000 nodes; counters beside the times.
#include "core/picture/compose.h"
#include "core/picture/svg_writer.h"
#include "core/picture/union_graph.h"
#include "tests/core/layout/graph_builder.h"
#include "tests/support/allocation_counter.h"

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>

namespace secateur {
namespace {

constexpr int kNodesOfABlock = 6;

void reportCounters(benchmark::State& state, const Layout& layout) {
    const LayoutCounters& c = layout.counters;
    state.counters["items"] = static_cast<double>(c.itemsPlaced);
    state.counters["virtual"] = static_cast<double>(c.virtualNodes);
    state.counters["legs"] = static_cast<double>(c.legs);
    state.counters["portals"] = static_cast<double>(c.portals);
    state.counters["crossings"] = static_cast<double>(c.crossings);
    state.counters["sweeps"] = static_cast<double>(c.sweeps);
    state.counters["visits"] = static_cast<double>(c.rankVisits + c.sweepVisits + c.placementVisits);
}

/// Nodes of a graph, by steps of about three: layout_growth.py draws the times over them.
void growth(benchmark::internal::Benchmark* bench) {
    for (const std::int64_t nodes : {1000, 3000, 10000, 30000, 100000})
        bench->Arg(nodes);
    bench->Unit(benchmark::kMillisecond)->Complexity(benchmark::oN);
}

/// A training graph of repeated blocks: as one piece, or with all its blocks open.
void layoutTraining(benchmark::State& state, bool inBlocks) {
    const RepeatedGraph repeated = repeatedBlocks(static_cast<std::uint32_t>(state.range(0)));
    Layout layout;
    std::uint64_t allocations = 0;
    for (auto _ : state) {
        const std::uint64_t before = testing::allocationCount();
        layout = inBlocks ? layoutAllOpen(repeated) : layoutGraph(repeated.graph);
        allocations = testing::allocationCount() - before;
        benchmark::DoNotOptimize(layout.items.data());
    }
    reportCounters(state, layout);
    state.counters["nodes"] = static_cast<double>(repeated.graph.nodes.size());
    state.counters["allocations"] = static_cast<double>(allocations);
    state.SetComplexityN(state.range(0));
}
BENCHMARK_CAPTURE(layoutTraining, flat, false)->Name("layout")->Apply(growth);
BENCHMARK_CAPTURE(layoutTraining, blocks, true)->Name("layout/blocks")->Apply(growth);

/// The group tree of the same graph, from its names.
void groupTraining(benchmark::State& state) {
    RepeatedGraph repeated = repeatedBlocks(static_cast<std::uint32_t>(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(buildHierarchy(repeated.graph, repeated.hints).groups.data());
    state.SetComplexityN(state.range(0));
}
BENCHMARK(groupTraining)->Name("hierarchy")->Apply(growth);

/// A model of the folder that SECATEUR_MODELS names: groups closed as the window opens it, or all nodes.
void layoutModel(benchmark::State& state, const char* model, bool isFlat) {
    const char* folder = std::getenv("SECATEUR_MODELS");
    const std::filesystem::path path =
        std::filesystem::path(folder ? folder : "") / "training" / model / "model.onnx";
    if (!folder || !std::filesystem::exists(path)) {
        state.SkipWithError("set SECATEUR_MODELS to the folder of models");
        return;
    }
    const auto original = openOriginal(path);
    if (!original.ok()) {
        state.SkipWithError(original.error().message.c_str());
        return;
    }
    UnionGraph united = buildUnionGraph(**original, nullptr);
    Layout layout;
    for (auto _ : state) {
        const Hierarchy hierarchy = buildHierarchy(united.graph, united.hints);
        ExpandState expanded = initialExpandState(united.graph, hierarchy);
        if (isFlat) expanded.open.assign(hierarchy.groups.size(), true);
        layout = layoutGraph(united.graph, hierarchy, expanded);
        benchmark::DoNotOptimize(layout.items.data());
    }
    reportCounters(state, layout);
}
BENCHMARK_CAPTURE(layoutModel, transformer48.adamw.step, "transformer48.adamw.step", false)
    ->Name("layout/transformer48.adamw.step")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(layoutModel, transformer48.adamw.step.flat, "transformer48.adamw.step", true)
    ->Name("layout/transformer48.adamw.step/all_nodes")
    ->Unit(benchmark::kMillisecond);

/// One frame of a window of 1600 x 1000 over the whole graph (range 1 is the zoom in thousandths, 0: fit).
void composeFrame(benchmark::State& state) {
    const LayoutGraph graph = trainingGraph(static_cast<std::uint32_t>(state.range(0) / kNodesOfABlock));
    const Layout layout = layoutGraph(graph);
    PictureState picture;
    picture.tally(graph, layout);
    const Scene scene{&graph, &layout, nullptr, &picture};
    ViewRequest request;
    request.zoom = static_cast<double>(state.range(1)) / 1000;
    request.viewport = {0, 0, 1600 / request.zoom, 1000 / request.zoom};
    if (state.range(1) == 0) {
        request.viewport = layout.bounds;
        request.zoom = 1000 / layout.bounds.height;
    }
    DisplayList list;
    for (auto _ : state) {
        compose(scene, request, list);
        benchmark::DoNotOptimize(list.items.data());
    }
    state.counters["drawn"] = static_cast<double>(list.items.size());
}
BENCHMARK(composeFrame)
    ->Name("compose")
    ->ArgsProduct({{1000, 30000}, {1000, 300, 100, 0}})
    ->Unit(benchmark::kMillisecond);

void writeWholeSvg(benchmark::State& state) {
    const LayoutGraph graph = trainingGraph(static_cast<std::uint32_t>(state.range(0) / kNodesOfABlock));
    const Layout layout = layoutGraph(graph);
    PictureState picture;
    picture.tally(graph, layout);
    std::size_t bytes = 0;
    for (auto _ : state)
        bytes = writeSvg(Scene{&graph, &layout, nullptr, &picture}, ViewRequest()).size();
    state.counters["bytes_a_node"] = static_cast<double>(bytes) / static_cast<double>(graph.nodes.size());
}
BENCHMARK(writeWholeSvg)->Name("svg")->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace secateur
