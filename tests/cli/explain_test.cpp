// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line.h"

namespace secateur::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(CliTest, explainSaysWhyANodeWent) {
    const auto json =
        runCli({"explain", dataModel("classifier.training"), "--node", "relu_Grad", "--json"}).json();
    EXPECT_EQ(json["kept"], false);
    EXPECT_EQ(json["role"], "backward");
    EXPECT_EQ(json["removed_by"], "prune-backward");
    EXPECT_FALSE(json["reason"].get<std::string>().empty());
    EXPECT_EQ(json["path"][0], "relu_Grad");
    EXPECT_GE(json["path"].size(), 2U);
    const Ran text = runCli({"explain", dataModel("classifier.training"), "--node", "relu_Grad"});
    EXPECT_THAT(text.out, HasSubstr("ReluGrad `relu_Grad`, role backward"));
    EXPECT_THAT(text.out, HasSubstr("Removed by `prune-backward`."));
}

TEST_F(CliTest, explainSaysWhyANodeStays) {
    const auto json = runCli({"explain", dataModel("classifier.training"), "--node", "fc1", "--json"}).json();
    EXPECT_EQ(json["kept"], true);
    EXPECT_EQ(json["path"].front(), "fc1");
    EXPECT_EQ(json["path"].back(), "fc2");
}

TEST_F(CliTest, aNodeBehindAnotherPassIsExplainedByIt) {
    const auto json =
        runCli({"explain", dataModel("classifier.training"), "--node", "drop", "--json"}).json();
    EXPECT_EQ(json["removed_by"], "bypass-dropout");
}

TEST_F(CliTest, explainSaysWhatAReplacedNodeBecame) {
    const Ran text = runCli({"explain", dataModel("twin.training"), "--node", "join"});
    EXPECT_EQ(text.exit, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("ConcatTraining `join`"));
    EXPECT_THAT(text.out, HasSubstr("Replaced by `standard-operators`, with Concat `join`."));
    EXPECT_THAT(text.out, HasSubstr("It stands in the place of ConcatTraining `join`."));
    const auto json = runCli({"explain", dataModel("twin.training"), "--node", "join", "--json"}).json();
    ASSERT_EQ(json["nodes"].size(), 2U) << "the old node and the one that bears its name";
    EXPECT_EQ(json["nodes"][0]["kept"], false);
    EXPECT_EQ(json["nodes"][0]["removed_by"], "standard-operators");
    EXPECT_EQ(json["nodes"][0]["replaced_by"][0], "join");
    EXPECT_EQ(json["nodes"][1]["kept"], true);
    EXPECT_EQ(json["nodes"][1]["made_by_step"], "standard-operators");
    EXPECT_EQ(json["nodes"][1]["replaces"][0], "join");
}

TEST_F(CliTest, explainAValue) {
    const auto made =
        runCli({"explain", dataModel("classifier.training"), "--value", "hidden_grad", "--json"}).json();
    EXPECT_EQ(made["kept"], false);
    EXPECT_EQ(made["made_by"]["node"], "relu_Grad");
    EXPECT_EQ(made["readers"].size(), 2U);
    const auto input =
        runCli({"explain", dataModel("classifier.training"), "--value", "labels", "--json"}).json();
    EXPECT_EQ(input["kept"], false);
    EXPECT_EQ(input["removed_by"], "drop-training-state");
    EXPECT_FALSE(input["reason"].get<std::string>().empty());
}

TEST_F(CliTest, aValueThatStaysSaysWhatNeedsIt) {
    for (const char* value : {"x", "fc1.weight"}) {
        const auto json =
            runCli({"explain", dataModel("classifier.training"), "--value", value, "--json"}).json();
        EXPECT_EQ(json["kept"], true) << value;
        EXPECT_THAT(json["reason"].get<std::string>(), HasSubstr("reads it. ")) << value;
        EXPECT_THAT(json["reason"].get<std::string>(), HasSubstr("`logits`")) << value;
        EXPECT_THAT(runCli({"explain", dataModel("classifier.training"), "--value", value}).out,
                    HasSubstr(json["reason"].get<std::string>()));
    }
}

TEST_F(CliTest, anUnknownNodeNamesTheNearest) {
    const Ran run = runCli({"explain", dataModel("classifier.training"), "--node", "relu_grd"});
    EXPECT_EQ(run.exit, 2);
    EXPECT_THAT(run.err, HasSubstr("no node called `relu_grd`: the nearest names are"));
    EXPECT_THAT(run.err, HasSubstr("`relu_Grad`"));
    EXPECT_EQ(runCli({"explain", dataModel("classifier.training"), "--value", "hiden"}).exit, 2);
}

TEST_F(CliTest, aNodeCanBeNamedByAResultThatItMakes) {
    const Ran run = runCli({"explain", dataModel("classifier.training"), "--node", "hidden_grad"});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("No node is called `hidden_grad`; this one makes the value"));
    EXPECT_THAT(run.out, HasSubstr("ReluGrad `relu_Grad`, role backward"));
    const auto second =
        runCli({"explain", dataModel("classifier.training"), "--node", "mask", "--json"}).json();
    EXPECT_EQ(second["node"], "drop");
    EXPECT_EQ(second["removed_by"], "bypass-dropout");
}

TEST_F(CliTest, aNodeWithoutANameIsCalledByItsResult) {
    const auto json =
        runCli({"explain", dataModel("nameless.training"), "--node", "hidden_grad", "--json"}).json();
    EXPECT_EQ(json["node"], "hidden_grad");
    EXPECT_EQ(json["op"], "ReluGrad");
    const Ran text = runCli({"explain", dataModel("nameless.training"), "--node", "hidden_grad"});
    EXPECT_EQ(text.exit, 0) << text.err;
    EXPECT_THAT(text.out, Not(HasSubstr("No node is called"))) << "it has no other name";
    const Ran wrong = runCli({"explain", dataModel("nameless.training"), "--node", "hidden_grd"});
    EXPECT_EQ(wrong.exit, 2);
    EXPECT_THAT(wrong.err, HasSubstr("`hidden_grad`"));
}

TEST_F(CliTest, aValueThatNoNodeMakesIsToldApartFromNodes) {
    for (const char* value : {"x", "fc1.weight"}) {
        const Ran run = runCli({"explain", dataModel("classifier.training"), "--node", value});
        EXPECT_EQ(run.exit, 2);
        EXPECT_THAT(run.err, HasSubstr("`" + std::string(value) + "` is no node but a value"));
        EXPECT_THAT(run.err, HasSubstr("--value " + std::string(value)));
    }
    const Ran run = runCli({"explain", dataModel("classifier.training"), "--value", "relu_Grad"});
    EXPECT_EQ(run.exit, 2);
    EXPECT_THAT(run.err, HasSubstr("--node relu_Grad"));
}

TEST_F(CliTest, explainTakesANodeOrAValueButNotBothOrNone) {
    EXPECT_EQ(runCli({"explain", dataModel("inference"), "--node", "relu", "--value", "y"}).exit, 2);
    EXPECT_EQ(runCli({"explain", dataModel("inference"), "--node", ""}).exit, 2);
    EXPECT_EQ(runCli({"explain", dataModel("inference"), "--value", ""}).exit, 2);
}

TEST_F(CliTest, explainWithoutAQuestionSumsUp) {
    const Ran run = runCli({"explain", dataModel("classifier.training")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("`logits`: 17 -> 3 nodes (-82 %)"));
    EXPECT_THAT(run.out, HasSubstr("Target `logits`: "));
    EXPECT_THAT(run.out, HasSubstr("Stays: 3 forward\n"));
    EXPECT_THAT(run.out, HasSubstr("Goes: 1 forward, 1 loss, 8 backward, 4 accumulator\n"));
    EXPECT_THAT(run.out, HasSubstr("--node NAME"));
    const auto json = runCli({"explain", dataModel("classifier.training"), "--json"}).json();
    EXPECT_EQ(json["targets"][0]["name"], "logits");
    EXPECT_EQ(json["kept"]["forward"], 3);
    EXPECT_EQ(json["removed"]["backward"], 8);
}

TEST_F(CliTest, explainWithoutAQuestionTellsTheReasonsOfAllSteps) {
    const auto json = runCli({"explain", dataModel("classifier.training"), "--json"}).json();
    std::size_t reasons = 0;
    for (const auto& step : json["steps"])
        reasons += step["reasons"].size();
    EXPECT_GT(reasons, 5U);
}

} // namespace
} // namespace secateur::testing
