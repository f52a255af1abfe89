// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/rule_driver.h"

#include "core/passes/simplify/rules.h"
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
