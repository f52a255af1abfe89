// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/load.h"
#include "core/onnx/save.h"
#include "tests/cli/command_line.h"
#include "tests/support/models.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

namespace secateur::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(CliTest, theInputIsNeverOverwritten) {
    const std::string bytes = readAll(dataModel("classifier.training"));
    const std::string model = folder.put("model.onnx", bytes).string();
    std::filesystem::create_symlink(model, folder / "link.onnx");
    for (const std::string& out : {model, in("link.onnx"), in("./model.onnx")}) {
        const Ran run = runCli({"prune", model, "-o", out, "--force"});
        EXPECT_EQ(run.exit, 2) << out;
        EXPECT_THAT(run.err, HasSubstr("never overwritten"));
    }
    EXPECT_EQ(readAll(model), bytes);
    EXPECT_EQ(runCli({"report", model, "-o", model}).exit, 2);
    EXPECT_EQ(readAll(model), bytes);
}

TEST_F(CliTest, filesThatHoldTheModelsWeightsAreNeverOverwritten) {
    auto loaded =
        loadModel(std::string(SECATEUR_TEST_DATA) + "/../../resources/samples/mlp_gelu.training.onnx");
    ASSERT_TRUE(loaded.ok());
    ASSERT_TRUE(saveModel(loaded->model, folder / "m.onnx", {}, {.largestFile = 20000}).ok());
    ASSERT_TRUE(exists("m.onnx.data"));
    std::filesystem::create_symlink(in("m.onnx.data"), in("d.svg"));
    std::filesystem::create_symlink(in("m.onnx.data"), in("d.html"));
    const std::string weights = readAll(folder / "m.onnx.data"), model = in("m.onnx");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"prune", model, "-o", in("out.onnx"), "--recipe-out", in("m.onnx.data")},
          {"export", model, "-o", in("d.svg")},
          {"export", model, "-o", in("d.svg"), "--pane", "after"},
          {"report", model, "-o", in("d.html")}}) {
        const Ran run = runCli(words);
        EXPECT_EQ(run.exit, 2) << words[0] << run.err;
        EXPECT_THAT(run.err, HasSubstr("holds the weights of the opened model"));
        EXPECT_EQ(readAll(folder / "m.onnx.data"), weights);
    }
    EXPECT_FALSE(exists("out.onnx"));
}

TEST_F(CliTest, whereTheRecipeCannotBeWrittenThereIsNoModelEither) {
    const Ran run = runCli(
        {"prune", dataModel("classifier.training"), "-o", in("out.onnx"), "--recipe-out", "/dev/full"});
    EXPECT_NE(run.exit, 0);
    EXPECT_FALSE(exists("out.onnx"));
}

TEST_F(CliTest, anExistingOutputStaysWhenTheRunFails) {
    folder.put("out.onnx", "precious");
    EXPECT_EQ(runCli({"prune", dataModel("batch_norm.training"), "-o", in("out.onnx")}).exit, 2);
    EXPECT_EQ(readAll(folder / "out.onnx"), "precious");
    EXPECT_EQ(files(), 1U);
}

TEST_F(CliTest, anExistingOutputIsReplacedWhole) {
    folder.put("out.onnx", std::string(1 << 20, 'x'));
    EXPECT_EQ(runCli({"prune", dataModel("classifier.training"), "-o", in("out.onnx")}).exit, 0);
    EXPECT_LT(std::filesystem::file_size(folder / "out.onnx"), 5000U);
    EXPECT_EQ(files(), 1U);
}

TEST_F(CliTest, placesThatCannotBeWrittenAreUsage) {
    const Ran missing = runCli({"prune", dataModel("classifier.training"), "-o", in("no/such/out.onnx")});
    EXPECT_EQ(missing.exit, 2);
    EXPECT_THAT(missing.err, HasSubstr("does not exist"));
    const Ran folderAsFile =
        runCli({"prune", dataModel("classifier.training"), "-o", folder.path().string()});
    EXPECT_EQ(folderAsFile.exit, 2);
    EXPECT_THAT(folderAsFile.err, HasSubstr("folder"));
}

TEST_F(CliTest, aFileInPlaceOfAFolderIsCalledOne) {
    folder.put("s.onnx", "x");
    const Ran run = runCli({"prune", dataModel("classifier.training"), "-o", in("s.onnx/x.onnx")});
    EXPECT_EQ(run.exit, 2);
    EXPECT_THAT(run.err, HasSubstr("s.onnx is a file and no folder"));
    const Ran refused = runCli({"prune", dataModel("classifier.training"), "-o", "/proc/x.onnx"});
    EXPECT_EQ(refused.exit, 2);
    EXPECT_THAT(refused.err, Not(HasSubstr("does not exist")));
}

TEST_F(CliTest, aLinkToNowhereIsWrittenThrough) {
    std::filesystem::create_symlink(in("real.onnx"), in("link.onnx"));
    ASSERT_EQ(runCli({"prune", dataModel("classifier.training"), "-o", in("link.onnx")}).exit, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(in("link.onnx")));
    EXPECT_TRUE(std::filesystem::is_regular_file(in("real.onnx")));
    std::filesystem::create_symlink(in("absent.json"), in("other.json"));
    const Ran twice = runCli({"prune", dataModel("classifier.training"), "-o", in("other.json"),
                              "--recipe-out", in("absent.json")});
    EXPECT_EQ(twice.exit, 2) << "both are one file";
}

TEST_F(CliTest, aNameThatNamesNoFileIsUsage) {
    for (const std::string& out : {std::string(), std::string("/dev/full"), std::string("/dev/null")}) {
        const Ran run = runCli({"prune", dataModel("classifier.training"), "-o", out});
        EXPECT_EQ(run.exit, 2) << "'" << out << "': " << run.err;
        EXPECT_THAT(run.err, HasSubstr("file")) << out;
    }
}

TEST_F(CliTest, aFolderThatMayNotBeWrittenIsUsage) {
    std::filesystem::create_directory(folder / "closed");
    std::filesystem::permissions(folder / "closed",
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    // The administrator may write everywhere, except where the system itself forbids it.
    const std::string closed = ::geteuid() == 0 ? "/sys/kernel/out.onnx" : in("closed/out.onnx");
    const Ran run = runCli({"prune", dataModel("classifier.training"), "-o", closed});
    EXPECT_EQ(run.exit, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("cannot be written"));
    EXPECT_FALSE(std::filesystem::exists(closed));
}

/// A program that may write no more than so many bytes to a file meets what a full disk would give it.
TEST_F(CliTest, aDiskThatIsFullLeavesWhatWasThere) {
    folder.put("out.onnx", "precious");
    rlimit old{};
    ::getrlimit(RLIMIT_FSIZE, &old);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limited{400, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
    const Ran run = runCli({"prune", dataModel("classifier.training"), "-o", in("out.onnx"), "--quiet"});
    ::setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);
    EXPECT_EQ(run.exit, 4) << run.err;
    EXPECT_THAT(run.err, HasSubstr("the target is unchanged"));
    EXPECT_EQ(readAll(folder / "out.onnx"), "precious");
    EXPECT_EQ(files(), 1U);
}

/// A line for each verb, and for what is asked of the program itself.
std::vector<std::vector<std::string>> everyVerb(const CliTest& test) {
    const std::string model = dataModel("classifier.training");
    return {{"info", model},
            {"prune", model, "-o", test.in("o.onnx"), "--recipe-out", test.in("o.json")},
            {"apply", test.in("r.json"), model, "-o", test.in("a.onnx")},
            {"passes"},
            {"explain", model},
            {"report", model, "-o", test.in("o.md")},
            {"export", model, "-o", test.in("o.dot")},
            {"info", model, "--json"},
            {"prune", model, "-o", test.in("j.onnx"), "--json"},
            {"--help"},
            {"prune", "--help"},
            {"--version"}};
}

TEST_F(CliTest, aResultThatStandardOutputDoesNotTakeIsNoSuccess) {
    ASSERT_EQ(
        runCli({"prune", dataModel("classifier.training"), "-o", in("p.onnx"), "--recipe-out", in("r.json")})
            .exit,
        0);
    const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (full < 0) GTEST_SKIP() << "this system has no /dev/full";
    for (const auto& words : everyVerb(*this)) {
        const Ran run = runCliTo(full, words);
        EXPECT_EQ(run.exit, 4) << words[0];
        EXPECT_THAT(run.err, HasSubstr("error: standard output: the result could not be written there"))
            << words[0];
    }
    EXPECT_EQ(runCliTo(full, {"info", in("absent.onnx"), "--json"}).exit, 3) << "the first failure counts";
    EXPECT_EQ(runCliTo(full, {"prune", dataModel("classifier.training"), "-o", in("q.onnx"), "--quiet"}).exit,
              0)
        << "nothing was to be said";
    ::close(full);
}

TEST_F(CliTest, aReaderThatGoesAwayEndsNothing) {
    ASSERT_EQ(
        runCli({"prune", dataModel("classifier.training"), "-o", in("p.onnx"), "--recipe-out", in("r.json")})
            .exit,
        0);
    for (const auto& words : everyVerb(*this)) {
        int ends[2];
        ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        ::close(ends[0]);
        const Ran run = runCliTo(ends[1], words);
        ::close(ends[1]);
        EXPECT_EQ(run.exit, 0) << words[0] << ": " << run.err;
        EXPECT_THAT(run.err, Not(HasSubstr("error"))) << words[0];
    }
    EXPECT_TRUE(exists("o.onnx") && exists("o.json") && exists("o.md"));
}

TEST_F(CliTest, anEmptyNameOfAnOutputIsUsage) {
    const std::string model = dataModel("classifier.training");
    for (const std::vector<std::string>& words : {std::vector<std::string>{"prune", model, "-o", ""},
                                                  {"prune", model, "-o", in("o.onnx"), "--recipe-out", ""},
                                                  {"prune", model, "-o", in("o.onnx"), "--weights", ""},
                                                  {"prune", model, "-o", in("o.onnx"), "--target", ""},
                                                  {"report", model, "-o", ""},
                                                  {"report", model, "-o", in("o.md"), "--recipe", ""},
                                                  {"export", model, "-o", ""},
                                                  {"explain", model, "--node", ""},
                                                  {"explain", model, "--value", ""},
                                                  {"prune", "", "-o", in("o.onnx")},
                                                  {"info", ""}}) {
        const Ran run = runCli(words);
        EXPECT_EQ(run.exit, 2) << words[0] << " " << words.back();
        EXPECT_THAT(run.err, HasSubstr("must not be empty")) << words[0];
    }
    EXPECT_EQ(files(), 0U);
}

TEST_F(CliTest, twoOutputsNeedTwoNames) {
    const Ran run = runCli(
        {"prune", dataModel("classifier.training"), "-o", in("o.onnx"), "--recipe-out", in("./o.onnx")});
    EXPECT_EQ(run.exit, 2);
    EXPECT_THAT(run.err, HasSubstr("twice"));
    EXPECT_EQ(files(), 0U);
}

TEST_F(CliTest, aSiblingCheckpointIsNamedAndNotUsed) {
    const auto model = trainingModel("mlp");
    if (model.empty()) GTEST_SKIP() << "no folder of models: set SECATEUR_MODELS";
    const Ran without = runCli({"prune", model.string(), "-o", in("without.onnx"), "--json"});
    EXPECT_EQ(without.exit, 0) << without.err;
    EXPECT_THAT(without.err, HasSubstr("was not used; give it with --weights"));
    const Ran with = runCli({"prune", model.string(), "-o", in("with.onnx"), "--json", "--weights",
                             (model.parent_path() / "checkpoint").string()});
    EXPECT_EQ(with.exit, 0) << with.err;
    EXPECT_EQ(with.json()["inputs"].size(), 1U);
    EXPECT_GT(without.json()["inputs"].size(), 1U);
}

TEST_F(CliTest, interruptingStopsAndWritesNothing) {
    const auto model = trainingModel("transformer48.adamw.step");
    if (model.empty()) GTEST_SKIP() << "no folder of models: set SECATEUR_MODELS";
    const Ran run = runCliInterrupted({"prune", model.string(), "-o", in("out.onnx")});
    if (run.exit == 0) GTEST_SKIP() << "it was done before it could be interrupted";
    EXPECT_EQ(run.exit, 130);
    EXPECT_EQ(files(), 0U);
}

} // namespace
} // namespace secateur::testing
