// SPDX-License-Identifier: Apache-2.0
//
// What the agreement of two models is worth: nothing where any model would agree.
#include "core/exec/job_json.h"
#include "core/exec/value_file.h"
#include "core/ir/editor.h"
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
    EXPECT_THAT(answer.silence, AllOf(HasSubstr("on 4 sets"), HasSubstr("`y` is the same"), HasSubstr("`n`"),
                                      HasSubstr("--bind n=N")));
    EXPECT_THAT(answer.sets, SizeIs(4)) << "two more, of larger numbers";
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
    // Zero for all that is below a thousand.
    const auto high = [](const char* after) {
        return std::string(R"(g (float[n] x) => (float y) {
            k = Constant<value = float {1000}>() d = Sub(x, k) r = Relu(d) m = )") +
               after + "(r) y = ReduceMax<keepdims = 0>(m) }";
    };
    add("a.onnx", high("Identity"));
    add("b.onnx", high("Abs"));
    job.count = 2;
    EXPECT_NE(compare().silence, "");
    MemoryPool pool;
    auto tensor = TensorData::make(pool, ElementType::float32, {3});
    ASSERT_TRUE(tensor.ok());
    const float numbers[] = {1, 2, 7000};
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

const char* const kByRate = R"(g (float[1, 8] x, int64 rate) => (float[1, 8] y) {
    k = Constant<value = int64 {16000}>()  same = Equal(rate, k)
    y = If (same) <then_branch = t () => (float[1, 8] a) { a = Relu(x) },
                   else_branch = e () => (float[1, 8] b) { b = Neg(x) }> })";

TEST_F(JobTest, bothWaysOfWhatAnInputIsComparedWithAreTried) {
    add("a.onnx", kByRate);
    job.paths.push_back(job.paths.front());
    job.count = 2;
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits());
    EXPECT_THAT(answer.unentered, IsEmpty());
    EXPECT_THAT(answer.sets, Contains(HasSubstr("`rate` = 16000")));
    for (const char* other : {"Exp", "Abs"}) { // in one branch each
        job.paths.pop_back();
        std::string wrong = kByRate;
        const std::string op = other[0] == 'E' ? "Relu" : "Neg";
        wrong.replace(wrong.find(op), op.size(), other);
        add("b.onnx", wrong);
        EXPECT_FALSE(compare().isWithin()) << op;
    }
}

TEST_F(JobTest, flagsOfBranchesAreTakenBothWaysAndTogether) {
    add("a.onnx", R"(g (float[2] x, bool p, bool q) => (float[2] y) {
        y = If (p) <then_branch = t () => (float[2] a) {
            a = If (q) <then_branch = u () => (float[2] c) { c = Relu(x) },
                        else_branch = v () => (float[2] d) { d = Abs(x) }> },
                    else_branch = e () => (float[2] b) { b = Neg(x) }> })");
    job.paths.push_back(job.paths.front());
    job.count = 2;
    const JobAnswer answer = compare();
    EXPECT_THAT(answer.unentered, IsEmpty());
    EXPECT_THAT(answer.sets, SizeIs(4));
}

TEST_F(JobTest, aBranchThatNoInputEntersIsNamed) {
    const char* const kGuarded = R"(g (float[2] x) => (float[2] y) {
        s = ReduceSum<keepdims = 0>(x)  k = Constant<value = float {1000000000.0}>()  big = Greater(s, k)
        y = If (big) <then_branch = t () => (float[2] a) { a = Relu(x) },
                      else_branch = e () => (float[2] b) { b = Neg(x) }> })";
    add("a.onnx", kGuarded);
    job.paths.push_back(job.paths.front());
    job.count = 2;
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits());
    EXPECT_THAT(answer.unentered, ::testing::ElementsAre("then of If making `y`"));
    EXPECT_THAT(weaknessText(answer), HasSubstr("1 branch was never entered: then of If making `y`"));
    const auto back = parseAnswer(answerText(answer));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back->unentered, answer.unentered);
    // One that constants decide about is no matter of inputs.
    job.paths.clear();
    add("c.onnx", R"(g (float[2] x) => (float[2] y) { big = Constant<value = bool {1}>()
        y = If (big) <then_branch = t () => (float[2] a) { a = Relu(x) },
                      else_branch = e () => (float[2] b) { b = Neg(x) }> })");
    job.paths.push_back(job.paths.front());
    EXPECT_THAT(compare().unentered, IsEmpty());
}

TEST_F(JobTest, aBoundOfWhatIsComputedLetsItThroughOnce) {
    // As a recording's pitch, which is NaN outside of two bounds.
    add("a.onnx", R"(g (float[4] x, float low, float high) => (float[4] y) {
        k = Constant<value = float {440.0}>()  f = Mul(x, k)  a = GreaterOrEqual(f, low)
        b = LessOrEqual(f, high)  in = And(a, b)  z = Constant<value = float {0}>()  y = Where(in, f, z) })");
    job.paths.push_back(job.paths.front());
    job.count = 2;
    EXPECT_TRUE(compare().isSameBits());
}

TEST_F(JobTest, picturesMoveWhatSmallNumbersDoNot) {
    const char* const kDim = R"(g (float[1, 8] x) => (float[1, 8] y) {
        k = Constant<value = float {10}>()  d = Sub(x, k)  y = Relu(d) })";
    add("a.onnx", kDim);
    job.paths.push_back(job.paths.front());
    job.count = 2;
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits()) << answer.silence;
    EXPECT_THAT(answer.sets, Contains(HasSubstr("floats from 0 to 255")));
    EXPECT_EQ(weaknessText(answer), "");
}

TEST_F(JobTest, innerValuesBearWitnessWhereOutputsNeverMove) {
    // All logits alike: the same shares whatever comes in.
    const auto alike = [](const char* first) {
        return std::string("g (float[1, 3] x) => (float[1, 4] y) { r = ") + first +
               R"((x)  w = Constant<value = float[3, 4] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}>()
                   l = MatMul(r, w)  y = Softmax<axis = 1>(l) })";
    };
    add("a.onnx", alike("Relu"));
    job.paths.push_back(job.paths.front());
    job.count = 2;
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isSameBits()) << answer.silence;
    EXPECT_GE(answer.witnesses.moved, 2U);
    EXPECT_THAT(weaknessText(answer), AllOf(HasSubstr("`y` is the same"), HasSubstr("inner values")));
    const auto isWithin = [&](const std::string& graph) {
        job.paths.pop_back();
        add("b.onnx", graph);
        return compare().isWithin();
    };
    EXPECT_FALSE(isWithin(alike("Exp"))) << "inside they part, and the outputs tell nothing";
    std::string turned = alike("Relu");
    turned.replace(turned.find("Softmax<axis = 1>(l)"), 20, "Softmax<axis = 1>(n)  n = Neg(l)");
    EXPECT_FALSE(isWithin(turned)) << "they come from there to the outputs another way";
}

TEST_F(JobTest, elementsThatAreNeverFiniteAreCounted) {
    add("a.onnx", R"(g (float[2, 2] x) => (float[2, 2] y) {
        w = Constant<value = float[2, 2] {1, nan, 2, 1}>()  y = MatMul(x, w) })");
    add("b.onnx", R"(g (float[2, 2] x) => (float[2, 2] y) {
        w = Constant<value = float[2, 2] {1, nan, 2, 7}>()  y = MatMul(x, w) })");
    job.count = 2;
    const JobAnswer answer = compare();
    EXPECT_TRUE(answer.isWithin());
    EXPECT_EQ(answer.compared.front().weakness, ComparedOutput::Weakness::partly);
    EXPECT_THAT(weaknessText(answer), HasSubstr("2 of 4 elements of `y` are never finite"));
}

TEST_F(JobTest, sizesAreNamedOnlyWhereOthersMakeADifference) {
    add("a.onnx", "g (int64[n] x, int64[n] z) => (int64[n] y) { k = Sub(z, z) y = Div(x, k) }");
    const auto divided = runJob(job);
    ASSERT_FALSE(divided.ok());
    EXPECT_THAT(divided.error().message, Not(HasSubstr("--bind")));
    job.paths.clear();
    add("b.onnx", R"(g (float[n, 2] x) => (float[a, b] y) {
        s = Constant<value = int64[2] {4, -1}>()  y = Reshape(x, s) })");
    const auto shaped = runJob(job);
    ASSERT_FALSE(shaped.ok());
    EXPECT_THAT(shaped.error().message, HasSubstr("--bind n=N"));
}

TEST_F(JobTest, aNegativeSizeIsNoOpenOne) {
    auto parsed = parseModelText(modelText("g (float[3] x) => (float[3] y) { y = Relu(x) }"));
    ASSERT_TRUE(parsed.ok());
    Model& model = parsed->model;
    const ValueId input = model.graphInputs(model.mainGraph())[0];
    for (const std::int64_t size : {-5, -1}) {
        auto info = std::make_shared<ValueInfo>(*model.value(input).info);
        info->type.dims[0].value = size;
        Editor(model).setInfo(input, info);
        ASSERT_TRUE(saveModel(model, folder / "a.onnx").ok());
        job.paths = {folder / "a.onnx"};
        const auto ran = runJob(job);
        EXPECT_EQ(ran.ok(), size == -1);
        if (!ran) {
            EXPECT_THAT(ran.error().message, HasSubstr("-5, which is no size"));
        }
    }
}

TEST_F(JobTest, textIsGivenAsItStands) {
    add("a.onnx",
        "g (string[2] x) => (string[2] y) { y = StringNormalizer<case_change_action = \"UPPER\">(x) }");
    job.inputs.named = {{"x", "hello"}};
    job.outputs = folder / "out";
    ASSERT_TRUE(runJob(job).ok());
    MemoryPool pool;
    const auto written = readValueFile(folder / "out" / "output_0.pb", {}, pool);
    ASSERT_TRUE(written.ok());
    EXPECT_THAT(written->tensor()->strings(), ::testing::ElementsAre("HELLO", "HELLO"));
}

} // namespace
} // namespace secateur
