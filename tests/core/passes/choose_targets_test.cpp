// SPDX-License-Identifier: Apache-2.0
#include "tests/core/passes/pass_fixture.h"

namespace secateur {
namespace {

using testing::PassGraph;
using Names = std::vector<std::string>;
constexpr std::string_view kPass = "choose-targets";

/// x -> Relu -> hidden -> Neg -> logits -> ReduceSum -> loss; outputs loss and hidden.
struct Network : PassGraph {
    ValueId x, hidden, logits, loss;

    explicit Network(std::string_view logitsName = "logits") {
        x = input("x");
        hidden = add("Relu", {x}, "hidden");
        logits = add("Neg", {hidden}, std::string(logitsName));
        loss = add("ReduceSum", {logits}, "loss");
        output(loss);
        output(hidden);
    }
};

TEST(ChooseTargets, anInnerTargetBecomesAnOutputUnderItsName) {
    Network g;
    g.environment.targets = {g.logits};
    g.run(kPass);
    EXPECT_EQ(g.outputNames(), Names{"logits"});
    EXPECT_EQ(g.model.graphOutputs(g.main)[0], g.logits);
    EXPECT_EQ(g.ops().size(), 3U) << "nodes stay";
}

TEST(ChooseTargets, outputsThatStayKeepTheirOrder) {
    Network g;
    g.environment.targets = {g.logits, g.hidden, g.loss, g.logits};
    g.run(kPass);
    EXPECT_EQ(g.outputNames(), (Names{"loss", "hidden", "logits"}));
}

TEST(ChooseTargets, aTargetWithoutATellingNameIsCalledOutput) {
    for (const char* name : {"17", "%4"}) {
        Network g(name);
        g.environment.targets = {g.logits};
        g.run(kPass);
        EXPECT_EQ(g.outputNames(), Names{"output"}) << name;
        EXPECT_EQ(g.applied().front(), "choose-targets.expose-nameless");
    }
}

TEST(ChooseTargets, aTargetThatAPersonNamedKeepsThatName) {
    Network g("17");
    g.environment.targets = {g.logits};
    g.environment.areTargetsNamed = true;
    g.run(kPass);
    EXPECT_EQ(g.outputNames(), Names{"17"});
    EXPECT_EQ(g.applied().front(), "choose-targets.expose-named");
}

TEST(ChooseTargets, aShortNameIsAName) {
    Network g("y1");
    g.environment.targets = {g.logits};
    g.run(kPass);
    EXPECT_EQ(g.outputNames(), Names{"y1"});
}

TEST(ChooseTargets, aNameThatIsTakenIsNotUsedTwice) {
    Network g("17");
    g.editor().rename(g.hidden, "output");
    g.environment.targets = {g.logits};
    g.run(kPass);
    EXPECT_EQ(g.outputNames(), Names{"output_1"});
}

TEST(ChooseTargets, undeclaredOutputsAreDeclaredByOneRewriteHoweverManyTheyAre) {
    PassGraph g;
    const ValueId x = g.input("x");
    constexpr std::size_t kMany = 300;
    for (std::size_t i = 0; i < kMany; ++i) {
        const ValueId made = g.add("Relu", {x}, "a" + std::to_string(i));
        g.environment.targets.push_back(made);
        g.editor().appendGraphOutput(g.main, made, "a" + std::to_string(i), nullptr);
    }
    g.run(kPass);
    EXPECT_EQ(g.applied(), Names{"choose-targets.declare.all"});
    ASSERT_EQ(g.model.graphOutputs(g.main).size(), kMany);
    for (const OutputSlot& slot : *g.model.graph(g.main).outputs)
        ASSERT_TRUE(slot.info && slot.info->type.isTensor());
}

TEST(ChooseTargets, anInputCanBeATarget) {
    Network g;
    g.environment.targets = {g.x};
    g.run(kPass);
    EXPECT_EQ(g.outputNames(), Names{"x"});
}

TEST(ChooseTargets, everyDroppedOutputHasAReason) {
    Network g;
    auto roles = std::make_shared<RoleTable>();
    roles->byNode.assign(g.model.nodeIdCount(), Role::forward);
    roles->byNode[g.model.producer(g.loss).index] = Role::loss;
    g.environment.roles = roles;
    g.environment.targets = {g.logits};
    g.run(kPass);
    std::map<std::string, std::vector<ValueId>> dropped;
    for (const RewriteRecord& record : g.records) {
        for (const auto& [value, reason] : record.valueReasons)
            dropped[reason.id].push_back(value);
    }
    EXPECT_EQ(dropped["choose-targets.drop.loss"], std::vector{g.loss});
    EXPECT_EQ(dropped["choose-targets.drop.forward"], std::vector{g.hidden});
}

TEST(ChooseTargets, noTargetIsAQuestion) {
    Network g;
    g.run(kPass);
    EXPECT_TRUE(g.records.empty());
    ASSERT_EQ(g.questions.size(), 1U);
    EXPECT_EQ(g.questions.front().text.id, "choose-targets.ask");
}

TEST(ChooseTargets, skippingOneGroupKeepsItsOutputs) {
    Network g;
    g.environment.targets = {g.logits};
    g.run(kPass, {}, {"choose-targets@loss"});
    EXPECT_EQ(g.outputNames(), (Names{"loss", "hidden", "logits"}));
}

} // namespace
} // namespace secateur
