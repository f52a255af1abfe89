// SPDX-License-Identifier: Apache-2.0
#include "core/exec/npy_format.h"

#include "tests/core/exec/run_text.h"

#include <gmock/gmock.h>

#include <cstring>
#include <string>

namespace secateur {
namespace {

using namespace testing;
using ::testing::ElementsAre;

/// A file as NumPy writes it, with any header and elements.
std::vector<std::byte> npyFile(std::string header, const std::string& elements, char version = 1) {
    header += "\n";
    std::string file("\x93NUMPY");
    file += {version, '\0', static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
    if (version > 1) file += std::string(2, '\0');
    file += header + elements;
    std::vector<std::byte> bytes(file.size());
    std::memcpy(bytes.data(), file.data(), file.size());
    return bytes;
}

Result<TensorData> read(const std::vector<std::byte>& bytes) {
    static MemoryPool pool;
    return readNpy(bytes, "x.npy", pool);
}

TEST(NpyFormat, whatIsWrittenIsReadAgain) {
    for (const ElementType type :
         {ElementType::float16, ElementType::float32, ElementType::float64, ElementType::int8,
          ElementType::int64, ElementType::uint16, ElementType::boolean}) {
        const TensorData tensor = tensorOf(type, {2, 1, 2}, {0, 1, 1, 0});
        const auto bytes = writeNpy(tensor);
        ASSERT_TRUE(bytes.ok());
        const auto again = read(*bytes);
        ASSERT_TRUE(again.ok()) << again.error().toString();
        EXPECT_EQ(again->type(), type);
        EXPECT_EQ(again->shape(), (Shape{2, 1, 2}));
        EXPECT_THAT(numbersOf(*again), ElementsAre(0, 1, 1, 0));
    }
}

TEST(NpyFormat, elementsStartAtAMultipleOf64) {
    const auto bytes = writeNpy(floats({3}, {1, 2, 3}));
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ((bytes->size() - 12) % 64, 0U);
}

TEST(NpyFormat, fortranOrderAndBigEndianAreTurnedAround) {
    const std::string header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }";
    // Column by column: (0,0) (1,0) (0,1) (1,1) (0,2) (1,2).
    const auto tensor = read(npyFile(header, std::string("\0\1\0\4\0\2\0\5\0\3\0\6", 12)));
    ASSERT_TRUE(tensor.ok()) << tensor.error().toString();
    EXPECT_THAT(numbersOf(*tensor), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(NpyFormat, scalarsAndVersion2) {
    const auto tensor = read(npyFile("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "\7", 2));
    ASSERT_TRUE(tensor.ok()) << tensor.error().toString();
    EXPECT_TRUE(tensor->shape().empty());
    EXPECT_THAT(numbersOf(*tensor), ElementsAre(7));
}

TEST(NpyFormat, damagedFilesAreRefused) {
    const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }";
    EXPECT_FALSE(read(npyFile(good, std::string(15, '\0'))).ok()); // one byte short
    EXPECT_FALSE(
        read(npyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", ""))
            .ok());
    EXPECT_FALSE(
        read(npyFile(
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 4294967296), }",
                 ""))
            .ok());
    EXPECT_FALSE(
        read(npyFile("{'descr': '|O8', 'fortran_order': False, 'shape': (1,), }", std::string(16, '\0')))
            .ok());
    EXPECT_FALSE(read(npyFile("", "")).ok());
    EXPECT_FALSE(read({}).ok());
    auto cut = npyFile(good, std::string(16, '\0'));
    cut.resize(20);
    EXPECT_FALSE(read(cut).ok());
}

TEST(NpyFormat, typesThatNumpyLacksAreNamed) {
    const auto bytes = writeNpy(tensorOf(ElementType::bfloat16, {1}, {1}));
    ASSERT_FALSE(bytes.ok());
    EXPECT_NE(bytes.error().message.find("bfloat16"), std::string::npos);
}

TEST(NpyFormat, textOfAFixedWidthComesBack) {
    static MemoryPool pool;
    TensorData text = std::move(TensorData::make(pool, ElementType::string, {3})).take();
    text.strings() = {"a", "gr\xC3\xBC\xC3\x9F", ""};
    const auto bytes = writeNpy(text);
    ASSERT_TRUE(bytes.ok());
    const auto back = read(*bytes);
    ASSERT_TRUE(back.ok()) << back.error().toString();
    EXPECT_EQ(back->strings(), text.strings());
    const auto narrow =
        read(npyFile("{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }", std::string("ab\0xyz", 6)));
    ASSERT_TRUE(narrow.ok());
    EXPECT_EQ(narrow->strings(), (std::vector<std::string>{"ab", "xyz"}));
}

TEST(NpyFormat, shapesAreDigitsOnly) {
    for (const char* shape : {"(-2, 4)", "(2, 4L)", "(a,)"}) {
        const std::string header =
            std::string("{'descr': '|u1', 'fortran_order': False, 'shape': ") + shape + ", }";
        EXPECT_FALSE(read(npyFile(header, std::string(8, '\1'))).ok()) << shape;
    }
}

} // namespace
} // namespace secateur
