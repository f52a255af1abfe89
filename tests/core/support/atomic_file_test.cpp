// SPDX-License-Identifier: Apache-2.0
#include "core/support/atomic_file.h"
#include "core/support/mapped_file.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace secateur {
namespace {

using testing::readAll;
using testing::TemporaryFolder;

std::ptrdiff_t filesIn(const TemporaryFolder& folder) {
    return std::distance(std::filesystem::directory_iterator(folder.path()), {});
}

TEST(AtomicFile, commitWritesEverything) {
    TemporaryFolder folder;
    std::string expected;
    auto file = AtomicFile::create(folder / "out");
    ASSERT_TRUE(file.ok());
    for (const std::size_t size : {1u, 1000u, 300'000u, 7u, 262'144u, 262'145u}) {
        const std::string piece(size, static_cast<char>('a' + expected.size() % 26));
        ASSERT_TRUE(file->write(piece).ok());
        expected += piece;
    }
    EXPECT_EQ(file->size(), expected.size());
    ASSERT_TRUE(file->commit().ok());
    EXPECT_EQ(readAll(folder / "out"), expected);
    EXPECT_EQ(filesIn(folder), 1);
}

TEST(AtomicFile, withoutCommitNothingHappened) {
    TemporaryFolder folder;
    folder.put("out", "old");
    {
        auto file = AtomicFile::create(folder / "out");
        ASSERT_TRUE(file->write(std::string_view("new")).ok());
    }
    EXPECT_EQ(readAll(folder / "out"), "old");
    EXPECT_EQ(filesIn(folder), 1);
}

TEST(AtomicFile, aKilledWriterLeavesNothing) {
    TemporaryFolder folder;
    folder.put("out", "old");
    if (const int probe = ::open(folder.path().c_str(), O_TMPFILE | O_WRONLY, 0600); probe >= 0)
        ::close(probe);
    else
        GTEST_SKIP() << "the file system of " << folder.path() << " has no files without a name";
    const pid_t writer = ::fork();
    if (writer == 0) {
        auto file = AtomicFile::create(folder / "out");
        if (!file || !file->write(std::string(1'000'000, 'x'))) ::_exit(1);
        ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(writer, &status, 0), writer);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it wrote a part of the file";
    EXPECT_EQ(readAll(folder / "out"), "old");
    EXPECT_EQ(filesIn(folder), 1);
}

TEST(AtomicFile, twoWritersOfOneTargetDoNotMeet) {
    TemporaryFolder folder;
    auto first = AtomicFile::create(folder / "out"), second = AtomicFile::create(folder / "out");
    ASSERT_TRUE(first->write(std::string_view("first")).ok());
    ASSERT_TRUE(second->write(std::string_view("second")).ok());
    ASSERT_TRUE(first->commit().ok());
    EXPECT_EQ(readAll(folder / "out"), "first");
    ASSERT_TRUE(second->commit().ok());
    EXPECT_EQ(readAll(folder / "out"), "second");
    EXPECT_EQ(filesIn(folder), 1);
}

TEST(AtomicFile, movedFromFileRemovesNothing) {
    TemporaryFolder folder;
    auto created = AtomicFile::create(folder / "out");
    {
        AtomicFile moved = std::move(*created);
        ASSERT_TRUE(moved.write(std::string_view("x")).ok());
        ASSERT_TRUE(moved.commit().ok());
    }
    EXPECT_EQ(readAll(folder / "out"), "x");
}

TEST(AtomicFile, aMappedTargetKeepsItsBytesForTheReader) {
    TemporaryFolder folder;
    const auto mapped = MappedFile::open(folder.put("model", "before"));
    ASSERT_TRUE(writeFile(folder / "model", "after, and longer").ok());
    EXPECT_EQ(std::memcmp((*mapped)->bytes().data(), "before", 6), 0);
    EXPECT_TRUE((*mapped)->range(0, 6).ok());
    EXPECT_EQ(readAll(folder / "model"), "after, and longer");
}

TEST(AtomicFile, aLinkIsFollowedAndTheModeKept) {
    TemporaryFolder folder;
    folder.put("real", "old");
    ASSERT_EQ(::chmod((folder / "real").c_str(), 0640), 0);
    std::filesystem::create_symlink("real", folder / "link");
    ASSERT_TRUE(writeFile(folder / "link", "new").ok());
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_EQ(readAll(folder / "real"), "new");
    struct stat status {};
    ASSERT_EQ(::stat((folder / "real").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0640u);
}

TEST(AtomicFile, aNewFileIsReadableAsTheUmaskSays) {
    TemporaryFolder folder;
    const mode_t old = ::umask(022);
    ASSERT_TRUE(writeFile(folder / "new", "x").ok());
    ::umask(old);
    struct stat status {};
    ASSERT_EQ(::stat((folder / "new").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777u, 0644u);
}

TEST(AtomicFile, whatCannotBeATargetIsRefused) {
    TemporaryFolder folder;
    EXPECT_EQ(writeFile(folder / "absent" / "out", "x").error().message,
              "the folder does not exist; create it first");
    EXPECT_EQ(writeFile(folder.path(), "x").error().message, "is a directory; name a file to write");
    EXPECT_EQ(writeFile("/dev/null", "x").error().message, "is not an ordinary file; name one to write");
}

/// Lets this process write no file longer than `bytes` while it lives.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(rlim_t bytes) : m_handler(std::signal(SIGXFSZ, SIG_IGN)) {
        ::getrlimit(RLIMIT_FSIZE, &m_old);
        const rlimit limited{bytes, m_old.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limited);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &m_old);
        std::signal(SIGXFSZ, m_handler);
    }

  private:
    void (*m_handler)(int);
    rlimit m_old{};
};

TEST(AtomicFile, aFailedWriteIsSaidAndLeavesTheTarget) {
    TemporaryFolder folder;
    folder.put("out", "old");
    {
        const FileSizeLimit limit(64 * 1024);
        const Result<void> written = writeFile(folder / "out", std::string(1'000'000, 'x'));
        ASSERT_FALSE(written.ok());
        EXPECT_EQ(written.error().code, ErrorCode::missing);
        EXPECT_NE(written.error().message.find("the target is unchanged"), std::string::npos);
    }
    EXPECT_EQ(readAll(folder / "out"), "old");
    EXPECT_EQ(filesIn(folder), 1);
}

TEST(AtomicFile, takesTheLongestNamesThatFilesCanHave) {
    TemporaryFolder folder;
    const std::string longest(255, 'n'), tooLong(256, 'n');
    ASSERT_TRUE(writeFile(folder / longest, "bytes").ok());
    EXPECT_EQ(readAll(folder / longest), "bytes");
    const auto refused = AtomicFile::create(folder / tooLong);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, ErrorCode::usage);
    EXPECT_NE(refused.error().message.find("longer than names"), std::string::npos)
        << refused.error().message;
    EXPECT_EQ(filesIn(folder), 1);
}

TEST(AtomicFile, aLinkToAFileThatIsNotThereYetIsFollowed) {
    TemporaryFolder folder;
    std::filesystem::create_directory(folder / "far");
    std::filesystem::create_symlink("far/out", folder / "near");
    std::filesystem::create_symlink("near", folder / "link");
    ASSERT_TRUE(writeFile(folder / "link", "bytes").ok());
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "near"));
    EXPECT_EQ(readAll(folder / "far/out"), "bytes");
    EXPECT_EQ(fileBehind(folder / "link"), std::filesystem::canonical(folder / "far/out"));
}

TEST(AtomicFile, aLinkIntoAFolderThatIsNotThereIsRefused) {
    TemporaryFolder folder;
    std::filesystem::create_symlink("absent/out", folder / "link");
    const auto refused = AtomicFile::create(folder / "link");
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().toString().find("absent: the folder does not exist"), std::string::npos)
        << refused.error().toString();
    std::filesystem::create_symlink("round", folder / "round");
    EXPECT_FALSE(AtomicFile::create(folder / "round").ok());
    EXPECT_EQ(filesIn(folder), 2);
}

TEST(AtomicFile, aFolderThatTakesNoFilesIsNamedForWhatItIs) {
    const auto refused = AtomicFile::create("/proc/x.onnx");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().message.find("does not exist"), std::string::npos) << refused.error().message;
}

} // namespace
} // namespace secateur
