// SPDX-License-Identifier: Apache-2.0
//
// A rewrite that is wrong is found by bisection, named, and left out.
#include "core/session/culprit.h"

#include "core/ir/editor.h"
#include "core/ir/tensor.h"
#include "core/onnx/save.h"
#include "core/onnx/text.h"
#include "core/passes/registry.h"
#include "core/support/scratch_folder.h"
#include "tests/core/session/session_fixture.h"
#include "tests/support/swap_operands_pass.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>

namespace secateur {
namespace {

using Status = Verification::Status;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Five places where the pass has something to swap; at `s` and `t` it matters. Dropout as in training.
constexpr std::string_view kModel = R"(
<ir_version: 8, opset_import: ["": 17]>
g (float[4, 8] x) => (float[4, 8] y)
<bool training = {1}, float ratio = {0.5}, float[8] w = {1, 2, 3, 4, 5, 6, 7, 8}>
{
  a = Add (x, w)
  b = Add (a, x)
  d = Dropout (b, ratio, training)
  s = Sub (d, w)
  c = Add (s, x)
  t = Sub (w, c)
  y = Add (t, x)
})";

class CulpritTest : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        static const testing::SwapOperandsPass kPass(false);
        if (findPass("swap-operands") == nullptr) registerPass(kPass);
    }
    void SetUp() override {
        auto parsed = parseModelText(kModel);
        ASSERT_TRUE(parsed.ok()) << parsed.error().toString();
        ASSERT_TRUE(saveModel(parsed->model, m_folder / "m.onnx").ok());
        m_original = testing::openModel(m_folder / "m.onnx");
        m_recipe = conversionRecipe();
        m_recipe.targets = {"y"};
        testing::stepOf(m_recipe, "swap-operands").isOn = true;
    }
    /// Compares in this process, and counts.
    Result<Verification> check(const Recipe& recipe, VerificationScope scope) {
        ++m_checks;
        const ScratchFolder scratch = TRY(ScratchFolder::create());
        History history = TRY(History::run(m_original, recipe));
        const VerificationPlan plan = TRY(planVerification(history, scratch.path(), {}, scope));
        return verificationOf(plan, runJob(plan.job));
    }
    Result<Blame> blame() {
        return findCulprits(m_original, m_recipe, [this](const Recipe& recipe, VerificationScope scope) {
            return check(recipe, scope);
        });
    }

    testing::TemporaryFolder m_folder;
    std::shared_ptr<const Original> m_original;
    Recipe m_recipe;
    std::size_t m_checks = 0;
};

TEST_F(CulpritTest, eachWrongRewriteIsFoundNamedAndLeftOut) {
    ASSERT_EQ(check(m_recipe, {})->status, Status::differs);
    m_checks = 0;
    const auto found = blame();
    ASSERT_TRUE(found.ok()) << found.error().toString();
    ASSERT_EQ(found->culprits.size(), 2u);
    EXPECT_EQ(found->culprits[0].pass, "swap-operands");
    EXPECT_THAT(found->culprits[0].key, HasSubstr("s"));
    EXPECT_THAT(found->culprits[0].place, HasSubstr("Sub"));
    EXPECT_EQ(found->culprits[0].difference.where, "s");
    EXPECT_EQ(found->culprits[1].difference.where, "t");
    EXPECT_TRUE(found->isResolved());
    EXPECT_EQ(found->verdict.status, Status::sameBits);
    EXPECT_EQ(testing::stepOf(const_cast<Recipe&>(found->without), "swap-operands").skippedRewrites.size(),
              2u);
    EXPECT_EQ(found->checks, m_checks);
    EXPECT_LE(m_checks, 24u) << "bisection, not a walk";
    EXPECT_THAT(found->words(), ElementsAre(HasSubstr("Differs at `s`"), HasSubstr("Differs at `t`")));
}

/// `b` and `c` get the same numbers, and are one weight then: of the two, the original must know both.
TEST_F(CulpritTest, weightsThatAreOneInTheResultAreTheSameInTheOriginal) {
    std::string numbers = "3";
    for (std::size_t i = 1; i < 256; ++i)
        numbers += ", 3";
    const std::string head = "<ir_version: 8, opset_import: [\"\": 17]>\n";
    auto model =
        parseModelText(head + R"(g (float[4, 256] x, float[256] b, float[256] c) => (float[4, 256] y) {
        s = Add (x, b) d = Dropout (s) y = Mul (d, c) })");
    auto weights = parseModelText(head + "g () => (float[256] b) <float[256] b = {" + numbers +
                                  "}, float[256] c = {" + numbers + "}> { }");
    ASSERT_TRUE(model.ok() && weights.ok());
    const std::vector<ValueId> both = weights->model.graph(weights->model.mainGraph()).initializers;
    for (const ValueId value : both) // as bytes, which are what is compared
        Editor(weights->model).setTensor(value, makeFloatTensor({256}, std::vector<float>(256, 3)));
    ASSERT_TRUE(saveModel(model->model, m_folder / "two.onnx").ok());
    ASSERT_TRUE(saveModel(weights->model, m_folder / "weights.onnx").ok());
    m_original = testing::openModel(m_folder / "two.onnx");
    testing::stepOf(m_recipe, "swap-operands").isOn = false;
    m_recipe.weightsPath = (m_folder / "weights.onnx").string();
    auto history = History::run(m_original, m_recipe);
    ASSERT_TRUE(history.ok()) << history.error().toString();
    const Model& result = history->model();
    std::size_t weightsLeft = 0;
    for (const ValueId value : result.graph(result.mainGraph()).initializers)
        weightsLeft += result.isAlive(value) && result.hasUses(value) ? 1U : 0U;
    ASSERT_EQ(weightsLeft, 1U);
    const auto found = check(m_recipe, {});
    ASSERT_TRUE(found.ok()) << found.error().toString();
    EXPECT_EQ(found->text(), "Same bits on " + std::to_string(found->inputs.size()) + " inputs");
    ASSERT_EQ(history->cursor(), history->steps().size());
    const ScratchFolder scratch = *ScratchFolder::create();
    auto plan = planVerification(*history, scratch.path());
    ASSERT_TRUE(plan.ok() && planDetails(*plan, *history, scratch.path()).ok());
    for (const StepVerdict& step : verificationOf(*plan, runJob(plan->job)).steps)
        EXPECT_NE(step.found.status, Status::differs) << step.pass;
}

TEST_F(CulpritTest, whatIsRightAlreadyHasNoCulprit) {
    testing::stepOf(m_recipe, "swap-operands").isOn = false;
    const auto found = blame();
    ASSERT_TRUE(found.ok());
    EXPECT_TRUE(found->culprits.empty());
    EXPECT_FALSE(found->isResolved());
    EXPECT_FALSE(found->doubt.empty());
}

TEST_F(CulpritTest, aRewriteThatIsMissingIsNoWrongOne) {
    testing::stepOf(m_recipe, "swap-operands").isOn = false;
    testing::stepOf(m_recipe, "bypass-dropout").isOn = false;
    ASSERT_EQ(check(m_recipe, {})->status, Status::differs) << "Dropout still drops";
    const auto found = blame();
    ASSERT_TRUE(found.ok());
    EXPECT_TRUE(found->culprits.empty());
    EXPECT_THAT(found->doubt, HasSubstr("one is missing"));
}

TEST_F(CulpritTest, aModelThatCannotRunIsADoubt) {
    const auto found = findCulprits(m_original, m_recipe, [](const Recipe&, VerificationScope) {
        Verification unchecked;
        unchecked.reason = "no kernel for X";
        return Result<Verification>(unchecked);
    });
    ASSERT_TRUE(found.ok());
    EXPECT_TRUE(found->culprits.empty());
    EXPECT_THAT(found->doubt, HasSubstr("no kernel for X"));
}

TEST_F(CulpritTest, cancellingEndsTheSearch) {
    WorkContext work;
    const auto found = findCulprits(
        m_original, m_recipe,
        [&](const Recipe& recipe, VerificationScope scope) {
            work.cancel.cancel();
            return check(recipe, scope);
        },
        work);
    ASSERT_FALSE(found.ok());
    EXPECT_EQ(found.error().code, ErrorCode::cancelled);
    EXPECT_LE(m_checks, 1u);
}

} // namespace
} // namespace secateur
