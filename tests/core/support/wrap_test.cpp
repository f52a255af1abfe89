// SPDX-License-Identifier: Apache-2.0
#include "core/support/wrap.h"

#include "core/support/text.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

TEST(Wrap, shortLinesStay) {
    EXPECT_EQ(wrapped("", 40), "");
    EXPECT_EQ(wrapped("one\n\n  two\n", 40), "one\n\n  two\n");
}

TEST(Wrap, longLinesBreakAtSpacesAndAreIndented) {
    EXPECT_EQ(wrapped("alpha beta gamma delta epsilon", 16), "alpha beta gamma\n  delta epsilon");
    EXPECT_EQ(wrapped("    alpha beta gamma delta", 18), "    alpha beta\n      gamma delta");
}

TEST(Wrap, aColumnGoesOnUnderItself) {
    EXPECT_EQ(wrapped("E  Prune  3 x  the gradient goes nowhere", 30),
              "E  Prune  3 x  the gradient\n               goes nowhere");
    const std::string deep = std::string(15, ' ') + "the gradient goes nowhere";
    EXPECT_EQ(wrapped(deep, 30),
              std::string(15, ' ') + "the gradient\n" + std::string(15, ' ') + "goes nowhere");
}

TEST(Wrap, aLongWordStaysWhole) {
    const std::string word(30, 'w');
    EXPECT_EQ(wrapped("a " + word + " b", 20), "a\n  " + word + "\n  b");
    EXPECT_EQ(wrapped(word, 20), word);
}

TEST(Wrap, charactersCountNotBytes) {
    EXPECT_EQ(wrapped("äöü äöü äöü", 11), "äöü äöü äöü");
}

} // namespace
} // namespace secateur
