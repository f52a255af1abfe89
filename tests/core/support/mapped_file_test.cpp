// SPDX-License-Identifier: Apache-2.0
#include "core/support/mapped_file.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <sys/stat.h>

namespace secateur {
namespace {

using testing::TemporaryFolder;

std::string textOf(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(MappedFile, givesTheBytesOfTheFile) {
    TemporaryFolder folder;
    const auto file = MappedFile::open(folder.put("a", "0123456789"));
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(textOf((*file)->bytes()), "0123456789");
    EXPECT_EQ(textOf(*(*file)->range(3, 4)), "3456");
    EXPECT_EQ((*file)->range(10, 0)->size(), 0u);
}

TEST(MappedFile, emptyFileHasNoBytes) {
    TemporaryFolder folder;
    const auto file = MappedFile::open(folder.put("a", ""));
    ASSERT_TRUE(file.ok());
    EXPECT_TRUE((*file)->bytes().empty());
    EXPECT_TRUE((*file)->range(0, 0).ok());
    EXPECT_FALSE((*file)->range(0, 1).ok());
}

TEST(MappedFile, rangesBehindTheEndAreErrorsWithNumbers) {
    TemporaryFolder folder;
    const auto file = MappedFile::open(folder.put("a", "0123456789"));
    EXPECT_EQ((*file)->range(8, 3).error().message, "needs bytes 8..11, the file has 10 (truncated?)");
    EXPECT_FALSE((*file)->range(11, 0).ok());
    EXPECT_FALSE((*file)->range(1, UINT64_MAX).ok());
}

TEST(MappedFile, aFileShortenedMeanwhileIsAnErrorNotACrash) {
    TemporaryFolder folder;
    const auto path = folder.put("a", std::string(100'000, 'x'));
    const auto file = MappedFile::open(path);
    EXPECT_TRUE((*file)->isIntact());
    std::filesystem::resize_file(path, 10);
    EXPECT_FALSE((*file)->isIntact());
    EXPECT_FALSE((*file)->range(50'000, 10).ok());
    EXPECT_TRUE((*file)->range(0, 10).ok());
}

TEST(MappedFile, survivesTheRemovalOfItsName) {
    TemporaryFolder folder;
    const auto path = folder.put("a", "kept");
    const auto file = MappedFile::open(path);
    std::filesystem::remove(path);
    EXPECT_EQ(textOf((*file)->bytes()), "kept");
}

TEST(MappedFile, whatIsNoFileIsNamedSo) {
    TemporaryFolder folder;
    EXPECT_EQ(MappedFile::open(folder / "absent").error().message,
              "does not exist; check the path and its spelling");
    EXPECT_EQ(MappedFile::open(folder.path()).error().message,
              "is a directory; name the model file inside it");
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(MappedFile::open(folder / "pipe").error().code, ErrorCode::invalidInput);
}

TEST(MappedFile, knowsItselfByAnyName) {
    TemporaryFolder folder;
    const auto file = MappedFile::open(folder.put("a", "1"));
    std::filesystem::create_hard_link(folder / "a", folder / "b");
    std::filesystem::create_symlink(folder / "a", folder / "c");
    folder.put("d", "1");
    EXPECT_TRUE((*file)->isSameFile(folder / "b"));
    EXPECT_TRUE((*file)->isSameFile(folder / "c"));
    EXPECT_FALSE((*file)->isSameFile(folder / "d"));
    EXPECT_FALSE((*file)->isSameFile(folder / "absent"));
}

} // namespace
} // namespace secateur
