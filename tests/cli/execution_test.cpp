// SPDX-License-Identifier: Apache-2.0
//
// The verbs that execute models, in a process of their own.
#include "tests/cli/execution_fixture.h"

#include <onnx/onnx_pb.h>

#include <csignal>
#include <cstdlib>
#include <sys/wait.h>

namespace secateur::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Decodes pictures: there is no kernel for it.
constexpr const char* kNoKernel = "g (uint8[16] x) => (uint8[h, w, c] y) { y = ImageDecoder(x) }";

TEST_F(ExecutionTest, runSaysWhatCameOut) {
    const std::string path = model("m.onnx", "g (float[N, 2] x) => (float[N, 2] y) { y = Exp(x) }");
    const Ran ran = runCli({"run", path, "--bind", "N=3", "--input", "x=0:0", "--outputs", in("out")});
    EXPECT_EQ(ran.exit, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("y  float[3,2]  from 1 to 1, mean 1"));
    EXPECT_TRUE(exists("out/output_0.pb"));
}

TEST_F(ExecutionTest, theSameSeedGivesTheSameNumbers) {
    const std::string path =
        model("m.onnx", "g (float[9] x) => (float[9] y) { r = RandomNormalLike(x) y = Add(x, r) }");
    const auto outputs = [&](const char* seed) {
        return runCli({"run", path, "--seed", seed, "--json"}).json()["outputs"];
    };
    EXPECT_EQ(outputs("5"), outputs("5"));
    EXPECT_NE(outputs("5"), outputs("6"));
}

TEST_F(ExecutionTest, aTestFolderOfItsOwnOutputsPassesAndOneWithWrongOutputsFails) {
    model("model.onnx", "g (float[4] x) => (float[4] y) { y = Exp(x) }");
    std::filesystem::create_directories(folder / "test_data_set_0");
    // Exp(0) is 1, and Exp(Exp(0)) is not.
    const std::string zeros =
        model("zeros.onnx", "g () => (float[4] z) { s = Constant<value = int64[1] {4}>() "
                            "z = ConstantOfShape(s) }");
    ASSERT_EQ(runCli({"run", zeros, "--outputs", in("zero")}).exit, 0);
    std::filesystem::copy(folder / "zero/output_0.pb", folder / "test_data_set_0/input_0.pb");
    ASSERT_EQ(
        runCli({"run", in("model.onnx"), "--inputs", in("test_data_set_0"), "--outputs", in("one")}).exit, 0);
    std::filesystem::copy(folder / "one/output_0.pb", folder / "test_data_set_0/output_0.pb");
    const Ran good = runCli({"test", folder.path().string()});
    EXPECT_EQ(good.exit, 0) << good.err << good.out;
    EXPECT_THAT(good.out, HasSubstr("1 passed, 0 failed, 0 skipped"));
    std::filesystem::copy_file(folder / "zero/output_0.pb", folder / "test_data_set_0/output_0.pb",
                               std::filesystem::copy_options::overwrite_existing);
    const Ran bad = runCli({"test", folder.path().string(), "--json"});
    EXPECT_EQ(bad.exit, 1);
    EXPECT_EQ(bad.json()["failed"], 1);
    EXPECT_THAT(
        bad.json()["tests"][0]["reason"].get<std::string>(),
        HasSubstr("`y`: element 0 is 1, expected is 0 (1 absolute where 0 is expected); 4 of 4 elements "
                  "are not within 0.001 relative plus 1.0e-05 absolute"));
}

TEST_F(ExecutionTest, whatHasNoKernelIsSkippedByTestAndMissingForRun) {
    model("model.onnx", kNoKernel, 20);
    std::filesystem::create_directories(folder / "test_data_set_0");
    const Ran ran = runCli({"run", in("model.onnx")});
    EXPECT_EQ(ran.exit, 4);
    EXPECT_THAT(ran.err, HasSubstr("ImageDecoder"));
    const Ran test = runCli({"test", folder.path().string()});
    EXPECT_EQ(test.exit, 1) << "nothing was compared";
    EXPECT_THAT(test.out, HasSubstr("0 passed, 0 failed, 1 skipped"));
    EXPECT_THAT(test.err, HasSubstr("nothing was compared"));
}

TEST_F(ExecutionTest, aTestOfAModelThatTrainsSaysSo) {
    model("model.onnx", R"(g (float[64] x) => (float[64] y) {
        ratio = Constant<value = float {0.5}>() yes = Constant<value = bool {1}>()
        y = Dropout(x, ratio, yes) })");
    const std::string set = "test_data_set_0";
    std::filesystem::create_directories(folder / set);
    ASSERT_EQ(runCli({"run", model("same.onnx", "g (float[64] x) => (float[64] y) { y = Identity(x) }"),
                      "--outputs", in("out")})
                  .exit,
              0);
    for (const char* file : {"/input_0.pb", "/output_0.pb"})
        std::filesystem::copy(folder / "out/output_0.pb", in(set + file));
    const Ran test = runCli({"test", folder.path().string()});
    EXPECT_EQ(test.exit, 1);
    EXPECT_THAT(test.out, AllOf(HasSubstr("trains as it is written (1 Dropout)"), HasSubstr("`prune` it")));
}

TEST_F(ExecutionTest, aModelThatReadsWhatNothingMakesIsRefusedInTheSameWords) {
    model("in.onnx", "g (float[2] x) => (float[2] y) { y = Add(x, nope) }");
    model("out.onnx", "g (float[2] x) => (float[2] y, float[2] zz) { y = Relu(x) }");
    for (const char* device : {"cpu", "reference"}) {
        for (const char* name : {"in.onnx", "out.onnx"}) {
            const Ran ran = runCli({"run", in(name), "--device", device});
            EXPECT_EQ(ran.exit, 3) << ran.err;
            EXPECT_THAT(ran.err, HasSubstr(name[0] == 'i' ? "nope" : "zz")) << ran.err;
            EXPECT_THAT(ran.err, Not(HasSubstr("report it"))) << ran.err;
        }
    }
}

TEST_F(ExecutionTest, namesAreWrittenOnOneLine) {
    onnx::ModelProto proto;
    ASSERT_TRUE(proto.ParseFromString(modelOfText(
        "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x) => (float[2] y) { y = Relu(x) }")));
    proto.mutable_graph()->mutable_node(0)->set_output(0, "y\nall good");
    proto.mutable_graph()->mutable_output(0)->set_name("y\nall good");
    const std::string bad = folder.put("m.onnx", proto.SerializeAsString()).string();
    EXPECT_THAT(runCli({"run", bad}).out, HasSubstr("y\\x0aall good"));
    EXPECT_THAT(runCli({"compare", bad, bad}).out, Not(HasSubstr("\nall good")));
}

TEST_F(ExecutionTest, aPrunedModelIsComparedWithItsTrainingGraph) {
    ASSERT_EQ(runCli({"prune", dataModel("classifier.training"), "-o", in("cut.onnx")}).exit, 0);
    const Ran ran = runCli({"compare", in("cut.onnx"), dataModel("classifier.training"), "--inference-mode",
                            "b", "--edge-inputs", "--count", "2", "--json"});
    EXPECT_EQ(ran.exit, 0) << ran.err;
    EXPECT_EQ(ran.json()["status"], "same_bits");
    EXPECT_GE(ran.json()["inputs"].size(), 3U);
}

TEST_F(ExecutionTest, modelsThatDifferAreExitOneWithTheFirstDifference) {
    const std::string a = model("a.onnx", "g (float[3] x) => (float[3] y) { t = Exp(x) y = Neg(t) }");
    const std::string b = model("b.onnx", "g (float[3] x) => (float[3] y) { t = Sin(x) y = Neg(t) }");
    const Ran ran = runCli({"compare", a, b});
    EXPECT_EQ(ran.exit, 1);
    EXPECT_THAT(ran.out, HasSubstr("first difference: `t`, made by"));
    EXPECT_THAT(ran.out, HasSubstr("Differs at `t`"));
}

TEST_F(ExecutionTest, modelsAreComparedOnAllThatACheckRunsOn) {
    const char* const kClip = R"(g (float[b, 4] x) => (float[b, 4] y) {
        lo = Constant<value = float {-50}>()  hi = Constant<value = float {50}>()  y = Clip(x, lo, hi) })";
    const std::string a = model("a.onnx", kClip);
    const std::string b = model("b.onnx", "g (float[b, 4] x) => (float[b, 4] y) { y = Identity(x) }");
    EXPECT_EQ(runCli({"compare", a, b}).exit, 1) << "only large numbers tell them apart";
    EXPECT_EQ(runCli({"compare", a, b, "--no-edge-inputs"}).exit, 0);
}

TEST_F(ExecutionTest, integersHaveNoUlpAndNoAngle) {
    const std::string a = model("a.onnx", "g (int64[4] x) => (int64[4] y) { y = Abs(x) }");
    const std::string b = model("b.onnx", "g (int64[4] x) => (int64[4] y) { y = Neg(x) }");
    const Ran ran = runCli({"compare", a, b});
    EXPECT_EQ(ran.exit, 1);
    EXPECT_THAT(ran.out, AllOf(Not(HasSubstr("ULP")), Not(HasSubstr("cosine"))));
    EXPECT_EQ(runCli({"compare", a, b, "--json"}).json()["outputs"][0]["max_ulp"], nullptr);
}

TEST_F(ExecutionTest, loopsEndAtALimitThatIsNamed) {
    const std::string endless = model("m.onnx", R"(g (float[2] x) => (float[2] y) {
        yes = Constant<value = bool {1}>()
        y = Loop("", yes, x) <body = b (int64 i, bool c, float[2] s) => (bool d, float[2] t) {
            d = Identity(c) t = Add(s, s) }> })");
    for (const std::vector<std::string>& words : {std::vector<std::string>{"run", endless},
                                                  {"compare", endless, endless},
                                                  {"prune", endless, "-o", in("o.onnx"), "--verify"}}) {
        std::vector<std::string> limited = words;
        limited.insert(limited.end(), {"--loop-limit", "1000"});
        const Ran ran = runCli(limited);
        EXPECT_EQ(ran.exit, words[0] == "prune" ? 1 : 4) << words[0];
        EXPECT_THAT(ran.err, AllOf(HasSubstr("Loop making `y`"), HasSubstr("1,000 iterations"),
                                   HasSubstr("--loop-limit N")))
            << words[0];
    }
}

TEST_F(ExecutionTest, tolerancesAreNumbersFromZeroOn) {
    const std::string path = model("m.onnx", "g (float[2] x) => (float[2] y) { y = Exp(x) }");
    for (const char* wrong : {"nan", "inf", "-1", "x"})
        EXPECT_EQ(runCli({"compare", path, path, "--rtol", wrong}).exit, 2) << wrong;
    EXPECT_EQ(runCli({"compare", path, path, "--rtol", "0", "--atol", "0"}).exit, 0);
}

TEST_F(ExecutionTest, hostileModelsStopAtAStatedLimit) {
    const std::string expand = model("expand.onnx", R"(g (float[1] x) => (y) {
        s = Constant<value = int64[2] {1048576, 1048576}>() y = Expand(x, s) })");
    const Ran huge = runCli({"run", expand, "--memory-limit", "1G"});
    EXPECT_EQ(huge.exit, 4);
    EXPECT_THAT(huge.err, HasSubstr("beyond the limit of 1.0 GiB"));
    const std::string overflow = model("overflow.onnx", R"(g (float[1] x) => (y) {
        s = Constant<value = int64[3] {4611686018427387904, 4, 4}>() y = Expand(x, s) })");
    const Ran over = runCli({"run", overflow});
    EXPECT_EQ(over.exit, 3);
    EXPECT_THAT(over.err, HasSubstr("cannot exist"));
    const std::string endless = model("endless.onnx", R"(g (float[1] x) => (float[1] y) {
        yes = Constant<value = bool {1}>()
        y = Loop("", yes, x) <body = b (int64 i, bool c, float[1] v) => (bool d, float[1] w) {
            d = Identity(c) w = Add(v, v) }> })");
    const Ran late = runCli({"run", endless, "--time-limit", "0.5"});
    EXPECT_EQ(late.exit, 4);
    EXPECT_THAT(late.err, HasSubstr("did not end within"));
}

TEST_F(ExecutionTest, profileSaysTheMedianAndItsConditions) {
    const std::string path = model("m.onnx", "g (float[9] x) => (float[9] y) { y = Exp(x) }");
    const Ran ran = runCli({"profile", path, "--runs", "8", "--json"});
    ASSERT_EQ(ran.exit, 0) << ran.err;
    const auto a = ran.json()["a"];
    EXPECT_EQ(a["runs"], 8);
    EXPECT_GT(a["median_ms"], 0);
    EXPECT_LE(a["median_ci_ms"][0], a["median_ms"]);
    EXPECT_GE(a["median_ci_ms"][1], a["median_ms"]);
    EXPECT_EQ(ran.json()["conditions"]["warm_ups"], 3);
    EXPECT_EQ(runCli({"profile", path, path}).exit, 4);
}

TEST_F(ExecutionTest, fewRunsHaveNoConfidenceInterval) {
    const std::string path = model("m.onnx", "g (float[2] x) => (float[2] y) { y = Exp(x) }");
    EXPECT_THAT(runCli({"profile", path, "--runs", "1"}).out,
                AllOf(HasSubstr("in one run"), Not(HasSubstr("95 %"))));
    EXPECT_THAT(runCli({"profile", path, "--runs", "5"}).out, HasSubstr("too few for a confidence interval"));
    EXPECT_TRUE(runCli({"profile", path, "--runs", "5", "--json"}).json()["a"]["median_ci_ms"].is_null());
    EXPECT_THAT(runCli({"profile", path, "--runs", "6"}).out, HasSubstr("95 % of such medians"));
}

TEST_F(ExecutionTest, ctrlCEndsARun) {
    const std::string endless = model("endless.onnx", R"(g (float[1] x) => (float[1] y) {
        yes = Constant<value = bool {1}>()
        y = Loop("", yes, x) <body = b (int64 i, bool c, float[1] v) => (bool d, float[1] w) {
            d = Identity(c) w = Add(v, v) }> })");
    EXPECT_EQ(runCliInterrupted({"run", endless}).exit, 130);
}

/// A shell script that starts a run that never ends, waits for its worker, sends `signal` to the program and
/// says how it ended; succeeds when the worker is gone soon after.
std::string killInTheMiddle(const std::string& model, const std::string& scratch, const char* signal) {
    return "TMPDIR=" + scratch + " " + cliProgram().string() + " run " + model +
           " & program=$!\n"
           "worker=; tries=0\n"
           "while [ -z \"$worker\" ] && [ $tries -lt 1000 ]; do\n"
           "  worker=$(cat /proc/$program/task/$program/children); tries=$((tries + 1)); sleep 0.01\n"
           "done\n"
           "[ -n \"$worker\" ] || exit 90\n"
           "kill -" +
           signal +
           " $program; wait $program; ended=$?; tries=0\n"
           "while [ -d /proc/$worker ] && [ $tries -lt 500 ]; do tries=$((tries + 1)); sleep 0.01; done\n"
           "[ -d /proc/$worker ] && { kill -KILL $worker; exit 91; }\n"
           "exit $ended";
}

TEST_F(ExecutionTest, nothingRunsOnAfterItsParentIsGone) {
    const std::string endless = model("endless.onnx", R"(g (float[1] x) => (float[1] y) {
        yes = Constant<value = bool {1}>()
        y = Loop("", yes, x) <body = b (int64 i, bool c, float[1] v) => (bool d, float[1] w) {
            d = Identity(c) w = Add(v, v) }> })");
    const auto endedBy = [&](const char* signal) {
        std::filesystem::create_directories(folder / signal);
        const int status = std::system(killInTheMiddle(endless, in(signal), signal).c_str());
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    };
    EXPECT_EQ(endedBy("KILL"), 128 + SIGKILL) << "90: no worker was seen, 91: it ran on";
    // What a killed program could not take away goes with the next one, once nobody can be at work there.
    const auto left = [&] { return std::distance(std::filesystem::directory_iterator(folder / "KILL"), {}); };
    ASSERT_EQ(left(), 1);
    const std::string small = model("small.onnx", "g (float[2] x) => (float[2] y) { y = Exp(x) }");
    const auto runThere = [&] {
        return runProgram("/bin/bash",
                          {"-c", "TMPDIR=" + in("KILL") + " " + cliProgram().string() + " run " + small})
            .exit;
    };
    EXPECT_EQ(runThere(), 0);
    EXPECT_EQ(left(), 1) << "it may have been made this moment";
    const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::minutes(5);
    std::filesystem::last_write_time(std::filesystem::directory_iterator(folder / "KILL")->path(), old);
    EXPECT_EQ(runThere(), 0);
    EXPECT_EQ(left(), 0);
    for (const char* signal : {"TERM", "HUP"}) {
        EXPECT_EQ(endedBy(signal), 130) << signal;
        EXPECT_TRUE(std::filesystem::is_empty(folder / signal)) << "temporary files stay behind";
    }
}

TEST_F(ExecutionTest, aWorkerThatIsKilledIsToldFromOneThatCrashed) {
    const std::string endless = model("endless.onnx", R"(g (float[1] x) => (float[1] y) {
        yes = Constant<value = bool {1}>()
        y = Loop("", yes, x) <body = b (int64 i, bool c, float[1] v) => (bool d, float[1] w) {
            d = Identity(c) w = Add(v, v) }> })");
    const auto afterSignal = [&](const char* signal) {
        return runProgram("/bin/bash",
                          {"-c", cliProgram().string() + " run " + endless +
                                     " & program=$!; worker=; tries=0\n"
                                     "while [ -z \"$worker\" ] && [ $tries -lt 1000 ]; do worker=$(cat "
                                     "/proc/$program/task/$program/children); tries=$((tries + 1)); "
                                     "sleep 0.01; done\nsleep 0.2; kill -" +
                                     std::string(signal) + " $worker; wait $program"});
    };
    const Ran killed = afterSignal("KILL");
    EXPECT_EQ(killed.exit, 4) << killed.err;
    EXPECT_THAT(killed.err, HasSubstr("ran out of memory"));
    const Ran crashed = afterSignal("SEGV");
    EXPECT_EQ(crashed.exit, 4) << crashed.err;
    EXPECT_THAT(crashed.err, HasSubstr("crashed"));
}

TEST_F(ExecutionTest, aLimitOnTheSizeOfFilesIsAnErrorWithWords) {
    const std::string small = model("small.onnx", "g (float[900] x) => (float[900] y) { y = Exp(x) }");
    for (const std::string& verb :
         {"run " + small + " --outputs " + in("out"), "prune " + small + " -o " + in("p.onnx")}) {
        // What is said goes through a pipe: a file would not take it.
        const Ran ran = runProgram("/bin/bash", {"-c", "(ulimit -f 0; exec " + cliProgram().string() + " " +
                                                           verb + ") 2>&1 | cat; exit ${PIPESTATUS[0]}"});
        EXPECT_THAT(ran.exit, ::testing::AnyOf(2, 3, 4)) << verb;
        EXPECT_THAT(ran.out, HasSubstr("File too large")) << verb;
    }
}

TEST_F(ExecutionTest, whatTheStandardRefusesOfANodeIsNotRun) {
    const auto refusal = [&](const char* graph) {
        const Ran ran = runCli({"run", model("bad.onnx", graph)});
        EXPECT_EQ(ran.exit, 3) << graph << ran.err;
        return ran.err;
    };
    EXPECT_THAT(refusal("g (float[2] x) => (float[4] y) { y = Concat(x, x) }"), HasSubstr("`axis`"));
    EXPECT_THAT(refusal("g (float[2] x) => (float[2] y) { y = Softmax<axis = \"1\">(x) }"),
                HasSubstr("STRING"));
    EXPECT_THAT(refusal("g (float[2] x) => (float[2] y) { y = Add(x) }"), HasSubstr("input 1"));
    EXPECT_THAT(
        refusal(
            "g (float[2] x, bool c) => (float[2] y) { y = If(c) <then_branch = t () => (float[2] p, "
            "float[2] q) { p = Exp(x) q = Neg(x) }, else_branch = e () => (float[2] r) { r = Abs(x) }> }"),
        HasSubstr("2 results"));
}

/// The second has the output of the first as an inner value, and its weight as an input.
struct CutPair : ExecutionTest {
    std::string whole =
        model("whole.onnx", "g (float[2] x, float[2] w) => (float[2] y) { t = Mul(x, w) y = Relu(t) }");
    std::string cut =
        model("cut.onnx", "g (float[2] x) => (float[2] t) <float[2] w = {2, 3}> { t = Mul(x, w) }");
};

TEST_F(CutPair, aCutModelIsComparedInBothOrders) {
    for (const auto& [a, b] : {std::pair(whole, cut), std::pair(cut, whole)}) {
        const Ran ran = runCli({"compare", a, b});
        EXPECT_EQ(ran.exit, 0) << ran.err;
        EXPECT_THAT(ran.out, HasSubstr("t: same bits"));
        // What was not asked of the whole model is said where it came first, and is no output of a cut one.
        EXPECT_EQ(ran.err.find("1 output is only in " + whole) != std::string::npos, a == whole) << ran.err;
    }
}

TEST_F(CutPair, weightsThatOneModelTakesFromTheOtherAreSaidNotToBeCompared) {
    const Ran ran = runCli({"compare", cut, whole});
    EXPECT_THAT(ran.err, HasSubstr("1 input of " + whole + " is a weight in " + cut));
    EXPECT_THAT(runCli({"compare", cut, cut}).err, Not(HasSubstr("is a weight in")));
}

TEST_F(ExecutionTest, onnxRuntimeIsNotAskedWhetherATrainingGraphEqualsItsPrunedOne) {
    const std::string training = model("training.onnx", R"(g (float[64] x) => (float[64] y) {
        ratio = Constant<value = float {0.5}>() yes = Constant<value = bool {1}>()
        y = Dropout(x, ratio, yes) })");
    const std::string plain = model("plain.onnx", "g (float[64] x) => (float[64] y) { y = Identity(x) }");
    const Ran refused = runCli({"compare", plain, training, "--device", "ort"});
    EXPECT_EQ(refused.exit, 2);
    EXPECT_THAT(refused.err, HasSubstr(training + ": it trains as it is written"));
    EXPECT_THAT(refused.err, HasSubstr("--as-written"));
}

TEST_F(ExecutionTest, anOutputWithoutShapeKeepsNobodyFromComparing) {
    // ONNX's checker wants a shape for every output; models without one are made and run all the same.
    const std::string path = model("unshaped.onnx", "g (float[2] x) => (float[] y) { y = Relu(x) }");
    const Ran ran = runCli({"prune", path, "-o", in("out.onnx"), "--verify"});
    EXPECT_EQ(ran.exit, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("Same bits"));
    EXPECT_TRUE(exists("out.onnx"));
}

TEST_F(ExecutionTest, aCheckKeepsToALimitOfTime) {
    const std::string endless = model("endless.onnx", R"(g (float[1] x) => (float[1] y) {
        yes = Constant<value = bool {1}>()
        y = Loop("", yes, x) <body = b (int64 i, bool c, float[1] v) => (bool d, float[1] w) {
            d = Identity(c) w = Add(v, v) }> })");
    const Ran stopped = runCli({"prune", endless, "-o", in("out.onnx"), "--verify", "--time-limit", "0.5"});
    EXPECT_NE(stopped.exit, 0);
    EXPECT_FALSE(exists("out.onnx"));
    EXPECT_THAT(stopped.err, HasSubstr("did not end within"));
    EXPECT_THAT(stopped.err, AllOf(HasSubstr("the result, "), Not(HasSubstr("result.onnx"))))
        << "files of the check itself say nothing to people";
    EXPECT_EQ(runCli({"prune", endless, "-o", in("out.onnx"), "--time-limit", "1"}).exit, 2)
        << "without --verify";
    EXPECT_EQ(runCli({"prune", endless, "-o", in("out.onnx"), "--verify", "--memory-limit", "much"}).exit, 2);
}

TEST_F(ExecutionTest, outputsReplaceNeitherTheModelNorInputsNorWhatATestExpects) {
    const std::string relu = model("output_3.onnx", "g (float[2] x) => (float[2] y) { y = Relu(x) }");
    const Ran overModel = runCli({"run", relu, "--outputs", in("")});
    EXPECT_EQ(overModel.exit, 2);
    EXPECT_THAT(overModel.err, HasSubstr("output_3.onnx"));
    EXPECT_EQ(runCli({"run", relu, "--outputs", in("set")}).exit, 0);
    std::filesystem::copy_file(in("set/output_0.pb"), in("set/input_0.pb"));
    const Ran overExpected = runCli({"run", relu, "--inputs", in("set"), "--outputs", in("set")});
    EXPECT_EQ(overExpected.exit, 2);
    EXPECT_THAT(overExpected.err, HasSubstr("output_0.pb"));
    const Ran overInput =
        runCli({"run", relu, "--input", "x=" + in("set/output_0.pb"), "--outputs", in("set")});
    EXPECT_EQ(overInput.exit, 2);
    EXPECT_EQ(runCli({"run", relu, "--inputs", in("set"), "--outputs", in("other")}).exit, 0);
}

TEST_F(ExecutionTest, functionsThatDoubleTheNodesWithEveryLevelAreNotRun) {
    std::string text = "<ir_version: 8, opset_import: [\"\" : 17, \"f\" : 1]>\n"
                       "g (float[2] x) => (float[2] y) { y = f.f0(x) }\n";
    constexpr int kLevels = 40;
    for (int i = 0; i < kLevels; ++i) {
        const std::string next = i + 1 == kLevels ? "Neg" : "f.f" + std::to_string(i + 1);
        text += "<domain: \"f\", opset_import: [\"\" : 17, \"f\" : 1]>\nf" + std::to_string(i) +
                " (a) => (c) { b = " + next + "(a) c = " + next + "(b) }\n";
    }
    auto parsed = parseModelText(text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().toString();
    ASSERT_TRUE(saveModel(parsed->model, folder / "bomb.onnx").ok());
    const Ran refused = runCli({"run", in("bomb.onnx")});
    EXPECT_EQ(refused.exit, 4);
    EXPECT_THAT(refused.err, HasSubstr("a run would take 1,099,511,627,"));
}

TEST_F(ExecutionTest, aWorkerWhoseParentIsGoneBeforeItAskedEndsByItself) {
    EXPECT_EQ(runCli({"worker", "1"}).exit, 130);
}

TEST_F(ExecutionTest, namesOfOperatorsForgeNoLines) {
    const std::string forged = model("forged.onnx", "g (float[2] x) => (float[2] y) { y = Foo(x) }");
    std::string bytes = secateur::testing::readAll(forged);
    for (std::size_t at = bytes.find("Foo"); at != std::string::npos; at = bytes.find("Foo", at + 3))
        bytes.replace(at, 3, "F\no");
    std::ofstream(forged, std::ios::binary) << bytes;
    const Ran refused = runCli({"run", forged});
    EXPECT_EQ(refused.exit, 4);
    EXPECT_THAT(refused.err, HasSubstr("F\\x0ao"));
}

/// A model that leaves sizes open and is made for some: the product needs rows of 4.
constexpr const char* kOpenSizes = R"(g (float[?, ?] x, float[N] b) => (float[?, N] y)
        <float[4, 2] w = {1, 2, 3, 4, 5, 6, 7, 8}> { t = MatMul(x, w) y = Add(t, b) })";

TEST_F(ExecutionTest, sizesThatWereGuessedAreSaidWhereTheyDoNotFit) {
    const std::string path = model("open.onnx", kOpenSizes), out = in("out.onnx");
    const std::vector<std::vector<std::string>> verbs{{"run", path},
                                                      {"profile", path, "--runs", "1"},
                                                      {"compare", path, path},
                                                      {"prune", path, "-o", out, "--verify"},
                                                      {"report", path, "-o", in("r.md"), "--verify"}};
    for (std::vector<std::string> words : verbs) {
        std::filesystem::remove(folder / "out.onnx");
        const Ran refused = runCli(words);
        const bool isCheck = words.back() == "--verify";
        EXPECT_EQ(refused.exit, isCheck ? 1 : 2) << words[0] << refused.err;
        EXPECT_THAT(refused.err, HasSubstr("what it leaves open, `x.0`, `x.1`, `N`, was taken as 1"))
            << words[0];
        EXPECT_THAT(refused.err, HasSubstr("--bind x.0=N")) << words[0];
        EXPECT_THAT(refused.err, Not(HasSubstr(".."))) << words[0];
        EXPECT_FALSE(exists("out.onnx")) << words[0];
        words.insert(words.end(), {"--bind", "x.1=4", "--bind", "N=2"});
        const Ran ran = runCli(words);
        EXPECT_EQ(ran.exit, 0) << words[0] << ran.err;
        EXPECT_EQ(exists("out.onnx"), words[0] == "prune");
    }
    EXPECT_THAT(readAll(folder / "r.md"), HasSubstr("--verify --bind x.1=4 --bind N=2"));
}

TEST_F(ExecutionTest, aCheckThatCannotRunIsNotCheckedWhateverTheReason) {
    const std::string missing = model("m.onnx", kNoKernel, 20);
    const std::string invalid = model("i.onnx", R"(g (float[1] x) => (y) {
        s = Constant<value = int64[3] {4611686018427387904, 4, 4}>() y = Expand(x, s) })");
    for (const std::string& path : {missing, invalid}) {
        const int exit = path == missing ? 4 : 3;
        EXPECT_EQ(runCli({"run", path}).exit, exit);
        EXPECT_EQ(runCli({"compare", path, path}).exit, exit);
        EXPECT_EQ(runCli({"prune", path, "-o", in("o.onnx"), "--verify"}).exit, 1);
        EXPECT_EQ(runCli({"report", path, "-o", in("r.md"), "--verify"}).exit, 1);
    }
    EXPECT_FALSE(exists("o.onnx"));
}

TEST_F(ExecutionTest, sizesAreBoundForACheckAlone) {
    const std::string path = model("open.onnx", kOpenSizes);
    EXPECT_EQ(runCli({"prune", path, "-o", in("o.onnx"), "--bind", "N=2"}).exit, 2) << "without --verify";
    const auto refused = [&](const char* binding, const char* said) {
        const Ran ran = runCli({"prune", path, "-o", in("o.onnx"), "--verify", "--bind", binding});
        EXPECT_EQ(ran.exit, 2);
        EXPECT_THAT(ran.err, HasSubstr(said));
    };
    refused("N=many", "NAME=N");
    refused("x.7=2", "no input has a free dimension called `x.7`");
    refused("qqqqqqqqqq=2", "those that are free: `x.0`, `x.1`, `N`");
    ASSERT_EQ(runCli({"prune", path, "-o", in("o.onnx"), "--recipe-out", in("r.json")}).exit, 0);
    std::filesystem::remove(folder / "o.onnx");
    const Ran again = runCli(
        {"apply", in("r.json"), path, "-o", in("o.onnx"), "--verify", "--bind", "x.1=4", "--bind", "N=2"});
    EXPECT_EQ(again.exit, 0) << again.err;
}

/// DropPath of one branch, and the branch alone.
constexpr const char* kDropPath = R"(g (float[4, 8] x) => (float[4, 8] y) {
    h = Relu(x) half = Constant<value = float {0.5}>() one = Constant<value = float {0.5}>()
    r = RandomUniform<shape = [4, 1], low = 0.0, high = 1.0>() s = Add(r, half) m = Floor(s)
    d = Div(h, one) b = Mul(d, m) y = Add(x, b) })";

TEST_F(ExecutionTest, aModelThatTrainsIsComparedInEvaluationMode) {
    const std::string path = model("drop.onnx", kDropPath), cut = in("cut.onnx");
    ASSERT_EQ(runCli({"prune", path, "-o", cut, "--verify"}).exit, 0);
    for (const auto& pair : {std::pair{path, cut}, std::pair{cut, path}}) {
        const Ran ran = runCli({"compare", pair.first, pair.second});
        EXPECT_EQ(ran.exit, 0) << ran.out << ran.err;
        EXPECT_THAT(ran.out, HasSubstr("drop.onnx runs in evaluation mode (as it is written it trains: 1 "
                                       "RandomUniform and DropPath)"));
        EXPECT_THAT(ran.out, HasSubstr("Same bits on 9 inputs"));
        EXPECT_THAT(ran.out, HasSubstr("The change to evaluation mode alone moves the outputs: "));
    }
    const auto json = runCli({"compare", cut, path, "--json"}).json();
    EXPECT_EQ(json["status"], "same_bits");
    EXPECT_EQ(json["evaluation_mode"], nlohmann::json::array({"b"}));
    EXPECT_GT(json["mode_change"]["max_abs"], 0.0);
    const Ran written = runCli({"compare", cut, path, "--as-written"});
    EXPECT_EQ(written.exit, 1);
    EXPECT_THAT(written.out, Not(HasSubstr("evaluation mode")));
    EXPECT_EQ(runCli({"compare", cut, path, "--inference-mode", "b"}).exit, 0);
    EXPECT_EQ(runCli({"compare", cut, cut, "--json"}).json()["mode_change"], nullptr) << "nothing trains";
}

TEST_F(ExecutionTest, outputsOfOneModelAloneAreSummedUp) {
    const std::string few = model("few.onnx", "g (float[2] x) => (float[2] y) { y = Exp(x) }");
    const std::string many = model(
        "many.onnx", "g (float[2] x) => (float[2] y, float[2] a, float[2] b, float[2] c, float[2] d, "
                     "float[2] e) { y = Exp(x) a = Neg(x) b = Neg(a) c = Neg(b) d = Neg(c) e = Neg(d) }");
    const Ran ran = runCli({"compare", few, many});
    EXPECT_EQ(ran.exit, 0) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("5 outputs are only in " + many +
                                   " and were not compared: `a`, `b`, `c` and 2 more"));
    EXPECT_THAT(ran.err, Not(HasSubstr("`d`")));
    const auto json = runCli({"compare", few, many, "--json"}).json();
    EXPECT_EQ(json["only_in"]["a"], nlohmann::json::array());
    EXPECT_EQ(json["only_in"]["b"], nlohmann::json::array({"a", "b", "c", "d", "e"}));
}

TEST_F(ExecutionTest, testSaysWhatItWasGiven) {
    const std::string path = model("m.onnx", "g (float[2] x) => (float[2] y) { y = Exp(x) }");
    const Ran file = runCli({"test", path}), nothing = runCli({"test", in("nowhere")});
    EXPECT_EQ(file.exit, 2);
    EXPECT_THAT(file.err, HasSubstr(path + ": this is a file; `test` takes the folder"));
    EXPECT_EQ(nothing.exit, 3);
    EXPECT_THAT(nothing.err, HasSubstr("nowhere: there is no such folder"));
    std::filesystem::create_directories(folder / "empty");
    EXPECT_EQ(runCli({"test", in("empty")}).exit, 2);
}

TEST_F(ExecutionTest, seedsAreNumbersOf64Bits) {
    const std::string path = model("m.onnx", "g (float[2] x) => (float[2] y) { y = Exp(x) }");
    EXPECT_EQ(runCli({"run", path, "--seed", "18446744073709551615", "--json"}).json()["seed"],
              18446744073709551615U);
    for (const char* seed : {"18446744073709551616", "99999999999999999999999", "-1", "1.5", "x"}) {
        const Ran ran = runCli({"run", path, "--seed", seed});
        EXPECT_EQ(ran.exit, 2) << seed;
        EXPECT_THAT(ran.err, HasSubstr("`" + std::string(seed) + "` is no seed")) << seed;
    }
}

TEST_F(ExecutionTest, wrongUsageIsSaid) {
    const std::string path = model("m.onnx", "g (float[2] x) => (float[2] y) { y = Exp(x) }");
    const auto refused = [&](std::vector<std::string> words, const char* said, int exit = 2) {
        words.insert(words.begin(), {"run", path});
        const Ran ran = runCli(words);
        EXPECT_EQ(ran.exit, exit) << ran.err;
        EXPECT_THAT(ran.err, HasSubstr(said));
    };
    refused({"--input", "x"}, "NAME=lo:hi");
    refused({"--input", "x=0:1e39"}, "none beyond what the type holds");
    refused({"--input", "x=1e39"}, "none beyond what the type holds");
    refused({"--memory-limit", "1G", "--device", "ort"}, "memory of its own");
    refused({"--input", "xx=0:1"}, "near names: x");
    refused({"--bind", "N=many"}, "NAME=N");
    refused({"--bind", "N=2", "--bind", "N=3"}, "bound twice");
    refused({"--bind", "N=2"}, "no input has a free dimension");
    refused({"--input", "x=0:1", "--input", "x=0:2"}, "given twice");
    refused({"--time-limit", "nan"}, "--time-limit");
    refused({"--memory-limit", "lots"}, "no amount of memory");
    refused({"--inputs", in("nowhere")}, "no folder");
    refused({"--input", "x=" + in("nowhere.npy")}, "does not exist", 3);
    refused({"--device", "cuda"}, "no CUDA backend", 4);
}

TEST_F(ExecutionTest, aWorkerGivenNonsenseSaysSo) {
    const Ran ran = runCli({"worker"}); // nothing on standard input
    EXPECT_EQ(ran.exit, 0);
    EXPECT_THAT(ran.out, HasSubstr("started by the other commands"));
}

} // namespace
} // namespace secateur::testing
