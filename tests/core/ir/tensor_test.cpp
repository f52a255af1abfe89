// SPDX-License-Identifier: Apache-2.0
#include "core/ir/tensor.h"

#include <gtest/gtest.h>

#include <cmath>

namespace secateur {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
    std::vector<std::byte> out;
    for (const int value : values)
        out.push_back(static_cast<std::byte>(value));
    return out;
}

TensorPtr typed(ElementType type, std::vector<std::int64_t> dims, int field, std::vector<std::byte> payload) {
    Tensor tensor;
    tensor.type = type;
    tensor.dims = std::move(dims);
    tensor.encoding = Tensor::Encoding::typed;
    tensor.typedField = field;
    tensor.payload = ByteRef::own(std::move(payload));
    return std::make_shared<const Tensor>(std::move(tensor));
}

TEST(Tensor, decodesVarintsOfInt32Data) {
    const TensorPtr tensor =
        typed(ElementType::int32, {2}, 5,
              bytes({0x96, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}));
    EXPECT_EQ(asIntegers(*tensor), (std::vector<std::int64_t>{150, -1}));
}

TEST(Tensor, halfPrecisionInInt32DataIsReadAsBits) {
    const TensorPtr tensor = typed(ElementType::float16, {3}, 5, bytes({0x80, 0x78, 0x80, 0xf8, 0x03, 0x01}));
    const auto values = asDoubles(*tensor);
    ASSERT_TRUE(values);
    EXPECT_EQ((*values)[0], 1.0);       // 0x3c00
    EXPECT_EQ((*values)[1], -INFINITY); // 0xfc00
    EXPECT_EQ((*values)[2], std::ldexp(1.0, -24));
}

TEST(Tensor, truncatedVarintsAreRefused) {
    EXPECT_FALSE(rawBytes(*typed(ElementType::int64, {1}, 7, bytes({0x96}))));
}

TEST(Tensor, wrongPayloadSizeIsNoContents) {
    EXPECT_FALSE(asDoubles(*makeTensor(ElementType::float32, {4}, bytes({0, 0, 0, 0}))));
}

TEST(Tensor, subByteTypesRoundUp) {
    EXPECT_EQ(packedBytes(ElementType::int4, 3), 2U);
    EXPECT_EQ(packedBytes(ElementType::boolean, 3), 3U);
    EXPECT_FALSE(packedBytes(ElementType::float64, UINT64_MAX));
}

TEST(Type, textSaysWhatIsUnknown) {
    Type type = Type::tensor(ElementType::float32);
    EXPECT_EQ(type.text(), "float[...]");
    type.hasShape = true;
    type.dims = {Dim{32, {}}, Dim{std::nullopt, "N"}, Dim{}};
    EXPECT_EQ(type.text(), "float[32,N,?]");
    EXPECT_FALSE(type.bytes());
    EXPECT_EQ(Type::tensor(static_cast<ElementType>(99)).text(), "type<99>[...]");
}

TEST(Type, elementCountDoesNotOverflow) {
    EXPECT_FALSE(Type::tensor(ElementType::int8, {1LL << 40, 1LL << 40}).elementCount());
    EXPECT_EQ(Type::tensor(ElementType::int8, {0, 1LL << 40, 1LL << 40}).elementCount(), 0U);
}

} // namespace
} // namespace secateur
