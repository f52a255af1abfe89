// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace secateur::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two Clips, a transposition there and back, and a sum with a negative nought.
constexpr const char* kText = R"(
<ir_version: 8, opset_import: ["" : 17]>
g (float[2,3] x) => (float[2,3] y)
<float a = {0}, float b = {6}, float c = {1}, float d = {5}, float n = {-0.0}, float p = {0}>
{
    t = Transpose(x)
    u = Transpose(t)
    v = Add(u, n)
    w = Add(v, p)
    k = Clip(w, a, b)
    l = Clip(k, c, d)
    y = Exp(l)
}
)";

struct OptimizeTest : CliTest {
    [[nodiscard]] std::string model() const {
        std::ofstream(folder / "model.onnx", std::ios::binary) << modelOfText(kText);
        return in("model.onnx");
    }
    [[nodiscard]] Ran optimized(std::vector<std::string> words) const {
        std::vector<std::string> all{"optimize", model(), "-o", in("out.onnx"), "--json"};
        all.insert(all.end(), words.begin(), words.end());
        return runCli(all);
    }
};

TEST_F(OptimizeTest, aLooserLevelLeavesFewerNodes) {
    EXPECT_EQ(optimized({}).json()["after"]["nodes"], 4);
    EXPECT_EQ(optimized({"--level", "value"}).json()["after"]["nodes"], 2);
    EXPECT_EQ(optimized({"--level", "approximate"}).json()["after"]["nodes"], 2);
}

TEST_F(OptimizeTest, theResultIsCheckedToBeEqual) {
    const auto json = optimized({"--verify"}).json();
    EXPECT_EQ(json["verify"]["status"], "same_bits");
    EXPECT_THAT(json["inputs"], ElementsAre("x: float[2,3]"));
    EXPECT_THAT(json["outputs"], ElementsAre("y: float[2,3]"));
}

TEST_F(OptimizeTest, rulesAreChosenAndLeftOut) {
    EXPECT_EQ(optimized({"--passes", "merge-transposes"}).json()["after"]["nodes"], 5);
    EXPECT_EQ(optimized({"--skip", "merge-transposes,drop-neutral-operand"}).json()["after"]["nodes"], 7);
    std::filesystem::remove(folder / "out.onnx");
    const Ran unknown = optimized({"--skip", "merge-transpose"});
    EXPECT_EQ(unknown.exit, 2) << unknown.err;
    EXPECT_THAT(unknown.err, HasSubstr("merge-transposes"));
    EXPECT_FALSE(exists("out.onnx"));
}

TEST_F(OptimizeTest, aKeptValueStays) {
    EXPECT_EQ(optimized({"--keep", "u"}).json()["after"]["nodes"], 6);
    EXPECT_EQ(optimized({"--keep", "nobody"}).exit, 2);
}

TEST_F(OptimizeTest, aLimitStopsAfterSoManyRewrites) {
    const auto json = optimized({"--rewrite-limit", "1"}).json();
    EXPECT_EQ(json["steps"].back()["rewrites"], 1);
}

TEST_F(OptimizeTest, whatALooserLevelWouldDoIsCounted) {
    const Ran run = runCli({"optimize", model(), "-o", in("out.onnx")});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("2 more rewrites at --level `value`"));
}

TEST_F(OptimizeTest, aTrainingGraphStaysOneUnlessAsked) {
    const Ran kept = runCli({"optimize", dataModel("classifier.training"), "-o", in("kept.onnx"), "--json"});
    EXPECT_EQ(kept.exit, 0) << kept.err;
    EXPECT_THAT(kept.err, HasSubstr("--to-inference"));
    EXPECT_GT(kept.json()["after"]["nodes"], 10);
    const Ran cut = runCli(
        {"optimize", dataModel("classifier.training"), "-o", in("cut.onnx"), "--to-inference", "--json"});
    EXPECT_EQ(cut.exit, 0) << cut.err;
    EXPECT_LE(cut.json()["after"]["nodes"], 3);
}

TEST_F(OptimizeTest, itsRecipeGivesTheSameBytes) {
    ASSERT_EQ(optimized({"--level", "value", "--recipe-out", in("r.json")}).exit, 0);
    ASSERT_EQ(runCli({"apply", in("r.json"), in("model.onnx"), "-o", in("again.onnx")}).exit, 0);
    const auto bytes = [&](const char* name) {
        std::ifstream file(folder / name, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_EQ(bytes("out.onnx"), bytes("again.onnx"));
}

TEST_F(OptimizeTest, explainSaysWhyARuleDidNotApply) {
    std::ofstream(folder / "shared.onnx", std::ios::binary)
        << modelOfText(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,3] x) => (float[2,3] y) <float[2,1] one = {1, 1}> { a = Relu(x)  y = Mul(a, one) })");
    ASSERT_EQ(
        runCli({"optimize", in("shared.onnx"), "-o", in("out.onnx"), "--recipe-out", in("r.json")}).exit, 0);
    const Ran run = runCli({"explain", in("shared.onnx"), "--recipe", in("r.json"), "--node", "y", "--json"});
    ASSERT_EQ(run.exit, 0) << run.err;
    const auto misses = run.json()["nodes"][0]["misses"];
    ASSERT_EQ(misses.size(), 1U);
    EXPECT_EQ(misses[0]["rule"], "drop-neutral-operand");
    EXPECT_THAT(misses[0]["reason"].get<std::string>(), HasSubstr("broadcast"));
}

TEST_F(OptimizeTest, rulesAreListedWithWhatTheyDo) {
    const auto json = runCli({"passes", "--json"}).json();
    EXPECT_GE(json["rules"].size(), 30U);
    for (const auto& rule : json["rules"]) {
        for (const char* field : {"id", "class", "group", "title", "before_after", "gain", "cost", "when"})
            EXPECT_FALSE(rule[field].get<std::string>().empty()) << rule["id"] << ": " << field;
    }
    EXPECT_EQ(json["rules_seen"].get<std::size_t>() + json["rules_rare"].get<std::size_t>(),
              json["rules"].size());
    EXPECT_GT(json["rules_seen"].get<int>(), json["rules_rare"].get<int>());
}

TEST_F(OptimizeTest, eachRewriteIsPrintedWithTheNodesBeforeAndAfter) {
    const Ran run = optimized({"--print-after-change", "--passes", "merge-transposes"});
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("#1 merge-transposes (exact):"));
    EXPECT_THAT(run.err, HasSubstr("  - u = Transpose (t)"));
    EXPECT_EQ(run.json()["after"]["nodes"], 5) << "standard output holds the object alone";
}

TEST_F(OptimizeTest, aPassThatFailsLeavesTheModelInFrontOfIt) {
    ::setenv("SECATEUR_BREAKS_DOWN", "throw", 1);
    const Ran run = runProgram(
        SECATEUR_CLI_WRONG, {"optimize", model(), "-o", in("out.onnx"), "--reproducer", in("before.onnx")});
    ::unsetenv("SECATEUR_BREAKS_DOWN");
    EXPECT_NE(run.exit, 0);
    EXPECT_THAT(run.err, HasSubstr("broken on purpose"));
    EXPECT_THAT(run.err, HasSubstr("secateur-cli apply"));
    EXPECT_EQ(runCli({"info", in("before.onnx"), "--json"}).json()["nodes"], 4) << "simplified, not broken";
    EXPECT_TRUE(std::filesystem::exists(in("before.onnx.recipe.json")));
    EXPECT_FALSE(std::filesystem::exists(in("out.onnx")));
}

TEST_F(OptimizeTest, aPassThatEndsTheProgramLeavesTheModelInFrontOfIt) {
    ::setenv("SECATEUR_BREAKS_DOWN", "abort", 1);
    const Ran run = runProgram(
        SECATEUR_CLI_WRONG, {"optimize", model(), "-o", in("out.onnx"), "--reproducer", in("before.onnx")});
    ::unsetenv("SECATEUR_BREAKS_DOWN");
    EXPECT_NE(run.exit, 0);
    EXPECT_EQ(runCli({"info", in("before.onnx"), "--json"}).json()["nodes"], 4);
    std::ifstream recipe(in("before.onnx.recipe.json"));
    const std::string text{std::istreambuf_iterator<char>(recipe), std::istreambuf_iterator<char>()};
    EXPECT_THAT(text, HasSubstr("break-down"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("simplify")));
}

TEST_F(OptimizeTest, wherePassesEndWellNoReproducerStays) {
    ASSERT_EQ(optimized({"--reproducer", in("before.onnx")}).exit, 0);
    EXPECT_FALSE(std::filesystem::exists(in("before.onnx")));
    EXPECT_FALSE(std::filesystem::exists(in("before.onnx.recipe.json")));
}

TEST_F(OptimizeTest, aReproducerTakesNobodysPlace) {
    const auto write = [&](const char* name) { std::ofstream(folder / name) << "mine"; };
    const auto isMine = [&](const char* name) {
        std::ifstream file(folder / name);
        return std::string(std::istreambuf_iterator<char>(file), {}) == "mine";
    };
    // The model, the recipe and the data that a large model gets: each in its own place, and as each other.
    for (const char* taken : {"before.onnx", "before.onnx.recipe.json", "before.onnx.data"}) {
        write(taken);
        const Ran run = optimized({"--reproducer", in("before.onnx")});
        EXPECT_EQ(run.exit, 2) << taken;
        EXPECT_THAT(run.err, HasSubstr(taken));
        EXPECT_TRUE(isMine(taken));
        std::filesystem::remove(folder / taken);
    }
    EXPECT_FALSE(exists("out.onnx"));
    EXPECT_EQ(optimized({"--reproducer", in("model.onnx")}).exit, 2);
    EXPECT_EQ(runCli({"info", in("model.onnx")}).exit, 0) << "the opened model is still there";
    EXPECT_EQ(optimized({"--reproducer", in("out.onnx")}).exit, 2);
    EXPECT_EQ(optimized({"--reproducer", in("r"), "--recipe-out", in("r.recipe.json")}).exit, 2);
    EXPECT_FALSE(exists("out.onnx"));
    EXPECT_EQ(optimized({"--reproducer", in("nowhere/before.onnx")}).exit, 2);
}

TEST_F(OptimizeTest, nodesThatAreNotPrintedAreCounted) {
    std::string sum = "a0 = Neg(x) ", before = "x";
    for (int i = 0; i < 30; ++i) {
        sum += "b" + std::to_string(i) + " = Exp(" + before + ") ";
        before = "b" + std::to_string(i);
    }
    const std::string text = "<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>\n"
                             "g (float[2] x) => (float[2] y) { y = local.f(x) }\n"
                             "<domain: \"local\", opset_import: [\"\" : 17]>\nf (x) => (r) { " +
                             sum + "r = Neg(" + before + ") }";
    std::ofstream(folder / "f.onnx", std::ios::binary) << modelOfText(text.c_str());
    const Ran run = runCli({"optimize", in("f.onnx"), "-o", in("flat.onnx"), "--inline-functions", "--passes",
                            "merge-casts", "--print-after-change"});
    ASSERT_EQ(run.exit, 0) << run.err;
    // 32 nodes, of which 24 are written out.
    std::size_t lines = 0;
    for (std::size_t at = run.err.find("\n  + "); at != std::string::npos;
         at = run.err.find("\n  + ", at + 1))
        ++lines;
    EXPECT_EQ(lines, 25U) << run.err;
    EXPECT_THAT(run.err, HasSubstr("  + 8 more nodes"));
}

TEST_F(OptimizeTest, theOldestFormatsGetNoInitializersThatAreNoInputs) {
    // Before IR version 4 each initializer has to be an input, and inputs are what callers know.
    std::ofstream(folder / "old.onnx", std::ios::binary)
        << modelOfText("<ir_version: 3, opset_import: [\"\" : 9]>\n"
                       "g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {1, 2}> "
                       "{ k = Constant<value = float[2] {3, 4}>() v = Mul(w, k) y = Add(x, v) }");
    ASSERT_EQ(runCli({"optimize", in("old.onnx"), "-o", in("new.onnx"), "--verify"}).exit, 0);
    const auto info = runCli({"info", in("new.onnx"), "--json"}).json();
    EXPECT_EQ(info["nodes"], 2) << "the sum, and what it adds";
}

TEST_F(OptimizeTest, functionsAreInlinedOnRequest) {
    std::ofstream(folder / "f.onnx", std::ios::binary)
        << modelOfText("<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>\n"
                       "g (float[2] x) => (float[2] y) { a = local.f(x) y = local.f(a) }\n"
                       "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                       "f (p) => (r) { q = Neg(p) r = Exp(q) }");
    const auto kept = runCli({"optimize", in("f.onnx"), "-o", in("kept.onnx"), "--json"});
    ASSERT_EQ(kept.exit, 0) << kept.err;
    const auto info =
        runCli({"optimize", in("f.onnx"), "-o", in("flat.onnx"), "--inline-functions", "--json"});
    ASSERT_EQ(info.exit, 0) << info.err;
    EXPECT_EQ(info.json()["steps"][0]["pass"], "inline-functions");
    EXPECT_EQ(info.json()["steps"][0]["rewrites"], 3);
    EXPECT_EQ(runCli({"info", in("flat.onnx"), "--json"}).json()["nodes"], 4);
}

} // namespace
} // namespace secateur::testing
