// SPDX-License-Identifier: Apache-2.0
#include "core/picture/telling_names.h"

#include <gtest/gtest.h>

#include <set>

namespace secateur {
namespace {

constexpr FontFace kFace = FontFace::MonoRegular;
constexpr double kPx = 10;

double widthOf(std::size_t letters) {
    return textWidth(std::string(letters, 'm'), kFace, kPx);
}

TellingNames namesOf(const std::vector<std::string>& names) {
    TellingNames telling;
    for (const std::string& name : names)
        telling.add(name);
    return telling;
}

TEST(TellingNames, whatFitsIsWhole) {
    const TellingNames names = namesOf({"a.b", "a.c"});
    EXPECT_EQ(names.cut("a.b", kFace, kPx, widthOf(3)), "a.b");
}

TEST(TellingNames, whatTellsSiblingsApartStays) {
    const TellingNames names =
        namesOf({"network.encoder.left.attention.weight", "network.encoder.right.attention.weight"});
    EXPECT_EQ(names.cut("network.encoder.left.attention.weight", kFace, kPx, widthOf(14)), "…left.…weight");
    EXPECT_EQ(names.cut("network.encoder.right.attention.weight", kFace, kPx, widthOf(16)), "…right.…weight");
}

TEST(TellingNames, manyNamesStayDifferentAsLongAsWhatTellsFits) {
    std::vector<std::string> all;
    for (const char* side : {"weight", "bias"})
        for (int layer = 0; layer < 12; ++layer)
            for (const char* part : {"q", "k", "v"})
                all.push_back("model.transformer.encoder.layers." + std::to_string(layer) +
                              ".self_attention." + part + "_projection." + side +
                              "_grad.accumulation.buffer");
    const TellingNames names = namesOf(all);
    for (const std::size_t letters : {22U, 30U, 40U, 60U}) {
        std::set<std::string> cut;
        for (const std::string& name : all) {
            cut.insert(names.cut(name, kFace, kPx, widthOf(letters)));
            EXPECT_LE(textWidth(*cut.rbegin(), kFace, kPx), widthOf(letters) + 0.01);
        }
        EXPECT_EQ(cut.size(), all.size()) << letters;
    }
}

TEST(TellingNames, aNameThatIsTheBeginningOfAnotherIsToldFromIt) {
    const TellingNames names = namesOf({"encoder_block_number_1", "encoder_block_number_1_1"});
    EXPECT_NE(names.cut("encoder_block_number_1", kFace, kPx, widthOf(12)),
              names.cut("encoder_block_number_1_1", kFace, kPx, widthOf(12)));
}

TEST(TellingNames, whatIsTooWideLosesItsMiddle) {
    const TellingNames names = namesOf({"a.bcdefghijklmnop", "a.bcdefghijklmnoq", "zz"});
    const std::string cut = names.cut("a.bcdefghijklmnop", kFace, kPx, widthOf(8));
    EXPECT_LE(textWidth(cut, kFace, kPx), widthOf(8) + 0.01);
    EXPECT_EQ(cut.back(), 'p');
    EXPECT_NE(namesOf({}).cut("abcdefghijklmnop", kFace, kPx, widthOf(8)), "");
}

} // namespace
} // namespace secateur
