// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line.h"
#include "tests/support/models.h"

#include <sys/stat.h>

#include <filesystem>

namespace secateur::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
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

TEST_F(BadInputTest, whatIsNoModelAtAllIsCalledByItsName) {
    using namespace std::string_literals;
    const std::string more(600, '\1');
    const std::vector<std::pair<std::string, const char*>> strangers{
        {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"s + more, "is a PNG image, not an ONNX model"},
        {"\xff\xd8\xff\xe0\0\x10JFIF"s + more, "is a JPEG image"},
        {"GIF89a"s + more, "is a GIF image"},
        {"%PDF-1.7\n%\xe2\xe3\n"s + more, "is a PDF document"},
        {"\x7f"
         "ELF\2\1\1\0"s +
             more,
         "is a program or a library"},
        {std::string(4096, '\0'), "holds nothing but zeros"}};
    for (const auto& [bytes, words] : strangers) {
        const std::string file = folder.put("stranger.onnx", bytes).string();
        expectRefused(file, words);
        const Ran weights =
            runCli({"prune", dataModel("artifact.training"), "-o", in("out.onnx"), "--weights", file});
        EXPECT_EQ(weights.exit, 3) << words;
        EXPECT_THAT(weights.err, AllOf(HasSubstr("stranger.onnx"), HasSubstr(words)));
    }
}

TEST_F(BadInputTest, whatIsNoOrdinaryFileIsSaidAtOnce) {
    const std::string pipe = in("pipe.onnx");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    expectRefused(pipe, "is not an ordinary file");
    expectRefused("/dev/null", "is not an ordinary file");
    expectRefused("/proc/x.onnx", "does not exist");
    expectRefused("/proc/self/status", "is not an ordinary file");
}

TEST_F(BadInputTest, aDamagedCheckpointIsToBeCopiedAgain) {
    const auto model = trainingModel("mlp");
    if (model.empty()) GTEST_SKIP() << "no folder of models: set SECATEUR_MODELS";
    const std::string whole = readAll(model.parent_path() / "checkpoint");
    std::string noise = whole;
    for (std::size_t at = 8; at < noise.size(); at += 7)
        noise[at] = static_cast<char>(noise[at] ^ 0xff);
    for (const std::string& damaged : {whole.substr(0, whole.size() / 2), whole.substr(0, 20), noise}) {
        const std::string file = folder.put("checkpoint", damaged).string();
        const Ran run = runCli({"prune", model.string(), "-o", in("out.onnx"), "--weights", file});
        EXPECT_EQ(run.exit, 3) << run.err;
        EXPECT_THAT(run.err, AllOf(HasSubstr(file), HasSubstr("cut off or damaged, copy or save it again")));
        EXPECT_FALSE(exists("out.onnx"));
    }
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
    const Ran forced = runCli({"prune", dataModel("missing_data"), "-o", in("out.onnx"), "--force"});
    EXPECT_EQ(forced.exit, 0);
    EXPECT_THAT(forced.err, AllOf(HasSubstr("as it is because of --force"), Not(HasSubstr("Nothing was"))));
    EXPECT_TRUE(exists("out.onnx"));
    // What cannot be run says the same as what cannot be written.
    const Ran ran = runCli({"run", dataModel("missing_data")});
    EXPECT_EQ(ran.exit, 3);
    EXPECT_THAT(ran.err, HasSubstr("absent.bin"));
}

TEST_F(BadInputTest, anUnknownOperatorSurvives) {
    const Ran run = runCli({"prune", dataModel("unknown_operator"), "-o", in("out.onnx"), "--json"});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(run.json()["after"]["nodes"], 2);
    EXPECT_THAT(readAll(folder / "out.onnx"), HasSubstr("Frobnicate"));
}

} // namespace
} // namespace secateur::testing
