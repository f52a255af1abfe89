// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line.h"

#include <filesystem>

namespace secateur::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

struct ReportTest : CliTest {
    /// A recipe that leaves Dropout in: its result is not the original in evaluation mode.
    std::string recipeThatLeavesMasks() {
        const Ran run = runCli(
            {"prune", dataModel("classifier.training"), "-o", in("p.onnx"), "--recipe-out", in("r.json")});
        EXPECT_EQ(run.exit, 0) << run.err;
        auto recipe = nlohmann::json::parse(readAll(folder / "r.json"));
        for (auto& step : recipe["steps"])
            if (step["pass"] == "bypass-dropout") step["on"] = false;
        return folder.put("r.json", recipe.dump()).string();
    }
};

TEST_F(ReportTest, tellsTheCheckWithItsNumbersInEveryForm) {
    const std::string model = dataModel("classifier.training");
    for (const char* name : {"r.html", "r.md", "r.json"}) {
        const Ran run = runCli({"report", model, "--verify", "-o", in(name)});
        ASSERT_EQ(run.exit, 0) << run.err;
        const std::string text = readAll(folder / name);
        EXPECT_THAT(text,
                    AllOf(HasSubstr("the original in evaluation mode"), HasSubstr("random inputs, seed 1"),
                          HasSubstr("Secateur reference kernels"), HasSubstr("--verify")))
            << name;
        EXPECT_THAT(text, Not(HasSubstr("Not checked"))) << name;
        if (std::string(name) == "r.json") continue;
        EXPECT_THAT(text, AllOf(HasSubstr("Same bits on 9 inputs"), HasSubstr("Largest absolute difference")))
            << name;
    }
    const auto found = nlohmann::json::parse(readAll(folder / "r.json"))["verify"];
    EXPECT_EQ(found["status"], "same_bits");
    EXPECT_EQ(found["max_abs"], 0.0);
    EXPECT_EQ(found["inputs"].size(), 9U);
    EXPECT_EQ(runCli({"report", model, "--verify", "--json", "-o", in("r.md")}).json()["verify"], found);
}

TEST_F(ReportTest, withoutACheckSaysSo) {
    for (const char* name : {"r.html", "r.md"}) {
        ASSERT_EQ(runCli({"report", dataModel("classifier.training"), "-o", in(name)}).exit, 0);
        EXPECT_THAT(readAll(folder / name), AllOf(HasSubstr("Not checked: no numbers were compared"),
                                                  Not(HasSubstr("Check against the original"))));
    }
    ASSERT_EQ(runCli({"report", dataModel("classifier.training"), "-o", in("r.json")}).exit, 0);
    EXPECT_EQ(nlohmann::json::parse(readAll(folder / "r.json"))["verify"]["status"], "not_checked");
}

TEST_F(ReportTest, ofAResultThatDiffersIsWrittenOnlyByForce) {
    const std::string recipe = recipeThatLeavesMasks();
    std::vector<std::string> words{
        "report", dataModel("classifier.training"), "--recipe", recipe, "--verify", "-o", in("r.md")};
    const Ran refused = runCli(words);
    EXPECT_EQ(refused.exit, 1);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("Differs at `"), HasSubstr("Nothing was written")));
    EXPECT_FALSE(exists("r.md"));
    words.emplace_back("--force");
    ASSERT_EQ(runCli(words).exit, 0);
    EXPECT_THAT(readAll(folder / "r.md"), HasSubstr("Differs at `"));
}

/// Runs the command of a report in `folder`, as a person would paste it.
Ran paste(const std::string& command, const fs::path& folder) {
    return runProgram("/bin/bash", {"-c", "cd \"$1\" && PATH=\"$2:$PATH\" && eval \"$3\"", "bash",
                                    folder.string(), cliProgram().parent_path().string(), command});
}

TEST_F(ReportTest, tellsACommandThatWorksWhenPasted) {
    if (!fs::exists("/bin/bash")) GTEST_SKIP() << "there is no /bin/bash to paste into";
    const std::string bytes = readAll(dataModel("classifier.training"));
    fs::create_directory(folder / "deep er");
    const std::vector<std::string> models{"deep er/it's a \"$HOME\" `model`.onnx",
                                          "-o.onnx",
                                          "--help",
                                          "tab\tand\x1b\xff.onnx",
                                          "new\nline.onnx",
                                          "* ? ~.onnx",
                                          std::string(250, 'n') + ".onnx"};
    for (const std::string& model : models) {
        folder.put(model, bytes);
        // The verb itself is given the path from the same folder.
        const Ran run =
            runProgram("/bin/bash", {"-c", "cd \"$1\" && exec \"$2\" report -o r.json -- \"$3\"", "bash",
                                     folder.path().string(), cliProgram().string(), model});
        ASSERT_EQ(run.exit, 0) << model << run.err;
        const std::string command = nlohmann::json::parse(readAll(folder / "r.json"))["command"];
        const std::size_t before = files();
        const Ran pasted = paste(command, folder.path());
        EXPECT_EQ(pasted.exit, 0) << command << '\n' << pasted.err;
        EXPECT_EQ(files(), before + 1) << command;
    }
}

TEST_F(ReportTest, theCommandAimsAtTargetsWhateverTheirNames) {
    const Ran run = runCli({"report", dataModel("classifier.training"), "--target=logits", "-o", in("r.md")});
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(readAll(folder / "r.md"),
                HasSubstr("prune " + dataModel("classifier.training") +
                          " -o classifier.training.inference.onnx --target logits\n"));
}

TEST_F(ReportTest, endingsInCapitalsAreTheSameKinds) {
    const std::string model = folder.put("M.ONNX", readAll(dataModel("classifier.training"))).string();
    EXPECT_EQ(runCli({"report", model, "-o", in("R.HTML")}).exit, 0);
    EXPECT_EQ(runCli({"report", model, "-o", in("R.Md")}).exit, 0);
    EXPECT_EQ(runCli({"export", model, "-o", in("G.SVG")}).exit, 0);
    EXPECT_EQ(runCli({"export", model, "-o", in("G.TXT")}).exit, 0);
    EXPECT_THAT(runCli({"info", folder.path().string()}).err, HasSubstr("M.ONNX"));
}

} // namespace
} // namespace secateur::testing
