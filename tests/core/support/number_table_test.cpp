// SPDX-License-Identifier: Apache-2.0
#include "core/support/number_table.h"

#include <gtest/gtest.h>

#include <random>
#include <unordered_map>

namespace secateur {
namespace {

TEST(NumberTable, saysWhatAMapSays) {
    std::mt19937_64 random(5);
    NumberTable table;
    std::unordered_map<std::uint64_t, std::uint32_t> map;
    for (int round = 0; round < 3; ++round) {
        for (std::uint32_t i = 0; i < 5000; ++i) {
            const std::uint64_t key = random() % 3000 << (i % 2 == 0 ? 0U : 40U); // near each other, and far
            const auto [number, isNew] = table.tryEmplace(key, i);
            const auto [known, isFirst] = map.try_emplace(key, i);
            ASSERT_EQ(isNew, isFirst);
            ASSERT_EQ(*number, known->second);
            ++*number;
            ++known->second;
        }
        EXPECT_EQ(table.size(), map.size());
        for (std::uint64_t key = 0; key < 4000; ++key) {
            const auto known = map.find(key);
            ASSERT_EQ(table.find(key), known == map.end() ? NumberTable::kNone : known->second);
        }
        table.clear();
        map.clear();
        EXPECT_EQ(table.size(), 0U);
        EXPECT_EQ(table.find(7), NumberTable::kNone);
    }
}

TEST(NumberTable, reservedMemoryKeepsWhatIsInIt) {
    NumberTable table;
    EXPECT_EQ(table.find(0), NumberTable::kNone) << "empty";
    (void)table.tryEmplace(0, 3);
    (void)table.tryEmplace(~std::uint64_t{0}, 4);
    table.reserve(1000);
    EXPECT_EQ(table.find(0), 3U);
    EXPECT_EQ(table.find(~std::uint64_t{0}), 4U);
    EXPECT_FALSE(table.tryEmplace(0, 9).second);
}

} // namespace
} // namespace secateur
