// SPDX-License-Identifier: Apache-2.0
//
// `dot` beside us: as a second opinion in a process with a deadline.
#include "core/layout/dot_improver.h"

#include "core/layout/layer_order.h"
#include "core/support/child_process.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace secateur {
namespace {

using namespace std::chrono_literals;

/// Two layers that cross when they are taken as they come, and no better.
LayerGraph crossedPair(double width = 120) {
    LayerGraph graph;
    graph.layers.resize(2);
    for (std::uint32_t i = 0; i < 4; ++i) {
        LayerGraph::Place place;
        place.item = i;
        place.layer = i / 2;
        place.left = place.right = width / 2;
        graph.places.push_back(place);
        graph.layers[i / 2].push_back(i);
    }
    graph.links = {{0, 3}, {1, 2}};
    graph.connect();
    return graph;
}

bool hasDot() {
    return !findProgram("dot").empty();
}

/// A program of that text.
std::string programIn(const std::filesystem::path& folder, const std::string& text) {
    const std::filesystem::path path = folder / "drawer";
    std::ofstream(path) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
}

DotImprover::Options optionsFor(const std::string& program) {
    DotImprover::Options options;
    options.program = program;
    options.perBlock = 300ms;
    return options;
}

TEST(DotImprover, itsOrderIsTaken) {
    if (!hasDot()) GTEST_SKIP() << "Graphviz is not installed";
    DotImprover::Options options;
    options.perBlock = 30s;
    options.inAll = 60s;
    DotImprover dot(std::make_shared<LayerOrderCache>(), options);
    LayerGraph graph = crossedPair();
    const auto order = dot.orderOf(graph);
    ASSERT_EQ(order.size(), 2U);
    graph.layers = order;
    EXPECT_EQ(countCrossings(graph), 0U);
    EXPECT_EQ(dot.counters().runs, 1U);
    EXPECT_EQ(dot.counters().failures, 0U);
}

TEST(DotImprover, equalBlocksAreOneRun) {
    if (!hasDot()) GTEST_SKIP() << "Graphviz is not installed";
    DotImprover::Options options;
    options.perBlock = 30s;
    options.inAll = 60s;
    const auto cache = std::make_shared<LayerOrderCache>();
    DotImprover dot(cache, options);
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(dot.orderOf(crossedPair()).size(), 2U);
    EXPECT_EQ(dot.orderOf(crossedPair(200)).size(), 2U) << "another width is another block";
    EXPECT_EQ(dot.counters().runs, 2U);
    EXPECT_EQ(dot.counters().fromCache, 19U);
    DotImprover later(cache, options);
    EXPECT_EQ(later.orderOf(crossedPair()).size(), 2U);
    EXPECT_EQ(later.counters().runs, 0U) << "the cache outlives who filled it";
}

TEST(DotImprover, aProgramThatHangsCostsItsDeadlineOnceAndNothingElse) {
    const testing::TemporaryFolder folder;
    DotImprover::Options options = optionsFor(programIn(folder.path(), "sleep 60"));
    DotImprover dot(std::make_shared<LayerOrderCache>(), options);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(dot.orderOf(crossedPair()).empty());
    EXPECT_TRUE(dot.orderOf(crossedPair()).empty());
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
    EXPECT_EQ(dot.counters().runs, 1U) << "an equal block is not tried again";
    EXPECT_EQ(dot.counters().failures, 1U);
}

TEST(DotImprover, theDeadlineForAllBlocksHolds) {
    const testing::TemporaryFolder folder;
    DotImprover::Options options = optionsFor(programIn(folder.path(), "sleep 60"));
    options.inAll = 500ms;
    DotImprover dot(std::make_shared<LayerOrderCache>(), options);
    for (int i = 0; i < 10; ++i)
        EXPECT_TRUE(dot.orderOf(crossedPair(100 + i)).empty());
    EXPECT_LE(dot.counters().runs, 3U);
}

TEST(DotImprover, nonsenseAndFailureLeaveOurOrder) {
    const testing::TemporaryFolder folder;
    for (const char* text :
         {"exit 1", "echo 'node p0 1 1'", "echo 'node p99 1 1'", "kill -SEGV $$", "echo node"}) {
        DotImprover dot(std::make_shared<LayerOrderCache>(), optionsFor(programIn(folder.path(), text)));
        EXPECT_TRUE(dot.orderOf(crossedPair()).empty()) << text;
        EXPECT_EQ(dot.counters().failures, 1U) << text;
    }
    DotImprover none(std::make_shared<LayerOrderCache>(), optionsFor("no_such_program_of_this_name"));
    EXPECT_FALSE(none.isAvailable());
    EXPECT_TRUE(none.orderOf(crossedPair()).empty());
}

/// Says what it is told to.
class Parrot : public LayerImprover {
  public:
    explicit Parrot(std::vector<std::vector<std::uint32_t>> order) : m_order(std::move(order)) {}
    std::vector<std::vector<std::uint32_t>> orderOf(const LayerGraph&) override {
        ++asked;
        return m_order;
    }
    int asked = 0;

  private:
    std::vector<std::vector<std::uint32_t>> m_order;
};

/// Three above, three below, each linked with each: nine links, of which nine pairs cross however they stand.
LayerGraph complete() {
    LayerGraph graph;
    graph.layers.resize(2);
    for (std::uint32_t i = 0; i < 6; ++i) {
        LayerGraph::Place place;
        place.item = i;
        place.layer = i / 3;
        place.left = place.right = 60;
        graph.places.push_back(place);
        graph.layers[i / 3].push_back(i);
        for (std::uint32_t k = 3; i < 3 && k < 6; ++k)
            graph.links.push_back({i, k});
    }
    graph.connect();
    return graph;
}

TEST(LayerOrder, anAnswerThatIsNoOrderOrNoBetterIsNotTaken) {
    using Order = std::vector<std::vector<std::uint32_t>>;
    for (const Order& order :
         {Order{}, Order{{0, 1, 2}}, Order{{0, 1, 2}, {3, 4, 4}}, Order{{0, 1, 3}, {2, 4, 5}},
          Order{{0, 1, 2}, {3, 4, 99}}, Order{{2, 1, 0}, {5, 4, 3}}}) {
        Parrot parrot(order);
        LayoutOptions options;
        options.improver = &parrot;
        OrderMemo memo;
        LayerGraph graph = complete();
        LayerGraph own = complete();
        EXPECT_EQ(orderLayersBest(graph, options, memo).crossings, 9U);
        (void)orderLayers(own, options.sweeps);
        EXPECT_EQ(graph.layers, own.layers);
        EXPECT_EQ(parrot.asked, 1);
    }
}

TEST(LayerOrder, equalBlocksAreOrderedOnceAndAlike) {
    OrderMemo memo;
    LayerGraph first = crossedPair();
    EXPECT_EQ(memo.order(first, 4, {}).crossings, 0U);
    // The same block under other numbers.
    LayerGraph second = crossedPair();
    second.layers = {{1, 0}, {3, 2}};
    for (LayerGraph::Link& link : second.links)
        link = {1 - link.upper, 5 - link.lower};
    second.connect();
    EXPECT_EQ(memo.order(second, 4, {}).crossings, 0U);
    EXPECT_EQ(countCrossings(second), 0U);
    // Another block is another one.
    LayerGraph other = crossedPair();
    other.links = {{0, 2}, {1, 3}};
    other.connect();
    EXPECT_EQ(memo.order(other, 4, {}).crossings, 0U);
    EXPECT_EQ(countCrossings(other), 0U);
    LayerGraph large = complete(), alike = complete();
    const OrderingResult result = memo.order(large, 4, {});
    const OrderingResult again = memo.order(alike, 4, {});
    EXPECT_EQ(again.crossings, result.crossings);
    EXPECT_EQ(alike.layers, large.layers);
    EXPECT_LT(again.visits, result.visits) << "it is looked up";
}

TEST(DotImprover, theHashTellsStructuresApartAndNotNumbers) {
    LayerGraph a = crossedPair();
    LayerGraph b = crossedPair();
    EXPECT_EQ(structuralHash(a), structuralHash(b));
    b.places[0].right += 1;
    EXPECT_NE(structuralHash(a), structuralHash(b));
    LayerGraph c = crossedPair();
    c.links = {{0, 2}, {1, 3}};
    EXPECT_NE(structuralHash(a), structuralHash(c));
}

} // namespace
} // namespace secateur
