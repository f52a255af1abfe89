// SPDX-License-Identifier: Apache-2.0
//
// Where the inputs of a run come from: numbers, files, folders, weights.
#include "tests/cli/execution_fixture.h"

#include <filesystem>

namespace secateur::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(ExecutionTest, aNumberIsTheValueOfAnInput) {
    const std::string path =
        model("rate.onnx", "g (int64 sr, float[2] x) => (float[2] y) { f = Cast<to = 1>(sr) "
                           "y = Mul(x, f) }");
    const Ran ran = runCli({"run", path, "--input", "sr=16000", "--input", "x=0.5"});
    EXPECT_EQ(ran.exit, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("from 8000 to 8000"));
}

TEST_F(ExecutionTest, theSizesOfFilesHoldForTheOtherInputs) {
    const std::string path =
        model("sum.onnx", "g (float[1, n] a, float[1, n] b) => (float[1, 4] y) { four = Constant<value = "
                          "int64[2] {1, 4}>() s = Add(a, b) y = Reshape(s, four) }");
    ASSERT_EQ(runCli({"run", path, "--bind", "n=4", "--outputs", in("four")}).exit, 0);
    const std::string file = "a=" + in("four/output_0.pb");
    const Ran ran = runCli({"run", path, "--input", file});
    EXPECT_EQ(ran.exit, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("float[1,4]"));
    EXPECT_EQ(runCli({"run", path, "--input", file, "--bind", "n=4"}).exit, 0);
    const Ran other = runCli({"run", path, "--input", file, "--bind", "n=3"});
    EXPECT_EQ(other.exit, 2);
    EXPECT_THAT(other.err, HasSubstr("`n` is bound to 3, but the file has a size of 4"));
    std::filesystem::create_directory(folder / "set");
    for (const char* name : {"set/input_0.pb", "set/input_1.pb"})
        std::filesystem::copy(folder / "four/output_0.pb", folder / name);
    const Ran replaced = runCli({"run", path, "--inputs", in("set"), "--input", "a=50:60"});
    EXPECT_EQ(replaced.exit, 0) << replaced.err;
    EXPECT_THAT(replaced.out, HasSubstr("float[1,4]")) << "a range keeps the size of the file";
    // A check runs its random sets on the sizes of the person's own inputs: of others it takes none.
    const Ran checked =
        runCli({"prune", path, "--verify", "--inputs", in("set"), "-o", in("o.onnx"), "--json"});
    EXPECT_EQ(checked.exit, 0) << checked.err;
    EXPECT_EQ(checked.json()["verify"]["inputs"].size(), 10U) << checked.json()["verify"]["inputs"].dump();
}

TEST_F(ExecutionTest, weightsThatWentAreSaidAndMayBeGiven) {
    const std::string cut =
        model("cut.onnx", "g (float[2] x) => (float[2] y) <float[2] w = {2, 3}> { t = Mul(x, w) "
                          "y = Mul(t, w) }");
    const std::string whole = model("whole.onnx", "g (float[2] x, float[2] w, float[2] v) => (float[2] y) { "
                                                  "t = Mul(x, w) y = Mul(t, v) }");
    const std::string weights = model("weights.onnx", "g (float[2] x) => (float[2] y) <float[2] w = {2, 3}, "
                                                      "float[2] v = {2, 3}> { t = Mul(w, v) y = Mul(x, t) }");
    const Ran alone = runCli({"compare", cut, whole});
    EXPECT_EQ(alone.exit, 1);
    EXPECT_THAT(alone.err, HasSubstr("1 input of " + whole + " gets random numbers that " + cut +
                                     " knows nothing of (`v`)"));
    const Ran given = runCli({"compare", cut, whole, "--weights", weights});
    EXPECT_EQ(given.exit, 0) << given.out << given.err;
    EXPECT_THAT(given.err, AllOf(HasSubstr("2 inputs get their values from " + weights),
                                 Not(HasSubstr("random numbers"))));
    const std::string others = model("others.onnx", "g (float[2] x) => (float[2] y) <float[2] w = {2, 4}, "
                                                    "float[2] v = {2, 3}> { t = Mul(w, v) y = Mul(x, t) }");
    EXPECT_EQ(runCli({"compare", cut, whole, "--weights", others}).exit, 1) << "weights are compared as well";
    EXPECT_EQ(runCli({"compare", cut, cut, "--weights", weights}).exit, 2) << "nothing takes them";
}

TEST_F(ExecutionTest, filesBelongToTheInputsOfTheirNumbers) {
    model("model.onnx", "g (float[2] x) => (float[2] y, float[2] z) { y = Relu(x) z = Neg(x) }");
    const std::string set = "test_data_set_0";
    ASSERT_EQ(runCli({"run", in("model.onnx"), "--input", "x=1:2", "--outputs", in("out")}).exit, 0);
    std::filesystem::create_directories(folder / set);
    // Relu of numbers above zero is the input itself.
    std::filesystem::copy(folder / "out/output_0.pb", folder / set / "input_0.pb");
    const Ran nothing = runCli({"test", folder.path().string()});
    EXPECT_EQ(nothing.exit, 1);
    EXPECT_THAT(nothing.out,
                AllOf(HasSubstr("0 passed, 1 failed, 0 skipped"), HasSubstr("no file output_0.pb")));
    // What belongs to output 0 lies there as output 1.
    std::filesystem::copy(folder / "out/output_0.pb", folder / set / "output_1.pb");
    const Ran shifted = runCli({"test", folder.path().string()});
    EXPECT_EQ(shifted.exit, 1) << shifted.out;
    std::filesystem::copy(folder / "out/output_1.pb", folder / set / "output_1.pb",
                          std::filesystem::copy_options::overwrite_existing);
    const Ran half = runCli({"test", folder.path().string()});
    EXPECT_EQ(half.exit, 0) << half.out;
    EXPECT_THAT(half.err, HasSubstr("no results are stored of `y`: not compared"));
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

} // namespace
} // namespace secateur::testing
