// SPDX-License-Identifier: Apache-2.0
//
// Work for a training graph of repeated blocks from 1,000 to 100,000 nodes: what is counted grows with the
// nodes and no faster. Times are measured by bench_layout; here nothing depends on the machine.
#include "tests/core/layout/graph_builder.h"
#include "tests/support/allocation_counter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

namespace secateur {
namespace {

/// Work for one node of a graph of about that many.
struct Work {
    double items = 0, virtualNodes = 0, rankVisits = 0, sweepVisits = 0, placementVisits = 0, legs = 0;
    double allocations = 0;
    std::uint32_t sweeps = 0; ///< of the block with most
};

Work workOf(std::uint32_t nodes, bool inBlocks) {
    const RepeatedGraph repeated = repeatedBlocks(nodes);
    const std::uint64_t before = testing::allocationCount();
    const Layout layout = inBlocks ? layoutAllOpen(repeated) : layoutGraph(repeated.graph);
    const auto count = static_cast<double>(repeated.graph.nodes.size());
    const LayoutCounters& c = layout.counters;
    const auto each = [&](std::uint64_t value) { return static_cast<double>(value) / count; };
    return {each(c.itemsPlaced),
            each(c.virtualNodes),
            each(c.rankVisits),
            each(c.sweepVisits),
            each(c.placementVisits),
            each(c.legs),
            each(testing::allocationCount() - before),
            c.sweeps};
}

class Growth : public ::testing::TestWithParam<bool> {};

TEST_P(Growth, workForANodeIsTheSameInALargeGraph) {
    Work small;
    for (const std::uint32_t nodes : {1000U, 3000U, 10000U}) {
        const Work work = workOf(nodes, GetParam());
        small.virtualNodes = std::max(small.virtualNodes, work.virtualNodes);
        small.rankVisits = std::max(small.rankVisits, work.rankVisits);
        small.sweepVisits = std::max(small.sweepVisits, work.sweepVisits);
        small.placementVisits = std::max(small.placementVisits, work.placementVisits);
        small.legs = std::max(small.legs, work.legs);
        small.allocations = std::max(small.allocations, work.allocations);
        small.sweeps = std::max(small.sweeps, work.sweeps);
    }
    const Work large = workOf(100000, GetParam());
    std::cout << "for a node of 100,000: " << large.sweepVisits << " visits of sweeps, " << large.allocations
              << " allocations; " << large.sweeps << " sweeps\n";
    constexpr double kMost = 1.1;
    EXPECT_DOUBLE_EQ(large.items, 1) << "every node is laid out once";
    EXPECT_LE(large.virtualNodes, kMost * small.virtualNodes + 0.1);
    EXPECT_LE(large.rankVisits, kMost * small.rankVisits);
    EXPECT_LE(large.sweepVisits, kMost * small.sweepVisits);
    EXPECT_LE(large.placementVisits, kMost * small.placementVisits);
    EXPECT_LE(large.legs, kMost * small.legs);
    EXPECT_LE(large.allocations, kMost * small.allocations);
    EXPECT_LE(large.sweeps, small.sweeps + 2);
    EXPECT_GT(large.sweepVisits, 0);
    EXPECT_LE(large.allocations, 55) << "calls of new for one node";
}

INSTANTIATE_TEST_SUITE_P(Graphs, Growth, ::testing::Values(false, true),
                         [](const auto& which) { return std::string(which.param ? "inBlocks" : "flat"); });

} // namespace
} // namespace secateur
