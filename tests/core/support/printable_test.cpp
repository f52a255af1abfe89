// SPDX-License-Identifier: Apache-2.0
#include "core/support/printable.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

TEST(Printable, whatPeopleReadStaysAsItIs) {
    for (const char* text : {"conv1/weight", "größe", "模型", "e\xcc\x81", "→ …", "a\\x1b", ""})
        EXPECT_EQ(printable(text), text);
}

TEST(Printable, whatATerminalWouldObeyIsWrittenOut) {
    EXPECT_EQ(printable("a\x1b[31mred"), "a\\x1b[31mred");
    EXPECT_EQ(printable("a\r\nb\tc\x07"), "a\\x0d\\x0ab\\x09c\\x07");
    EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printable("\x7f"), "\\x7f");
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
              "\\x9b31m")
        << "the short form of ESC [";
}

TEST(Printable, whatTurnsOrHidesTextIsWrittenOut) {
    EXPECT_EQ(printable("gpj.\xe2\x80\xae"
                        "exe"),
              "gpj.\\u202eexe");
    EXPECT_EQ(printable("\xe2\x81\xa6"
                        "a\xe2\x81\xa9"),
              "\\u2066a\\u2069");
    EXPECT_EQ(printable("a\xe2\x80\x8b"
                        "b\xef\xbb\xbf"),
              "a\\u200bb\\ufeff");
}

TEST(Printable, bytesThatAreNoTextAreWrittenOut) {
    EXPECT_EQ(printable("a\xff\xfe"), "a\\xff\\xfe");
    EXPECT_EQ(printable("cut \xe4\xb8"), "cut \\xe4\\xb8");
}

TEST(Printable, linesOfOursStayLines) {
    EXPECT_EQ(printableLines("one\n  two\tthree\x1b\r"), "one\n  two\tthree\\x1b\\x0d");
}

TEST(Printable, codesThatAreNoCharactersAreWrittenOut) {
    EXPECT_EQ(printable("a\xef\xbf\xbe"), "a\\ufffe");
    EXPECT_EQ(printable("\xef\xb7\x90"), "\\ufdd0");
}

} // namespace
} // namespace secateur
