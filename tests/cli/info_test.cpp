// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line.h"
#include "tests/support/models.h"

#include <set>

namespace secateur::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(CliTest, infoCountsAndRanks) {
    const auto json = runCli({"info", dataModel("classifier.training"), "--json"}).json();
    const auto& info = json["info"];
    EXPECT_EQ(info["nodes"], 17);
    EXPECT_EQ(info["initializers"], 8);
    EXPECT_EQ(info["opsets"]["ai.onnx"], 14);
    EXPECT_EQ(info["opsets"]["com.microsoft"], 1);
    EXPECT_EQ(info["metadata_bytes"], 0);
    EXPECT_TRUE(info["is_training_graph"].get<bool>());
    const auto& roles = info["roles"];
    EXPECT_EQ(roles["forward"], 4);
    EXPECT_EQ(roles["loss"], 1);
    EXPECT_EQ(roles["backward"], 8);
    EXPECT_EQ(roles["accumulator"], 4);
    EXPECT_EQ(roles["optimizer"], 0);
    EXPECT_EQ(info["targets"][0]["name"], "logits");
    EXPECT_GE(info["targets"][0]["score"].get<double>(), 0.8);
    EXPECT_FALSE(info["targets"][0]["evidence"].empty());
    EXPECT_TRUE(info["problems"].empty()) << info["problems"];
    EXPECT_TRUE(info["runtime"].is_null());
}

TEST_F(CliTest, infoFieldsAlsoStandAtTheTop) {
    const auto json = runCli({"info", dataModel("classifier.training"), "--json"}).json();
    for (const char* field : {"nodes", "metadata_bytes", "roles", "targets"})
        EXPECT_EQ(json[field], json["info"][field]);
}

TEST_F(CliTest, infoIsReadable) {
    const Ran run = runCli({"info", dataModel("classifier.training")});
    EXPECT_EQ(run.exit, 0);
    EXPECT_THAT(
        run.out,
        HasSubstr(
            "classifier.training.onnx: ONNX, IR 8, opsets ai.onnx 14, com.microsoft 1, by make_cli_models"));
    EXPECT_THAT(run.out, HasSubstr("17 nodes"));
    EXPECT_THAT(run.out, HasSubstr("roles: forward 4, loss 1, backward 8, accumulator 4"));
    EXPECT_THAT(run.out, HasSubstr("* `logits`"));
    EXPECT_THAT(run.out, HasSubstr("No problems found in 17 nodes."));
}

TEST_F(CliTest, infoOfAnInferenceGraphSaysSo) {
    const auto json = runCli({"info", dataModel("inference"), "--json"}).json();
    EXPECT_FALSE(json["info"]["is_training_graph"].get<bool>());
    EXPECT_EQ(json["info"]["roles"]["forward"], 2);
    EXPECT_EQ(json["info"]["inputs"][0]["type"], "float[N,8]");
}

TEST_F(CliTest, infoNamesWhatRunsInTrainingMode) {
    const Ran run = runCli({"info", dataModel("exported.training")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("  2 Dropout and 1 BatchNormalization run in training mode\n"));
    const auto json = runCli({"info", dataModel("exported.training"), "--json"}).json();
    EXPECT_EQ(json["info"]["training_mode"]["Dropout"], 2);
    EXPECT_EQ(json["info"]["training_mode"]["BatchNormalization"], 1);
    EXPECT_TRUE(json["info"]["is_training_graph"].get<bool>());
    const auto inference = runCli({"info", dataModel("inference"), "--json"}).json();
    EXPECT_TRUE(inference["info"]["training_mode"].is_object());
    EXPECT_TRUE(inference["info"]["training_mode"].empty());
}

TEST_F(CliTest, infoOfAModelThatImportsNoOpsetSaysWhatThatMeans) {
    const Ran run = runCli({"info", dataModel("no_opset")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("opsets not given"));
    EXPECT_THAT(run.out, HasSubstr("1 problem:"));
    EXPECT_THAT(run.out, HasSubstr("no opset of it is imported"));
}

TEST_F(CliTest, infoCountsTheOutputsThatItDoesNotList) {
    const auto model = trainingModel("transformer");
    if (model.empty()) GTEST_SKIP() << "no folder of models: set SECATEUR_MODELS";
    const auto json = runCli({"info", model.string(), "--json"}).json();
    std::set<std::string> all;
    for (const auto& output : json["info"]["outputs"])
        all.insert(output["name"].get<std::string>());
    for (const auto& target : json["info"]["targets"])
        all.insert(target["name"].get<std::string>());
    const Ran run = runCli({"info", model.string()});
    constexpr std::size_t kShown = 8;
    EXPECT_THAT(run.out, HasSubstr("  ... and " + std::to_string(all.size() - kShown) + " more\n"));
}

TEST_F(CliTest, infoNamesTracesThatFillTheFile) {
    const auto model = trainingModel("transformer48.adamw.step");
    if (model.empty()) GTEST_SKIP() << "no folder of models: set SECATEUR_MODELS";
    EXPECT_THAT(runCli({"info", model.string()}).out, HasSubstr("--strip-traces leaves them out"));
    EXPECT_THAT(runCli({"info", dataModel("inference")}).out, Not(HasSubstr("--strip-traces")));
}

TEST_F(CliTest, infoForARuntimeIsNotThereYet) {
    const Ran run = runCli({"info", dataModel("inference"), "--runtime", "onnxruntime-1.20"});
    EXPECT_EQ(run.exit, 4);
    EXPECT_THAT(run.err, HasSubstr("onnxruntime-1.20"));
}

} // namespace
} // namespace secateur::testing
