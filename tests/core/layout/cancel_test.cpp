// SPDX-License-Identifier: Apache-2.0
//
// Whoever lays out asks often whether it is still wanted: a Cancel is answered within 50 ms.
#include "core/picture/union_graph.h"
#include "tests/core/layout/graph_builder.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

#include <ctime>
#include <iostream>

namespace secateur {
namespace {

/// Processor time of this process in milliseconds: what others do on the machine does not count.
double now() {
    return 1000.0 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

struct Waits {
    double longest = 0; ///< between two questions, or the last and the end
    double all = 0;
    std::size_t questions = 0;
};

Waits waitsOf(const std::function<Layout(const LayoutOptions&)>& layOut) {
    Waits waits;
    const double begin = now();
    double last = begin;
    const auto tick = [&] {
        waits.longest = std::max(waits.longest, now() - last);
        last = now();
    };
    LayoutOptions options;
    options.isCancelled = [&] {
        ++waits.questions;
        tick();
        return false;
    };
    const Layout layout = layOut(options);
    tick();
    waits.all = now() - begin;
    EXPECT_FALSE(layout.cancelled);
    return waits;
}

/// 50 ms; where all is slow (sanitizers), a small part of the whole.
void expectShortWaits(const Waits& waits, const char* what) {
    std::cout << what << ": " << waits.questions << " questions in " << waits.all << " ms, the longest wait "
              << waits.longest << " ms\n";
    EXPECT_LE(waits.longest, std::max(50.0, waits.all / 8)) << what;
}

TEST(LayoutCancel, isAskedForEveryFewMillisecondsOfTheLargestModel) {
    const auto path = testing::trainingModel("transformer48.adamw.step");
    if (path.empty()) GTEST_SKIP() << "no models beside the sources";
    const auto original = openOriginal(path);
    ASSERT_TRUE(original.ok());
    UnionGraph united = buildUnionGraph(**original, nullptr);
    const Hierarchy hierarchy = buildHierarchy(united.graph, united.hints);
    const ExpandState opened = initialExpandState(united.graph, hierarchy);
    ExpandState all;
    all.open.assign(hierarchy.groups.size(), true);
    expectShortWaits(waitsOf([&](const LayoutOptions& options) {
                         return layoutGraph(united.graph, hierarchy, opened, options);
                     }),
                     "as opened");
    expectShortWaits(waitsOf([&](const LayoutOptions& options) {
                         return layoutGraph(united.graph, hierarchy, all, options);
                     }),
                     "all groups open");
    expectShortWaits(
        waitsOf([&](const LayoutOptions& options) { return layoutGraph(united.graph, options); }), "flat");
}

TEST(LayoutCancel, atAnyQuestionComesBackEmptyAndAsksNothingMore) {
    const RepeatedGraph repeated = repeatedBlocks(3000);
    std::size_t questions = 0;
    LayoutOptions counting;
    counting.isCancelled = [&] {
        ++questions;
        return false;
    };
    (void)layoutGraph(repeated.graph, repeated.hierarchy, repeated.allOpen, counting);
    ASSERT_GT(questions, 10U);
    for (std::size_t at = 1; at <= questions; at += 1 + questions / 40) {
        std::size_t asked = 0;
        LayoutOptions options;
        options.isCancelled = [&] { return ++asked >= at; };
        const Layout layout = layoutGraph(repeated.graph, repeated.hierarchy, repeated.allOpen, options);
        EXPECT_TRUE(layout.cancelled) << at;
        EXPECT_TRUE(layout.items.empty()) << at;
        EXPECT_LE(asked, at + 12) << "every loop that asks ends";
    }
}

} // namespace
} // namespace secateur
