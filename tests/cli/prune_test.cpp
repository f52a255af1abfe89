// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line.h"

#include <filesystem>
#include <set>

namespace secateur::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(CliTest, pruneLeavesTheForwardHalf) {
    const Ran run = runCli({"prune", dataModel("classifier.training"), "-o", in("out.onnx"), "--json"});
    ASSERT_EQ(run.exit, 0) << run.err;
    const auto json = run.json();
    EXPECT_EQ(json["before"]["nodes"], 17);
    EXPECT_EQ(json["after"]["nodes"], 3);
    EXPECT_EQ(json["before"]["bytes"], std::filesystem::file_size(dataModel("classifier.training")));
    EXPECT_EQ(json["after"]["bytes"], std::filesystem::file_size(folder / "out.onnx"));
    EXPECT_THAT(json["inputs"], ElementsAre("x: float[4,8]"));
    EXPECT_THAT(json["outputs"], ElementsAre("logits: float[4,3]"));
    EXPECT_EQ(json["removed"].size(), 14U);
    const auto info = runCli({"info", in("out.onnx"), "--json"}).json();
    EXPECT_EQ(info["nodes"], 3);
    EXPECT_EQ(info["opsets"].count("com.microsoft"), 0U);
    EXPECT_EQ(info["is_training_graph"], false);
}

TEST_F(CliTest, everyRemovedNodeHasRoleReasonAndPath) {
    const auto json =
        runCli({"prune", dataModel("classifier.training"), "-o", in("out.onnx"), "--json"}).json();
    std::set<std::string> reasons;
    for (const auto& node : json["removed"]) {
        EXPECT_FALSE(node["node"].get<std::string>().empty());
        EXPECT_FALSE(node["op"].get<std::string>().empty());
        EXPECT_FALSE(node["role"].get<std::string>().empty());
        EXPECT_EQ(node["path"][0], node["node"]);
        EXPECT_EQ(node["path"].size(), node["path_nodes"].get<std::size_t>());
        reasons.insert(node["reason"].get<std::string>());
    }
    EXPECT_GT(reasons.size(), json["removed"].size() / 2);
}

TEST_F(CliTest, partsThatAreNotBuiltYetAreNull) {
    const auto json =
        runCli({"prune", dataModel("classifier.training"), "-o", in("out.onnx"), "--json"}).json();
    EXPECT_TRUE(json["before"]["memory"].is_null());
    EXPECT_TRUE(json["after"]["memory"].is_null());
    EXPECT_TRUE(json["census"].is_null());
    EXPECT_EQ(json["verify"]["status"], "not_checked");
    EXPECT_TRUE(json["verify"]["max_abs"].is_null());
    for (const char* field : {"load", "passes", "save"})
        EXPECT_GE(json["seconds"][field].get<double>(), 0);
    for (const auto& step : json["steps"])
        EXPECT_GE(step["seconds"].get<double>(), 0);
}

TEST_F(CliTest, pruneTellsItsSteps) {
    const Ran run = runCli({"prune", dataModel("classifier.training"), "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("`logits`: 17 -> 3 nodes (-82 %)"));
    EXPECT_THAT(run.out, HasSubstr("wrote " + in("out.onnx")));
    EXPECT_THAT(run.out, HasSubstr("not checked"));
}

TEST_F(CliTest, pruneTellsRemovedAndReplacedApart) {
    const Ran plain = runCli({"prune", dataModel("classifier.training"), "-o", in("out.onnx")});
    EXPECT_THAT(plain.out, HasSubstr("  removed 14 nodes, replaced 0\n"));
    const auto json = runCli({"prune", dataModel("twin.training"), "-o", in("twin.onnx"), "--json"}).json();
    EXPECT_GT(json["counts"]["replaced"], 0);
    EXPECT_EQ(json["counts"]["removed"].get<std::size_t>() + json["counts"]["replaced"].get<std::size_t>(),
              json["removed"].size());
}

TEST_F(CliTest, anyValueCanBeTheTarget) {
    const auto json = runCli({"prune", dataModel("classifier.training"), "-o", in("out.onnx"), "--target",
                              "hidden", "--json"})
                          .json();
    EXPECT_EQ(json["after"]["nodes"], 1);
    EXPECT_THAT(json["outputs"], ElementsAre("hidden: float[4,16]"));
}

TEST_F(CliTest, aTargetThatNoNodeMakesLeavesNothing) {
    const std::string model = dataModel("classifier.training");
    const auto info = runCli({"info", model, "--json"}).json();
    const std::string input = info["inputs"][0]["name"];
    for (const char* verb : {"prune", "explain", "report"}) {
        std::vector<std::string> words{verb, model, "--target", input};
        if (std::string(verb) != "explain") words.insert(words.end(), {"-o", in("out.md")});
        const Ran run = runCli(words);
        EXPECT_EQ(run.exit, 2) << verb;
        EXPECT_THAT(run.err, HasSubstr("`" + input +
                                       "` is an input of the model, which no node makes: "
                                       "nothing would remain"))
            << verb;
    }
    EXPECT_EQ(files(), 0U);
    // Beside a value that is made, an input may be handed through.
    EXPECT_EQ(runCli({"prune", model, "-o", in("o.onnx"), "--target", input, "--target", "logits"}).exit, 0);
}

TEST_F(CliTest, aMistypedTargetNamesTheNearest) {
    const Ran run =
        runCli({"prune", dataModel("classifier.training"), "-o", in("out.onnx"), "--target", "logit"});
    EXPECT_EQ(run.exit, 2);
    EXPECT_THAT(run.err, HasSubstr("no value called `logit`"));
    EXPECT_THAT(run.err, HasSubstr("`logits`"));
    EXPECT_EQ(files(), 0U);
}

TEST_F(CliTest, withoutAClearTargetTheCandidatesAreListed) {
    const Ran run = runCli({"prune", dataModel("autoencoder.training"), "-o", in("out.onnx"), "--json"});
    EXPECT_EQ(run.exit, 2);
    EXPECT_THAT(run.err, HasSubstr("--target"));
    EXPECT_THAT(run.err, HasSubstr("`rebuilt`"));
    std::set<std::string> names;
    const auto json = run.json();
    for (const auto& candidate : json["candidates"])
        names.insert(candidate["name"].get<std::string>());
    EXPECT_THAT(names, Contains("loss"));
    EXPECT_EQ(files(), 0U);
}

TEST_F(CliTest, severalTargetsCanBeGiven) {
    const Ran run = runCli({"prune", "--target", "left_logits", "--target", "right_logits",
                            dataModel("two_losses.training"), "-o", in("out.onnx"), "--json"});
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(run.json()["outputs"].size(), 2U);
}

TEST_F(CliTest, aBatchNormInDoubtNamesTheFlagThatSettlesIt) {
    const Ran run = runCli({"prune", dataModel("batch_norm.training"), "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 2);
    EXPECT_THAT(run.err, HasSubstr("BatchNormalization `norm`"));
    EXPECT_THAT(run.err, HasSubstr("--batch-norm running | --batch-norm batch"));
    EXPECT_FALSE(exists("out.onnx"));
}

TEST_F(CliTest, aResultThatDependsOnTheBatchIsSaid) {
    const std::string model = dataModel("batch_norm.training");
    EXPECT_THAT(runCli({"prune", model, "-o", in("batch.onnx"), "--batch-norm", "batch"}).err,
                HasSubstr("warning: 1 BatchNormalization normalizes by the statistics of the batch"));
    EXPECT_THAT(runCli({"prune", model, "-o", in("running.onnx"), "--batch-norm", "running"}).err,
                Not(HasSubstr("statistics of the batch")));
}

TEST_F(CliTest, bothAnswersAboutBatchNormAreTaken) {
    const Ran running = runCli(
        {"prune", dataModel("batch_norm.training"), "-o", in("r.onnx"), "--batch-norm", "running", "--json"});
    ASSERT_EQ(running.exit, 0) << running.err;
    EXPECT_EQ(running.json()["outputs"].size(), 1U);
    const Ran batch = runCli(
        {"prune", dataModel("batch_norm.training"), "-o", in("b.onnx"), "--batch-norm", "batch", "--json"});
    ASSERT_EQ(batch.exit, 0) << batch.err;
    EXPECT_NE(readAll(folder / "r.onnx"), readAll(folder / "b.onnx"));
}

TEST_F(CliTest, theSameInputGivesTheSameBytes) {
    runCli({"prune", dataModel("classifier.training"), "-o", in("a.onnx"), "--seed", "1", "--threads", "1"});
    runCli({"prune", dataModel("classifier.training"), "-o", in("b.onnx"), "--seed", "2", "--threads", "8"});
    EXPECT_EQ(readAll(folder / "a.onnx"), readAll(folder / "b.onnx"));
    EXPECT_FALSE(readAll(folder / "a.onnx").empty());
}

TEST_F(CliTest, verifyingRunsTheResultBesideTheOriginal) {
    const std::vector<std::string> words{"prune", dataModel("classifier.training"), "-o", in("out.onnx"),
                                         "--verify"};
    std::vector<std::string> asJson = words;
    asJson.emplace_back("--json");
    const Ran told = runCli(words);
    EXPECT_EQ(told.exit, 0) << told.err;
    EXPECT_THAT(told.out, AllOf(HasSubstr("; Same bits on 9 inputs (Secateur reference kernels"),
                                HasSubstr("against the original in evaluation mode)")));
    const Ran run = runCli(asJson);
    EXPECT_EQ(run.exit, 0);
    const auto verify = run.json()["verify"];
    EXPECT_EQ(verify["status"], "same_bits");
    EXPECT_EQ(verify["structure"], "accepted");
    EXPECT_EQ(verify["inputs"].size(), 9U);
    EXPECT_EQ(verify["max_abs"], 0);
    EXPECT_TRUE(verify["where"].is_null());
}

TEST_F(CliTest, whatCannotBeRunIsNotVerifiedAndNotWritten) {
    const std::vector<std::string> words{"prune", dataModel("unknown_operator"), "-o", in("out.onnx"),
                                         "--verify"};
    std::vector<std::string> asJson = words, forced = words;
    asJson.emplace_back("--json");
    forced.emplace_back("--force");
    const Ran run = runCli(asJson);
    EXPECT_EQ(run.exit, 1) << run.err; // as whatever is not checked
    EXPECT_THAT(run.err, HasSubstr("numbers were not compared"));
    EXPECT_THAT(run.err, HasSubstr("Nothing was written: add --force"));
    EXPECT_EQ(run.json()["verify"]["status"], "not_checked");
    EXPECT_TRUE(run.json()["verify"]["max_abs"].is_null());
    EXPECT_FALSE(exists("out.onnx"));
    const Ran written = runCli(forced);
    EXPECT_EQ(written.exit, 0) << written.err;
    EXPECT_TRUE(exists("out.onnx"));
    EXPECT_THAT(written.out, HasSubstr("structure checked, numbers not compared"));
}

TEST_F(CliTest, aStructureThatTheCheckerRefusesIsAFailedCheck) {
    const std::vector<std::string> words{"prune", dataModel("bad_attribute"), "-o", in("out.onnx"),
                                         "--verify"};
    std::vector<std::string> forced = words;
    forced.emplace_back("--force");
    const Ran run = runCli(words);
    EXPECT_EQ(run.exit, 3) << "what is wrong was so in the opened file";
    EXPECT_THAT(run.err, HasSubstr(dataModel("bad_attribute") + ": the checker of ONNX refuses its structure"));
    EXPECT_THAT(run.err, HasSubstr("Nothing was written: add --force"));
    EXPECT_FALSE(exists("out.onnx"));
    const Ran written = runCli(forced);
    EXPECT_EQ(written.exit, 0) << written.err;
    EXPECT_THAT(written.out, HasSubstr("the checker of ONNX refuses its structure"));
    EXPECT_TRUE(exists("out.onnx"));
}

} // namespace
} // namespace secateur::testing
