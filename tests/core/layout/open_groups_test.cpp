// SPDX-License-Identifier: Apache-2.0
//
// Which groups a picture opens when words ask for it.
#include "core/layout/open_groups.h"
#include "tests/core/layout/graph_builder.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

/// Two halves of two parts of four nodes; every part has a gradient as well.
struct Halves {
    Halves() {
        GraphBuilder b;
        HierarchyHints hints;
        for (int i = 0; i < 20; ++i) {
            b.node("Op", i % 5 == 4 ? NodeRole::backward : NodeRole::forward);
            hints.nodeNames.push_back("/half" + std::to_string(i / 10) + "/part" + std::to_string(i / 5 % 2) +
                                      "/Op");
        }
        graph = b.build();
        hierarchy = buildHierarchy(graph, hints);
        closed.open.assign(hierarchy.groups.size(), false);
    }
    std::uint32_t group(const std::string& title) const {
        for (std::uint32_t g = 0; g < hierarchy.groups.size(); ++g)
            if (hierarchy.groups[g].title == title) return g;
        return kNoIndex;
    }
    /// Titles of the groups that these words open.
    std::vector<std::string> opened(const std::vector<std::string>& words) const {
        const auto state = openGroups(graph, hierarchy, closed, words);
        std::vector<std::string> titles;
        for (std::uint32_t g = 0; state && g < hierarchy.groups.size(); ++g)
            if (state->isOpen(g)) titles.push_back(hierarchy.groups[g].title);
        std::sort(titles.begin(), titles.end());
        return titles;
    }

    LayoutGraph graph;
    Hierarchy hierarchy;
    ExpandState closed;
};

using Titles = std::vector<std::string>;

TEST(OpenGroups, aNumberOpensSoManyLevelsAndAllEveryOne) {
    const Halves halves;
    ASSERT_EQ(halves.hierarchy.groups.size(), 6U);
    EXPECT_EQ(halves.opened({"0"}), Titles());
    EXPECT_EQ(halves.opened({"1"}), (Titles{"half0", "half1"}));
    EXPECT_EQ(halves.opened({"2"}).size(), 6U);
    EXPECT_EQ(halves.opened({"all"}).size(), 6U);
    EXPECT_EQ(halves.opened({"0", "1"}), (Titles{"half0", "half1"})) << "the deepest counts";
}

TEST(OpenGroups, aNameOpensTheGroupsAroundItAndLeavesTheOthersAsTheyWere) {
    Halves halves;
    EXPECT_EQ(halves.opened({"half1/part0"}), (Titles{"half1", "half1/part0"}));
    EXPECT_EQ(halves.opened({"part1"}), (Titles{"half0", "half0/part1", "half1", "half1/part1"}))
        << "every group of that name";
    halves.closed.open[halves.group("half0")] = true;
    EXPECT_EQ(halves.opened({"half1"}), (Titles{"half0", "half1"}));
    EXPECT_EQ(halves.opened({"0", "half1"}), (Titles{"half1"})) << "a number decides what else is open";
}

TEST(OpenGroups, aWordThatNamesNothingIsRefusedWithTheNearestNames) {
    const Halves halves;
    const auto wrong = openGroups(halves.graph, halves.hierarchy, halves.closed, {"half1/part3"});
    ASSERT_FALSE(wrong.ok());
    EXPECT_EQ(wrong.error().code, ErrorCode::usage);
    EXPECT_NE(wrong.error().message.find("`half1/part0`"), std::string::npos) << wrong.error().message;
    const auto none = openGroups(halves.graph, {}, {}, {"half1"});
    ASSERT_FALSE(none.ok());
    EXPECT_NE(none.error().message.find("`half1`"), std::string::npos) << none.error().message;
    EXPECT_TRUE(openGroups(halves.graph, {}, {}, {"all"}).ok()) << "without groups all is open anyway";
}

TEST(OpenGroups, boxesAreNodesThatShowAndPartsOfClosedGroups) {
    const Halves halves;
    const auto boxes = [&](const std::vector<std::string>& words) {
        const auto state = openGroups(halves.graph, halves.hierarchy, halves.closed, words);
        const std::size_t count = countBoxes(halves.graph, halves.hierarchy, *state);
        EXPECT_EQ(count, layoutGraph(halves.graph, halves.hierarchy, *state).items.size());
        return count;
    };
    EXPECT_EQ(boxes({"0"}), 4U);
    EXPECT_EQ(boxes({"1"}), 8U);
    EXPECT_EQ(boxes({"half0/part0"}), 9U);
    EXPECT_EQ(boxes({"all"}), 20U);
}

TEST(OpenGroups, aPictureOfTooManyBoxesIsRefusedWithBothNumbers) {
    const Halves halves;
    EXPECT_TRUE(openGroups(halves.graph, halves.hierarchy, halves.closed, {"all"}, 20).ok());
    const auto refused = openGroups(halves.graph, halves.hierarchy, halves.closed, {"all"}, 19);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::usage);
    EXPECT_NE(refused.error().message.find("20 boxes"), std::string::npos) << refused.error().message;
    EXPECT_NE(refused.error().message.find("19"), std::string::npos) << refused.error().message;
}

} // namespace
} // namespace secateur
