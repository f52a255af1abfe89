// SPDX-License-Identifier: Apache-2.0
//
// Jobs: two models on the same inputs, what belongs together, where the first difference is.
#include "core/exec/edge_inputs.h"
#include "core/exec/job_json.h"
#include "core/exec/value_file.h"
#include "core/onnx/save.h"
#include "tests/core/exec/job_fixture.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

namespace secateur {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST_F(JobTest, equalModelsHaveTheSameBitsOnEverySet) {
    add("a.onnx", "g (float[N, 3] x) => (float[N, 3] y) { t = Exp(x) y = Relu(t) }");
    add("b.onnx", "g (float[N, 3] x) => (float[N, 3] y) { u = Exp(x) y = Relu(u) }");
    job.count = 3;
    job.hasEdgeInputs = true;
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits());
    EXPECT_THAT(answer.sets, SizeIs(3 + 1 + kEdgePatterns.size())) << "and a batch of more than one";
    EXPECT_THAT(answer.skippedSets, IsEmpty());
    EXPECT_FALSE(answer.first);
}

TEST_F(JobTest, aFreeFirstDimensionRunsAsABatchOfOneAndOfMore) {
    // Right for one row only.
    add("a.onnx", "g (float[N, 2] x) => (float[N, 2] y) { y = Identity(x) }");
    add("b.onnx", R"(g (float[N, 2] x) => (float[N, 2] y) {
        axis = Constant<value = int64[1] {0}>()
        s = ReduceSum<keepdims = 1>(x, axis) z = Sub(x, x) y = Add(z, s) })");
    EXPECT_FALSE(compare().isWithin()) << "without edges a batch of two is tried at once";
    job.hasEdgeInputs = true;
    const JobAnswer answer = compare();
    EXPECT_FALSE(answer.isWithin());
    EXPECT_EQ(answer.sets[0], "random inputs, seed 0, batch of 1");
    EXPECT_EQ(answer.sets[1], "random inputs, seed 0, batch of 3");
    EXPECT_EQ(answer.first->set, "random inputs, seed 0, batch of 3");
    job.inputs.bindings = {{"N", 1}};
    EXPECT_EQ(compare().sets[0], "random inputs, seed 0") << "what is bound is no batch";
}

TEST_F(JobTest, aBatchThatBothModelsRefuseIsLeftOut) {
    const char* const kFixed = R"(g (float[N, 2] x) => (float[1, 2] y) {
        shape = Constant<value = int64[2] {1, 2}>() y = Reshape(x, shape) })";
    add("a.onnx", kFixed);
    add("b.onnx", kFixed);
    job.hasEdgeInputs = true;
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits());
    EXPECT_THAT(answer.skippedSets, ElementsAre(HasSubstr("batch of 3")));
}

TEST_F(JobTest, edgesLeaveAnInputAloneWhoseRangeWasAskedFor) {
    add("a.onnx", "g (float[4] x, float[4] z) => (float[4] y) { q = Div(x, x) y = Add(q, z) }");
    add("b.onnx", R"(g (float[4] x, float[4] z) => (float[4] y) {
        one = Constant<value = float[4] {1, 1, 1, 1}>() y = Add(one, z) })");
    job.hasEdgeInputs = true;
    EXPECT_FALSE(compare().isWithin());
    job.inputs.named = {{"x", "1:2"}};
    EXPECT_TRUE(compare().isWithin()) << compare().compared.front().worstSet;
}

TEST_F(JobTest, ownInputsAreOneMoreSet) {
    // Equal but for one number that no random input hits.
    add("a.onnx", "g (float[2] x) => (float[2] y) { y = Identity(x) }");
    add("b.onnx", R"(g (float[2] x) => (float[2] y) {
        odd = Constant<value = float {42}>() is = Equal(x, odd) n = Neg(x) y = Where(is, n, x) })");
    const float numbers[] = {42, 1};
    MemoryPool pool;
    auto tensor = TensorData::make(pool, ElementType::float32, {2});
    ASSERT_TRUE(tensor.ok());
    std::memcpy(tensor->data(), numbers, sizeof numbers);
    std::filesystem::create_directory(folder / "set");
    ASSERT_TRUE(writeValueFile(folder / "x.npy", RuntimeValue(*tensor), "x").ok());
    ASSERT_TRUE(writeValueFile(folder / "set" / "input_0.pb", RuntimeValue(*tensor), "x").ok());
    EXPECT_TRUE(compare().isSameBits());
    job.own = {{{}, {{"x", (folder / "x.npy").string()}}}};
    JobAnswer answer = compare();
    EXPECT_THAT(answer.sets, ElementsAre("own inputs: `x`", "random inputs, seed 0"));
    EXPECT_FALSE(answer.isWithin());
    EXPECT_EQ(answer.first->set, "own inputs: `x`");
    job.own = {{folder / "set", {}}};
    answer = compare();
    EXPECT_THAT(answer.sets[0], HasSubstr("set"));
    EXPECT_FALSE(answer.isWithin());
}

TEST_F(JobTest, aFolderMayBeNumberedOverTheInputsOfTheOriginal) {
    add("cut.onnx", "g (float[2] x) => (float[2] y) { y = Neg(x) }");
    add("whole.onnx",
        "g (float[2] label, float[2] x) => (float[2] y, float[2] l) { y = Abs(x) l = Sub(y, label) }");
    job.inputs.named = {{"x", "-2:-1"}}; // where Neg and Abs are equal
    std::filesystem::create_directory(folder / "set");
    MemoryPool pool;
    for (const int i : {0, 1}) {
        auto tensor = TensorData::make(pool, ElementType::float32, {2});
        ASSERT_TRUE(tensor.ok());
        const float numbers[] = {i == 0 ? 5.0F : -3.0F, -3.0F};
        std::memcpy(tensor->data(), numbers, sizeof numbers);
        ASSERT_TRUE(writeValueFile(folder / "set" / ("input_" + std::to_string(i) + ".pb"),
                                   RuntimeValue(std::move(*tensor)), "")
                        .ok());
    }
    job.own = {{folder / "set", {}}};
    const JobAnswer answer = compare();
    EXPECT_THAT(answer.sets[0], HasSubstr("set"));
    EXPECT_EQ(answer.compared.front().worst.maxAbsolute, 0) << "Neg(-3) is Abs(-3)";
    EXPECT_EQ(answer.compared.front().worst.elements, 4U);
}

TEST_F(JobTest, ownInputsThatDoNotFitAreAnswered) {
    add("a.onnx", "g (float[2] x) => (float[2] y) { y = Identity(x) }");
    add("b.onnx", "g (float[2] x) => (float[2] y) { y = Identity(x) }");
    MemoryPool pool;
    auto tensor = TensorData::make(pool, ElementType::float32, {3});
    ASSERT_TRUE(tensor.ok());
    ASSERT_TRUE(writeValueFile(folder / "x.npy", RuntimeValue(std::move(*tensor)), "x").ok());
    job.kind = Job::Kind::compare;
    job.own = {{{}, {{"x", (folder / "x.npy").string()}}}};
    auto answer = runJob(job);
    ASSERT_FALSE(answer.ok());
    EXPECT_THAT(answer.error().toString(),
                AllOf(HasSubstr("float[2]"), HasSubstr("float[3]"), HasSubstr("`x`")));
    job.own = {{{}, {{"xx", (folder / "x.npy").string()}}}};
    answer = runJob(job);
    ASSERT_FALSE(answer.ok());
    EXPECT_THAT(answer.error().message, HasSubstr("no input `xx`"));
}

TEST_F(JobTest, sideModelsAreComparedWithTheSecondModelOnTheSameInputs) {
    add("result.onnx", "g (float[4] x) => (float[4] y) { y = Exp(x) }");
    add("whole.onnx", "g (float[4] x, float[4] z) => (float[4] y, float l) { y = Exp(x) d = Sub(y, z) l = "
                      "ReduceSum<keepdims=0>(d) }");
    // Inner values count, and what the outputs do not need is not run: `Missing` has no kernel.
    add("right.onnx", "g (float[4] x) => (float[4] q) { y = Exp(x) q = Missing(y) }");
    add("wrong.onnx", "g (float[4] x) => (float[4] y) { e = Exp(x) n = Neg(e) y = Neg(e) }");
    add("still_wrong.onnx", "g (float[4] x) => (float[4] y) { e = Exp(x) m = Neg(e) y = Identity(m) }");
    add("other.onnx", "g (float[4] x) => (float[4] q) { q = Exp(x) }");
    for (std::size_t i = 2; i < 6; ++i)
        job.sides.push_back({job.paths[i], RunMode::asWritten});
    job.paths.resize(2);
    job.hasEdgeInputs = true;
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits());
    ASSERT_THAT(answer.sides, SizeIs(4));
    EXPECT_EQ(answer.sides[0].failure, "");
    EXPECT_TRUE(areSameBits(answer.sides[0].compared));
    EXPECT_EQ(answer.sides[0].sets, answer.sets);
    EXPECT_FALSE(areWithin(answer.sides[1].compared));
    ASSERT_TRUE(answer.sides[1].first);
    EXPECT_EQ(answer.sides[1].first->value, "y");
    EXPECT_FALSE(areWithin(answer.sides[2].compared));
    EXPECT_TRUE(areSameBits(answer.sides[2].sincePrevious)) << "as wrong as the one before";
    EXPECT_FALSE(answer.sides[2].first) << "looked for once";
    EXPECT_THAT(answer.sides[3].failure, HasSubstr("`y`"));
    const auto again = parseAnswer(answerText(answer));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(answerText(*again), answerText(answer));
}

TEST_F(JobTest, sideModelsRunOneAfterTheOtherWithinTheMemoryOfOne) {
    // A model takes 256 bytes of weights and as much for its result; the weights of six are beyond the limit.
    std::string weights = "1";
    for (int i = 1; i < 64; ++i)
        weights += ", 1";
    const std::string graph =
        "g (float[64] x) => (float[64] y) <float[64] w = {" + weights + "}> { y = Add(x, w) }";
    add("result.onnx", graph);
    add("original.onnx", graph);
    for (int i = 0; i < 6; ++i)
        job.sides.push_back({job.paths[0], RunMode::asWritten});
    job.limits.memoryBytes = 6 * 256;
    const JobAnswer answer = compare();
    ASSERT_THAT(answer.sides, SizeIs(6));
    for (const SideAnswer& side : answer.sides)
        EXPECT_EQ(side.failure, "");
}

TEST_F(JobTest, allModelsOfAJobHaveOneLimitTogether) {
    const std::string graph =
        "g (float[1024] x) => (float[1024] y, float[65536] z) { n = Constant<value = int64[1] "
        "{65536}>() z = ConstantOfShape(n) y = Exp(x) }";
    add("a.onnx", graph);
    add("b.onnx", graph);
    job.kind = Job::Kind::compare;
    job.limits.memoryBytes = 300 * 1024; // one z, not that of the other model beside it
    const auto answer = runJob(job);
    ASSERT_FALSE(answer.ok());
    EXPECT_THAT(answer.error().message, HasSubstr("limit"));
}

TEST_F(JobTest, aSideIsHeldAgainstTheOneBeforeOnTheSetsThatBothRanOn) {
    add("a.onnx", "g (float[4] x) => (float[4] y) { y = Exp(x) }");
    add("b.onnx", "g (float[4] x) => (float[4] y) { y = Exp(x) }");
    job.sides = {{job.paths[0], RunMode::asWritten, Device::reference, SideModel::Sets::plain},
                 {job.paths[0], RunMode::asWritten, Device::reference, SideModel::Sets::all}};
    job.count = 2;
    job.hasEdgeInputs = true;
    const JobAnswer answer = compare();
    EXPECT_THAT(answer.sides[1].setsSincePrevious,
                ElementsAre("random inputs, seed 0", "random inputs, seed 1"));
    EXPECT_EQ(answer.sides[1].sets, answer.sets);
}

TEST_F(JobTest, aSideModelMayRunOnTheFirstSetAlone) {
    add("a.onnx", "g (float[4] x) => (float[4] y) { y = Exp(x) }");
    add("b.onnx", "g (float[4] x) => (float[4] y) { y = Exp(x) }");
    job.sides = {{job.paths[0], RunMode::asWritten, Device::reference, SideModel::Sets::first},
                 {job.paths[0], RunMode::asWritten, Device::reference, SideModel::Sets::plain}};
    job.count = 2;
    job.hasEdgeInputs = true;
    const JobAnswer answer = compare();
    EXPECT_THAT(answer.sides[0].sets, ElementsAre("random inputs, seed 0"));
    EXPECT_THAT(answer.sides[1].sets, ElementsAre("random inputs, seed 0", "random inputs, seed 1"));
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
    EXPECT_THAT(answer.mismatch, HasSubstr("`p`"));
    EXPECT_FALSE(answer.isSameBits()) << "an output that the other lacks is no equality";
}

TEST_F(JobTest, aWholeModelIsComparedWithACutOneInBothOrders) {
    add("whole.onnx", "g (float[2] x) => (float[2] y, float[2] loss, float[2] z) { y = Exp(x) t = Abs(x) z = "
                      "Sin(t) loss = Neg(x) }");
    add("cut.onnx", "g (float[2] x) => (float[2] y, float[2] t) { y = Exp(x) t = Abs(x) }");
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits());
    EXPECT_THAT(answer.onlyInFirst, ElementsAre("loss", "z"));
    EXPECT_THAT(answer.mismatch, HasSubstr("`loss`")) << "a check wants the result compared as a whole";
    std::swap(job.paths[0], job.paths[1]);
    EXPECT_TRUE(compare().isSameBits());
    EXPECT_EQ(compare().mismatch, "");
}

TEST_F(JobTest, outputsOfOtherNamesArePairedByPositionAndThatIsSaid) {
    add("a.onnx", "g (float[2] x) => (float[2] y) { y = Exp(x) }");
    add("b.onnx", "g (float[2] x) => (float[2] p) { p = Exp(x) }");
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits());
    EXPECT_THAT(answer.notes, ElementsAre(HasSubstr("`y` is compared with `p`")));
}

TEST_F(JobTest, sideModelsKeepNobodyFromPairingByPosition) {
    add("a.onnx", "g (float[3] x) => (float[3] y) { y = Exp(x) }");
    add("b.onnx", "g (float[3] x) => (float[3] other) { other = Exp(x) }");
    job.sides.push_back({job.paths[1], RunMode::asWritten});
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits());
    ASSERT_THAT(answer.sides, SizeIs(1));
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
    EXPECT_THAT(answer.error().message, HasSubstr("1,000 iterations, which is the limit"));
    EXPECT_THAT(answer.error().message, HasSubstr("--loop-limit"));
    job.limits = {};
    job.limits.loopSeconds = 0.05;
    const auto late = runJob(job);
    ASSERT_FALSE(late.ok());
    EXPECT_EQ(late.error().code, ErrorCode::missing);
    EXPECT_THAT(late.error().message, HasSubstr("--time-limit"));
    EXPECT_THAT(late.error().where, HasSubstr("Loop"));
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
    job.inputs.batch = 6;
    job.sides = {{"/side.onnx", RunMode::inference, Device::ort, SideModel::Sets::plain}};
    job.own = {{"/a dir", {}}, {{}, {{"x\xff", "/f.npy"}}}};
    job.tolerance = {0.25, 0};
    job.limits = {123, 456};
    job.threads = 2;
    job.outputs = "out";
    const auto read = parseJob(jobText(job));
    ASSERT_TRUE(read.ok()) << read.error().toString();
    EXPECT_EQ(read->paths, job.paths);
    EXPECT_EQ(read->own, job.own);
    EXPECT_EQ(read->sides, job.sides);
    EXPECT_EQ(read->inputs.batch, 6);
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
