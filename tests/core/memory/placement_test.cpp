// SPDX-License-Identifier: Apache-2.0
#include "core/memory/placement.h"
#include "core/memory/placement_check.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace secateur {
namespace {

namespace fs = std::filesystem;
using Ranges = std::vector<LiveRange>;

Placement placed(const Ranges& ranges, std::int64_t alignment = 1) {
    auto placement = placeRanges(ranges, alignment);
    EXPECT_TRUE(placement.ok()) << placement.error().toString();
    if (!placement) return {};
    const auto checked = checkPlacement(ranges, *placement, alignment);
    EXPECT_TRUE(checked.ok()) << checked.error().toString();
    return std::move(*placement);
}

TEST(Placement, ofNothingIsEmpty) {
    const Placement placement = placed({});
    EXPECT_EQ(placement.arena, 0);
    EXPECT_TRUE(placement.isOptimal());
}

TEST(Placement, rangesThatNeverMeetShareTheirBytes) {
    const Placement placement = placed({{100, 0, 1}, {80, 2, 3}, {60, 4, 4}});
    EXPECT_EQ(placement.arena, 100);
    EXPECT_EQ(placement.offsets, (std::vector<std::int64_t>{0, 0, 0}));
}

TEST(Placement, bothEndsOfARangeBelongToIt) {
    const Placement placement = placed({{100, 0, 1}, {80, 1, 2}});
    EXPECT_EQ(placement.arena, 180);
    EXPECT_EQ(placement.lowerBound, 180);
}

TEST(Placement, aGapIsUsedAgain) {
    // 0 and 2 enclose 1, which leaves; 3 fits where it was.
    const Placement placement = placed({{10, 0, 9}, {20, 0, 3}, {10, 0, 9}, {20, 4, 9}});
    EXPECT_EQ(placement.arena, 40);
    EXPECT_TRUE(placement.isOptimal());
}

TEST(Placement, sizesAreRoundedUpToTheAlignment) {
    const Placement placement = placed({{1, 0, 0}, {65, 0, 0}, {0, 0, 0}}, 64);
    EXPECT_EQ(placement.arena, 192);
    EXPECT_EQ(placement.lowerBound, 192);
}

/// A quarter of a million that live at once, more than 10^10 pairs: what takes time per pair never ends.
TEST(Placement, veryManyThatLiveAtOnceArePlacedWithoutLookingAtPairs) {
    Ranges ranges;
    constexpr std::int64_t kWide = 250'000;
    for (std::int64_t i = 0; i < kWide; ++i)
        ranges.push_back({64 + 64 * (i % 3), i, kWide + i});
    const Placement wide = placed(ranges, 64);
    EXPECT_TRUE(wide.isOptimal())
        << "as each is read for the last time, the next of its size takes its place";
    for (std::int64_t i = 0; i < kWide; ++i)
        ranges.push_back({64, kWide + i + 1, kWide + i + 1});
    EXPECT_LE(placed(ranges, 64).arena, wide.arena + 64);
}

TEST(Placement, whatDoesNotFit63BitsIsAnError) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    EXPECT_FALSE(placeRanges(Ranges{{kMost, 0, 0}, {1, 0, 0}}).ok());
    EXPECT_FALSE(placeRanges(Ranges{{kMost, 0, 0}}, 64).ok());
    EXPECT_FALSE(placeRanges(Ranges{{-1, 0, 0}}).ok());
    EXPECT_FALSE(placeRanges(Ranges{{1, 3, 2}}).ok());
    // Each fits by itself, and they never meet.
    EXPECT_EQ(placed({{kMost - 1, 0, 0}, {kMost - 1, 1, 1}}).arena, kMost - 1);
}

/// Any two ranges that live together and share a byte, found by looking at all pairs.
bool hasOverlap(const Ranges& ranges, const std::vector<std::int64_t>& offsets) {
    for (std::size_t a = 0; a < ranges.size(); ++a)
        for (std::size_t b = a + 1; b < ranges.size(); ++b) {
            if (ranges[a].size == 0 || ranges[b].size == 0) continue;
            const bool inTime = ranges[a].first <= ranges[b].last && ranges[b].first <= ranges[a].last;
            const bool inSpace =
                offsets[a] < offsets[b] + ranges[b].size && offsets[b] < offsets[a] + ranges[a].size;
            if (inTime && inSpace) return true;
        }
    return false;
}

Ranges randomRanges(std::mt19937& random, std::size_t most) {
    const auto below = [&](std::size_t n) { return static_cast<std::int64_t>(random() % n); };
    Ranges ranges(static_cast<std::size_t>(below(most)));
    for (LiveRange& range : ranges) {
        range.first = below(30);
        range.last = range.first + below(12);
        range.size = below(5) == 0 ? 0 : below(1000);
    }
    return ranges;
}

TEST(Placement, randomRangesNeverShareAByteAndComeOutTheSameTwice) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        const Ranges ranges = randomRanges(random, 60);
        const std::int64_t alignment = round % 2 == 0 ? 1 : 64;
        const Placement placement = placed(ranges, alignment);
        EXPECT_FALSE(hasOverlap(ranges, placement.offsets));
        EXPECT_GE(placement.arena, placement.lowerBound);
        EXPECT_EQ(placed(ranges, alignment).offsets, placement.offsets);
    }
}

TEST(PlacementCheck, seesExactlyTheOverlapsThatThereAre) {
    std::mt19937 random(11);
    int good = 0, bad = 0;
    for (int round = 0; round < 2000; ++round) {
        const Ranges ranges = randomRanges(random, 8);
        Placement placement;
        placement.lowerBound = mostLiveBytes(ranges).value();
        placement.arena = 100'000;
        for (std::size_t i = 0; i < ranges.size(); ++i)
            placement.offsets.push_back(static_cast<std::int64_t>(random() % 6000));
        const bool isOverlapping = hasOverlap(ranges, placement.offsets);
        EXPECT_EQ(checkPlacement(ranges, placement).ok(), !isOverlapping);
        ++(isOverlapping ? bad : good);
    }
    EXPECT_GT(good, 100);
    EXPECT_GT(bad, 100);
}

TEST(PlacementCheck, saysWhichLawIsBroken) {
    const Ranges ranges{{64, 0, 2}, {64, 1, 3}};
    Placement placement = placed(ranges, 64);
    const auto errorOf = [&](Placement changed) {
        const auto checked = checkPlacement(ranges, changed, 64);
        return checked.ok() ? std::string() : checked.error().message;
    };
    Placement moved = placement;
    moved.offsets[1] = moved.offsets[0];
    EXPECT_EQ(errorOf(moved), "live ranges 0 and 1 share bytes at step 1");
    moved.offsets[1] = 32;
    EXPECT_NE(errorOf(moved).find("no multiple of 64"), std::string::npos);
    moved.offsets[1] = 128;
    EXPECT_NE(errorOf(moved).find("beyond the arena"), std::string::npos);
    Placement small = placement;
    small.lowerBound = 64;
    EXPECT_NE(errorOf(small).find("cannot be"), std::string::npos);
    small = placement;
    small.offsets.pop_back();
    EXPECT_NE(errorOf(small).find("do not fit 2"), std::string::npos);
}

/// Lines of `id,lower,upper,size`; upper is the first step behind.
Ranges readInstance(const fs::path& file) {
    Ranges ranges;
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::vector<std::int64_t> numbers;
        for (std::size_t at = line.find(','); at != std::string::npos; at = line.find(',', at + 1)) {
            std::int64_t number = 0;
            std::from_chars(line.data() + at + 1, line.data() + line.size(), number);
            numbers.push_back(number);
        }
        if (numbers.size() == 3) ranges.push_back({numbers[2], numbers[0], numbers[1] - 1});
    }
    return ranges;
}

TEST(Placement, publicInstancesAreAsTightAsTheBestGreedyKnown) {
    const fs::path folder = testing::modelsFolder().parent_path() / "memory";
    if (!fs::is_directory(folder)) GTEST_SKIP() << "no folder of public instances beside the models";
    // Arena divided by lower bound, of the best of ten greedy orders as published for these instances.
    const std::map<std::string, double> kBest{{"A", 1.290}, {"B", 1.347}, {"C", 1.364}, {"D", 1.309},
                                              {"E", 1.369}, {"F", 1.123}, {"G", 1.170}, {"H", 1.258},
                                              {"I", 1.410}, {"J", 1.313}, {"K", 1.277}};
    std::map<fs::path, double> wanted{{folder / "resnet50_train.csv", 1.0030},
                                      {folder / "iopddl_g1.csv", 1.0000},
                                      {folder / "minimalloc" / "input.12.csv", 1.0}};
    for (const auto& [name, ratio] : kBest)
        wanted[folder / "minimalloc" / (name + ".1048576.csv")] = ratio;
    for (const auto& [file, most] : wanted) {
        const Ranges ranges = readInstance(file);
        if (ranges.empty()) continue;
        const Placement placement = placed(ranges);
        const double ratio = static_cast<double>(placement.arena) / static_cast<double>(placement.lowerBound);
        std::printf("%-28s n %5zu arena %12lld ratio %.4f (%s)\n", file.filename().c_str(), ranges.size(),
                    static_cast<long long>(placement.arena), ratio, placement.strategy.c_str());
        EXPECT_LE(ratio, most + 0.0005) << file;
    }
}

} // namespace
} // namespace secateur
