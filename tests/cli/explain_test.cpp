// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line.h"

namespace secateur::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(CliTest, explainOfAValueSaysWhetherItIsInTheResultWhateverItsNodeDoes) {
    const auto told = [&](const char* value) {
        return runCli({"explain", dataModel("classifier.training"), "--value", value}).out;
    };
    EXPECT_THAT(told("hidden_grad"), HasSubstr("It is not in the result"));
    EXPECT_THAT(told("logits"), Not(HasSubstr("It is not in the result")));
}

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

TEST_F(CliTest, aBypassedNodeSaysWhereItStoodAndWhatFeedsWhomNow) {
    const std::string model = dataModel("classifier.training");
    const Ran text = runCli({"explain", model, "--node", "drop"});
    EXPECT_THAT(text.out, HasSubstr("It stood on this way to the target: Dropout `drop` -> "));
    EXPECT_THAT(text.out, HasSubstr("now feeds Gemm `fc2`."));
    EXPECT_THAT(text.out, HasSubstr("Dropout `drop` stood on this way to the target `logits`\n"));
    EXPECT_THAT(text.out, Not(HasSubstr("makes the target")));
    const auto json = runCli({"explain", model, "--node", "drop", "--json"}).json();
    ASSERT_EQ(json["now_feeds"].size(), 1U);
    EXPECT_EQ(json["now_feeds"][0]["to"], "fc2");
    const auto kept = runCli({"explain", model, "--node", "fc1", "--json"}).json();
    EXPECT_TRUE(kept["now_feeds"].empty());
}

TEST_F(CliTest, aBackwardNodeBelongsToADerivative) {
    const Ran text = runCli({"explain", dataModel("classifier.training"), "--node", "relu_Grad"});
    EXPECT_THAT(text.out, HasSubstr("It belongs to the derivative of Relu `relu`."));
}

TEST_F(CliTest, aValueSaysWhatItIsForAndWhoReadIt) {
    const std::string model = dataModel("classifier.training");
    const Ran labels = runCli({"explain", model, "--value", "labels"});
    EXPECT_THAT(labels.out,
                HasSubstr("an input of the model: labels, which the prediction is compared with"));
    EXPECT_THAT(labels.out, HasSubstr("2 readers in the opened model: "));
    EXPECT_THAT(labels.out, HasSubstr("all that read `labels` is gone: 1 node of the loss, 1 backward node"));
    EXPECT_THAT(labels.out, Not(HasSubstr("only the loss")));
    const Ran weight = runCli({"explain", model, "--value", "fc1.weight"});
    EXPECT_THAT(weight.out, HasSubstr(": a weight of the network"));
    const auto json = runCli({"explain", model, "--value", "labels", "--json"}).json();
    EXPECT_EQ(json["kind"], "label");
}

TEST_F(CliTest, aTargetThatAPersonNamedIsNotSaidToBePredicted) {
    const std::string model = dataModel("classifier.training");
    const Ran run = runCli({"explain", model, "--target", "hidden"});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("Target `hidden`: chosen by its name\n"));
    EXPECT_THAT(run.out, HasSubstr("Without that choice the model would be cut down to `logits`."));
    EXPECT_THAT(run.out, HasSubstr("`hidden` was chosen by its name, so it becomes an output"));
    EXPECT_THAT(run.out, Not(HasSubstr("what the model predicts")));
    EXPECT_THAT(runCli({"explain", model}).out, HasSubstr("`logits` is what the model predicts"));
}

TEST_F(CliTest, aMistypedTargetNamesValuesAndNodesThatAreNear) {
    const std::string model = dataModel("classifier.training");
    const Ran node = runCli({"prune", model, "-o", in("o.onnx"), "--target", "fc1"});
    EXPECT_EQ(node.exit, 2);
    EXPECT_THAT(node.err, HasSubstr("`fc1` is a node; name a value that it makes: "));
    const Ran near = runCli({"prune", model, "-o", in("o.onnx"), "--target", "logitz"});
    EXPECT_EQ(near.exit, 2);
    EXPECT_THAT(near.err, HasSubstr("the nearest names are `logits`"));
    const Ran nearNode = runCli({"prune", model, "-o", in("o.onnx"), "--target", "relu_Gradd"});
    EXPECT_EQ(nearNode.exit, 2);
    EXPECT_THAT(nearNode.err, HasSubstr("`relu_Grad` (a node, which makes `hidden_grad`)"));
    const Ran nothing = runCli({"prune", model, "-o", in("o.onnx"), "--target", "qqqqqqqq"});
    EXPECT_EQ(nothing.exit, 2);
    EXPECT_THAT(nothing.err, HasSubstr("nothing has a name like it"));
    EXPECT_THAT(runCli({"info", model}).out, HasSubstr("`logits`")) << "as the sentence says";
}

TEST_F(CliTest, anUnknownNodeMayBeNearAValueAndTheOtherWayRound) {
    const std::string model = dataModel("classifier.training");
    EXPECT_THAT(runCli({"explain", model, "--node", "hidden_gradd"}).err, HasSubstr("`hidden_grad`"));
    EXPECT_THAT(runCli({"explain", model, "--value", "relu_Gradd"}).err, HasSubstr("`relu_Grad`"));
}

TEST_F(CliTest, theLettersOfClassesAreSaidInWords) {
    const std::string model = dataModel("classifier.training");
    const std::string exact = "E exact: the outputs keep the same bits",
                      conversion = "C conversion: from training to inference";
    for (const Ran& run : {runCli({"explain", model}), runCli({"prune", model, "-o", in("o.onnx")})}) {
        EXPECT_THAT(run.out, HasSubstr(exact));
        EXPECT_THAT(run.out, HasSubstr(conversion));
        EXPECT_THAT(run.out, Not(HasSubstr("V value"))) << "no such letter is shown";
    }
    EXPECT_EQ(runCli({"report", model, "-o", in("r.md")}).exit, 0);
    const std::string page = readAll(folder / "r.md");
    EXPECT_THAT(page, HasSubstr(exact));
    EXPECT_THAT(page, HasSubstr("Dropout `drop` stood on this way to the target `logits`"));
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

TEST_F(CliTest, theReportSaysOfEveryRemovedNodeWhatExplainSays) {
    const std::string model = dataModel("classifier.training");
    EXPECT_EQ(runCli({"report", model, "-o", in("r.json")}).exit, 0);
    const auto report = nlohmann::json::parse(readAll(folder / "r.json"));
    ASSERT_EQ(report["removed"].size(), 14U);
    for (const auto& row : report["removed"]) {
        const auto json = runCli({"explain", model, "--node", row["node"], "--json"}).json();
        EXPECT_EQ(json["path"], row["path"]) << row["node"];
        EXPECT_EQ(json["reason"], row["reason"]) << row["node"];
        EXPECT_EQ(json["end"], row["end"]) << row["node"];
        EXPECT_EQ(json["role"], row["role"]) << row["node"];
    }
}

} // namespace
} // namespace secateur::testing
