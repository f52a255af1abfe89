// SPDX-License-Identifier: Apache-2.0
#include "core/layout/ordering.h"
#include "core/layout/port_order.h"
#include "tests/core/layout/graph_builder.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

/// Adds a chain below `from` and gives its nodes.
std::vector<std::uint32_t> chain(GraphBuilder& b, std::uint32_t from, std::uint32_t length) {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t i = 0; i < length; ++i) {
        nodes.push_back(b.node("Relu"));
        b.edge(i == 0 ? from : nodes[i - 1], nodes.back());
    }
    return nodes;
}

TEST(PortOrder, valuesThatPassFromBlockToBlockDoNotCross) {
    // The long chain of each block goes on in the short chain of the next: every block by itself would have
    // its long chain at the left.
    constexpr std::uint32_t kBlocks = 4, kLong = 14, kShort = 3;
    GraphBuilder b;
    HierarchyHints hints;
    std::array<std::uint32_t, 2> ends{};
    std::vector<std::array<std::uint32_t, 2>> firsts,
        lasts; // by block: of the chains that continue each other
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
        std::array<std::uint32_t, 2> first{};
        for (std::uint32_t c = 0; c < 2; ++c) {
            const bool isLong = c == block % 2;
            const std::uint32_t source = block == 0 ? b.node("x") : ends[c];
            const std::vector<std::uint32_t> nodes = chain(b, source, isLong ? kLong : kShort);
            first[c] = nodes.front();
            ends[c] = nodes.back();
            hints.nodeNames.resize(ends[c] + std::size_t{1}, "/block." + std::to_string(block) + "/op");
        }
        firsts.push_back(first);
        lasts.push_back(ends);
    }
    LayoutGraph graph = b.build();
    const Hierarchy hierarchy = buildHierarchy(graph, hints);
    ASSERT_EQ(hierarchy.groups.size(), kBlocks);
    ExpandState open;
    open.open.assign(kBlocks, true);
    const Layout layout = layoutGraph(graph, hierarchy, open);
    const auto isInOrder = [&](const std::array<std::uint32_t, 2>& pair) {
        const auto x = [&](std::uint32_t node) {
            return layout.items[layout.itemOfNode[node]].rect.centerX();
        };
        return x(pair[0]) < x(pair[1]);
    };
    for (std::uint32_t block = 0; block < kBlocks; ++block) {
        EXPECT_EQ(isInOrder(firsts[block]), isInOrder(lasts[block])) << block;
        if (block == 0) continue;
        EXPECT_EQ(isInOrder(lasts[block - 1]), isInOrder(firsts[block])) << block;
    }
}

/// Layers of equal width, and links between them by their positions.
LayerGraph layersOf(std::uint32_t width, const std::vector<std::vector<std::uint32_t>>& lowerEnds) {
    LayerGraph graph;
    graph.layers.resize(lowerEnds.size() + 1);
    for (std::uint32_t l = 0; l < graph.layers.size(); ++l)
        for (std::uint32_t i = 0; i < width; ++i) {
            LayerGraph::Place place;
            place.item = l * width + i;
            place.layer = l;
            graph.layers[l].push_back(place.item);
            graph.places.push_back(place);
        }
    for (std::uint32_t l = 0; l < lowerEnds.size(); ++l)
        for (std::uint32_t i = 0; i < width; ++i)
            graph.links.push_back({l * width + i, (l + 1) * width + lowerEnds[l][i]});
    graph.connect();
    return graph;
}

TEST(PortOrder, aHeldLayerKeepsItsOrderAndTheOthersFollowIt) {
    LayerGraph graph = layersOf(5, {{4, 3, 2, 1, 0}, {0, 1, 2, 3, 4}, {3, 1, 4, 0, 2}});
    graph.holdsFirst = true;
    const auto first = graph.layers.front();
    EXPECT_EQ(orderLayers(graph, 4).crossings, 0U);
    EXPECT_EQ(countCrossings(graph), 0U);
    EXPECT_EQ(graph.layers.front(), first);

    // Held at both ends against each other: what must cross crosses, and both stay.
    LayerGraph both = layersOf(5, {{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}});
    both.holdsFirst = both.holdsLast = true;
    const auto top = both.layers.front(), bottom = both.layers.back();
    EXPECT_EQ(orderLayers(both, 4).crossings, 10U);
    EXPECT_EQ(both.layers.front(), top);
    EXPECT_EQ(both.layers.back(), bottom);
}

} // namespace
} // namespace secateur
