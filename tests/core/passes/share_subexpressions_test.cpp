// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/text.h"
#include "tests/core/passes/pass_fixture.h"
#include "tests/core/passes/rule_cases.h"

#include <gtest/gtest.h>

#include <string>

namespace secateur::testing {
namespace {

const std::string kHead = "<ir_version: 8, opset_import: [\"\" : 18]>\n";

/// Nodes that sharing alone takes out of a model, whose results are compared as `level` promises.
std::size_t sharedIn(const std::string& text, std::string_view level = "exact") {
    auto before = parseModelText(text);
    auto after = parseModelText(text);
    if (!before.ok() || !after.ok()) {
        ADD_FAILURE() << (before.ok() ? after : before).error().toString() << "\n" << text;
        return 0;
    }
    PassGraph g;
    g.model = std::move(after->model);
    const std::size_t count = countNodes(g.model);
    g.run("simplify", {{"level", std::string(level)}, {"rules", "share-subexpressions"}});
    const Exactness promised = level == "exact" ? Exactness::exact : Exactness::value;
    EXPECT_EQ(findDifference(before->model, g.model, promised), "") << text;
    return count - countNodes(g.model);
}

TEST(ShareSubexpressions, takesTheSecondOfTwo) {
    EXPECT_EQ(sharedIn(kHead + "g (float[2,3] x) => (float[2,3] y) { a = Exp(x) b = Exp(x) y = Mul(a, b) }"),
              1U);
}

TEST(ShareSubexpressions, followsChains) {
    EXPECT_EQ(sharedIn(kHead +
                       "g (float[2,3] x) => (float[2,3] y) { a = Exp(x) b = Exp(x) c = Neg(a) d = Neg(b) "
                       "y = Mul(c, d) }"),
              2U);
}

TEST(ShareSubexpressions, tellsAttributesApart) {
    EXPECT_EQ(sharedIn(kHead +
                       "g (float[2,3] x) => (float[2,3] y) { a = Elu<alpha=1.0>(x) b = Elu<alpha=2.0>(x) "
                       "y = Mul(a, b) }"),
              0U);
}

TEST(ShareSubexpressions, leavesRandomNodesAlone) {
    EXPECT_EQ(sharedIn(kHead +
                       "g (float[2,3] x) => (float[2,3] y) { a = RandomNormalLike<seed=1.0>(x) "
                       "b = RandomNormalLike<seed=1.0>(x) c = Sub(a, b) d = Sub(c, c) y = Add(x, d) }"),
              0U);
}

TEST(ShareSubexpressions, keepsBothOutputsOfTheModel) {
    EXPECT_EQ(sharedIn(kHead + "g (float[2,3] x) => (float[2,3] y, float[2,3] z) { y = Exp(x) z = Exp(x) }"),
              0U);
}

TEST(ShareSubexpressions, swapsOperandsWhereTheBitsStay) {
    const auto twice = [](const std::string& type, const std::string& op) {
        return kHead + "g (" + type + "[2,3] x, " + type + "[2,3] z) => (" + type + "[2,3] y) { a = " + op +
               "(x, z) b = " + op + "(z, x) y = " + op + "(a, b) }";
    };
    for (const char* op : {"Add", "Mul", "Max", "Min"}) {
        EXPECT_EQ(sharedIn(twice("int32", op)), 1U) << op;
        EXPECT_EQ(sharedIn(twice("float", op)), 0U) << op << ": of two zeros or NaN either may come out";
        EXPECT_EQ(sharedIn(twice("float", op), "value"), 1U) << op;
    }
    for (const char* op : {"And", "Or", "Xor"})
        EXPECT_EQ(sharedIn(twice("bool", op)), 1U) << op;
    for (const char* op : {"Sub", "Div"})
        EXPECT_EQ(sharedIn(twice("float", op), "value"), 0U) << op;
}

TEST(ShareSubexpressions, comparesEitherWay) {
    EXPECT_EQ(sharedIn(kHead +
                       "g (float[2,3] x, float[2,3] z) => (bool[2,3] y) { a = Equal(x, z) b = Equal(z, x) "
                       "y = And(a, b) }"),
              1U);
    EXPECT_EQ(sharedIn(kHead +
                           "g (float[2,3] x, float[2,3] z) => (bool[2,3] y) { a = Less(x, z) b = Less(z, x) "
                           "y = And(a, b) }",
                       "value"),
              0U);
}

TEST(ShareSubexpressions, swapsNoOperandsOfTheOldBroadcast) {
    EXPECT_EQ(sharedIn("<ir_version: 3, opset_import: [\"\" : 6]>\n"
                       "g (int32[2,3] x, int32[2,3] z) => (int32[2,3] y) { a = Add(x, z) b = Add(z, x) "
                       "y = Add(a, b) }",
                       "value"),
              0U);
}

TEST(ShareSubexpressions, sharesWithWhatEncloses) {
    EXPECT_EQ(sharedIn(kHead + "g (float[2,3] x, bool c) => (float[2,3] y) { a = Exp(x) "
                               "p = If(c) <then_branch = t () => (float[2,3] u) { b = Exp(x) u = Neg(b) }, "
                               "else_branch = e () => (float[2,3] v) { v = Neg(x) }> y = Add(p, a) }"),
              1U);
}

TEST(ShareSubexpressions, keepsBranchesApart) {
    EXPECT_EQ(sharedIn(kHead +
                       "g (float[2,3] x, bool c) => (float[2,3] y) { "
                       "p = If(c) <then_branch = t () => (float[2,3] u) { b = Exp(x) u = Neg(b) }, "
                       "else_branch = e () => (float[2,3] v) { d = Exp(x) v = Abs(d) }> y = Neg(p) }"),
              0U);
}

TEST(ShareSubexpressions, asksWhichResultsAreWanted) {
    EXPECT_EQ(sharedIn(kHead + "g (float[2,8] x) => (float[2,8] y) { s, t = Split<axis=1, num_outputs=2>(x) "
                               "u, v = Split<axis=1, num_outputs=2>(x) y = Concat<axis=1>(s, v) }"),
              1U);
}

} // namespace
} // namespace secateur::testing
