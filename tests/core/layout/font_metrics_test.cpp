// SPDX-License-Identifier: Apache-2.0
#include "core/layout/font_metrics.h"

#include "core/support/text.h"

#include <gtest/gtest.h>

#include <string>

namespace secateur {
namespace {

constexpr FontFace kFaces[] = {FontFace::SansRegular, FontFace::SansBold, FontFace::MonoRegular,
                               FontFace::MonoBold};

TEST(FontMetrics, digitsAreTabularInEveryFace) {
    for (const FontFace face : kFaces)
        for (char digit = '1'; digit <= '9'; ++digit)
            EXPECT_EQ(textWidth(std::string(1, digit), face, 13), textWidth("0", face, 13));
}

TEST(FontMetrics, knownWidthsOfNotoSans) {
    // Advances as the font files give them at 1000 units per em.
    EXPECT_DOUBLE_EQ(textWidth("0", FontFace::SansRegular, 1000), 572);
    EXPECT_DOUBLE_EQ(textWidth(" ", FontFace::SansRegular, 1000), 260);
    EXPECT_DOUBLE_EQ(textWidth("MatMul", FontFace::MonoRegular, 10), 36);
    EXPECT_GT(textWidth("MatMul", FontFace::SansBold, 12), textWidth("MatMul", FontFace::SansRegular, 12));
}

TEST(FontMetrics, widthAddsUpAndScales) {
    for (const FontFace face : kFaces) {
        EXPECT_DOUBLE_EQ(textWidth("ab", face, 13), textWidth("a", face, 13) + textWidth("b", face, 13));
        EXPECT_DOUBLE_EQ(textWidth("Gelu", face, 26), 2 * textWidth("Gelu", face, 13));
        EXPECT_EQ(textWidth("", face, 13), 0);
    }
}

TEST(FontMetrics, whatTheFontsLackGetsTheWidthOfItsSubstitute) {
    EXPECT_DOUBLE_EQ(textWidth("模型", FontFace::SansRegular, 12), 24);
    EXPECT_DOUBLE_EQ(textWidth("😀", FontFace::SansRegular, 12), 12);
    EXPECT_DOUBLE_EQ(textWidth("e\u0301", FontFace::SansRegular, 12),
                     textWidth("e", FontFace::SansRegular, 12));
    EXPECT_DOUBLE_EQ(textWidth("\n", FontFace::SansRegular, 12), 0);
    EXPECT_GT(textWidth("→", FontFace::SansRegular, 12), 0);
    EXPECT_GT(textWidth("\xFF", FontFace::SansRegular, 12), 0);
}

TEST(FontMetrics, aLineHoldsItsLetters) {
    for (const FontFace face : kFaces) {
        EXPECT_GT(fontAscent(face, 13), 0.9 * 13);
        EXPECT_GT(fontDescent(face, 13), 0.2 * 13);
    }
}

TEST(FontMetrics, whatFitsIsNotElided) {
    const double width = textWidth("encoder.layers.0", FontFace::MonoRegular, 12);
    EXPECT_EQ(elideMiddleToWidth("encoder.layers.0", FontFace::MonoRegular, 12, width), "encoder.layers.0");
}

TEST(FontMetrics, elidedTextFitsAndUsesTheRoom) {
    const std::string name = "/transformer/encoder/layers.0/self_attn/MatMul_模型_1";
    for (const FontFace face : kFaces) {
        const double widest = 12.0; // one East Asian character
        for (double room = 13; room < textWidth(name, face, 12); room += 3.7) {
            const std::string elided = elideMiddleToWidth(name, face, 12, room);
            EXPECT_LE(textWidth(elided, face, 12), room);
            EXPECT_GT(textWidth(elided, face, 12), room - widest);
            EXPECT_NE(elided.find("…"), std::string::npos);
        }
    }
}

TEST(FontMetrics, bothEndsOfAnElidedTextAreKept) {
    EXPECT_EQ(elideMiddleToWidth("abcdefghij", FontFace::MonoRegular, 10, 30), "ab…ij");
    EXPECT_EQ(elideMiddleToWidth("abcdefghij", FontFace::MonoRegular, 10, 6), "…");
    EXPECT_EQ(elideMiddleToWidth("abcdefghij", FontFace::MonoRegular, 10, 5), "");
}

} // namespace
} // namespace secateur
