// SPDX-License-Identifier: Apache-2.0
//
// --verify in detail: each step, the change of mode, a second judge, inputs of one's own.
#include "tests/cli/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace secateur::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Always zero, and no input leads there.
constexpr const char* kZero = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[4] x) => (float[4] y) { z = Constant<value = float[4] {0, 0, 0, 0}>() y = Relu(z) })";

/// Always zero, although an input leads there.
constexpr const char* kDead = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[4] x) => (float[4] y) { z = Constant<value = float {0}>() a = Mul(x, z) b = Abs(a) y = Exp(b) })";

/// An .npy file of floats.
std::string npyOf(const std::vector<float>& numbers) {
    std::string header =
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(numbers.size()) + ",), }";
    header.resize(117, ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    bytes += header;
    bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
    return bytes;
}

struct CliCheckTest : CliTest {
    void SetUp() override { ::setenv("SECATEUR_PYTHON", "/nonexistent/python", 1); }
    void TearDown() override { ::unsetenv("SECATEUR_PYTHON"); }

    /// A program that speaks as a Python with ONNX Runtime does, and gives these numbers for every input:
    /// where `ofOriginal` is given, these for the first model of each two.
    void speakAsRuntime(const std::vector<float>& numbers, const std::vector<float>& ofOriginal = {}) {
        const auto setOf = [&](const char* name, const std::vector<float>& given) {
            const std::string file = folder.put(name, npyOf(given)).string();
            const std::string set = R"({"seconds":[0.1],"files":[")" + file + R"("]})";
            return set + "," + set;
        };
        const std::string sets = setOf("answer.npy", numbers);
        const std::string other = ofOriginal.empty() ? sets : setOf("original.npy", ofOriginal);
        const std::string told = in("told"), begin = "echo '{\"version\":\"9.9\",\"sets\":[", end = "]}'";
        const auto program =
            folder.put("python", "#!/bin/sh\njob=$(cat)\ncase \"$job\" in\n"
                                 "*'\"model\":\"\"'*) echo '{\"version\":\"9.9\"}';;\n"
                                 "*) if [ -e " +
                                     told + " ]; then rm " + told + "; " + begin + sets + end +
                                     "; else touch " + told + "; " + begin + other + end + "; fi;;\nesac\n");
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        ::setenv("SECATEUR_PYTHON", program.c_str(), 1);
    }
    std::string zero() { return folder.put("zero.onnx", modelOfText(kZero)).string(); }
};

TEST_F(CliCheckTest, eachStepThatChangedSomethingHasAVerdict) {
    const Ran run =
        runCli({"prune", dataModel("classifier.training"), "--verify", "--json", "-o", in("out.onnx")});
    ASSERT_EQ(run.exit, 0) << run.err;
    const auto told = run.json();
    const auto& verify = told["verify"];
    std::size_t changed = 0;
    for (const auto& step : told["steps"])
        changed += step["rewrites"].get<int>() > 0 ? 1 : 0;
    ASSERT_EQ(verify["steps"].size(), changed) << verify.dump(1);
    bool isRun = false, isByRule = false;
    for (const auto& step : verify["steps"]) {
        const std::string status = step["status"];
        EXPECT_TRUE(status == "same_bits" || status == "exact_by_rule") << step.dump();
        isRun = isRun || (status == "same_bits" && step["inputs"].get<int>() > 0);
        isByRule = isByRule || status == "exact_by_rule";
    }
    EXPECT_TRUE(isRun && isByRule) << verify["steps"].dump(1);
}

TEST_F(CliCheckTest, theChangeOfModeIsToldApartFromTheVerdict) {
    const Ran run = runCli({"prune", dataModel("classifier.training"), "--verify", "-o", in("out.onnx")});
    EXPECT_THAT(run.err, HasSubstr("the change from training to evaluation mode moves outputs by up to"));
    ASSERT_EQ(runCli({"report", dataModel("classifier.training"), "--verify", "-o", in("r.md")}).exit, 0);
    EXPECT_THAT(readAll(folder / "r.md"), AllOf(HasSubstr("Change of mode"), HasSubstr("Exact by rule"),
                                                HasSubstr("beside the original in evaluation mode")));
}

TEST_F(CliCheckTest, aMissingSecondJudgeIsOneLineAndNoError) {
    const Ran run = runCli({"prune", zero(), "--verify", "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 0);
    EXPECT_THAT(run.err, HasSubstr("no second judge: "));
    EXPECT_THAT(run.err, HasSubstr("/nonexistent/python"));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_THAT(run.out, HasSubstr("Same bits on 9 inputs (Secateur reference kernels,"));
}

TEST_F(CliCheckTest, aSecondJudgeThatAgreesIsNamed) {
    speakAsRuntime({0, 0, 0, 0});
    const std::string model = zero();
    const Ran run = runCli({"prune", model, "--verify", "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("Same bits on 9 inputs (Secateur reference kernels, against the original "
                                   "in evaluation mode); ONNX Runtime 9.9, the result beside the original: "
                                   "Same bits on 2 inputs"))
        << "each judge says what it saw";
    const auto judge =
        runCli({"prune", model, "--verify", "--json", "-o", in("out.onnx")}).json()["verify"]["second_judge"];
    EXPECT_EQ(judge["judge"], "ONNX Runtime 9.9");
    EXPECT_EQ(judge["status"], "same_bits");
}

TEST_F(CliCheckTest, aSecondJudgeThatComputesOtherwiseBlamesNoStep) {
    speakAsRuntime({0, 0, 0, 5});
    const Ran run = runCli({"prune", zero(), "--verify", "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("ONNX Runtime 9.9 and Secateur part over the result (at `y`: element 3 is "
                                   "5, expected is 0"));
}

TEST_F(CliCheckTest, whatTheSecondJudgeAloneSeesEndsTheVerb) {
    speakAsRuntime({0, 0, 0, 5}, {0, 0, 0, 0});
    const Ran run = runCli({"prune", zero(), "--verify", "--quiet", "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 1) << run.err;
    EXPECT_FALSE(exists("out.onnx"));
    EXPECT_THAT(run.err,
                HasSubstr("ONNX Runtime 9.9, the result beside the original: Differs at `y`: element "
                          "3 is 5, expected is 0 (5 absolute where 0 is expected)"));
    EXPECT_EQ(runCli({"prune", zero(), "--verify", "--force", "-o", in("out.onnx")}).exit, 0);
    EXPECT_TRUE(exists("out.onnx"));
}

TEST_F(CliCheckTest, whatNeverMovesIsNotCalledTheSame) {
    const std::string model = folder.put("dead.onnx", modelOfText(kDead)).string();
    const Ran run = runCli({"prune", model, "--verify", "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 1);
    EXPECT_FALSE(exists("out.onnx"));
    EXPECT_THAT(run.err, AllOf(HasSubstr("`y` is the same on all of them"), HasSubstr("--input x=")));
    EXPECT_EQ(runCli({"prune", model, "--verify", "--force", "-o", in("out.onnx")}).exit, 0);
    EXPECT_TRUE(exists("out.onnx"));
    const Ran compared = runCli({"compare", model, in("out.onnx"), "--json"});
    EXPECT_EQ(compared.exit, 1);
    const auto told = compared.json();
    EXPECT_EQ(told["status"], "not_checked");
    EXPECT_EQ(told["outputs"][0]["weakness"], "never_moves");
    EXPECT_THAT(told["reason"].get<std::string>(), HasSubstr("sets of inputs"));
    const Ran words = runCli({"compare", model, in("out.onnx")});
    EXPECT_THAT(words.out, AllOf(HasSubstr("Not checked: "), Not(HasSubstr("Same bits"))));
}

TEST_F(CliCheckTest, inputsOfOnesOwnAreRunOnAsWell) {
    const std::string file = folder.put("x.npy", npyOf({1, 2, 3, 4})).string();
    std::filesystem::create_directory(folder / "set");
    folder.put("set/input_0.npy", npyOf({1, 2, 3, 4}));
    const std::string model = zero();
    const Ran run = runCli({"prune", model, "--verify", "--json", "--input", "x=" + file, "--inputs",
                            in("set"), "-o", in("out.onnx")});
    ASSERT_EQ(run.exit, 0) << run.err;
    const auto inputs = run.json()["verify"]["inputs"];
    ASSERT_EQ(inputs.size(), 11U) << inputs.dump();
    EXPECT_THAT(inputs[0].get<std::string>(), AllOf(HasSubstr("own inputs"), HasSubstr("set")));
    EXPECT_EQ(inputs[1], "own inputs: `x`");
}

TEST_F(CliCheckTest, ownInputsThatDoNotFitAreAnsweredInWords) {
    const std::string model = zero();
    const std::string wrong = folder.put("wrong.npy", npyOf({1, 2})).string();
    const auto refused = [&](const std::vector<std::string>& more, const char* words, int exit) {
        std::vector<std::string> all{"prune", model, "--verify", "-o", in("out.onnx")};
        all.insert(all.end(), more.begin(), more.end());
        const Ran run = runCli(all);
        EXPECT_EQ(run.exit, exit) << run.err;
        EXPECT_THAT(run.err, HasSubstr(words));
        EXPECT_FALSE(exists("out.onnx"));
    };
    refused({"--input", "x=" + wrong}, "float[4]", 3);
    refused({"--input", "xx=" + wrong}, "no input `xx`", 2);
    refused({"--input", "x"}, "NAME=", 2);
    const Ran idle = runCli({"prune", model, "--input", "x=0:1", "-o", in("out.onnx")});
    EXPECT_EQ(idle.exit, 2);
    EXPECT_THAT(idle.err, HasSubstr("--verify"));
    refused({"--inputs", in("nowhere")}, "nowhere", 2);
    refused({"--input", "x=" + in("nowhere.npy")}, "does not exist", 3);
}

TEST_F(CliCheckTest, aRangeHoldsForAllRandomInputs) {
    // Equal for positive numbers alone, which the culprit search would find otherwise.
    const Ran run = runCli({"prune", zero(), "--verify", "--json", "--input", "x=1:2", "-o", in("out.onnx")});
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(run.json()["verify"]["inputs"].size(), 2U) << "edges leave an input alone that has a range";
    EXPECT_THAT(run.json()["verify"]["skipped_inputs"][0].get<std::string>(), HasSubstr("edge cases"));
}

} // namespace
} // namespace secateur::testing
