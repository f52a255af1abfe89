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
    EXPECT_EQ(found.text(), "Within 1.0e-04 on 2 inputs (largest 3.0e-07 at `y`)");
    EXPECT_EQ(statusName(found.status), "within");
    found = verificationOf(plan, answerWith("y", 0.12, false));
    EXPECT_EQ(found.text(), "Differs at `y`: 0.12");
    EXPECT_EQ(statusName(found.status), "differs");
    answer.compared.pop_back();
    answer.sets.pop_back();
    EXPECT_EQ(verificationOf(plan, answer).text(), "Same bits on 1 input");
}

TEST(Verification, theFirstDifferenceSaysMoreThanTheOutput) {
    JobAnswer answer = answerWith("y", 0.12, false);
    ValueDifference early;
    early.maxAbsolute = 2;
    answer.first = FirstDifference{"conv3.out", "Conv", early, "zeros"};
    EXPECT_EQ(verificationOf({}, answer).text(), "Differs at `conv3.out`: 2");
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
    const auto history = History::run(*original, recipe);
    ASSERT_TRUE(history.ok()) << history.error().toString();
    const auto plan = planVerification(*history, folder.path());
    ASSERT_TRUE(plan.ok()) << plan.error().toString();
    EXPECT_THAT(plan->baseline, HasSubstr("DropPath switched off"));
    EXPECT_EQ(plan->job.modes[1], RunMode::inference);
    EXPECT_EQ(verificationOf(*plan, runJob(plan->job)).status, Verification::Status::sameBits);
}

} // namespace
} // namespace secateur
