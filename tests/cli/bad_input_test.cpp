// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line.h"

#include <filesystem>

namespace secateur::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct BadInputTest : CliTest {
    /// Every verb that opens a file must refuse it the same way.
    void expectRefused(const std::string& model, const std::string& words) {
        for (const std::vector<std::string>& verb : {std::vector<std::string>{"info", model},
                                                     {"prune", model, "-o", in("out.onnx")},
                                                     {"explain", model},
                                                     {"report", model, "-o", in("out.html")},
                                                     {"export", model, "-o", in("out.svg")}}) {
            const Ran run = runCli(verb);
            EXPECT_EQ(run.exit, 3) << verb[0] << ": " << run.err;
            EXPECT_THAT(run.err, AllOf(StartsWith("error: "), HasSubstr(words))) << verb[0];
            EXPECT_THAT(run.out, IsEmpty()) << verb[0];
        }
        EXPECT_FALSE(exists("out.onnx") || exists("out.html") || exists("out.svg"));
    }
};

TEST_F(BadInputTest, aMissingFile) {
    expectRefused(in("absent.onnx"), "absent.onnx");
}

TEST_F(BadInputTest, anEmptyFile) {
    expectRefused(folder.put("empty.onnx", "").string(), "empty");
}

TEST_F(BadInputTest, aFolder) {
    std::filesystem::create_directory(folder / "folder.onnx");
    expectRefused(in("folder.onnx"), "folder");
}

TEST_F(BadInputTest, json) {
    expectRefused(folder.put("model.onnx", "{\"nodes\": [1, 2, 3]}\n").string(), "JSON");
}

TEST_F(BadInputTest, plainText) {
    expectRefused(folder.put("model.onnx", "just some words, no model at all\n").string(), "model.onnx");
}

TEST_F(BadInputTest, aTruncatedModel) {
    const std::string whole = readAll(dataModel("classifier.training"));
    expectRefused(folder.put("cut.onnx", whole.substr(0, whole.size() * 2 / 3)).string(), "cut.onnx");
}

TEST_F(BadInputTest, everyPrefixOfAModelEndsInAnExitCodeOfOurs) {
    const std::string whole = readAll(dataModel("inference"));
    for (std::size_t size = 1; size < whole.size(); size += 23) {
        const Ran run = runCli({"info", folder.put("cut.onnx", whole.substr(0, size)).string()});
        EXPECT_TRUE(run.exit == 0 || run.exit == 3) << size << " bytes: exit " << run.exit << " " << run.err;
    }
}

TEST_F(BadInputTest, anotherFormatIsNamedWithTheWayToOnnx) {
    std::string zip = "PK\x03\x04";
    zip += std::string(200, '\0') + "archive/data.pkl";
    const Ran run = runCli({"info", folder.put("model.pt", zip).string()});
    EXPECT_EQ(run.exit, 3);
    EXPECT_THAT(run.err, HasSubstr("torch.onnx.export"));
}

TEST_F(BadInputTest, anErrorIsAlsoAnObjectOfJson) {
    const Ran run = runCli({"info", in("absent.onnx"), "--json"});
    EXPECT_EQ(run.exit, 3);
    const auto json = run.json();
    EXPECT_EQ(json["error"]["exit"], 3);
    EXPECT_EQ(json["error"]["code"], "invalid_input");
    EXPECT_THAT(run.err, StartsWith("error: "));
}

/// What opens all the same, with its defects listed.
TEST_F(BadInputTest, defectsAreListedAsProblems) {
    const std::vector<std::pair<const char*, const char*>> cases{{"missing_data", "absent.bin"},
                                                                 {"escaping_data", "outside.bin"},
                                                                 {"cycle", "cycle"},
                                                                 {"duplicate_value", "`y`"}};
    for (const auto& [model, words] : cases) {
        const Ran run = runCli({"info", dataModel(model), "--json"});
        EXPECT_EQ(run.exit, 0) << model << ": " << run.err;
        const auto json = run.json();
        ASSERT_FALSE(json["info"]["problems"].empty()) << model;
        EXPECT_THAT(json["info"]["problems"][0]["text"].get<std::string>(), HasSubstr(words)) << model;
    }
}

TEST_F(BadInputTest, defectsThatReachTheResultAreNotWrittenSilently) {
    EXPECT_EQ(runCli({"prune", dataModel("cycle"), "-o", in("out.onnx")}).exit, 3);
    EXPECT_FALSE(exists("out.onnx"));
    const Ran run = runCli({"prune", dataModel("missing_data"), "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 3);
    EXPECT_THAT(run.err, HasSubstr("absent.bin"));
    EXPECT_FALSE(exists("out.onnx"));
    EXPECT_EQ(runCli({"prune", dataModel("missing_data"), "-o", in("out.onnx"), "--force"}).exit, 0);
    EXPECT_TRUE(exists("out.onnx"));
}

TEST_F(BadInputTest, anUnknownOperatorSurvives) {
    const Ran run = runCli({"prune", dataModel("unknown_operator"), "-o", in("out.onnx"), "--json"});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(run.json()["after"]["nodes"], 2);
    EXPECT_THAT(readAll(folder / "out.onnx"), HasSubstr("Frobnicate"));
}

} // namespace
} // namespace secateur::testing
