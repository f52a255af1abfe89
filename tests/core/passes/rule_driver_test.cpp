// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/rule_driver.h"

#include "core/passes/simplify/rules.h"
#include "core/passes/simplify/simplify_passes.h"
#include "tests/core/passes/pass_fixture.h"
#include "tests/core/passes/rule_cases.h"

#include <gtest/gtest.h>

#include <functional>

namespace secateur::testing {
namespace {

/// Work that the driver has with a graph of `count` parts.
std::uint64_t workOn(const std::function<void(PassGraph&, std::size_t)>& build, std::size_t count) {
    PassGraph g;
    build(g, count);
    const std::size_t before = countNodes(g.model);
    const RuleRun run = applyRules(g.model, allRules());
    EXPECT_FALSE(run.isExhausted);
    EXPECT_LT(countNodes(g.model), before);
    return run.counters.matches;
}

void expectLinear(const std::function<void(PassGraph&, std::size_t)>& build) {
    const std::uint64_t small = workOn(build, 500), large = workOn(build, 5000);
    EXPECT_LT(large, 12 * small) << small << " matches for 500 parts, " << large << " for 5000";
}

TEST(RuleDriver, worksLinearlyOnAChain) {
    expectLinear([](PassGraph& g, std::size_t count) {
        ValueId at = g.input("x");
        for (std::size_t i = 0; i < count; ++i)
            at = g.add(i % 3 == 0 ? "Exp" : "Identity", {at}, "v" + std::to_string(i));
        g.output(at);
    });
}

TEST(RuleDriver, worksLinearlyOnReadersOfOneValue) {
    expectLinear([](PassGraph& g, std::size_t count) {
        const ValueId x = g.input("x"), one = g.scalar("one", 1);
        for (std::size_t i = 0; i < count; ++i) {
            const std::string name = std::to_string(i);
            const ValueId same = g.add("Identity", {x}, "i" + name);
            g.output(g.add("Exp", {g.add("Mul", {same, one}, "m" + name)}, "e" + name));
        }
    });
}

TEST(RuleDriver, worksLinearlyOnAChainOfConcats) {
    expectLinear([](PassGraph& g, std::size_t count) {
        const ValueId x = g.input("x");
        ValueId at = x;
        for (std::size_t i = 0; i < count; ++i)
            at = g.add("Concat", {at, x}, "c" + std::to_string(i), {Attribute::of("axis", std::int64_t{0})});
        g.output(at);
    });
}

/// Nodes that are put on the list for `count` equal nodes that became one.
std::uint64_t pushesForSharing(std::size_t count) {
    PassGraph g;
    const ValueId x = g.input("x");
    std::vector<ValueId> copies;
    for (std::size_t i = 0; i < count; ++i)
        copies.push_back(g.add("Exp", {x}, "e" + std::to_string(i)));
    g.output(g.add("Concat", copies, "y", {Attribute::of("axis", std::int64_t{0})}));
    g.inferTypes();
    const PassOptions options;
    const std::set<std::string> skipped;
    const WorkContext work;
    PassContext context(g.model, g.types, g.environment, options, skipped, work);
    RuleDriver driver(context, allRules(), Exactness::exact, {});
    driver.run();
    const JournalMark mark = g.model.journal().mark();
    const std::uint64_t before = driver.counters().pushes;
    EXPECT_EQ(shareSubexpressions(context, driver.view(), Exactness::exact), count - 1);
    driver.noteEdits(mark);
    return driver.counters().pushes - before;
}

TEST(RuleDriver, looksOnceAtWhatManyEditsChanged) {
    const std::uint64_t small = pushesForSharing(100), large = pushesForSharing(1000);
    EXPECT_LT(large, 12 * small) << small << " for 100 copies, " << large << " for 1000";
}

TEST(RuleDriver, aChainThatOneConcatCannotHoldBecomesAFew) {
    PassGraph g;
    const ValueId x = g.input("x");
    ValueId at = x;
    for (std::size_t i = 0; i < 10'000; ++i)
        at = g.add("Concat", {at, x}, "c" + std::to_string(i), {Attribute::of("axis", std::int64_t{0})});
    g.output(at);
    applyRules(g.model, allRules());
    EXPECT_LE(countNodes(g.model), 4U);
}

TEST(RuleDriver, noRuleAddsMoreThanTheLimit) {
    const auto nodesLeft = [](std::size_t indices) {
        PassGraph g;
        const ValueId x = g.input("x");
        const auto count = static_cast<std::int64_t>(indices);
        const ValueId list =
            g.initializer("list", makeInt64Tensor({count}, std::vector<std::int64_t>(indices, 1)));
        const AttributeList axis{Attribute::of("axis", std::int64_t{0})};
        g.output(g.add("Concat",
                       {g.add("Gather", {x, list}, "a", axis), g.add("Gather", {x, list}, "b", axis)}, "y",
                       axis));
        g.output(g.add("Gather", {g.input("z"), list}, "other", axis)); // keeps the list
        const RuleRun run = applyRules(g.model, allRules());
        EXPECT_EQ(run.says("rewrite.miss.size"), indices > 4096);
        return countNodes(g.model);
    };
    EXPECT_EQ(nodesLeft(100), 2U);
    EXPECT_EQ(nodesLeft(5000), 4U) << "two lists in one take 80,000 bytes, and 65,536 are left";
}

TEST(RuleDriver, keepsAHeldValueUnderItsName) {
    PassGraph g;
    const ValueId h = g.add("Relu", {g.input("x")}, "h");
    g.output(g.add("Identity", {h}, "y"));
    g.inferTypes();
    const PassOptions options{{"keep", "h"}};
    g.run("simplify", options);
    EXPECT_FALSE(g.model.findValue("h").isNone());
    EXPECT_EQ(g.outputNames(), std::vector<std::string>{"y"});
}

} // namespace
} // namespace secateur::testing
