// SPDX-License-Identifier: Apache-2.0
#include "core/kernels/narrow_float.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace secateur::kernels {
namespace {

template <NarrowFormat format> constexpr std::uint32_t codeCount() {
    return 1U << (format.exponentBits + format.mantissaBits + 1);
}

/// Every code comes back from the number that it stands for.
template <NarrowFormat format> void expectCodesSurvive() {
    for (std::uint32_t code = 0; code < codeCount<format>(); ++code) {
        const float value = widen<format>(code);
        const std::uint32_t back = narrow<format>(value, false);
        if (std::isnan(value))
            EXPECT_TRUE(std::isnan(widen<format>(back))) << code;
        else
            EXPECT_EQ(back, code) << value;
    }
}

/// Between two neighbours the nearer one is taken, halfway the one with an even code.
template <NarrowFormat format> void expectNearestEven() {
    for (std::uint32_t code = 0; code + 1 < codeCount<format>() / 2; ++code) {
        const float low = widen<format>(code), high = widen<format>(code + 1);
        if (!std::isfinite(low) || !std::isfinite(high)) continue;
        const double middle = (static_cast<double>(low) + static_cast<double>(high)) / 2;
        const auto half = static_cast<float>(middle);
        if (static_cast<double>(half) != middle) continue; // bfloat16's subnormals have no halves in float
        EXPECT_EQ(narrow<format>(half, true), code % 2 == 0 ? code : code + 1) << low;
        EXPECT_EQ(narrow<format>(std::nextafter(half, low), true), code) << low;
        EXPECT_EQ(narrow<format>(std::nextafter(half, high), true), code + 1) << low;
    }
}

TEST(NarrowFloat, everyCodeComesBack) {
    expectCodesSurvive<kFloat16>();
    expectCodesSurvive<kBfloat16>();
    expectCodesSurvive<kFloat8E4M3FN>();
    expectCodesSurvive<kFloat8E4M3FNUZ>();
    expectCodesSurvive<kFloat8E5M2>();
    expectCodesSurvive<kFloat8E5M2FNUZ>();
    expectCodesSurvive<kFloat4E2M1>();
}

TEST(NarrowFloat, roundsToTheNearestAndHalvesToEven) {
    expectNearestEven<kFloat16>();
    expectNearestEven<kBfloat16>();
    expectNearestEven<kFloat8E4M3FN>();
    expectNearestEven<kFloat8E4M3FNUZ>();
    expectNearestEven<kFloat8E5M2>();
    expectNearestEven<kFloat8E5M2FNUZ>();
    expectNearestEven<kFloat4E2M1>();
}

TEST(NarrowFloat, knownValuesOfTheFormats) {
    EXPECT_EQ(widen<kFloat16>(0x3C00), 1.0F);
    EXPECT_EQ(widen<kFloat16>(0x0001), 0x1p-24F);
    EXPECT_EQ(widen<kFloat16>(0x7BFF), 65504.0F);
    EXPECT_EQ(widen<kBfloat16>(0x4049), 3.140625F);
    EXPECT_EQ(widen<kFloat8E4M3FN>(0x7E), 448.0F);
    EXPECT_EQ(widen<kFloat8E4M3FNUZ>(0x7F), 240.0F);
    EXPECT_EQ(widen<kFloat8E5M2>(0x7B), 57344.0F);
    EXPECT_EQ(widen<kFloat8E5M2FNUZ>(0x7F), 57344.0F);
    EXPECT_EQ(widen<kFloat4E2M1>(0x7), 6.0F);
}

TEST(NarrowFloat, whatLiesBeyondSaturatesOrNot) {
    EXPECT_EQ(narrow<kFloat16>(1e6F, false), 0x7C00U);
    EXPECT_EQ(narrow<kFloat8E4M3FN>(1e6F, true), 0x7EU);
    EXPECT_TRUE(std::isnan(widen<kFloat8E4M3FN>(narrow<kFloat8E4M3FN>(1e6F, false))));
    EXPECT_EQ(narrow<kFloat8E5M2>(-INFINITY, false), 0xFCU);
    EXPECT_EQ(narrow<kFloat8E5M2>(-INFINITY, true), 0xFBU);
    EXPECT_EQ(narrow<kFloat8E4M3FNUZ>(-0.0F, true), 0U);
    EXPECT_EQ(narrow<kFloat4E2M1>(-100.0F, true), 0xFU);
}

TEST(NarrowFloat, powersRoundAsAsked) {
    EXPECT_EQ(powerCode(1.0F, PowerRounding::up, true), 127);
    EXPECT_EQ(powerCode(3.0F, PowerRounding::up, true), 129);
    EXPECT_EQ(powerCode(3.0F, PowerRounding::down, true), 128);
    EXPECT_EQ(powerCode(2.9F, PowerRounding::nearest, true), 128);
    EXPECT_EQ(powerCode(3.0F, PowerRounding::nearest, true), 129);
    EXPECT_EQ(powerCode(INFINITY, PowerRounding::down, true), 254);
    EXPECT_EQ(powerCode(INFINITY, PowerRounding::down, false), 255);
    EXPECT_EQ(powerCode(-1.0F, PowerRounding::up, true), 255);
}

} // namespace
} // namespace secateur::kernels
