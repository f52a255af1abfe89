// SPDX-License-Identifier: Apache-2.0
#include "core/exec/worker.h"

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace secateur {
namespace {

/// What a worker's last line on its standard error is, as the error of the run says it.
std::string saidBy(const std::string& script) {
    const testing::TemporaryFolder folder;
    WorkerOptions options;
    options.program = folder.path() / "worker";
    std::ofstream(options.program) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(options.program, std::filesystem::perms::owner_all);
    Job job;
    job.paths = {folder.path() / "model.onnx"};
    const auto answer = runInWorker(job, options);
    return answer.ok() ? std::string() : answer.error().message;
}

/// A thread that looks for work all the time takes the core from the one that it waits for.
TEST(Worker, threadsThatWaitSoonSleepUnlessTheUserWantsOtherwise) {
    constexpr const char* kScript = "echo \"waits $OMP_WAIT_POLICY $GOMP_SPINCOUNT.\" >&2; exit 1";
    ASSERT_EQ(::unsetenv("OMP_WAIT_POLICY"), 0);
    ASSERT_EQ(::unsetenv("GOMP_SPINCOUNT"), 0);
    EXPECT_NE(saidBy(kScript).find("waits  10000."), std::string::npos) << saidBy(kScript);
    ASSERT_EQ(::setenv("GOMP_SPINCOUNT", "7", 1), 0);
    EXPECT_NE(saidBy(kScript).find("waits  7."), std::string::npos);
    ASSERT_EQ(::unsetenv("GOMP_SPINCOUNT"), 0);
    ASSERT_EQ(::setenv("OMP_WAIT_POLICY", "active", 1), 0);
    EXPECT_NE(saidBy(kScript).find("waits active ."), std::string::npos);
    ASSERT_EQ(::unsetenv("OMP_WAIT_POLICY"), 0);
}

} // namespace
} // namespace secateur
