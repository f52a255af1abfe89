// SPDX-License-Identifier: Apache-2.0
//
// Each step that changed something has a verdict of its own, and the original runs once for all of them.
#include "core/onnx/save.h"
#include "core/onnx/text.h"
#include "core/passes/registry.h"
#include "core/session/verification.h"
#include "tests/support/swap_operands_pass.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace secateur {
namespace {

using ::testing::HasSubstr;
using Status = Verification::Status;

/// A Dropout that draws masks, and a loss.
constexpr std::string_view kTraining = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[4, 8] x, int64[4] labels) => (float[4, 8] logits, float loss)
<float[8, 8] w = {1,0,0,0,0,0,0,2, 0,1,0,0,0,0,2,0, 0,0,1,0,0,2,0,0, 0,0,0,1,2,0,0,0,
                  0,0,0,2,1,0,0,0, 0,0,2,0,0,1,0,0, 0,2,0,0,0,0,1,0, 2,0,0,0,0,0,0,1}>
{
    half = Constant<value = float {0.5}>() on = Constant<value = bool {1}>()
    h = MatMul(x, w)
    s = Sub(h, x)
    dropped, mask = Dropout<seed = 1>(s, half, on)
    logits = Relu(dropped)
    loss = SoftmaxCrossEntropyLoss(logits, labels)
})";

struct StepVerdicts : ::testing::Test {
    testing::TemporaryFolder folder;
    std::size_t cursorAfter = 0;

    static void SetUpTestSuite() {
        static const testing::SwapOperandsPass kWrong(false);
        registerPass(kWrong);
    }
    Verification verify(std::string_view text, const Recipe& recipe) {
        auto parsed = parseModelText(text);
        if (!parsed) throw std::runtime_error(parsed.error().toString());
        EXPECT_TRUE(saveModel(parsed->model, folder / "m.onnx").ok());
        const auto original = openOriginal(folder / "m.onnx");
        auto history = History::run(*original, recipe);
        if (!history) throw std::runtime_error(history.error().toString());
        history->moveCursor(history->steps().size());
        auto plan = planVerification(*history, folder.path());
        EXPECT_TRUE(plan.ok());
        const auto detailed = planDetails(*plan, *history, folder.path());
        EXPECT_TRUE(detailed.ok());
        cursorAfter = history->cursor();
        std::erase_if(plan->job.sides, [](const SideModel& side) { return side.device == Device::ort; });
        plan->secondSide.reset();
        return verificationOf(*plan, runJob(plan->job));
    }
    static const Verification* of(const Verification& all, std::string_view pass) {
        for (const StepVerdict& step : all.steps)
            if (step.pass == pass) return &step.found;
        return nullptr;
    }
};

TEST_F(StepVerdicts, whatIsOnTheWayToAnOutputIsRunAndTheRestIsExactByRule) {
    const Verification all = verify(kTraining, conversionRecipe());
    EXPECT_EQ(all.text(), "Same bits on 9 inputs");
    EXPECT_EQ(cursorAfter, conversionRecipe().steps.size());
    const Verification* dropout = of(all, "bypass-dropout");
    ASSERT_NE(dropout, nullptr);
    EXPECT_EQ(dropout->text(), "Same bits on 9 inputs");
    EXPECT_THAT(dropout->baseline, HasSubstr("the original in evaluation mode"));
    const Verification* loss = of(all, "drop-loss");
    ASSERT_NE(loss, nullptr);
    EXPECT_EQ(loss->text(), "Exact by rule");
    EXPECT_EQ(of(all, "drop-optimizer"), nullptr) << "it changed nothing";
}

TEST_F(StepVerdicts, theChangeOfModeIsReportedApart) {
    const Verification all = verify(kTraining, conversionRecipe());
    ASSERT_TRUE(all.modeChange);
    EXPECT_GT(all.modeChange->maxAbsolute, 0.01);
    EXPECT_EQ(all.modeChange->where, "logits");
    EXPECT_THAT(all.modeChangeText(), HasSubstr("moves outputs by up to"));
    const Verification still = verify(R"(<ir_version: 8, opset_import: ["" : 17]>
        g (float[4] x) => (float[4] y) { y = Exp(x) })",
                                      conversionRecipe());
    EXPECT_FALSE(still.modeChange) << "nothing in it has a training mode";
}

TEST_F(StepVerdicts, aWrongStepIsTheOneThatDiffers) {
    Recipe recipe = conversionRecipe();
    // The wrong one in the middle: what comes after it is judged by itself.
    RecipeStep wrong;
    wrong.pass = "swap-operands";
    wrong.isOn = true;
    std::erase_if(recipe.steps, [](const RecipeStep& step) { return step.pass == "swap-operands"; });
    recipe.steps.insert(recipe.steps.begin() + 1, wrong);
    const Verification all = verify(kTraining, recipe);
    EXPECT_EQ(all.status, Status::differs);
    const Verification* swapped = of(all, "swap-operands");
    ASSERT_NE(swapped, nullptr);
    EXPECT_EQ(swapped->status, Status::differs);
    EXPECT_EQ(swapped->where, "s") << "the first value that differs";
    const Verification* dropout = of(all, "bypass-dropout");
    ASSERT_NE(dropout, nullptr);
    EXPECT_EQ(dropout->status, Status::sameBits) << dropout->text();
    EXPECT_THAT(dropout->baseline, HasSubstr("before this step"));
}

/// Dropout and DropPath: a random mask of one number per example, scaled.
TEST_F(StepVerdicts, stepsBeforeDropPathGoesAreJudgedWithItsMasks) {
    Recipe recipe = conversionRecipe();
    recipe.targets = {"y"};
    const Verification all = verify(R"(<ir_version: 8, opset_import: ["" : 17]>
        g (float[4, 8] x) => (float[4, 8] y)
        {
          half = Constant <value = float {0.5}> () on = Constant<value = bool {1}>()
          h, m = Dropout<seed = 1>(x, half, on)
          r = RandomUniform <shape = [4, 1], low = 0.0, high = 1.0> ()
          s = Add (r, half)
          mask = Floor (s)
          scaled = Div (h, half)
          dropped = Mul (scaled, mask)
          y = Add (x, dropped)
        })",
                                    recipe);
    EXPECT_EQ(all.text(), "Same bits on 9 inputs");
    ASSERT_NE(of(all, "bypass-dropout"), nullptr);
    EXPECT_EQ(of(all, "bypass-dropout")->text(), "Same bits on 9 inputs");
    ASSERT_NE(of(all, "bypass-drop-path"), nullptr);
    EXPECT_EQ(of(all, "bypass-drop-path")->text(), "Same bits on 9 inputs");
    EXPECT_THAT(of(all, "bypass-drop-path")->baseline, HasSubstr("DropPath switched off"));
}

TEST(SecondJudge, isNamedWhereItAgreesAndToldWhereItDoesNot) {
    Verification found;
    found.status = Status::sameBits;
    found.judge = "Secateur reference kernels";
    found.inputs = {"a", "b"};
    found.second = Verification::SecondJudge{
        "ONNX Runtime 1.0", Status::within, 2, 3e-7, "y", "", "3.0e-07 absolute, 1.0e-06 relative"};
    EXPECT_EQ(found.second->text({}),
              "ONNX Runtime 1.0, the result beside what Secateur makes of the original: Within 1.0e-04 "
              "relative plus 1.0e-05 absolute on 2 inputs (largest 3.0e-07 absolute, 1.0e-06 relative, at "
              "`y`)");
    EXPECT_TRUE(found.isGood());
    found.second = Verification::SecondJudge{"ONNX Runtime 1.0", Status::differs, 2, 3, "y", "3", ""};
    EXPECT_FALSE(found.isGood());
    found.second = Verification::SecondJudge{"", Status::notChecked, 0, 0, "", "no Python", ""};
    EXPECT_EQ(found.second->text({}), "no second judge: no Python");
    EXPECT_TRUE(found.isGood()) << "its absence is no doubt";
    found.second = Verification::SecondJudge{"ONNX Runtime 1.0", Status::notChecked, 0, 0, "", "", ""};
    EXPECT_EQ(found.second->text({}), "ONNX Runtime 1.0 said nothing of these models");
}

/// The side of a check that ran on ONNX Runtime: what it gave, held against the original run by Secateur, and
/// against the original run by itself.
Verification judgedTwice(bool isLikeOurs, bool isLikeItself) {
    VerificationPlan plan;
    plan.isSecondOfBoth = true;
    plan.secondSide = 1;
    JobAnswer answer;
    answer.runs.resize(2);
    answer.runs[0].backend = "reference";
    answer.sets = {"random inputs, seed 0"};
    const auto output = [](bool isSame) {
        ComparedOutput compared;
        compared.name = "y";
        compared.worst.elements = 4;
        compared.worst.isSameBits = compared.worst.isWithin = isSame;
        if (!isSame) compared.worst.worstGot = "5", compared.worst.worstExpected = "0";
        return compared;
    };
    answer.compared = {output(true)};
    answer.sides.resize(2);
    SideAnswer& side = answer.sides[1];
    side.backend = "ONNX Runtime 1.0";
    side.sets = side.setsSincePrevious = answer.sets;
    side.compared = {output(isLikeOurs)};
    side.sincePrevious = {output(isLikeItself)};
    return verificationOf(plan, answer);
}

TEST(SecondJudge, aGapBetweenTheJudgesIsNoFaultOfAStep) {
    const Verification found = judgedTwice(false, true);
    EXPECT_EQ(found.second->status, Status::sameBits);
    EXPECT_THAT(found.second->text({}), HasSubstr("the result beside the original: Same bits on 1 input"));
    EXPECT_THAT(found.second->text({}), HasSubstr("no step is to blame for"));
    EXPECT_TRUE(found.isGood());
}

TEST(SecondJudge, aFaultThatItAloneSeesIsFound) {
    const Verification found = judgedTwice(true, false);
    EXPECT_EQ(found.second->status, Status::differs);
    EXPECT_FALSE(found.isGood());
    EXPECT_TRUE(judgedTwice(true, true).isGood());
    EXPECT_EQ(judgedTwice(true, true).second->gap, "");
}

TEST(ModeChange, aChangeOfModeThatMovesNoNumberIsNotCalledZero) {
    Verification found;
    found.modeChange.emplace();
    found.modeChange->where = "y";
    EXPECT_THAT(found.modeChangeText(), HasSubstr("in NaN, infinities or signs of zero only (`y`)"));
}

} // namespace
} // namespace secateur
