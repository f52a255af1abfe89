// SPDX-License-Identifier: Apache-2.0
//
// What a check says, and what it is made against.
#include "core/session/verification.h"

#include "core/messages/sentences.h"
#include "core/onnx/save.h"
#include "core/onnx/text.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace secateur {
namespace {

using ::testing::HasSubstr;

JobAnswer answerWith(const char* output, double apart, bool isWithin) {
    JobAnswer answer;
    answer.runs = {{"judge", {0.1}, 1}, {"judge", {0.1}, 1}};
    answer.sets = {"random inputs, seed 0", "zeros"};
    ComparedOutput same, other;
    same.name = "same";
    other.name = output;
    other.worst.maxAbsolute = apart;
    other.worst.maxRelative = apart / 2;
    other.worst.isSameBits = false;
    other.worst.worstAbsolute = apart;
    other.worst.worstRelative = apart / 2;
    other.worst.worstAt = 2;
    other.worst.worstGot = "0.31";
    other.worst.worstExpected = "0.25";
    other.worst.isWithin = isWithin;
    same.worst.elements = other.worst.elements = 4;
    answer.compared = {same, other};
    return answer;
}

TEST(Verification, wordsAreTheAgreedOnes) {
    VerificationPlan plan;
    plan.baseline = "the original";
    JobAnswer answer = answerWith("y", 3e-7, true);
    Verification found = verificationOf(plan, answer);
    EXPECT_EQ(found.text(),
              "Within 1.0e-04 relative plus 1.0e-05 absolute on 2 inputs (largest 3.0e-07 absolute, "
              "1.5e-07 relative, at `y`)");
    EXPECT_EQ(found.brief(), "Within 1.0e-04 on 2 inputs");
    EXPECT_EQ(statusName(found.status), "within");
    found = verificationOf(plan, answerWith("y", 0.12, false));
    EXPECT_EQ(found.text(),
              "Differs at `y`: element 2 is 0.31, expected is 0.25 (0.12 absolute, 0.06 relative)");
    EXPECT_EQ(found.brief(), "Differs at `y`: 0.12 absolute, 0.06 relative");
    EXPECT_EQ(statusName(found.status), "differs");
    answer.compared.pop_back();
    answer.sets.pop_back();
    EXPECT_EQ(verificationOf(plan, answer).text(), "Same bits on 1 input");
}

TEST(Verification, theFirstDifferenceSaysMoreThanTheOutput) {
    JobAnswer answer = answerWith("y", 0.12, false);
    ValueDifference early;
    early.isWithin = early.isSameBits = false;
    early.worstAbsolute = 2;
    early.worstRelative = std::numeric_limits<double>::infinity();
    early.worstGot = "2";
    early.worstExpected = "0";
    answer.first = FirstDifference{"conv3.out", "Conv", early, "zeros"};
    EXPECT_EQ(verificationOf({}, answer).text(),
              "Differs at `conv3.out`: element 0 is 2, expected is 0 (2 absolute where 0 is expected)");
}

TEST(Verification, whatCouldNotRunIsNotChecked) {
    const Verification found = verificationOf({}, missingHere("no kernel for X", "node"));
    EXPECT_EQ(found.text(), "Not checked");
    EXPECT_EQ(found.reason, "node: no kernel for X");
    JobAnswer refused;
    refused.skippedSets = {"zeros: refused"};
    EXPECT_EQ(verificationOf({}, refused).reason, "zeros: refused");
    JobAnswer empty = answerWith("y", 0, true);
    for (ComparedOutput& output : empty.compared)
        output.worst.elements = 0;
    EXPECT_EQ(verificationOf({}, empty).text(), "Not checked") << "nothing was compared";
}

TEST(Verification, filesOfTheCheckItselfAreCalledByWhatTheyAre) {
    VerificationPlan plan;
    plan.names = {{"/tmp/x/result.onnx", "the result"}, {"/tmp/x/result.onnx.data", "its data"}};
    JobAnswer answer = answerWith("y", 0, true);
    answer.skippedSets = {"zeros: only /tmp/x/result.onnx refuses them (/tmp/x/result.onnx.data)"};
    EXPECT_EQ(verificationOf(plan, answer).skipped.front(), "zeros: only the result refuses them (its data)");
    const Verification failed = verificationOf(plan, invalidInput("damaged", "/tmp/x/result.onnx"));
    EXPECT_EQ(failed.reason, "the result: damaged");
}

TEST(Verification, whatProvesNothingIsNotChecked) {
    JobAnswer answer = answerWith("y", 0, true);
    answer.silence = "`y` never moves";
    const Verification found = verificationOf({}, answer);
    EXPECT_EQ(found.text(), "Not checked");
    EXPECT_EQ(found.reason, "`y` never moves");
    EXPECT_TRUE(found.isSilent);
    EXPECT_FALSE(found.isGood());
    VerificationPlan plan;
    plan.steps = {{0, "first", 0, false, {}}};
    SideAnswer side;
    side.sets = {"a", "b"};
    side.compared = answer.compared;
    answer.sides = {side};
    EXPECT_EQ(verificationOf(plan, answer).steps.front().found.text(), "Not checked") << "nor is a step";
}

TEST(Verification, anOutputThatSaysLittleIsNamedInTheVerdict) {
    JobAnswer answer = answerWith("y", 3e-7, true);
    answer.compared.front().weakness = ComparedOutput::Weakness::still;
    const Verification found = verificationOf({}, answer);
    EXPECT_EQ(found.status, Verification::Status::within);
    EXPECT_THAT(found.text(), HasSubstr("but `same` is the same on all of them"));
    EXPECT_TRUE(found.isWeak());
    EXPECT_EQ(found.brief(), "Within 1.0e-04 on 2 inputs, but some outputs never move");
    EXPECT_FALSE(verificationOf({}, answerWith("y", 3e-7, true)).isWeak());
}

TEST(Verification, whatTheOtherModelLacksIsTheReasonAndNotAnyNote) {
    JobAnswer answer = answerWith("y", 0, true);
    answer.notes = {"the original has `q` alone", "the result has `p` alone"};
    answer.unmatched = {"p"};
    answer.mismatch = answer.notes[1];
    EXPECT_EQ(verificationOf({}, answer).reason, "the result has `p` alone");
}

TEST(Verification, aStepIsCountedOnTheSetsThatTheStepBeforeRanOn) {
    VerificationPlan plan;
    plan.steps = {{0, "first", 0, true, {}}, {1, "second", 1, true, {}}, {2, "third", 2, true, {}}};
    JobAnswer answer = answerWith("y", 0, true);
    SideAnswer first;
    first.failure = "no kernel";
    SideAnswer second;
    second.backend = "reference";
    second.sets = {"a", "b", "c"};
    second.compared = answer.compared;
    SideAnswer third = second;
    third.setsSincePrevious = {"a"};
    third.sincePrevious = {answer.compared.back()};
    answer.sides = {first, second, third};
    const Verification found = verificationOf(plan, answer);
    ASSERT_EQ(found.steps.size(), 3U);
    EXPECT_EQ(found.steps[0].found.reason, "no kernel");
    EXPECT_EQ(found.steps[1].found.text(), "Not checked");
    EXPECT_NE(found.steps[1].found.reason.find("before this step"), std::string::npos);
    EXPECT_EQ(found.steps[2].found.inputs.size(), 1U);
}

TEST(Verification, modelsOfStepsThatTakeTooMuchSpaceAreLeftOutAndThatIsSaid) {
    testing::TemporaryFolder folder;
    auto parsed = parseModelText(R"(<ir_version: 8, opset_import: ["": 17]>
        g (float[4] x) => (float[4] y) {
          half = Constant<value = float {0.5}>() on = Constant<value = bool {1}>()
          a = Identity(x) b, m = Dropout(a, half, on) y = Relu(b) })");
    ASSERT_TRUE(parsed.ok()) << parsed.error().toString();
    ASSERT_TRUE(saveModel(parsed->model, folder / "m.onnx").ok());
    const auto original = openOriginal(folder / "m.onnx");
    ASSERT_TRUE(original.ok());
    auto history = History::run(*original, conversionRecipe());
    ASSERT_TRUE(history.ok()) << history.error().toString();
    const auto all = writeStepModels(*history, folder.path());
    ASSERT_TRUE(all.ok());
    ASSERT_FALSE(all->empty());
    EXPECT_TRUE(all->front().file);
    std::size_t left = 0;
    const auto without = writeStepModels(*history, folder.path(), {}, 0);
    ASSERT_TRUE(without.ok());
    for (const StepModel& model : *without)
        left += model.leftOut.empty() ? 0 : 1;
    EXPECT_EQ(left + 1,
              static_cast<std::size_t>(std::count_if(all->begin(), all->end(),
                                                     [](const StepModel& m) { return m.file.has_value(); })));
}

/// Dropout and DropPath: a random mask of one number per example, scaled.
constexpr std::string_view kDropPath = R"(
<ir_version: 8, opset_import: ["": 17]>
g (float[4, 8] x) => (float[4, 8] y)
<float[8, 8] w = {1,0,0,0,0,0,0,0, 0,1,0,0,0,0,0,0, 0,0,1,0,0,0,0,0, 0,0,0,1,0,0,0,0,
                  0,0,0,0,1,0,0,0, 0,0,0,0,0,1,0,0, 0,0,0,0,0,0,1,0, 0,0,0,0,0,0,0,1}>
{
  h = MatMul (x, w)
  half = Constant <value = float {0.5}> ()
  r = RandomUniform <shape = [4, 1], low = 0.0, high = 1.0> ()
  s = Add (r, half)
  mask = Floor (s)
  scaled = Div (h, half)
  dropped = Mul (scaled, mask)
  y = Add (x, dropped)
})";

TEST(Verification, theBaselineOfAModelWithDropPathHasItSwitchedOff) {
    testing::TemporaryFolder folder;
    auto parsed = parseModelText(kDropPath);
    ASSERT_TRUE(parsed.ok()) << parsed.error().toString();
    ASSERT_TRUE(saveModel(parsed->model, folder / "m.onnx").ok());
    const auto original = openOriginal(folder / "m.onnx");
    ASSERT_TRUE(original.ok());
    Recipe recipe = conversionRecipe();
    recipe.targets = {"y"};
    auto history = History::run(*original, recipe);
    ASSERT_TRUE(history.ok()) << history.error().toString();
    const auto plan = planVerification(*history, folder.path());
    ASSERT_TRUE(plan.ok()) << plan.error().toString();
    EXPECT_THAT(plan->baseline, HasSubstr("DropPath switched off"));
    EXPECT_EQ(plan->job.modes[1], RunMode::inference);
    EXPECT_EQ(verificationOf(*plan, runJob(plan->job)).status, Verification::Status::sameBits);
}

} // namespace
} // namespace secateur
