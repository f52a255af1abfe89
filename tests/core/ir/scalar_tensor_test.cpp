// SPDX-License-Identifier: Apache-2.0
#include "core/ir/scalar_tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace secateur {
namespace {

std::uint16_t bitsOf(ElementType type, double value) {
    const TensorPtr tensor = scalarTensor(type, value);
    std::uint16_t bits = 0;
    std::memcpy(&bits, tensor->payload.data, sizeof bits);
    return bits;
}

double back(ElementType type, double value) {
    return asDoubles(*scalarTensor(type, value))->front();
}

TEST(ScalarTensor, float16RoundsToTheNearestAndTiesToEven) {
    const auto half = [](double value) { return bitsOf(ElementType::float16, value); };
    EXPECT_EQ(half(1.0), 0x3c00);
    EXPECT_EQ(half(-0.5), 0xb800);
    EXPECT_EQ(half(std::sqrt(0.5)), 0x39a8);
    EXPECT_EQ(half(1.702), 0x3ecf);
    EXPECT_EQ(half(1 + std::ldexp(1, -11)), 0x3c00) << "a tie goes to the even neighbour";
    EXPECT_EQ(half(1 + 3 * std::ldexp(1, -11)), 0x3c02);
    EXPECT_EQ(half(1 + std::ldexp(1, -11) + std::ldexp(1, -40)), 0x3c01)
        << "rounded once, not by way of float";
    EXPECT_EQ(half(65519.0), 0x7bff);
    EXPECT_EQ(half(65520.0), 0x7c00);
    EXPECT_EQ(half(-std::numeric_limits<double>::infinity()), 0xfc00);
    EXPECT_EQ(half(-0.0), 0x8000);
}

TEST(ScalarTensor, subnormalsOfFloat16AreNotFlushed) {
    const auto half = [](double value) { return bitsOf(ElementType::float16, value); };
    EXPECT_EQ(half(std::ldexp(1, -24)), 0x0001);
    EXPECT_EQ(half(1e-5), 0x00a8); // the epsilon of a LayerNormalization
    EXPECT_EQ(half(-3e-5), 0x81f7);
    EXPECT_EQ(half(std::ldexp(1023, -24)), 0x03ff);
    EXPECT_EQ(half(std::ldexp(1023.6, -24)), 0x0400) << "rounded up to the least normal number";
    EXPECT_EQ(half(std::ldexp(0.5, -24)), 0x0000) << "a tie goes to even";
    EXPECT_EQ(half(std::ldexp(0.51, -24)), 0x0001);
    EXPECT_NE(back(ElementType::float16, 1e-5), 0);
}

TEST(ScalarTensor, bfloat16RoundsOnce) {
    const auto brain = [](double value) { return bitsOf(ElementType::bfloat16, value); };
    EXPECT_EQ(brain(1.0), 0x3f80);
    EXPECT_EQ(brain(std::sqrt(0.5)), 0x3f35);
    EXPECT_EQ(brain(1 + std::ldexp(1, -8)), 0x3f80);
    EXPECT_EQ(brain(1 + std::ldexp(1, -8) + std::ldexp(1, -40)), 0x3f81) << "not by way of float";
    EXPECT_EQ(brain(std::ldexp(1, -130)), 0x0008) << "a subnormal";
    EXPECT_EQ(brain(1e39), 0x7f80);
    EXPECT_TRUE(std::isnan(back(ElementType::bfloat16, std::numeric_limits<double>::quiet_NaN())));
}

TEST(ScalarTensor, everyFloat16NumberComesBackAsItself) {
    for (unsigned bits = 0; bits < 0x7c00U; ++bits) {
        const auto raw = static_cast<std::uint16_t>(bits);
        std::vector<std::byte> bytes(2);
        std::memcpy(bytes.data(), &raw, 2);
        const double value = asDoubles(*makeTensor(ElementType::float16, {}, std::move(bytes)))->front();
        ASSERT_EQ(bitsOf(ElementType::float16, value), raw) << value;
    }
}

TEST(ScalarTensor, wideTypesKeepWhatTheyCan) {
    EXPECT_EQ(back(ElementType::float64, 0.1), 0.1);
    EXPECT_EQ(back(ElementType::float32, 0.1), static_cast<double>(0.1F));
    EXPECT_EQ(asIntegers(*scalarTensor(ElementType::int64, -3, {1})), std::vector<std::int64_t>{-3});
    EXPECT_EQ(scalarTensor(ElementType::int64, 1, {1})->dims, std::vector<std::int64_t>{1});
    EXPECT_EQ(asIntegers(*scalarTensor(ElementType::boolean, 2)), std::vector<std::int64_t>{1});
    EXPECT_EQ(scalarTensor(ElementType::string, 1), nullptr);
}

} // namespace
} // namespace secateur
