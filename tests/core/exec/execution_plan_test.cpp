// SPDX-License-Identifier: Apache-2.0
#include "core/exec/execution_plan.h"
#include "core/exec/plan_check.h"
#include "core/onnx/text.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace secateur {
namespace {

/// Everything plain; what may be written over, and who wants another layout, is what a test says.
class TestAdvisor : public PlanAdvisor {
  public:
    static constexpr LayoutCode kBlocked = 8;

    explicit TestAdvisor(const SpecializedModel& model) : m_source(model) {}

    std::map<std::string, std::vector<std::size_t>, std::less<>> overwrites; ///< by operator
    std::map<std::string, std::uint64_t, std::less<>> workspaces;            ///< by operator
    std::string blockedOperator; ///< its first operand and its results lie in blocks

    Result<StepRequest> request(NodeId node, std::span<const LayoutCode> layouts) override {
        const Model& model = m_source.model;
        const std::string op(model.op(node));
        StepRequest request;
        request.inputs.assign(layouts.size(), kPlainLayout);
        const LayoutCode layout = op == blockedOperator ? kBlocked : kPlainLayout;
        if (!request.inputs.empty()) request.inputs.front() = layout;
        for (const ValueId output : model.outputs(node)) {
            StepRequest::Slot slot;
            slot.layout = layout;
            slot.bytes = output.isNone() ? 0 : bytesOf(output, layout);
            if (const auto at = overwrites.find(op); at != overwrites.end()) slot.overwrites = at->second;
            request.outputs.push_back(slot);
        }
        if (const auto at = workspaces.find(op); at != workspaces.end()) request.workspaceBytes = at->second;
        return request;
    }
    [[nodiscard]] std::uint64_t bytesOf(ValueId value, LayoutCode layout) const override {
        const std::uint64_t plain = elementCountOf(*plannedShape(m_source, value)).value() *
                                    cellBytes(m_source.types.type(value).element);
        return layout == kPlainLayout ? plain : plain + 1024;
    }

  private:
    const SpecializedModel& m_source;
};

struct Planned {
    SpecializedModel source;
    ExecutionPlan plan;

    [[nodiscard]] ValueId value(std::string_view name) const {
        return source.model.findValue(name, source.model.mainGraph());
    }
    [[nodiscard]] std::size_t formIndex(std::string_view name, LayoutCode layout = kPlainLayout) const {
        for (std::size_t i = 0; i < plan.forms.size(); ++i)
            if (plan.forms[i].value == value(name) && plan.forms[i].layout == layout) return i;
        ADD_FAILURE() << "no form of " << name;
        return 0;
    }
    [[nodiscard]] std::uint32_t storageIndex(std::string_view name, LayoutCode layout = kPlainLayout) const {
        return plan.forms[formIndex(name, layout)].storage;
    }
    [[nodiscard]] const PlanStorage& storage(std::string_view name, LayoutCode layout = kPlainLayout) const {
        return plan.storages[storageIndex(name, layout)];
    }
};

using Setting = std::function<void(TestAdvisor&)>;

Planned planText(std::string_view body, const Setting& set = {}) {
    const std::string text = "<ir_version: 8, opset_import: [\"\" : 17]> " + std::string(body);
    auto model = parseModelText(text);
    EXPECT_TRUE(model.ok()) << (model.ok() ? "" : model.error().toString());
    auto source = specializeModel(model->model, {}, MemoryPool());
    EXPECT_TRUE(source.ok()) << (source.ok() ? "" : source.error().toString());
    Planned planned{std::move(*source), {}};
    TestAdvisor advisor(planned.source);
    if (set) set(advisor);
    auto plan = planExecution(planned.source, RunMode::asWritten, advisor);
    EXPECT_TRUE(plan.ok()) << (plan.ok() ? "" : plan.error().toString());
    if (plan) planned.plan = std::move(*plan);
    return planned;
}

constexpr std::string_view kChain =
    "g (float[100] x) => (float[100] y) { a = Relu(x) b = Abs(a) c = Neg(b) y = Exp(c) }";

TEST(ExecutionPlan, aChainNeedsTwoBuffersWhereNothingIsWrittenOver) {
    const Planned planned = planText(kChain);
    EXPECT_EQ(planned.plan.arenaBytes, 2 * 448); // 400 bytes, aligned
    EXPECT_EQ(planned.plan.lowerBound, 2 * 448);
    EXPECT_EQ(planned.storage("x").kind, PlanStorage::Kind::external);
    EXPECT_EQ(planned.storage("y").kind, PlanStorage::Kind::output);
}

TEST(ExecutionPlan, resultsTakeThePlaceOfOperandsReadForTheLastTime) {
    const Planned planned = planText(kChain, [](TestAdvisor& a) {
        for (const char* op : {"Relu", "Abs", "Neg"})
            a.overwrites[op] = {0};
    });
    EXPECT_EQ(planned.plan.inPlaceResults, 2U); // never over the caller's input
    EXPECT_EQ(planned.plan.arenaBytes, 448);
    EXPECT_EQ(planned.storageIndex("a"), planned.storageIndex("c"));
}

TEST(ExecutionPlan, nothingIsWrittenOverThatIsReadLaterTwiceOrBroadcast) {
    const auto allowAdd = [](TestAdvisor& a) { a.overwrites["Add"] = {0, 1}; };
    EXPECT_EQ(planText("g (float[8] x) => (float[8] y) { a = Abs(x) b = Add(a, x) y = Mul(a, b) }", allowAdd)
                  .plan.inPlaceResults,
              0U);
    EXPECT_EQ(planText("g (float[8] x) => (float[8] y) { a = Abs(x) b = Add(a, a) y = Neg(b) }", allowAdd)
                  .plan.inPlaceResults,
              0U);
    EXPECT_EQ(
        planText("g (float[8] x, float[4,8] z) => (float[4,8] y) { a = Abs(x) b = Add(a, z) y = Neg(b) }",
                 allowAdd)
            .plan.inPlaceResults,
        0U);
    EXPECT_EQ(planText("g (float[8] x, float[8] z) => (float[8] y) { a = Abs(x) b = Add(z, a) y = Neg(b) }",
                       allowAdd)
                  .plan.inPlaceResults,
              1U);
    // Nor what lies under another name that is read later.
    EXPECT_EQ(
        planText("g (float[8] x) => (float[8] y) { a = Abs(x) r = Identity(a) b = Add(a, x) y = Mul(r, b) }",
                 allowAdd)
            .plan.inPlaceResults,
        0U);
}

TEST(ExecutionPlan, viewsShareTheStorageAndLengthenItsLife) {
    const Planned planned = planText("g (float[4,8] x) => (float y) { a = Abs(x) r = Flatten <axis = 0> (a) "
                                     "b = Relu(x) c = Neg(b) s = ReduceSum <keepdims = 0> (r) "
                                     "t = ReduceSum <keepdims = 0> (c) y = Add(s, t) }");
    EXPECT_EQ(planned.storageIndex("a"), planned.storageIndex("r"));
    EXPECT_EQ(planned.plan.steps[1].kind, PlanStep::Kind::alias);
    EXPECT_EQ(planned.storage("a").first, 0);
    EXPECT_EQ(planned.storage("a").last, 4); // the sum over r
}

TEST(ExecutionPlan, anUnreadResultLivesOneStepInBytesOfItsOwn) {
    const Planned planned =
        planText("g (float[8,64] x) => (float[4,64] y) { a, dead = Split <axis = 0> (x) y = Relu(a) }");
    const PlanStorage& dead = planned.storage("dead");
    EXPECT_EQ(dead.kind, PlanStorage::Kind::arena);
    EXPECT_EQ(dead.first, 0);
    EXPECT_EQ(dead.last, 0);
    EXPECT_EQ(dead.bytes, 4 * 64 * 4U);
    EXPECT_NE(dead.offset, planned.storage("a").offset);
    EXPECT_EQ(planned.plan.arenaBytes, 2 * 4 * 64 * 4);
}

TEST(ExecutionPlan, workspaceLivesExactlyItsStep) {
    const Planned planned = planText(kChain, [](TestAdvisor& a) { a.workspaces["Neg"] = 4096; });
    EXPECT_EQ(planned.plan.arenaBytes, 2 * 448 + 4096);
    const PlanStep& step = planned.plan.steps[2];
    ASSERT_NE(step.workspace, PlanStep::kNone);
    EXPECT_EQ(planned.plan.storages[step.workspace].first, 2);
    EXPECT_EQ(planned.plan.storages[step.workspace].last, 2);
}

TEST(ExecutionPlan, outputsNeverShareBytesWithInputsOrEachOther) {
    const Planned input = planText(
        "g (float[8] x) => (float[2,4] y) { s = Constant <value_ints = [2,4]> () y = Reshape(x, s) }");
    EXPECT_EQ(input.plan.steps.back().kind, PlanStep::Kind::copy);
    EXPECT_EQ(input.storage("y").kind, PlanStorage::Kind::output);
    const Planned two = planText("g (float[8] x) => (float[8] y, float[8] z) { y = Abs(x) z = Identity(y) }");
    EXPECT_NE(two.storageIndex("y"), two.storageIndex("z"));
    EXPECT_EQ(two.plan.steps.back().kind, PlanStep::Kind::copy);
    // An inner value may share with an output: nobody writes it.
    const Planned inner =
        planText("g (float[8] x) => (float[8] y, float[8] z) { y = Abs(x) i = Identity(y) z = Neg(i) }");
    EXPECT_EQ(inner.storageIndex("y"), inner.storageIndex("i"));
}

TEST(ExecutionPlan, whatDependsOnDataLiesOutsideTheArena) {
    const Planned planned = planText("g (float[8] x) => (int64[r,n] y) { a = Abs(x) y = NonZero(a) }");
    EXPECT_EQ(planned.storage("y").kind, PlanStorage::Kind::dynamic);
    EXPECT_EQ(planned.storage("a").kind, PlanStorage::Kind::arena);
    EXPECT_EQ(planned.plan.dynamicSteps, 1U);
    EXPECT_EQ(planned.plan.steps.back().kind, PlanStep::Kind::dynamic);
}

TEST(ExecutionPlan, aLayoutHasBytesOfItsOwnAndIsConvertedOnceForAllReaders) {
    const Planned planned = planText("g (float[8] x) => (float[8] y) { a = Softplus(x) b = Abs(a) c = Neg(a) "
                                     "d = Add(b, c) y = Softplus(d) }",
                                     [](TestAdvisor& a) { a.blockedOperator = "Softplus"; });
    const LayoutCode blocked = TestAdvisor::kBlocked;
    EXPECT_EQ(planned.storage("a", blocked).bytes, 32U + 1024U);
    EXPECT_EQ(planned.storage("a").bytes, 32U);
    EXPECT_EQ(planned.storage("y").kind, PlanStorage::Kind::output);
    // x and d into blocks, a and y out of them.
    EXPECT_EQ(planned.plan.conversions, 4U);
}

TEST(ExecutionPlan, theCheckSeesWhatIsWrong) {
    const Planned good = planText(kChain);
    const auto errorOf = [&](const std::function<void(ExecutionPlan&)>& spoil) {
        ExecutionPlan bad = good.plan;
        spoil(bad);
        const auto checked = checkPlan(good.source, bad);
        return checked.ok() ? std::string() : checked.error().toString();
    };
    EXPECT_EQ(errorOf([](ExecutionPlan&) {}), "");
    const std::uint32_t a = good.storageIndex("a"), b = good.storageIndex("b");
    EXPECT_NE(
        errorOf([&](ExecutionPlan& p) { p.storages[b].offset = p.storages[a].offset; }).find("share bytes"),
        std::string::npos);
    EXPECT_NE(errorOf([&](ExecutionPlan& p) { --p.storages[a].last; }).find("outside its life"),
              std::string::npos);
    EXPECT_NE(errorOf([&](ExecutionPlan& p) { std::swap(p.steps[0], p.steps[1]); }).find("nothing has made"),
              std::string::npos);
    EXPECT_NE(errorOf([&](ExecutionPlan& p) {
                  p.forms[good.formIndex("a")].storage = good.storageIndex("x");
              }).find("does not own"),
              std::string::npos);
    EXPECT_NE(errorOf([&](ExecutionPlan& p) {
                  p.storages[good.storageIndex("y")].kind = PlanStorage::Kind::arena;
              }).find("used again"),
              std::string::npos);
    EXPECT_NE(errorOf([&](ExecutionPlan& p) { p.arenaBytes = 64; }).find("arena"), std::string::npos);
}

TEST(ExecutionPlan, theCheckSeesAnOperandOverwrittenBeforeItsLastReader) {
    const Planned good =
        planText("g (float[8] x) => (float[8] y) { a = Abs(x) b = Neg(a) c = Exp(b) y = Mul(a, c) }");
    ExecutionPlan bad = good.plan;
    bad.forms[good.formIndex("b")].storage = good.storageIndex("a");
    const auto checked = checkPlan(good.source, bad);
    ASSERT_FALSE(checked.ok());
    EXPECT_NE(checked.error().message.find("while it is needed"), std::string::npos);
}

TEST(SpecializedModel, whatHangsOnShapesAndConstantsAloneIsComputedOnce) {
    const Planned planned =
        planText("g (float[2,3,4] x) => (float[2,12] y) { s = Shape(x) i = Constant <value_ints = [0]> () "
                 "n = Gather(s, i) m = Constant <value_ints = [-1]> () t = Concat <axis = 0> (n, m) y = "
                 "Reshape(x, t) }");
    ASSERT_EQ(planned.plan.steps.size(), 1U);
    EXPECT_EQ(planned.source.model.op(planned.plan.steps[0].node), "Reshape");
    EXPECT_EQ(planned.source.foldedNodes, 5U);
}

TEST(SpecializedModel, anIfWhoseConditionHangsOnShapesGivesWayToItsBranch) {
    const Planned planned = planText(
        "g (float[2,3] x) => (float[2,3] y, float[2,3] z, float[2,3] u) { s = Shape <end = 1> (x) two = "
        "Constant <value_ints = [2]> () c = Equal(s, two) a, z, u = If (c) <then_branch = t () => "
        "(float[2,3] "
        "p, float[2,3] q, float[2,3] r) <float[1] w = {2}> { p = Mul(x, w) i = Shape <end = 1> (p) d = "
        "Equal(i, two) q = If (d) <then_branch = tt () => (float[2,3] m) { m = Neg(p) }, else_branch = te () "
        "=> (float[2,3] m2) { m2 = Abs(p) }> r = Identity(q) }, else_branch = e () => (float[2,3] p2, "
        "float[2,3] q2, float[2,3] r2) { p2 = Identity(x) q2 = Identity(x) r2 = Identity(x) }> y = Exp(a) }");
    std::vector<std::string> ops;
    for (const PlanStep& step : planned.plan.steps)
        if (!step.node.isNone()) ops.emplace_back(planned.source.model.op(step.node));
    EXPECT_EQ(ops, (std::vector<std::string>{"Mul", "Neg", "Identity", "Exp"}));
    EXPECT_EQ(planned.plan.dynamicSteps, 0U);
    ASSERT_EQ(planned.plan.outputs.size(), 3U);
}

TEST(SpecializedModel, aTakenBranchMayHandOnWhatIsOutsideOfItOrItsOwnInitializer) {
    const Planned planned = planText(
        "g (float[2] x) => (float[2] y, float[2] z) { c = Constant <value = bool {0}> () y, z = If (c) "
        "<then_branch = t () => (float[2] p, float[2] q) { p = Neg(x) q = Abs(x) }, else_branch = e () => "
        "(float[2] x, float[2] w) <float[2] w = {1, 2}> { unused = Relu(w) }> }");
    for (const PlanStep& step : planned.plan.steps)
        EXPECT_NE(planned.source.model.op(step.node), "If");
    const auto outputs = planned.source.model.graphOutputs(planned.source.model.mainGraph());
    ASSERT_EQ(outputs.size(), 2U);
    EXPECT_FALSE(outputs[0].isNone() || outputs[1].isNone());
}

TEST(SpecializedModel, aRandomBranchKeepsTheNameThatItsSeedHangsOn) {
    const Planned planned = planText(
        "g (float[2] x) => (float[2] y) { c = Constant <value = bool {1}> () y = If (c) <then_branch = t () "
        "=> (float[2] p) { p = RandomNormalLike(x) }, else_branch = e () => (float[2] q) { q = Neg(x) }> }");
    ASSERT_EQ(planned.plan.steps.size(), 1U);
    EXPECT_EQ(planned.source.model.op(planned.plan.steps[0].node), "If");
}

TEST(SpecializedModel, stopsWhenItIsToldTo) {
    auto model = parseModelText("<ir_version: 8, opset_import: [\"\" : 17]> " + std::string(kChain));
    ASSERT_TRUE(model.ok());
    const WorkContext work;
    work.cancel.cancel();
    const auto stopped = specializeModel(model->model, {}, MemoryPool(), work);
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
}

TEST(SpecializedModel, randomNodesStay) {
    const Planned planned =
        planText("g (float[4] x) => (float[4] y) { r = RandomNormal <shape = [4]> () y = Add(x, r) }");
    EXPECT_EQ(planned.plan.steps.size(), 2U);
}

} // namespace
} // namespace secateur
