// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace secateur {
namespace {

TEST(ThreadPool, everyIndexIsVisitedExactlyOnce) {
    for (const unsigned threads : {1U, 2U, 4U}) {
        ThreadPool pool(threads);
        EXPECT_EQ(pool.threads(), threads);
        for (const std::int64_t count : {0, 1, 7, 1000}) {
            for (const std::int64_t grain : {1, 3, 5000}) {
                std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
                pool.forRange(count, grain, [&](std::int64_t from, std::int64_t to) {
                    for (std::int64_t i = from; i < to; ++i)
                        ++visits[static_cast<std::size_t>(i)];
                });
                for (const auto& each : visits)
                    EXPECT_EQ(each, 1);
            }
        }
    }
}

TEST(ThreadPool, askedForTooManyItTakesWhatIsOfUse) {
    ThreadPool pool(100'000);
    EXPECT_GE(pool.threads(), 1U);
    EXPECT_LE(pool.threads(), std::max(1U, std::thread::hardware_concurrency()) * ThreadPool::kMostPerCore);
    std::atomic<std::int64_t> sum = 0;
    pool.forRange(1000, 1, [&](std::int64_t from, std::int64_t to) { sum += to - from; });
    EXPECT_EQ(sum, 1000);
}

TEST(ThreadPool, manyLoopsInARowAreAllDone) {
    ThreadPool pool(3);
    std::atomic<std::int64_t> sum = 0;
    for (int round = 0; round < 5000; ++round)
        pool.forRange(6, 1, [&](std::int64_t from, std::int64_t to) { sum += to - from; });
    EXPECT_EQ(sum, 30'000);
}

} // namespace
} // namespace secateur
