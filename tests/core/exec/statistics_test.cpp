// SPDX-License-Identifier: Apache-2.0
#include "core/exec/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace secateur {
namespace {

TEST(Statistics, quantilesOfAKnownList) {
    std::vector<double> numbers;
    for (int i = 100; i >= 0; --i)
        numbers.push_back(i);
    const Statistics found = statisticsOf(numbers);
    EXPECT_EQ(found.count, 101U);
    EXPECT_DOUBLE_EQ(found.median, 50);
    EXPECT_DOUBLE_EQ(found.low5, 5);
    EXPECT_DOUBLE_EQ(found.high95, 95);
    EXPECT_DOUBLE_EQ(found.lowest, 0);
    EXPECT_DOUBLE_EQ(found.highest, 100);
}

TEST(Statistics, noneAndOne) {
    EXPECT_EQ(statisticsOf({}).count, 0U);
    const Statistics one = statisticsOf({3});
    EXPECT_EQ(one.median, 3);
    EXPECT_EQ(one.medianLow, 3);
    EXPECT_EQ(one.medianHigh, 3);
}

TEST(Statistics, theIntervalOfFewNumbersIsTheirRange) {
    const Statistics found = statisticsOf({1, 2, 3, 4, 5});
    EXPECT_EQ(found.medianLow, 1);
    EXPECT_EQ(found.medianHigh, 5);
}

/// Ranks from tables of the sign test: for 20 numbers the 6th and the 15th.
TEST(Statistics, theIntervalHasTheRanksOfTheSignTest) {
    std::vector<double> numbers;
    for (int i = 1; i <= 20; ++i)
        numbers.push_back(i);
    const Statistics found = statisticsOf(numbers);
    EXPECT_EQ(found.medianLow, 6);
    EXPECT_EQ(found.medianHigh, 15);
}

TEST(Statistics, theIntervalHoldsTheTrueMedianAboutAsOftenAsItSays) {
    std::mt19937 random(1);
    std::lognormal_distribution<double> skewed(0, 1); // its median is 1
    int held = 0;
    constexpr int kTrials = 2000;
    for (int trial = 0; trial < kTrials; ++trial) {
        std::vector<double> numbers(30);
        for (double& number : numbers)
            number = skewed(random);
        const Statistics found = statisticsOf(numbers);
        held += found.medianLow <= 1 && 1 <= found.medianHigh ? 1 : 0;
    }
    EXPECT_GE(held, kTrials * 94 / 100);
    EXPECT_LE(held, kTrials * 99 / 100);
}

} // namespace
} // namespace secateur
