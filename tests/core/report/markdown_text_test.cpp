// SPDX-License-Identifier: Apache-2.0
#include "core/report/markdown_text.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

constexpr auto kCell = MarkdownPlace::cell;

TEST(MarkdownCode, isAsItWasForOrdinaryNames) {
    EXPECT_EQ(markdownCode("layer/Add_1"), "`layer/Add_1`");
    EXPECT_EQ(markdownCode("layer/Add_1", kCell), "`layer/Add_1`");
}

TEST(MarkdownCode, aNameWithBackticksGetsALongerFence) {
    EXPECT_EQ(markdownCode("a`b"), "``a`b``");
    EXPECT_EQ(markdownCode("`"), "`` ` ``");
    EXPECT_EQ(markdownCode("a```"), "```` a``` ````");
}

TEST(MarkdownCode, whatCannotBeSeenIsWrittenOut) {
    EXPECT_EQ(markdownCode("a\nb\xff\xe2\x80\xae"), "`a\\x0ab\\xff\\u202e`");
    EXPECT_EQ(markdownCode(""), "` `");
}

TEST(MarkdownCode, aBarInACellIsNoBar) {
    EXPECT_EQ(markdownCode("a|b"), "`a|b`");
    EXPECT_EQ(markdownCode("a|b", kCell), "<code>a&#124;b</code>");
    EXPECT_EQ(markdownCode("\\|`<", kCell), "<code>&#92;&#124;&#96;&#60;</code>");
}

TEST(MarkdownText, ordinarySentencesStay) {
    const char* text = "`logits` is input 0 of the loss (float[batch, 10]), my_name - 95 %";
    EXPECT_EQ(markdownText(text), text);
    EXPECT_EQ(markdownText(text, kCell), text);
}

TEST(MarkdownText, markupOutsideOfNamesIsEscaped) {
    EXPECT_EQ(markdownText("a *b* <i> [x](y) &amp; _c_"), "a \\*b\\* &lt;i> [x\\](y) &amp;amp; \\_c\\_");
    EXPECT_EQ(markdownText("a|b", kCell), "a\\|b");
    EXPECT_EQ(markdownText("a\n# b"), "a<br>\\# b");
    EXPECT_EQ(markdownText("one ` alone"), "one \\` alone");
}

TEST(MarkdownText, nothingBeginsABlock) {
    EXPECT_EQ(markdownText("- a"), "\\- a");
    EXPECT_EQ(markdownText("12. a"), "12\\. a");
    EXPECT_EQ(markdownText("> a"), "&gt; a");
    EXPECT_EQ(markdownText("-5 % fewer", kCell), "-5 % fewer") << "inside of a table nothing begins";
}

} // namespace
} // namespace secateur
