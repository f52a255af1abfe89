// SPDX-License-Identifier: Apache-2.0
//
// The verbs that execute models, in a process of their own.
#include "tests/cli/command_line.h"

#include "core/onnx/save.h"
#include "core/onnx/text.h"

#include <onnx/onnx_pb.h>

#include <csignal>
#include <cstdlib>
#include <sys/wait.h>

namespace secateur::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct ExecutionTest : CliTest {
    std::string model(const char* name, const std::string& graph) {
        auto parsed = parseModelText("<ir_version: 8, opset_import: [\"\" : 17]>\n" + graph);
        EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : parsed.error().toString());
        EXPECT_TRUE(saveModel(parsed->model, folder / name).ok());
        return in(name);
    }
};

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
    EXPECT_THAT(bad.json()["tests"][0]["reason"].get<std::string>(), HasSubstr("off by up to 1"));
}

TEST_F(ExecutionTest, whatHasNoKernelIsSkippedByTestAndMissingForRun) {
    model("model.onnx", "g (float[1, 1, 2, 2] x, float[1, 2, 2, 2] p) => (y) { y = GridSample(x, p) }");
    std::filesystem::create_directories(folder / "test_data_set_0");
    const Ran ran = runCli({"run", in("model.onnx")});
    EXPECT_EQ(ran.exit, 4);
    EXPECT_THAT(ran.err, HasSubstr("GridSample"));
    const Ran test = runCli({"test", folder.path().string()});
    EXPECT_EQ(test.exit, 0);
    EXPECT_THAT(test.out, HasSubstr("0 passed, 0 failed, 1 skipped"));
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

TEST_F(ExecutionTest, ctrlCEndsARun) {
    const std::string endless = model("endless.onnx", R"(g (float[1] x) => (float[1] y) {
        yes = Constant<value = bool {1}>()
        y = Loop("", yes, x) <body = b (int64 i, bool c, float[1] v) => (bool d, float[1] w) {
            d = Identity(c) w = Add(v, v) }> })");
    EXPECT_EQ(runCliInterrupted({"run", endless}).exit, 130);
}

TEST_F(ExecutionTest, filesBelongToTheInputsOfTheirNumbers) {
    model("model.onnx", "g (float[2] x) => (float[2] y, float[2] z) { y = Relu(x) z = Neg(x) }");
    const std::string set = "test_data_set_0";
    ASSERT_EQ(runCli({"run", in("model.onnx"), "--input", "x=1:2", "--outputs", in("out")}).exit, 0);
    std::filesystem::create_directories(folder / set);
    // Relu of numbers above zero is the input itself.
    std::filesystem::copy(folder / "out/output_0.pb", folder / set / "input_0.pb");
    const Ran nothing = runCli({"test", folder.path().string()});
    EXPECT_THAT(nothing.out, HasSubstr("0 passed, 0 failed, 1 skipped")) << "no output to compare with";
    // What belongs to output 0 lies there as output 1.
    std::filesystem::copy(folder / "out/output_0.pb", folder / set / "output_1.pb");
    const Ran shifted = runCli({"test", folder.path().string()});
    EXPECT_EQ(shifted.exit, 1) << shifted.out;
    std::filesystem::rename(folder / set / "input_0.pb", folder / set / "input_1.pb");
    EXPECT_EQ(runCli({"run", in("model.onnx"), "--inputs", in(set)}).exit, 2);
}

TEST_F(ExecutionTest, filesMayReplaceDefaultsOfInputs) {
    model("model.onnx", "g (float[2] x, float[2] w = {1, 2}) => (float[2] y) { y = Add(x, w) }");
    const std::string set = "test_data_set_0";
    std::filesystem::create_directories(folder / set);
    ASSERT_EQ(runCli({"run", in("model.onnx"), "--input", "x=1:1", "--outputs", in("ones")}).exit, 0);
    // 2, 3 with the defaults; given as x and as w they make 4, 6.
    std::filesystem::copy(folder / "ones/output_0.pb", folder / set / "input_0.pb");
    std::filesystem::copy(folder / "ones/output_0.pb", folder / set / "input_1.pb");
    ASSERT_EQ(runCli({"run", in("model.onnx"), "--inputs", in(set), "--outputs", in("sums")}).exit, 0);
    std::filesystem::copy(folder / "sums/output_0.pb", folder / set / "output_0.pb");
    const Ran test = runCli({"test", folder.path().string()});
    EXPECT_THAT(test.out, HasSubstr("1 passed, 0 failed")) << test.out << test.err;
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
    for (const char* signal : {"TERM", "HUP"}) {
        EXPECT_EQ(endedBy(signal), 130) << signal;
        EXPECT_TRUE(std::filesystem::is_empty(folder / signal)) << "temporary files stay behind";
    }
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
