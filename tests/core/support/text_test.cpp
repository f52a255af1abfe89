// SPDX-License-Identifier: Apache-2.0
#include "core/support/text.h"

#include "core/support/most_counted.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace secateur {
namespace {

TEST(Text, bytesHaveBinaryUnitsAndOneDecimal) {
    EXPECT_EQ(formatBytes(0), "0 B");
    EXPECT_EQ(formatBytes(1023), "1023 B");
    EXPECT_EQ(formatBytes(1024), "1.0 KiB");
    EXPECT_EQ(formatBytes(2411725), "2.3 MiB");
    EXPECT_EQ(formatBytes(16ULL << 20), "16.0 MiB");
    EXPECT_EQ(formatBytes((1ULL << 20) - 1), "1.0 MiB");
    EXPECT_EQ(formatBytes(UINT64_MAX), "16.0 EiB");
}

TEST(Text, countsHaveThousandsSeparators) {
    EXPECT_EQ(formatCount(0), "0");
    EXPECT_EQ(formatCount(999), "999");
    EXPECT_EQ(formatCount(31423), "31,423");
    EXPECT_EQ(formatCount(1234567890), "1,234,567,890");
}

TEST(Text, percentNeverRoundsToNoneOrAll) {
    EXPECT_EQ(formatPercent(0, 5), "0 %");
    EXPECT_EQ(formatPercent(5, 0), "0 %");
    EXPECT_EQ(formatPercent(5, 5), "100 %");
    EXPECT_EQ(formatPercent(1, 100000), "< 0.1 %");
    EXPECT_EQ(formatPercent(99999, 100000), "99.9 %");
    EXPECT_EQ(formatPercent(43, 100), "43 %");
    EXPECT_EQ(formatPercent(4, 100), "4.0 %");
}

TEST(Text, secondsTakeTheUnitThatReadsBest) {
    EXPECT_EQ(formatSeconds(0), "0.0 ms");
    EXPECT_EQ(formatSeconds(0.0000035), "3.5 µs");
    EXPECT_EQ(formatSeconds(0.000035), "35 µs");
    EXPECT_EQ(formatSeconds(0.0004), "0.4 ms");
    EXPECT_EQ(formatSeconds(0.085), "85 ms");
    EXPECT_EQ(formatSeconds(1.23), "1.2 s");
    EXPECT_EQ(formatSeconds(185), "3 min 05 s");
}

TEST(Text, elideMiddleKeepsBothEnds) {
    EXPECT_EQ(elideMiddle("transformer", 11), "transformer");
    EXPECT_EQ(elideMiddle("transformer", 7), "tra…mer");
    EXPECT_EQ(elideMiddle("transformer", 1), "…");
    EXPECT_EQ(elideMiddle("transformer", 0), "");
}

TEST(Text, elideMiddleCutsBetweenCodePoints) {
    EXPECT_EQ(elideMiddle("模型训练图", 3), "模…图");
    EXPECT_EQ(elideMiddle("模型训练图", 5), "模型训练图");
}

TEST(Text, bytesThatAreNoUtf8CountOneEach) {
    EXPECT_EQ(codePointStarts("a\xFF\xC3z").size(), 4u);
    EXPECT_EQ(codePointStarts("\xE6\xA8").size(), 2u);
    EXPECT_EQ(codePointStarts("\xC0\x80").size(), 2u);
    EXPECT_EQ(codePointStarts("\xED\xA0\x80").size(), 3u);
    EXPECT_EQ(codePointStarts("é模😀").size(), 3u);
}

TEST(Text, editDistanceCountsSwapsOnce) {
    EXPECT_EQ(editDistance("logits", "logits", 5), 0u);
    EXPECT_EQ(editDistance("lgoits", "logits", 5), 1u);
    EXPECT_EQ(editDistance("", "abc", 5), 3u);
    EXPECT_EQ(editDistance("kitten", "sitting", 5), 3u);
    EXPECT_EQ(editDistance("kitten", "sitting", 1), 2u);
}

TEST(Text, nearestNamesComeBestFirst) {
    const std::vector<std::string> names{"loss", "Logits", "output", "logits_grad", "logit"};
    EXPECT_EQ(nearestNames("logits", names), (std::vector<std::string>{"Logits", "logit", "logits_grad"}));
    EXPECT_EQ(nearestNames("outptu", names), (std::vector<std::string>{"output"}));
    EXPECT_TRUE(nearestNames("zzzzzz", names).empty());
    EXPECT_TRUE(nearestNames("", names).empty());
}

TEST(Text, nearestNamesNamesNothingTwice) {
    const std::vector<std::string> names{"fc", "fc", "fc1"};
    EXPECT_EQ(nearestNames("fc2", names), (std::vector<std::string>{"fc", "fc1"}));
}

TEST(Text, namesAreListedInQuotes) {
    const std::vector<std::string> names{"a", "b c", "d"};
    EXPECT_EQ(quotedList({}), "");
    EXPECT_EQ(quotedList(names), "`a`, `b c`, `d`");
    EXPECT_EQ(quotedList(names, 3), "`a`, `b c`, `d`");
    EXPECT_EQ(quotedList(names, 2), "`a`, `b c` and 1 more");
}

TEST(Text, longListsAreCountedAndLongNamesCut) {
    std::vector<std::string> names;
    for (int i = 0; i < 20000; ++i)
        names.push_back("a" + std::to_string(i));
    EXPECT_EQ(quotedList(names), "`a0`, `a1`, `a2`, `a3`, `a4`, `a5`, `a6`, `a7` and 19,992 more");
    EXPECT_EQ(shortList(names, 3), "a0, a1, a2 and 19,997 more");
    EXPECT_EQ(shortList(names, names.size()).substr(0, 10), "a0, a1, a2");
    const std::vector<std::string> one{std::string(100000, 'n')};
    EXPECT_LT(quotedList(one).size(), 210U);
}

TEST(FormatCount, theMostIsToldAsSuch) {
    EXPECT_EQ(formatCount(kMostCounted - 1), "999,999,999,999,999,999");
    EXPECT_EQ(formatCount(kMostCounted), "over 10^18");
    EXPECT_EQ(formatCount(addCounts(kMostCounted, 5)), "over 10^18");
    EXPECT_EQ(addCounts(UINT64_MAX, UINT64_MAX), kMostCounted);
}

} // namespace
} // namespace secateur
