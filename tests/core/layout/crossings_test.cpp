// SPDX-License-Identifier: Apache-2.0
//
// Our crossings (pairwise inversions of edges between neighbouring ranks) beside those of `dot` over the same
// edges, on every model and view that dot finishes in ten seconds.
#include "core/layout/dot_improver.h"
#include "core/picture/union_graph.h"
#include "core/support/child_process.h"
#include "tests/core/layout/graph_builder.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

namespace secateur {
namespace {

using namespace std::chrono_literals;

constexpr double kMost = 1.5;           ///< times the crossings of dot
constexpr std::size_t kTooLarge = 6000; ///< boxes of a column that dot does not finish anyway

bool isWithin(std::uint64_t ours, std::uint64_t dots) {
    return static_cast<double>(ours) <= kMost * static_cast<double>(dots);
}

/// What dot draws of a text; nothing when it does not finish.
std::string drawnByDot(std::string text) {
    ChildRequest request;
    request.arguments = {"dot", "-Tplain"};
    request.input = std::move(text);
    request.deadline = 10s;
    const auto drawn = runChild(request);
    return drawn.ok() && drawn->isFine() ? drawn->output : std::string();
}

/// The views of a model: as the window opens it, with all groups open, and without groups.
std::vector<std::pair<std::string, Layout>> viewsOf(const UnionGraph& united, const Hierarchy& hierarchy,
                                                    LayerImprover* improver) {
    LayoutOptions options;
    options.improver = improver;
    std::vector<std::pair<std::string, Layout>> views;
    const ExpandState opened = initialExpandState(united.graph, hierarchy);
    views.emplace_back("opened", layoutGraph(united.graph, hierarchy, opened, options));
    if (united.graph.nodes.size() > kTooLarge) return views;
    ExpandState whole;
    whole.open.assign(hierarchy.groups.size(), true);
    if (whole.open != opened.open)
        views.emplace_back("whole", layoutGraph(united.graph, hierarchy, whole, options));
    views.emplace_back("flat", layoutGraph(united.graph, options));
    return views;
}

/// Collects the different blocks that layouts order, and what our own sweeps make of them.
class Recorder : public LayerImprover {
  public:
    std::vector<std::vector<std::uint32_t>> orderOf(const LayerGraph& graph) override {
        if (m_seen.insert(structuralHash(graph)).second) blocks.push_back(graph);
        return {};
    }
    std::vector<LayerGraph> blocks; ///< those with crossings

  private:
    std::set<std::uint64_t> m_seen;
};

TEST(Crossings, areWithinOneAndAHalfTimesThoseOfDotInTheSameRanks) {
    if (findProgram("dot").empty()) GTEST_SKIP() << "Graphviz is not installed";
    const auto folder = testing::modelsFolder();
    if (folder.empty()) GTEST_SKIP() << "no models beside the sources";
    std::uint64_t ours = 0, dots = 0, blocks = 0;
    for (const auto& path : testing::filesBelow(folder, ".onnx")) {
        const auto original = openOriginal(path);
        ASSERT_TRUE(original.ok()) << path;
        UnionGraph united = buildUnionGraph(**original, nullptr);
        const Hierarchy hierarchy = buildHierarchy(united.graph, united.hints);
        Recorder recorder;
        (void)viewsOf(united, hierarchy, &recorder);
        for (const LayerGraph& block : recorder.blocks) {
            if (block.places.size() > kTooLarge) continue;
            const std::string drawn = drawnByDot(layersToDot(block));
            if (drawn.empty()) continue;
            const LayerOrderCache::Order order = orderFromPlain(block, drawn);
            ASSERT_EQ(order.size(), block.layers.size());
            LayerGraph theirs = block;
            for (std::size_t l = 0; l < order.size(); ++l)
                for (std::size_t i = 0; i < order[l].size(); ++i)
                    theirs.layers[l][i] = block.layers[l][order[l][i]];
            LayerGraph own = block;
            const std::uint64_t here = orderLayers(own, LayoutOptions().sweeps).crossings;
            EXPECT_PRED2(isWithin, here, countCrossings(theirs))
                << path << ", a block of " << block.places.size() << " places";
            ours += here;
            dots += countCrossings(theirs);
            ++blocks;
        }
    }
    std::cout << "crossings in the same ranks, " << blocks << " blocks: ours " << ours << ", dot " << dots
              << "\n";
    EXPECT_LE(ours, dots) << "in all we are better";
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

/// Heights that differ, from the top down.
std::vector<double> distinct(std::vector<double> heights) {
    std::sort(heights.begin(), heights.end());
    heights.erase(
        std::unique(heights.begin(), heights.end(), [](double a, double b) { return b - a < 1e-3; }),
        heights.end());
    return heights;
}

std::uint32_t rankAt(const std::vector<double>& heights, double y) {
    return static_cast<std::uint32_t>(std::lower_bound(heights.begin(), heights.end(), y - 1e-3) -
                                      heights.begin());
}

bool isVertical(const Layout& layout, const PlacedEdge& edge) {
    return !edge.isPortal && edge.pointCount > 0 &&
           layout.items[edge.from].rect.y != layout.items[edge.to].rect.y &&
           layout.items[edge.from].column == layout.items[edge.to].column && edge.from != edge.to;
}

/// Ranks are the heights at which boxes of the column begin; with groups these are of several containers.
std::vector<Strand> ourStrands(const Layout& layout, std::uint8_t column) {
    std::vector<double> heights;
    for (const PlacedItem& item : layout.items)
        if (item.column == column && !item.rect.isEmpty()) heights.push_back(item.rect.y);
    heights = distinct(std::move(heights));
    std::vector<Strand> strands;
    for (const PlacedEdge& edge : layout.edges) {
        if (!isVertical(layout, edge) || layout.items[edge.from].column != column) continue;
        const bool isDown = layout.items[edge.from].rect.y < layout.items[edge.to].rect.y;
        const PlacedItem& top = layout.items[isDown ? edge.from : edge.to];
        const PlacedItem& bottom = layout.items[isDown ? edge.to : edge.from];
        std::vector<Point> line;
        for (std::uint32_t k = 0; k < edge.pointCount; k += 3)
            line.push_back(layout.points[edge.firstPoint + k]);
        Strand strand;
        strand.first = rankAt(heights, top.rect.y);
        const std::uint32_t last = rankAt(heights, bottom.rect.y);
        strand.x.push_back(top.rect.centerX());
        for (std::uint32_t r = strand.first + 1; r < last; ++r)
            strand.x.push_back(xAt(line, heights[r] + 1));
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
        const bool isDown = layout.items[edge.from].rect.y < layout.items[edge.to].rect.y;
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
    heights = distinct(std::move(heights));
    const auto rankOf = [&](double y) { return rankAt(heights, y); };
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
        std::vector<Point> curve;
        for (std::size_t k = 0; k + 3 < control.size(); k += 3)
            for (int i = 0; i <= 32; ++i) {
                const double t = i / 32.0, s = 1 - t;
                curve.push_back({s * s * s * control[k].x + 3 * s * s * t * control[k + 1].x +
                                     3 * s * t * t * control[k + 2].x + t * t * t * control[k + 3].x,
                                 s * s * s * control[k].y + 3 * s * s * t * control[k + 1].y +
                                     3 * s * t * t * control[k + 2].y + t * t * t * control[k + 3].y});
            }
        Strand strand;
        strand.first = rankOf(at[tail].y);
        strand.x.push_back(at[tail].x);
        for (std::uint32_t r = strand.first + 1; r < rankOf(at[head].y); ++r)
            strand.x.push_back(xAt(curve, heights[r]));
        strand.x.push_back(at[head].x);
        strands.push_back(std::move(strand));
    }
    return strands;
}

TEST(Crossings, areWithinOneAndAHalfTimesThoseOfDotWithRanksOfItsOwn) {
    if (findProgram("dot").empty()) GTEST_SKIP() << "Graphviz is not installed";
    const auto folder = testing::modelsFolder();
    if (folder.empty()) GTEST_SKIP() << "no models beside the sources";
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> sums; ///< by view
    for (const auto& path : testing::filesBelow(folder, ".onnx")) {
        const auto original = openOriginal(path);
        ASSERT_TRUE(original.ok()) << path;
        UnionGraph united = buildUnionGraph(**original, nullptr);
        const Hierarchy hierarchy = buildHierarchy(united.graph, united.hints);
        for (const auto& [view, layout] : viewsOf(united, hierarchy, nullptr)) {
            for (std::uint8_t column = 0; column < 3; ++column) {
                if (layout.columns[column].isEmpty() || layout.items.size() > kTooLarge) continue;
                const std::string drawn = drawnByDot(columnToDot(layout, column));
                if (drawn.empty()) continue;
                const std::uint64_t ours = inversions(ourStrands(layout, column));
                const std::uint64_t dots = inversions(dotStrands(drawn));
                const std::string name =
                    path.parent_path().filename().string() + " " + view + " " + std::to_string(column);
                sums[view].first += ours;
                sums[view].second += dots;
                if (ours + dots > 0) std::cout << name << ": ours " << ours << ", dot " << dots << "\n";
                EXPECT_PRED2(isWithin, ours, dots) << name;
            }
        }
    }
    for (const auto& [view, sum] : sums)
        EXPECT_LE(sum.first, sum.second) << view << ": in all we are better";
    for (const auto& [view, sum] : sums)
        std::cout << "crossings, " << view << ": ours " << sum.first << ", dot " << sum.second << "\n";
}

} // namespace
} // namespace secateur
