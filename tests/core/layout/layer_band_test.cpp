// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layer_band.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

/// Places 0..5 in layers of two; a lane (place 2) that two edges share further down.
LayerGraph forked() {
    LayerGraph graph;
    graph.layers.resize(3);
    for (std::uint32_t p = 0; p < 6; ++p) {
        LayerGraph::Place place;
        place.layer = p / 2;
        if (p != 2) place.item = p;
        graph.places.push_back(place);
        graph.layers[place.layer].push_back(p);
    }
    graph.links = {{1, 2}, {0, 3}, {2, 4}, {2, 5}};
    graph.connect();
    return graph;
}

TEST(LayerBand, countsTheCrossingsOfTheWholeBetweenItsLayers) {
    const LayerGraph whole = forked();
    ASSERT_EQ(countCrossings(whole), 2U) << "the lane stands for two edges";
    std::vector<std::uint32_t> scratch;
    const LayerBand upper = bandOf(whole, 0, 1, scratch);
    EXPECT_EQ(countCrossings(upper.graph), 2U) << "also where it forks below the band";
    EXPECT_FALSE(upper.graph.holdsFirst);
    EXPECT_TRUE(upper.graph.holdsLast);
    EXPECT_EQ(upper.whole, (std::vector<std::uint32_t>{0, 1, 2, 3}));
    const LayerBand lower = bandOf(whole, 1, 2, scratch);
    EXPECT_EQ(countCrossings(lower.graph), 0U);
    EXPECT_TRUE(lower.graph.holdsFirst);
    EXPECT_FALSE(lower.graph.holdsLast);
    EXPECT_EQ(lower.whole, (std::vector<std::uint32_t>{2, 3, 4, 5}));
}

TEST(LayerBand, followsThePresentOrder) {
    LayerGraph whole = forked();
    whole.layers[1] = {3, 2};
    std::vector<std::uint32_t> scratch;
    const LayerBand band = bandOf(whole, 0, 2, scratch);
    EXPECT_EQ(countCrossings(band.graph), 0U);
    EXPECT_EQ(band.whole, (std::vector<std::uint32_t>{0, 1, 3, 2, 4, 5}));
    EXPECT_FALSE(band.graph.holdsFirst || band.graph.holdsLast);
}

TEST(LayerBand, isToldApartByTheEdgesThatItsLinksStandFor) {
    LayerGraph forks = forked(), doesNot = forked();
    doesNot.links.pop_back();
    doesNot.connect();
    std::vector<std::uint32_t> scratch;
    const LayerBand heavy = bandOf(forks, 0, 1, scratch), light = bandOf(doesNot, 0, 1, scratch);
    EXPECT_EQ(heavy.graph.links.size(), light.graph.links.size());
    EXPECT_NE(countCrossings(heavy.graph), countCrossings(light.graph));
    EXPECT_NE(hashOf(heavy), hashOf(light));
    EXPECT_EQ(hashOf(heavy), hashOf(bandOf(forks, 0, 1, scratch)));
}

} // namespace
} // namespace secateur
