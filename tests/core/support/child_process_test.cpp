// SPDX-License-Identifier: Apache-2.0
#include "core/support/child_process.h"

#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include <signal.h>
#include <unistd.h>

namespace secateur {
namespace {

using namespace std::chrono_literals;

ChildRequest shell(const std::string& script, std::chrono::milliseconds deadline = 20s) {
    ChildRequest request;
    request.arguments = {"/bin/sh", "-c", script};
    request.deadline = deadline;
    return request;
}

TEST(ChildProcess, takesInputAndGivesOutputAndExitCode) {
    ChildRequest request = shell("cat; echo oops >&2; exit 3");
    request.input = "hello";
    const auto result = runChild(request);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->end, ChildOutput::End::exited);
    EXPECT_EQ(result->exitCode, 3);
    EXPECT_EQ(result->output, "hello");
    EXPECT_EQ(result->errors, "oops\n");
    EXPECT_FALSE(result->isFine());
}

TEST(ChildProcess, variablesAreGivenWhereTheyAreNotSet) {
    ASSERT_EQ(::setenv("SECATEUR_TEST_SET", "ours", 1), 0);
    ChildRequest request = shell("printf '%s %s' \"$SECATEUR_TEST_SET\" \"$SECATEUR_TEST_UNSET\"");
    request.environment = {"SECATEUR_TEST_SET=theirs", "SECATEUR_TEST_UNSET=given"};
    const auto result = runChild(request);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->output, "ours given");
    EXPECT_EQ(::getenv("SECATEUR_TEST_UNSET"), nullptr);
}

TEST(ChildProcess, largeInputAndOutputPassAtTheSameTime) {
    ChildRequest request = shell("cat");
    request.input.assign(8U << 20U, 'x');
    const auto result = runChild(request);
    ASSERT_TRUE(result.ok());
    EXPECT_TRUE(result->isFine());
    EXPECT_EQ(result->output.size(), request.input.size());
}

TEST(ChildProcess, aChildThatHangsIsEndedAtTheDeadlineWithWhatItStarted) {
    const std::string path = "/tmp/secateur_child_" + std::to_string(::getpid());
    const auto begin = std::chrono::steady_clock::now();
    // The grandchild would hold the output open and outlive its parent.
    const auto result = runChild(shell("sleep 60 & echo $! > " + path + "; wait", 400ms));
    const auto took = std::chrono::steady_clock::now() - begin;
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->end, ChildOutput::End::timedOut);
    EXPECT_GE(took, 400ms);
    EXPECT_LT(took, 20s);
    pid_t grandchild = 0;
    std::ifstream(path) >> grandchild;
    ::unlink(path.c_str());
    ASSERT_GT(grandchild, 0);
    bool isGone = false;
    for (int i = 0; i < 200 && !isGone; ++i) {
        isGone = ::kill(grandchild, 0) != 0;
        std::ifstream status("/proc/" + std::to_string(grandchild) + "/stat"); // a zombie counts as gone
        std::string number, name, state;
        status >> number >> name >> state;
        isGone = isGone || state == "Z" || !status;
        if (!isGone) std::this_thread::sleep_for(10ms);
    }
    EXPECT_TRUE(isGone);
}

TEST(ChildProcess, cancellingEndsItSoon) {
    const CancelToken cancel;
    std::thread canceller([&] {
        std::this_thread::sleep_for(100ms);
        cancel.cancel();
    });
    const auto begin = std::chrono::steady_clock::now();
    const auto result = runChild(shell("sleep 60", 60s), cancel);
    canceller.join();
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::cancelled);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

TEST(ChildProcess, aProgramThatIsNotThereIsSaidSo) {
    ChildRequest request;
    request.arguments = {"no_such_program_of_this_name"};
    const auto result = runChild(request);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::missing);
    EXPECT_NE(result.error().message.find("no_such_program_of_this_name"), std::string::npos);
    EXPECT_EQ(findProgram("no_such_program_of_this_name"), "");
    EXPECT_NE(findProgram("sh"), "");
}

TEST(ChildProcess, aCrashIsAnEndLikeOthers) {
    const auto result = runChild(shell("kill -SEGV $$"));
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->end, ChildOutput::End::signalled);
    EXPECT_EQ(result->exitCode, SIGSEGV);
}

TEST(ChildProcess, aChildThatDoesNotReadDoesNotStopUs) {
    ChildRequest request = shell("exit 0");
    request.input.assign(4U << 20U, 'x');
    const auto result = runChild(request);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->end, ChildOutput::End::exited);
}

TEST(ChildProcess, endlessOutputIsCutOff) {
    ChildRequest request = shell("while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done");
    request.mostOutput = 100000;
    const auto result = runChild(request);
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->end, ChildOutput::End::tooMuchOutput);
}

} // namespace
} // namespace secateur
