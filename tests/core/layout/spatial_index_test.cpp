// SPDX-License-Identifier: Apache-2.0
#include "core/layout/spatial_index.h"

#include <gtest/gtest.h>

#include <random>

namespace secateur {
namespace {

TEST(SpatialIndex, findsWhatALinearSearchFinds) {
    std::mt19937 engine(11);
    const auto below = [&engine](int limit) {
        return static_cast<double>(engine() % static_cast<unsigned>(limit));
    };
    std::vector<Rect> boxes;
    for (int i = 0; i < 500; ++i) {
        const double scale = i % 50 == 0 ? 40 : 1; // some long ones
        boxes.push_back({below(20000), below(90000), scale * (1 + below(300)), scale * (1 + below(60))});
    }
    const SpatialIndex index(boxes);
    for (int q = 0; q < 50; ++q) {
        Rect area{below(20000) - 500, below(90000) - 500, 1 + below(4000), 1 + below(4000)};
        if (q == 0) area = {-1000, -1000, 1e6, 1e6}; // everything
        std::vector<std::uint32_t> expected;
        for (std::uint32_t i = 0; i < boxes.size(); ++i) {
            if (boxes[i].intersects(area)) expected.push_back(i);
        }
        std::vector<std::uint32_t> found;
        index.query(area, found);
        EXPECT_EQ(found, expected);
    }
}

TEST(SpatialIndex, emptyBoxesAndEmptyIndexesFindNothing) {
    std::vector<std::uint32_t> found;
    SpatialIndex().query({0, 0, 100, 100}, found);
    SpatialIndex({Rect{5, 5, 0, 0}}).query({0, 0, 100, 100}, found);
    EXPECT_TRUE(found.empty());
    SpatialIndex({Rect{5, 5, 0, 0}, Rect{5, 5, 10, 10}}).query({0, 0, 100, 100}, found);
    EXPECT_EQ(found, std::vector<std::uint32_t>{1});
}

} // namespace
} // namespace secateur
