// SPDX-License-Identifier: Apache-2.0
#include "core/support/scratch_folder.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace secateur::testing {
namespace {

namespace fs = std::filesystem;

struct ScratchFolderTest : ::testing::Test {
    TemporaryFolder folder;
    std::string before;

    void SetUp() override {
        if (const char* given = ::getenv("TMPDIR")) before = given;
        ::setenv("TMPDIR", folder.path().c_str(), 1);
    }
    void TearDown() override {
        before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
    }
    /// As if it had been made an hour ago.
    static void age(const fs::path& path) {
        timespec times[2]{};
        ::clock_gettime(CLOCK_REALTIME, times);
        times[0].tv_sec -= 3600;
        times[1] = times[0];
        ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
    }
    fs::path leftBehind() {
        const fs::path path = folder.path() / "secateur-run-abcdef";
        fs::create_directory(path);
        age(path);
        return path;
    }
    /// Makes the first folder of a process of its own.
    static void makeElsewhere() {
        const pid_t child = ::fork();
        if (child == 0) ::_exit(ScratchFolder::create().ok() ? 0 : 1);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_EQ(status, 0);
    }
};

TEST_F(ScratchFolderTest, whatAKilledProcessLeftGoesAndWhatIsInUseStays) {
    const fs::path left = leftBehind();
    const int lock = ::open(left.c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_EQ(::flock(lock, LOCK_EX), 0);
    makeElsewhere();
    EXPECT_TRUE(fs::exists(left)) << "its process lives";
    ::close(lock);
    makeElsewhere();
    EXPECT_FALSE(fs::exists(left));
}

TEST_F(ScratchFolderTest, nothingIsRemovedWhileAnotherProcessMakesAFolder) {
    const fs::path left = leftBehind(); // or one that is made and not locked yet, by a clock that jumps
    const int maker = ::open(folder.path().c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_EQ(::flock(maker, LOCK_SH), 0);
    makeElsewhere();
    EXPECT_TRUE(fs::exists(left));
    ::close(maker);
}

TEST_F(ScratchFolderTest, oneMayBeMadeInsideAnotherThatIsLocked) {
    const auto outer = ScratchFolder::create();
    ASSERT_TRUE(outer.ok());
    ::setenv("TMPDIR", outer->path().c_str(), 1); // as a worker's is
    makeElsewhere();
    EXPECT_TRUE(ScratchFolder::create().ok());
}

TEST_F(ScratchFolderTest, aFolderThatCannotBeOpenedIsAnErrorAndNotOneWithoutALock) {
    const pid_t child = ::fork();
    if (child == 0) { // no files are left to open
        std::vector<int> taken;
        for (int file = ::open("/", O_RDONLY); file >= 0; file = ::open("/", O_RDONLY))
            taken.push_back(file);
        ::_exit(ScratchFolder::create().ok() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

} // namespace
} // namespace secateur::testing
