// SPDX-License-Identifier: Apache-2.0
//
// What a frame costs: boxes looked at, items painted and calls of new follow what is in view, not the size of
// the graph. A display list keeps its buffers: it is the second frame that counts.
#include "core/picture/compose.h"
#include "tests/core/layout/graph_builder.h"
#include "tests/support/allocation_counter.h"

#include <gtest/gtest.h>

#include <iostream>

namespace secateur {
namespace {

struct Cost {
    std::size_t painted = 0;
    std::uint32_t items = 0, cards = 0, labels = 0;
    std::uint64_t allocations = 0;
};

/// The second frame of a window of 1600 x 1000 in the middle of a graph, at a zoom.
Cost costOf(std::uint32_t nodes, double zoom) {
    const RepeatedGraph repeated = repeatedBlocks(nodes);
    const Layout layout = layoutGraph(repeated.graph);
    PictureState state;
    state.tally(repeated.graph, layout);
    const Scene scene{&repeated.graph, &layout, nullptr, &state};
    ViewRequest request;
    request.zoom = zoom;
    const Rect& all = layout.bounds;
    request.viewport = {all.x, all.centerY(), 1600 / zoom, 1000 / zoom};
    DisplayList list;
    compose(scene, request, list);
    const std::uint64_t before = testing::allocationCount();
    compose(scene, request, list);
    const std::uint64_t allocations = testing::allocationCount() - before;
    return {list.items.size(), list.counters.items, list.counters.cards, list.counters.labels, allocations};
}

class FrameCost : public ::testing::TestWithParam<double> {};

TEST_P(FrameCost, followsWhatIsInView) {
    const Cost small = costOf(3000, GetParam()), large = costOf(100000, GetParam());
    std::cout << "zoom " << GetParam() << ": " << large.items << " boxes, " << large.painted
              << " items painted, " << large.cards << " cards, " << large.labels << " labels, "
              << large.allocations << " calls of new\n";
    constexpr double kMost = 1.2;
    EXPECT_GT(large.items, 10U);
    EXPECT_LE(large.items, kMost * small.items + 8);
    EXPECT_LE(large.painted, kMost * static_cast<double>(small.painted) + 20);
    EXPECT_LE(large.allocations, kMost * static_cast<double>(small.allocations) + 8);
    // A few for what is kept for one frame, and two for each text that is cut or put together.
    EXPECT_LE(large.allocations, 100 + 4 * (large.cards + large.labels));
}

INSTANTIATE_TEST_SUITE_P(Zooms, FrameCost, ::testing::Values(2.0, 1.0, 0.6, 0.3, 0.2));

} // namespace
} // namespace secateur
