// SPDX-License-Identifier: Apache-2.0
//
// A rewrite that is wrong: caught by --verify, named, left out, and the rest is done.
#include "tests/cli/command_line.h"

namespace secateur::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kModel = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[4] x, float[4] z) => (float[4] y) {
    a = Add(x, z)
    b = Sub(a, z)
    y = Mul(a, b)
})";

struct CliCulpritTest : CliTest {
    std::string model = folder.put("m.onnx", modelOfText(kModel)).string();
    Ran wrong(const std::vector<std::string>& words) { return runProgram(SECATEUR_CLI_WRONG, words); }
};

TEST_F(CliCulpritTest, aWrongRewriteIsNamedAndLeftOut) {
    const Ran run = wrong({"prune", model, "--verify", "-o", in("out.onnx"), "--recipe-out", in("r.json")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr("Differs at `b`"), HasSubstr("Sub"), HasSubstr("left out")));
    EXPECT_THAT(run.err, Not(HasSubstr("Add `")));
    EXPECT_THAT(run.out, HasSubstr("Same bits on 9 inputs"));
    // The same numbers, says the program without the wrong pass.
    EXPECT_EQ(runCli({"compare", in("out.onnx"), model}).exit, 0);
    // The recipe keeps the decision.
    EXPECT_EQ(wrong({"apply", in("r.json"), model, "--verify", "--strict", "-o", in("again.onnx")}).exit, 0);
    EXPECT_EQ(readAll(folder / "again.onnx"), readAll(folder / "out.onnx"));
}

TEST_F(CliCulpritTest, itStandsInTheReportAndInJson) {
    const Ran run = wrong({"report", model, "--verify", "--json", "-o", in("r.md")});
    ASSERT_EQ(run.exit, 0) << run.err;
    const auto verify = run.json()["verify"];
    EXPECT_EQ(verify["status"], "same_bits");
    ASSERT_EQ(verify["left_out"].size(), 1U);
    EXPECT_EQ(verify["left_out"][0]["pass"], "swap-operands");
    EXPECT_EQ(verify["left_out"][0]["where"], "b");
    EXPECT_THAT(readAll(folder / "r.md"), HasSubstr("Rewrite left out"));
}

TEST_F(CliCulpritTest, strictlyNothingIsLeftOutAndNothingWritten) {
    ASSERT_EQ(wrong({"prune", model, "-o", in("p.onnx"), "--recipe-out", in("r.json")}).exit, 0);
    const Ran run =
        wrong({"apply", in("r.json"), model, "--verify", "--strict", "--quiet", "-o", in("s.onnx")});
    EXPECT_EQ(run.exit, 1);
    EXPECT_THAT(run.err, AllOf(HasSubstr("Sub"), HasSubstr("Differs at `b`")));
    EXPECT_FALSE(exists("s.onnx"));
    // Not strictly: left out, and said even quietly.
    const Ran loose = wrong({"apply", in("r.json"), model, "--verify", "--quiet", "-o", in("s.onnx")});
    EXPECT_EQ(loose.exit, 0);
    EXPECT_THAT(loose.err, HasSubstr("left out"));
}

TEST_F(CliCulpritTest, byForceTheDifferenceStays) {
    const Ran run = wrong({"prune", model, "--verify", "--force", "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("Differs at `b`"));
    EXPECT_EQ(runCli({"compare", in("out.onnx"), model}).exit, 1);
}

TEST_F(CliCulpritTest, whatOnlyAMissingRewriteExplainsIsNotWritten) {
    const std::string trained = dataModel("classifier.training");
    ASSERT_EQ(runCli({"prune", trained, "-o", in("p.onnx"), "--recipe-out", in("r.json")}).exit, 0);
    auto recipe = nlohmann::json::parse(readAll(folder / "r.json"));
    for (auto& step : recipe["steps"])
        if (step["pass"] == "bypass-dropout") step["on"] = false;
    const std::string kept = folder.put("kept.json", recipe.dump()).string();
    const Ran run = runCli({"apply", kept, trained, "--verify", "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 1);
    EXPECT_THAT(run.err, HasSubstr("one is missing"));
    EXPECT_FALSE(exists("out.onnx"));
}

} // namespace
} // namespace secateur::testing
