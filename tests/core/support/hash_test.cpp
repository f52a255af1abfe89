// SPDX-License-Identifier: Apache-2.0
#include "core/support/hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <string>
#include <vector>

namespace secateur {
namespace {

std::string pattern(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<char>((i * 131 + 7) & 0xFF);
    return bytes;
}

TEST(Hash, cutsDoNotMatter) {
    const std::string bytes = pattern(200);
    const std::uint64_t whole = hashText(bytes);
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        StreamHash hash;
        hash.add(bytes.data(), cut).add(bytes.data() + cut, bytes.size() - cut);
        ASSERT_EQ(hash.digest(), whole) << "cut at " << cut;
    }
}

TEST(Hash, everyLengthAndEveryBitCounts) {
    std::set<std::uint64_t> seen;
    const std::string bytes = pattern(100);
    for (std::size_t size = 0; size <= bytes.size(); ++size)
        seen.insert(hashBytes(bytes.data(), size));
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        std::string flipped = bytes;
        flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
        seen.insert(hashText(flipped));
    }
    EXPECT_EQ(seen.size(), 101 + 800u);
}

TEST(Hash, zerosOfDifferentLengthDiffer) {
    std::set<std::uint64_t> seen;
    for (std::size_t size = 0; size < 300; ++size)
        seen.insert(hashText(std::string(size, '\0')));
    EXPECT_EQ(seen.size(), 300u);
}

TEST(Hash, oneFlippedBitChangesAboutHalfOfTheBits) {
    double changed = 0;
    for (std::uint64_t i = 0; i < 64; ++i) {
        const std::uint64_t a = hashCombine(1, 12345), b = hashCombine(1, 12345 ^ (1ULL << i));
        changed += std::popcount(a ^ b);
    }
    EXPECT_NEAR(changed / 64, 32, 4);
}

TEST(Hash, orderAndSeedMatter) {
    EXPECT_NE(hashCombine(hashCombine(0, 1), 2), hashCombine(hashCombine(0, 2), 1));
    EXPECT_NE(hashText("x", 1), hashText("x", 2));
    EXPECT_NE(StreamHash().addText("ab").addText("c").digest(),
              StreamHash().addText("a").addText("bc").digest());
}

TEST(Hash, isTheSameInEveryRunAndOnEveryMachine) {
    EXPECT_EQ(hashText(""), hashText(std::string_view()));
    EXPECT_EQ(hashText("MatMul"), 13748786213440651318ULL);
}

} // namespace
} // namespace secateur
