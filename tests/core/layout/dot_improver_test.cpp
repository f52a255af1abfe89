// SPDX-License-Identifier: Apache-2.0
//
// `dot` beside us: as a second opinion in a process with a deadline, and as the measure of our crossings.
#include "core/layout/dot_improver.h"

#include "core/layout/layer_order.h"
#include "core/picture/union_graph.h"
#include "core/support/child_process.h"
#include "tests/core/layout/graph_builder.h"
#include "tests/support/models.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

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
        LayerGraph graph = complete();
        LayerGraph own = complete();
        EXPECT_EQ(orderLayersBest(graph, options).crossings, 9U);
        (void)orderLayers(own, options.sweeps);
        EXPECT_EQ(graph.layers, own.layers);
        EXPECT_EQ(parrot.asked, 1);
    }
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

/// Collects the blocks that a layout orders, and what our own sweeps make of them.
class Recorder : public LayerImprover {
  public:
    std::vector<std::vector<std::uint32_t>> orderOf(const LayerGraph& graph) override {
        blocks.push_back(graph);
        return {};
    }
    std::vector<LayerGraph> blocks; ///< those with crossings
};

struct Compared {
    std::uint64_t ours = 0, dots = 0;
    std::size_t blocks = 0;
};

/// Our crossings and those of `dot` over the same edges in the same ranks.
void compareBlocks(const std::vector<LayerGraph>& blocks, Compared& sum) {
    for (const LayerGraph& block : blocks) {
        ChildRequest request;
        request.arguments = {"dot", "-Tplain"};
        request.input = layersToDot(block);
        request.deadline = 10s;
        const auto drawn = runChild(request);
        if (!drawn.ok() || !drawn->isFine()) continue; // it does not finish in time
        const LayerOrderCache::Order order = orderFromPlain(block, drawn->output);
        ASSERT_EQ(order.size(), block.layers.size());
        LayerGraph theirs = block;
        for (std::size_t l = 0; l < order.size(); ++l)
            for (std::size_t i = 0; i < order[l].size(); ++i)
                theirs.layers[l][i] = block.layers[l][order[l][i]];
        LayerGraph own = block;
        sum.ours += orderLayers(own, LayoutOptions().sweeps).crossings;
        sum.dots += countCrossings(theirs);
        ++sum.blocks;
    }
}

TEST(Crossings, areWithinOneAndAHalfTimesThoseOfDotInTheSameRanks) {
    if (!hasDot()) GTEST_SKIP() << "Graphviz is not installed";
    const auto folder = testing::modelsFolder();
    if (folder.empty()) GTEST_SKIP() << "no models beside the sources";
    Compared all;
    for (const auto& path : testing::filesBelow(folder, ".onnx")) {
        if (std::filesystem::file_size(path) > (5U << 20U)) continue; // the same blocks, many times over
        const auto original = openOriginal(path);
        ASSERT_TRUE(original.ok()) << path;
        UnionGraph united = buildUnionGraph(**original, nullptr);
        const Hierarchy hierarchy = buildHierarchy(united.graph, united.hints);
        Recorder recorder;
        LayoutOptions options;
        options.improver = &recorder;
        (void)layoutGraph(united.graph, hierarchy, initialExpandState(united.graph, hierarchy), options);
        Compared model;
        compareBlocks(recorder.blocks, model);
        if (model.blocks > 0)
            RecordProperty(path.parent_path().filename().string(),
                           std::to_string(model.ours) + " ours, " + std::to_string(model.dots) + " dot");
        EXPECT_LE(static_cast<double>(model.ours), 1.5 * static_cast<double>(model.dots) + 3) << path;
        all.ours += model.ours;
        all.dots += model.dots;
        all.blocks += model.blocks;
    }
    std::cout << "crossings in " << all.blocks << " blocks: ours " << all.ours << ", dot " << all.dots
              << "\n";
    EXPECT_LE(static_cast<double>(all.ours), 1.5 * static_cast<double>(all.dots));
}

// --- dot with all freedom: it chooses the ranks as well ---

/// A drawn edge as its x in every rank that it spans.
struct Strand {
    std::uint32_t first = 0; ///< rank
    std::vector<double> x;
};

/// Pairwise inversions between neighbouring ranks.
std::uint64_t inversions(const std::vector<Strand>& strands) {
    std::uint64_t count = 0;
    for (std::size_t a = 0; a < strands.size(); ++a) {
        for (std::size_t b = a + 1; b < strands.size(); ++b) {
            const std::uint32_t from = std::max(strands[a].first, strands[b].first);
            const auto endOf = [](const Strand& s) {
                return s.first + static_cast<std::uint32_t>(s.x.size());
            };
            for (std::uint32_t r = from; r + 1 < std::min(endOf(strands[a]), endOf(strands[b])); ++r) {
                const double above = strands[a].x[r - strands[a].first] - strands[b].x[r - strands[b].first];
                const double below =
                    strands[a].x[r + 1 - strands[a].first] - strands[b].x[r + 1 - strands[b].first];
                count += above * below < -1e-9 ? 1 : 0;
            }
        }
    }
    return count;
}

/// x of a polyline where it passes a height.
double xAt(const std::vector<Point>& line, double y) {
    for (std::size_t k = 1; k < line.size(); ++k) {
        const Point &a = line[k - 1], &b = line[k];
        if ((a.y - y) * (b.y - y) > 0) continue;
        return a.y == b.y ? b.x : a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y);
    }
    return line.back().x;
}

bool isVertical(const Layout& layout, const PlacedEdge& edge) {
    return !edge.isPortal && edge.pointCount > 0 &&
           layout.items[edge.from].rank != layout.items[edge.to].rank &&
           layout.items[edge.from].column == layout.items[edge.to].column && edge.from != edge.to;
}

std::vector<Strand> ourStrands(const Layout& layout, std::uint8_t column) {
    std::vector<Strand> strands;
    for (const PlacedEdge& edge : layout.edges) {
        if (!isVertical(layout, edge) || layout.items[edge.from].column != column) continue;
        const bool isDown = layout.items[edge.from].rank < layout.items[edge.to].rank;
        const PlacedItem& top = layout.items[isDown ? edge.from : edge.to];
        const PlacedItem& bottom = layout.items[isDown ? edge.to : edge.from];
        std::vector<Point> line;
        for (std::uint32_t k = 0; k < edge.pointCount; k += 3)
            line.push_back(layout.points[edge.firstPoint + k]);
        Strand strand;
        strand.first = top.rank;
        strand.x.push_back(top.rect.centerX());
        for (std::uint32_t r = top.rank + 1; r < bottom.rank; ++r)
            strand.x.push_back(xAt(line, layout.rankTop[r] + 1));
        strand.x.push_back(bottom.rect.centerX());
        strands.push_back(std::move(strand));
    }
    return strands;
}

std::string columnToDot(const Layout& layout, std::uint8_t column) {
    std::string dot =
        "digraph g {\ngraph [nodesep=0.222, ranksep=0.4];\nnode [shape=box, fixedsize=true, label=\"\"];\n";
    for (std::uint32_t i = 0; i < layout.items.size(); ++i) {
        const PlacedItem& item = layout.items[i];
        if (item.column == column)
            dot += "n" + std::to_string(i) + " [width=" + std::to_string(item.rect.width / 72) +
                   ", height=0.3];\n";
    }
    for (const PlacedEdge& edge : layout.edges) {
        if (!isVertical(layout, edge) || layout.items[edge.from].column != column) continue;
        const bool isDown = layout.items[edge.from].rank < layout.items[edge.to].rank;
        dot += "n" + std::to_string(isDown ? edge.from : edge.to) + " -> n" +
               std::to_string(isDown ? edge.to : edge.from) + ";\n";
    }
    return dot + "}\n";
}

/// What `dot -Tplain` drew: heights of nodes as ranks, edges sampled at them.
std::vector<Strand> dotStrands(const std::string& plain) {
    std::vector<double> heights;
    std::istringstream nodes(plain);
    std::map<std::string, Point> at;
    for (std::string word; nodes >> word;) {
        if (word != "node") {
            std::getline(nodes, word);
            continue;
        }
        std::string name;
        Point p;
        nodes >> name >> p.x >> p.y;
        p.y = -p.y;
        at[name] = p;
        heights.push_back(p.y);
        std::getline(nodes, word);
    }
    std::sort(heights.begin(), heights.end());
    heights.erase(
        std::unique(heights.begin(), heights.end(), [](double a, double b) { return b - a < 1e-3; }),
        heights.end());
    const auto rankOf = [&](double y) {
        return static_cast<std::uint32_t>(std::lower_bound(heights.begin(), heights.end(), y - 1e-3) -
                                          heights.begin());
    };
    std::vector<Strand> strands;
    std::istringstream lines(plain);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string kind, tail, head;
        std::size_t n = 0;
        words >> kind >> tail >> head >> n;
        if (kind != "edge") continue;
        std::vector<Point> control(n);
        for (Point& p : control) {
            words >> p.x >> p.y;
            p.y = -p.y;
        }
        std::vector<Point> line2;
        for (std::size_t k = 0; k + 3 < control.size(); k += 3)
            for (int i = 0; i <= 32; ++i) {
                const double t = i / 32.0, s = 1 - t;
                line2.push_back({s * s * s * control[k].x + 3 * s * s * t * control[k + 1].x +
                                     3 * s * t * t * control[k + 2].x + t * t * t * control[k + 3].x,
                                 s * s * s * control[k].y + 3 * s * s * t * control[k + 1].y +
                                     3 * s * t * t * control[k + 2].y + t * t * t * control[k + 3].y});
            }
        Strand strand;
        strand.first = rankOf(at[tail].y);
        strand.x.push_back(at[tail].x);
        for (std::uint32_t r = strand.first + 1; r < rankOf(at[head].y); ++r)
            strand.x.push_back(xAt(line2, heights[r]));
        strand.x.push_back(at[head].x);
        strands.push_back(std::move(strand));
    }
    return strands;
}

TEST(Crossings, areWithinOneAndAHalfTimesThoseOfDotWithRanksOfItsOwn) {
    if (!hasDot()) GTEST_SKIP() << "Graphviz is not installed";
    const auto folder = testing::modelsFolder();
    if (folder.empty()) GTEST_SKIP() << "no models beside the sources";
    std::uint64_t ours = 0, dots = 0;
    for (const auto& path : testing::filesBelow(folder, ".onnx")) {
        if (std::filesystem::file_size(path) > (1U << 20U) &&
            path.string().find("training") != std::string::npos)
            continue;
        const auto original = openOriginal(path);
        ASSERT_TRUE(original.ok()) << path;
        const UnionGraph united = buildUnionGraph(**original, nullptr);
        if (united.graph.nodes.size() > 600) continue; // dot does not finish
        const Layout layout = layoutGraph(united.graph);
        std::uint64_t oursHere = 0, dotsHere = 0;
        for (std::uint8_t column = 0; column < 2; ++column) {
            ChildRequest request;
            request.arguments = {"dot", "-Tplain"};
            request.input = columnToDot(layout, column);
            request.deadline = 10s;
            const auto drawn = runChild(request);
            if (!drawn.ok() || !drawn->isFine()) continue;
            oursHere += inversions(ourStrands(layout, column));
            dotsHere += inversions(dotStrands(drawn->output));
        }
        RecordProperty(path.parent_path().filename().string(),
                       std::to_string(oursHere) + " ours, " + std::to_string(dotsHere) + " dot");
        if (oursHere + dotsHere > 0)
            std::cout << path.parent_path().filename().string() << ": ours " << oursHere << ", dot "
                      << dotsHere << "\n";
        ours += oursHere;
        dots += dotsHere;
    }
    std::cout << "crossings: ours " << ours << ", dot " << dots << "\n";
    EXPECT_LE(static_cast<double>(ours), 1.5 * static_cast<double>(dots));
}

} // namespace
} // namespace secateur
