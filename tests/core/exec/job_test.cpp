// SPDX-License-Identifier: Apache-2.0
//
// Jobs: two models on the same inputs, what belongs together, where the first difference is.
#include "core/exec/edge_inputs.h"
#include "core/exec/job_json.h"
#include "core/onnx/save.h"
#include "tests/core/exec/run_text.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

namespace secateur {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct JobTest : ::testing::Test {
    TemporaryFolder folder;
    Job job;

    void add(const char* name, const std::string& graph) {
        auto parsed = parseModelText(modelText(graph));
        ASSERT_TRUE(parsed.ok()) << parsed.error().toString();
        ASSERT_TRUE(saveModel(parsed->model, folder / name).ok());
        job.paths.push_back(folder / name);
    }
    JobAnswer compare() {
        job.kind = Job::Kind::compare;
        auto answer = runJob(job);
        EXPECT_TRUE(answer.ok()) << (answer.ok() ? "" : answer.error().toString());
        return answer.ok() ? *answer : JobAnswer{};
    }
};

TEST_F(JobTest, equalModelsHaveTheSameBitsOnEverySet) {
    add("a.onnx", "g (float[N, 3] x) => (float[N, 3] y) { t = Exp(x) y = Relu(t) }");
    add("b.onnx", "g (float[N, 3] x) => (float[N, 3] y) { u = Exp(x) y = Relu(u) }");
    job.count = 3;
    job.hasEdgeInputs = true;
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits());
    EXPECT_THAT(answer.sets, SizeIs(3 + kEdgePatterns.size()));
    EXPECT_THAT(answer.skippedSets, IsEmpty());
    EXPECT_FALSE(answer.first);
}

TEST_F(JobTest, edgeInputsWaitForNothingWhenTheirTimeIsUp) {
    add("a.onnx", "g (float[3] x) => (float[3] y) { y = Exp(x) }");
    add("b.onnx", "g (float[3] x) => (float[3] y) { y = Exp(x) }");
    job.hasEdgeInputs = true;
    job.edgeSeconds = 1e-12;
    const JobAnswer answer = compare();
    EXPECT_THAT(answer.sets, ElementsAre("random inputs, seed 0"));
    EXPECT_THAT(answer.skippedSets, SizeIs(kEdgePatterns.size()));
}

TEST_F(JobTest, theFirstDifferingValueIsFoundNotTheLast) {
    add("a.onnx", "g (float[3] x) => (float[3] y) { s = Exp(x) t = Add(s, s) y = Neg(t) }");
    add("b.onnx", "g (float[3] x) => (float[3] y) { s = Exp(x) t = Mul(s, s) y = Neg(t) }");
    const JobAnswer answer = compare();
    EXPECT_FALSE(answer.isWithin());
    ASSERT_TRUE(answer.first);
    EXPECT_EQ(answer.first->value, "t");
    EXPECT_THAT(answer.first->node, HasSubstr("Add"));
    EXPECT_GT(answer.first->difference.maxAbsolute, 0.01);
    EXPECT_EQ(answer.compared.front().worstSet, "random inputs, seed 0");
}

TEST_F(JobTest, aDifferenceOnlyAtAnEdgeIsFound) {
    // x - x is zero for finite numbers only.
    add("a.onnx", "g (float[8] x) => (float[8] y) { z = Sub(x, x) y = Add(z, x) }");
    add("b.onnx", "g (float[8] x) => (float[8] y) { y = Identity(x) }");
    EXPECT_TRUE(compare().isWithin());
    job.hasEdgeInputs = true;
    const JobAnswer answer = compare();
    EXPECT_FALSE(answer.isWithin());
    // NaN stays NaN in both; infinity does not.
    EXPECT_EQ(answer.compared.front().worstSet, "random inputs with infinities");
    EXPECT_GT(answer.compared.front().worst.nanMismatches, 0U);
}

TEST_F(JobTest, anOutputThatIsAnInnerValueOfTheOtherModelIsComparedWithThat) {
    add("cut.onnx", "g (float[4] x) => (float[4] h) { h = Exp(x) }");
    add("whole.onnx", "g (float[4] x, float[4] z) => (float[4] y) { h = Exp(x) w = Div(h, z) y = Neg(w) }");
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits());
    ASSERT_THAT(answer.compared, SizeIs(1));
    EXPECT_EQ(answer.compared.front().name, "h");
}

TEST_F(JobTest, evaluationModeIsWhatOneModelCanBeRunIn) {
    const char* const kTraining = R"(g (float[64] x) => (float[64] y) {
        ratio = Constant<value = float {0.5}>() on = Constant<value = bool {1}>()
        y, mask = Dropout<seed = 1>(x, ratio, on) })";
    add("a.onnx", "g (float[64] x) => (float[64] y) { y = Identity(x) }");
    add("b.onnx", kTraining);
    EXPECT_FALSE(compare().isWithin());
    job.modes = {RunMode::asWritten, RunMode::inference};
    EXPECT_TRUE(compare().isSameBits());
}

TEST_F(JobTest, anInputHereThatIsAWeightThereGetsTheWeight) {
    add("a.onnx", "g (float[2] x) => (float[2] y) <float[2] w = {3, 4}> { y = Mul(x, w) }");
    add("b.onnx", "g (float[2] x, float[2] w) => (float[2] y) { y = Mul(x, w) }");
    EXPECT_TRUE(compare().isSameBits());
    std::swap(job.paths[0], job.paths[1]);
    EXPECT_TRUE(compare().isSameBits());
}

TEST_F(JobTest, indicesKeepToTheSmallerOfTwoTables) {
    add("a.onnx", "g (int64[64] i, float[9] t) => (float[64] y) { y = Gather(t, i) }");
    add("b.onnx", "g (int64[64] i, float[9] t) => (float[64] y) { "
                  "s = Constant<value = int64[1] {0}>() e = Constant<value = int64[1] {3}>() "
                  "u = Slice(t, s, e) y = Gather(u, i) }");
    EXPECT_TRUE(compare().isSameBits());
}

TEST_F(JobTest, withoutACommonOutputNothingIsCompared) {
    add("a.onnx", "g (float[2] x) => (float[2] y) { y = Exp(x) }");
    add("b.onnx", "g (float[2] x) => (float[2] p, float[2] q) { p = Exp(x) q = Neg(x) }");
    job.kind = Job::Kind::compare;
    const auto answer = runJob(job);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, ErrorCode::usage);
}

TEST_F(JobTest, whatOnlyOneModelHasIsSaid) {
    add("a.onnx", "g (float[2] x) => (float[2] y, float[2] p) { y = Exp(x) p = Neg(x) }");
    add("b.onnx", "g (float[2] x) => (float[2] y, float[2] q) { y = Exp(x) q = Abs(x) }");
    const JobAnswer answer = compare();
    EXPECT_THAT(answer.notes, ElementsAre(HasSubstr("`p`"), HasSubstr("`q`")));
    EXPECT_THAT(answer.unmatched, ElementsAre("p"));
    EXPECT_FALSE(answer.isSameBits()) << "an output that the other lacks is no equality";
}

TEST_F(JobTest, outputsOfOtherNamesArePairedByPositionAndThatIsSaid) {
    add("a.onnx", "g (float[2] x) => (float[2] y) { y = Exp(x) }");
    add("b.onnx", "g (float[2] x) => (float[2] p) { p = Exp(x) }");
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits());
    EXPECT_THAT(answer.notes, ElementsAre(HasSubstr("`y` is compared with `p`")));
}

TEST_F(JobTest, randomOperatorsDrawTheSameWhereNodesBeforeThemAreGone) {
    add("a.onnx", "g (float[8] x) => (float[8] y) { n = RandomNormalLike(x) y = Add(x, n) }");
    add("b.onnx", "g (float[8] x) => (float[8] y) { t = Identity(x) n = RandomNormalLike(x) y = Add(t, n) }");
    EXPECT_TRUE(compare().isSameBits());
}

TEST_F(JobTest, freeDimensionsTakeTheSizeThatTheOtherModelSays) {
    add("a.onnx", "g (float[N, 2] x) => (float[N, 2] y) { y = Exp(x) }");
    add("b.onnx", "g (float[5, 2] x) => (float[5, 2] y) { y = Exp(x) }");
    EXPECT_TRUE(compare().isSameBits());
}

TEST_F(JobTest, theLargestSeedIsASeed) {
    add("a.onnx", "g (float[2] x) => (float[2] y) { y = Exp(x) }");
    add("b.onnx", "g (float[2] x) => (float[2] y) { y = Exp(x) }");
    job.inputs.seed = 18446744073709551615U;
    job.count = 2;
    EXPECT_THAT(compare().sets, SizeIs(2));
}

TEST_F(JobTest, emptyOutputsAreNoEquality) {
    add("a.onnx", "g (float[N] x) => (float[N] y) { y = Exp(x) }");
    add("b.onnx", "g (float[N] x) => (float[N] y) { y = Sin(x) }");
    job.inputs.bindings = {{"N", 0}};
    EXPECT_EQ(compare().elementsCompared(), 0U);
}

TEST_F(JobTest, anEndlessLoopEndsAtItsLimit) {
    add("a.onnx", R"(g (float[1] x) => (float[1] y) {
        yes = Constant<value = bool {1}>()
        y = Loop("", yes, x) <body = b (int64 i, bool c, float[1] v) => (bool d, float[1] w) {
            d = Identity(c) w = Add(v, v) }> })");
    job.limits.iterations = 1000;
    const auto answer = runJob(job);
    ASSERT_FALSE(answer.ok());
    EXPECT_THAT(answer.error().message, HasSubstr("limit of iterations"));
}

TEST_F(JobTest, timingRunsAsOftenAsAsked) {
    add("a.onnx", "g (float[3] x) => (float[3] y) { y = Exp(x) }");
    job.kind = Job::Kind::time;
    job.runs = 5;
    job.warmUps = 2;
    const auto answer = runJob(job);
    ASSERT_TRUE(answer.ok()) << answer.error().toString();
    EXPECT_THAT(answer->runs.front().seconds, SizeIs(5));
    EXPECT_GT(answer->runs.front().highWaterBytes, 0U);
}

TEST_F(JobTest, jobsTravelAsText) {
    job.kind = Job::Kind::compare;
    job.paths = {"/a b.onnx", "/\xff\xfe.onnx"};
    job.modes = {RunMode::asWritten, RunMode::inference};
    job.device = Device::ort;
    job.inputs.named = {{"x=\xc3\xa9", "-1:1"}};
    job.inputs.bindings = {{"batch", 4}};
    job.inputs.seed = 18446744073709551615U;
    job.count = 7;
    job.runs = 5;
    job.warmUps = 2;
    job.hasEdgeInputs = true;
    job.edgeSeconds = 2.5;
    job.tolerance = {0.25, 0};
    job.limits = {123, 456};
    job.threads = 2;
    job.outputs = "out";
    const auto read = parseJob(jobText(job));
    ASSERT_TRUE(read.ok()) << read.error().toString();
    EXPECT_EQ(read->paths, job.paths);
    EXPECT_EQ(read->modes, job.modes);
    EXPECT_EQ(read->device, Device::ort);
    EXPECT_EQ(read->inputs.named, job.inputs.named);
    EXPECT_EQ(read->inputs.bindings, job.inputs.bindings);
    EXPECT_EQ(read->inputs.seed, job.inputs.seed);
    EXPECT_EQ(jobText(*read), jobText(job));
}

TEST_F(JobTest, answersTravelAsTextWithNumbersThatJsonHasNot) {
    JobAnswer answer;
    answer.runs.push_back({"b", {0.5, 1}, 77});
    ComparedOutput output;
    output.name = "y";
    output.worst.maxAbsolute = std::numeric_limits<double>::infinity();
    output.worst.cosine = std::numeric_limits<double>::quiet_NaN();
    output.worst.isWithin = false;
    answer.compared.push_back(output);
    answer.first = FirstDifference{"t", "Add", output.worst, "zeros"};
    answer.verdicts.push_back({FolderVerdict::State::skipped, "why"});
    const auto read = parseAnswer(answerText(answer));
    ASSERT_TRUE(read.ok()) << read.error().toString();
    EXPECT_TRUE(std::isinf(read->compared.front().worst.maxAbsolute));
    EXPECT_TRUE(std::isnan(read->first->difference.cosine));
    EXPECT_EQ(read->verdicts.front().state, FolderVerdict::State::skipped);
    EXPECT_EQ(answerText(*read), answerText(answer));
}

TEST_F(JobTest, errorsTravelWithTheirCodeAndPlace) {
    const Error error = missingHere("no kernel", "node `a`");
    const auto read = parseAnswer(answerText(error));
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error(), error);
}

TEST_F(JobTest, damagedTextsAreRefused) {
    Job paths = job, none = job;
    none.paths = {"m.onnx"};
    none.count = 0;
    EXPECT_FALSE(parseJob(jobText(paths)).ok()) << "no path";
    EXPECT_FALSE(parseJob(jobText(none)).ok()) << "no set of inputs";
    for (const char* text : {"", "{", "[]", R"({"kind": 9})", R"({"error": {"code": 99}})"}) {
        EXPECT_FALSE(parseJob(text).ok()) << text;
        EXPECT_FALSE(parseAnswer(text).ok()) << text;
    }
}

} // namespace
} // namespace secateur
