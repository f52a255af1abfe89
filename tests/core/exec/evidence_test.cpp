// SPDX-License-Identifier: Apache-2.0
//
// What the agreement of two models is worth: nothing where any model would agree.
#include "core/exec/job_json.h"
#include "core/exec/value_file.h"
#include "tests/core/exec/job_fixture.h"

#include <cstring>

namespace secateur {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST_F(JobTest, nothingButNanProvesNothing) {
    add("a.onnx", "g (float[3] x) => (float[3] y) { z = Sub(x, x) y = Div(z, z) }");
    add("b.onnx", "g (float[3] x) => (float[3] y) { z = Sub(x, x) w = Neg(z) q = Mul(w, z) y = Div(q, w) }");
    job.kind = Job::Kind::compare;
    job.count = 2;
    const auto answer = runJob(job);
    ASSERT_TRUE(answer.ok());
    EXPECT_FALSE(answer->isWithin()) << "the same NaN in both is no evidence";
    EXPECT_THAT(answer->silence, AllOf(HasSubstr("on 2 sets"), HasSubstr("--input x=")));
}

TEST_F(JobTest, whatNeverMovesProvesNothing) {
    // Always zero: Mul by what is less than zero, then Relu.
    const char* const kDead = R"(g (float[1, n] x) => (float[1, n] y) {
        z = Constant<value = float {0}>() a = Abs(x) b = Neg(a) c = Relu(b) y = Mul(c, z) })";
    add("a.onnx", kDead);
    add("b.onnx", "g (float[1, n] x) => (float[1, n] y) { a = Exp(x) b = Neg(a) y = Relu(b) }");
    job.count = 2;
    JobAnswer answer = compare();
    EXPECT_FALSE(answer.isWithin());
    EXPECT_THAT(answer.silence, AllOf(HasSubstr("on 2 sets"), HasSubstr("`y` is the same"), HasSubstr("`n`"),
                                      HasSubstr("--bind n=N")));
    EXPECT_THAT(answer.sets, SizeIs(2));
    EXPECT_EQ(answer.compared.front().weakness, ComparedOutput::Weakness::still);
    job.hasEdgeInputs = true;
    EXPECT_FALSE(compare().isWithin()) << "NaN where NaN comes in is no movement, nor is a batch";
    job.inputs.bindings = {{"n", 2}};
    answer = compare();
    EXPECT_THAT(answer.silence, AllOf(HasSubstr("--input x="), Not(HasSubstr("--bind"))));
    job.count = 1;
    job.hasEdgeInputs = false;
    EXPECT_TRUE(compare().isSameBits()) << "one set tells nothing about movement";
}

TEST_F(JobTest, ownInputsOfAnotherSizeMayMoveWhatRandomOnesDoNot) {
    // Zero for all that is below one.
    const char* const kHigh = R"(g (float[n] x) => (float y) {
        one = Constant<value = float {1}>() d = Sub(x, one) r = Relu(d) y = ReduceMax<keepdims = 0>(r) })";
    add("a.onnx", kHigh);
    add("b.onnx", kHigh);
    job.count = 2;
    EXPECT_NE(compare().silence, "");
    MemoryPool pool;
    auto tensor = TensorData::make(pool, ElementType::float32, {3});
    ASSERT_TRUE(tensor.ok());
    const float numbers[] = {1, 2, 7};
    std::memcpy(tensor->data(), numbers, sizeof numbers);
    ASSERT_TRUE(writeValueFile(folder / "x.npy", RuntimeValue(std::move(*tensor)), "x").ok());
    job.own = {{{}, {{"x", (folder / "x.npy").string()}}}};
    EXPECT_TRUE(compare().isSameBits()) << compare().silence;
}

TEST_F(JobTest, sizesAreTakenAtWhichOutputsMove) {
    // One sample less its mean is zero; 64 of them are not.
    const char* const kCentred = R"(g (float[b, n] x) => (float[b, n] y) {
        m = ReduceMean<axes = [1]>(x) y = Sub(x, m) })";
    add("a.onnx", kCentred);
    add("b.onnx", kCentred);
    job.count = 2;
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits()) << answer.silence;
    EXPECT_THAT(answer.sets, Contains(AllOf(HasSubstr("batch of 2"), HasSubstr("`n` of 3"))));
    add("b.onnx", R"(g (float[b, n] x) => (float[b, n] y) { m = ReduceMean<axes = [1]>(x) d = Sub(x, m)
        y = Neg(d) })");
    EXPECT_FALSE(compare().isWithin()) << "at size 1 nothing would tell them apart";
    job.inputs.bindings = {{"n", 1}};
    EXPECT_NE(compare().silence, "") << "what a person says goes before it";
}

TEST_F(JobTest, anAxisThatIsTakenForAnotherShows) {
    add("a.onnx", "g (float[b, n, m] x) => (float[p, q, r] y) { y = Softmax<axis = 1>(x) }");
    add("b.onnx", "g (float[b, n, m] x) => (float[p, q, r] y) { y = Softmax<axis = 2>(x) }");
    job.count = 2;
    EXPECT_FALSE(compare().isWithin());
}

TEST_F(JobTest, integersAreAllThatBytesAre) {
    add("a.onnx", "g (uint8[8] x) => (float[8] y) { y = Cast<to = 1>(x) }");
    add("b.onnx", "g (uint8[8] x) => (float[8] y) { i = Cast<to = 3>(x) y = Cast<to = 1>(i) }");
    job.count = 2;
    EXPECT_FALSE(compare().isWithin()) << "int8 holds no 200";
}

TEST_F(JobTest, integersThatMustBeSmallAreSmall) {
    // A size that is read is no byte.
    const char* const kRepeat = R"(g (float[3] x, int64[1] n) => (float[m] y) { y = Tile(x, n) })";
    add("a.onnx", kRepeat);
    add("b.onnx", kRepeat);
    job.count = 2;
    EXPECT_TRUE(compare().isSameBits()) << compare().silence;
}

TEST_F(JobTest, whatOneModelRefusesThatTheOtherTakesIsADifference) {
    add("a.onnx", "g (float[n, n2] x) => (float[p, q] y) { y = MatMul(x, x) }");
    add("b.onnx", "g (float[n, n2] x) => (float[p, q] y) { t = Transpose(x) y = MatMul(x, t) }");
    job.count = 2;
    const JobAnswer answer = compare();
    EXPECT_FALSE(answer.isWithin());
    EXPECT_THAT(answer.mismatch, HasSubstr("a.onnx"));
}

TEST_F(JobTest, sizesAreTakenThatTheModelsAccept) {
    // Windows of 100 do not fit into less.
    const char* const kWindows = R"(g (float[1, 1, n] x) => (float[1, 1, m] y) {
        y = MaxPool<kernel_shape = [100]>(x) })";
    add("a.onnx", kWindows);
    add("b.onnx", kWindows);
    job.count = 2;
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits()) << answer.silence;
    EXPECT_THAT(answer.sets, Contains(HasSubstr("free dimensions of 256")));
}

TEST_F(JobTest, anOutputThatNeverMovesIsNamedBesideOthersThatDo) {
    const char* const kTwo = R"(g (float[3] x) => (float[3] y, float[3] still, float[3] bad) {
        y = Exp(x) n = Neg(y) still = Relu(n) bad = Log(n) })";
    add("a.onnx", kTwo);
    add("b.onnx", kTwo);
    job.count = 2;
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits());
    EXPECT_EQ(answer.silence, "");
    EXPECT_EQ(answer.compared[0].weakness, ComparedOutput::Weakness::none);
    EXPECT_EQ(answer.compared[1].weakness, ComparedOutput::Weakness::still);
    EXPECT_EQ(answer.compared[2].weakness, ComparedOutput::Weakness::notFinite);
    EXPECT_THAT(weaknessText(answer.compared),
                AllOf(HasSubstr("`still` is the same"), HasSubstr("`bad` is never finite")));
    EXPECT_EQ(answerText(*parseAnswer(answerText(answer))), answerText(answer));
}

TEST_F(JobTest, whatNoInputLeadsToIsTheSameByRight) {
    const char* const kFixed = R"(g (float[3] x) => (float[3] c, int64[1] s) {
        a = Constant<value = float[3] {1, 2, 3}>() c = Exp(a) s = Shape(x) })";
    add("a.onnx", kFixed);
    add("b.onnx", kFixed);
    job.count = 2;
    EXPECT_TRUE(compare().isSameBits()) << "all that there is was compared";
    EXPECT_EQ(weaknessText(compare().compared), "");
}

TEST_F(JobTest, aDifferenceIsOneAlsoWhereNothingMoves) {
    add("a.onnx", "g (float[3] x) => (float[3] y) { y = Sub(x, x) }");
    add("b.onnx", "g (float[3] x) => (float[3] y) { z = Sub(x, x) y = Exp(z) }");
    job.count = 2;
    const JobAnswer answer = compare();
    EXPECT_EQ(answer.silence, "");
    EXPECT_FALSE(answer.isWithin());
    ASSERT_TRUE(answer.first);
}

TEST_F(JobTest, aSetWithoutFiniteResultsIsNotCounted) {
    const char* const kLog = "g (float[1] x) => (float[1] y) { y = Log(x) }";
    add("a.onnx", kLog);
    add("b.onnx", kLog);
    job.count = 16; // of either sign
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits());
    EXPECT_THAT(answer.sets, Not(IsEmpty()));
    EXPECT_THAT(answer.skippedSets, Contains(HasSubstr("not counted")));
    EXPECT_EQ(answer.sets.size() + answer.skippedSets.size(), 16U);
    EXPECT_EQ(answer.elementsCompared(), answer.sets.size());
    job.inputs.named = {{"x", "-2:-1"}};
    EXPECT_FALSE(compare().isWithin()) << "nothing is left that proves anything";
    EXPECT_NE(compare().silence, "");
}

TEST_F(JobTest, aFiniteResultBesideNanDiffers) {
    add("a.onnx", "g (float[3] x) => (float[3] y) { z = Sub(x, x) y = Div(z, z) }");
    add("b.onnx", "g (float[3] x) => (float[3] y) { y = Sub(x, x) }");
    EXPECT_FALSE(compare().isWithin());
}

} // namespace
} // namespace secateur
