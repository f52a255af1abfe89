// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line.h"

#include <algorithm>

namespace secateur::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(CliTest, helpAndVersionGoToStandardOutput) {
    const Ran help = runCli({"--help"});
    EXPECT_EQ(help.exit, 0);
    for (const char* verb : {"info", "prune", "apply", "passes", "explain", "report", "export"})
        EXPECT_THAT(help.out, HasSubstr(verb));
    const Ran version = runCli({"--version"});
    EXPECT_EQ(version.exit, 0);
    EXPECT_THAT(version.out, HasSubstr("secateur-cli "));
}

TEST_F(CliTest, theHelpOfEveryVerbTellsItsOptionsAndWhereTheOthersAre) {
    const std::vector<std::pair<const char*, std::vector<const char*>>> verbs{
        {"info", {"MODEL", "--runtime"}},
        {"prune",
         {"MODEL", "--out", "--target", "--weights", "--batch-norm running|batch", "--for onnx|onnxruntime",
          "--strip-traces", "--verify", "--recipe-out", "--force"}},
        {"apply", {"RECIPE", "MODEL", "--out", "--target", "--weights", "--strict", "--verify", "--force"}},
        {"passes", {}},
        {"explain", {"MODEL", "--node", "--value", "--recipe", "--target", "--weights"}},
        {"report", {"MODEL", "--out", "--recipe", "--target", "--weights"}},
        {"export", {"MODEL", "--out", "--recipe"}}};
    for (const auto& [verb, options] : verbs) {
        const Ran run = runCli({verb, "--help"});
        EXPECT_EQ(run.exit, 0) << verb;
        for (const char* option : options)
            EXPECT_THAT(run.out, HasSubstr(option)) << verb;
        EXPECT_THAT(run.out, HasSubstr("Every verb also takes --json")) << verb;
    }
    EXPECT_THAT(runCli({"--help"}).out, HasSubstr("Exit codes: 0 done"));
}

TEST_F(CliTest, noVerbIsUsage) {
    const Ran run = runCli({});
    EXPECT_EQ(run.exit, 2);
    EXPECT_THAT(run.err, HasSubstr("error: "));
    EXPECT_THAT(run.out, IsEmpty());
}

TEST_F(CliTest, aMistypedVerbNamesTheNearest) {
    const Ran run = runCli({"prunne", "model.onnx"});
    EXPECT_EQ(run.exit, 2);
    EXPECT_THAT(run.err, HasSubstr("no verb `prunne` (did you mean `prune`?)"));
}

TEST_F(CliTest, aVerbOfALaterVersionSaysSo) {
    for (const char* verb : {"diff", "plan", "tune", "memory"}) {
        const Ran run = runCli({verb, "model.onnx"});
        EXPECT_EQ(run.exit, 4) << verb;
        EXPECT_THAT(run.err, HasSubstr("is not in this version"));
    }
}

TEST_F(CliTest, wrongFlagsAreUsageInOneLine) {
    const Ran unknown = runCli({"info", dataModel("inference"), "--verbose"});
    EXPECT_EQ(unknown.exit, 2);
    EXPECT_THAT(unknown.err, HasSubstr("--verbose"));
    EXPECT_EQ(std::count(unknown.err.begin(), unknown.err.end(), '\n'), 1);
    EXPECT_EQ(runCli({"prune", dataModel("inference")}).exit, 2) << "no -o";
    EXPECT_EQ(runCli({"prune", dataModel("inference"), "-o", in("o.onnx"), "--batch-norm", "maybe"}).exit, 2);
    EXPECT_EQ(runCli({"prune", dataModel("inference"), "-o", in("o.onnx"), "--for", "tflite"}).exit, 2);
    EXPECT_EQ(runCli({"info", dataModel("inference"), "--threads", "many"}).exit, 2);
    EXPECT_EQ(files(), 0U);
}

TEST_F(CliTest, commonFlagsStandBeforeOrBehindTheVerb) {
    EXPECT_EQ(runCli({"--json", "--threads", "2", "--seed", "7", "info", dataModel("inference")}).exit, 0);
    EXPECT_EQ(
        runCli({"info", dataModel("inference"), "--json", "--threads", "2", "--seed", "7", "--lang", "en"})
            .exit,
        0);
}

TEST_F(CliTest, chineseIsAcceptedAndSaysThatItIsNotThere) {
    const Ran run = runCli({"info", dataModel("inference"), "--lang", "zh_CN"});
    EXPECT_EQ(run.exit, 0);
    EXPECT_THAT(run.err, HasSubstr("Chinese texts are not in this version"));
}

TEST_F(CliTest, quietSaysNothingWhenAllIsWell) {
    const Ran run = runCli({"prune", dataModel("classifier.training"), "-o", in("o.onnx"), "--quiet"});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_THAT(run.err, IsEmpty());
    EXPECT_TRUE(exists("o.onnx"));
}

TEST_F(CliTest, progressIsNotDrawnIntoFiles) {
    const Ran run = runCli({"prune", dataModel("classifier.training"), "-o", in("o.onnx")});
    EXPECT_THAT(run.err, Not(HasSubstr("\r")));
}

TEST_F(CliTest, passesIsATableOfStrategies) {
    const Ran text = runCli({"passes"});
    EXPECT_EQ(text.exit, 0);
    EXPECT_THAT(text.out, HasSubstr("prune-backward"));
    EXPECT_THAT(text.out, HasSubstr("=>"));
    const auto json = runCli({"passes", "--json"}).json();
    ASSERT_GE(json["passes"].size(), 9U);
    for (const auto& pass : json["passes"]) {
        for (const char* field :
             {"id", "class", "title", "summary", "before_after", "gain", "cost", "when"}) {
            EXPECT_FALSE(pass[field].get<std::string>().empty()) << pass["id"] << " " << field;
            EXPECT_THAT(pass[field].get<std::string>(), Not(HasSubstr("["))) << pass["id"] << " " << field;
        }
    }
}

TEST_F(CliTest, coloursByTimeAreRefusedWithWords) {
    const Ran run = runCli({"export", dataModel("inference"), "--color", "time", "-o", in("g.svg")});
    EXPECT_EQ(run.exit, 2);
    EXPECT_THAT(run.err, HasSubstr("needs measured times"));
    EXPECT_FALSE(exists("g.svg"));
}

} // namespace
} // namespace secateur::testing
