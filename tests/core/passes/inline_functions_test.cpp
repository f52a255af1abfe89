// SPDX-License-Identifier: Apache-2.0
#include "core/ir/model_hash.h"
#include "core/ir/verifier.h"
#include "core/ir/walk.h"
#include "core/onnx/body_depth.h"
#include "core/onnx/text.h"
#include "core/passes/simplify/simplify_passes.h"
#include "tests/core/passes/rule_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace secateur {
namespace {

struct Inlined {
    Model before, after;
    std::vector<RewriteRecord> records;
    std::vector<RewriteMiss> misses;
};

/// Runs the pass; checks what holds whatever it does. A model that is not `sound` is not run.
Inlined inlined(const std::string& text, bool isSound = true, const std::set<std::string>& skipped = {}) {
    auto loaded = parseModelText(text);
    EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().toString());
    Inlined result{loaded->model.clone(), std::move(loaded->model), {}, {}};
    Model& model = result.after;
    const std::uint64_t hash = exactHash(model);
    const JournalMark mark = model.journal().mark();
    TypeTable table;
    table.inferAll(model);
    FollowingTypes types(std::move(table), mark);
    PassEnvironment environment;
    const PassOptions options;
    const WorkContext work;
    PassContext context(model, types, environment, options, skipped, work);
    EXPECT_TRUE(inlineFunctionsPass().run(context).ok());
    result.records = context.takeRecords();
    result.misses = context.takeMisses();
    EXPECT_TRUE(brokenInvariants(model).empty()) << brokenInvariants(model).front();
    if (isSound) {
        EXPECT_TRUE(findProblems(model).empty()) << findProblems(model).front().text;
        EXPECT_EQ(testing::findDifference(result.before, model, Exactness::exact), "");
    }
    EditLog log = Journal::unwind(model, mark);
    EXPECT_EQ(exactHash(model), hash);
    Journal::reapply(model, std::move(log));
    return result;
}

std::vector<std::string> operatorsOf(const Model& model) {
    std::vector<std::string> ops;
    for (const NodeId node : nodesWithin(model, model.mainGraph()))
        ops.emplace_back(model.op(node));
    return ops;
}

using Ops = std::vector<std::string>;
constexpr const char* kHeader = "<ir_version: 8, opset_import: [\"\" : 17, \"local\" : 1]>\n";

TEST(InlineFunctions, nodesStandInThePlaceOfTheCall) {
    const Inlined run = inlined(std::string(kHeader) +
                                "g (float[2] x) => (float[2] y, float[2] z) { a = Exp(x) y = local.f(a, x) "
                                "z = local.f(y, y) }\n"
                                "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                                "f (p, q) => (r) { s = Add(p, q) r = Relu(s) }");
    EXPECT_EQ(operatorsOf(run.after), (Ops{"Exp", "Add", "Relu", "Add", "Relu"}));
    EXPECT_TRUE(run.after.header().functions.empty());
    EXPECT_FALSE(run.after.findValue("y").isNone());
    EXPECT_EQ(run.records.size(), 3U) << "two calls, and the function that nobody calls any more";
}

TEST(InlineFunctions, attributesComeFromTheCallOrTheDefault) {
    const Inlined run =
        inlined(std::string(kHeader) +
                "g (float[2] x) => (float[2] y, float[2] z) { y = local.f<slope=0.5>(x) "
                "z = local.f(x) }\n"
                "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                "f <slope: float = 0.25> (p) => (r) { r = LeakyRelu<alpha: float = @slope>(p) }");
    std::set<float> slopes;
    for (const NodeId node : run.after.nodes(run.after.mainGraph()))
        slopes.insert(std::get<float>(run.after.attribute(node, "alpha")->value));
    EXPECT_EQ(slopes, (std::set<float>{0.25F, 0.5F}));
}

TEST(InlineFunctions, callsWithinFunctionsAndBodiesGo) {
    const Inlined run =
        inlined(std::string(kHeader) +
                "g (bool c, float[2] x) => (float[2] y) { y = If(c) <then_branch = t () => (float[2] u) "
                "{ u = local.outer(x) }, else_branch = e () => (float[2] v) { v = Neg(x) }> }\n"
                "<domain: \"local\", opset_import: [\"\" : 17, \"local\" : 1]>\n"
                "outer (p) => (r) { s = local.inner(p) r = local.inner(s) }\n"
                "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                "inner (p) => (r) { k = Constant<value_float = 2.0>() r = Mul(p, k) }");
    Ops ops = operatorsOf(run.after);
    std::sort(ops.begin(), ops.end());
    EXPECT_EQ(ops, (Ops{"If", "Mul", "Mul", "Neg"}));
    EXPECT_TRUE(run.after.header().functions.empty());
}

TEST(InlineFunctions, aFunctionMayHandAnInputOn) {
    const Inlined run =
        inlined(std::string(kHeader) + "g (float[2] x) => (float[2] y, float[2] z) { y, z = local.f(x) }\n"
                                       "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                                       "f (p) => (p, r) { r = Relu(p) }");
    EXPECT_TRUE(run.after.header().functions.empty());
}

TEST(InlineFunctions, anOperatorThatMeansSomethingElseThereKeepsTheCall) {
    // Softmax of opset 12 looks at its input as a matrix.
    const Inlined run = inlined(std::string(kHeader) +
                                "g (float[2,3,4] x) => (float[2,3,4] y, float[2,3,4] z) { y = local.f(x) "
                                "z = local.h(x) }\n"
                                "<domain: \"local\", opset_import: [\"\" : 12]>\n"
                                "f (p) => (r) { r = Softmax<axis=1>(p) }\n"
                                "<domain: \"local\", opset_import: [\"\" : 16]>\n"
                                "h (p) => (r) { r = Softmax<axis=1>(p) }");
    EXPECT_EQ(operatorsOf(run.after), (Ops{"f", "Softmax"}));
    ASSERT_EQ(run.misses.size(), 1U);
    EXPECT_EQ(run.misses[0].reason.id, "inline-functions.miss.opset");
}

/// `count` pieces of a text with the place of each in the stead of `#`.
std::string repeated(int count, const std::string& piece, const std::string& between = ", ") {
    std::string text;
    for (int i = 0; i < count; ++i) {
        if (i > 0) text += between;
        for (const char c : piece)
            text += c == '#' ? std::to_string(i) : std::string(1, c);
    }
    return text;
}

TEST(InlineFunctions, bodiesWithManyResultsAreCopiedWhole) {
    for (const int count : {1, 2, 100, 1000}) {
        const Inlined run = inlined(
            std::string(kHeader) + "g (bool c, float[2] x) => (" + repeated(count, "float[2] y#") + ") { " +
            repeated(count, "y#") + " = local.f(c, x) }\n<domain: \"local\", opset_import: [\"\" : 17]>\n" +
            "f (c, a) => (" + repeated(count, "b#") + ") { " + repeated(count, "b#") +
            " = If(c) <then_branch = t () => (" + repeated(count, "float[2] r#") + ") { " +
            repeated(count, "r# = Relu(a)", " ") + " }, else_branch = e () => (" +
            repeated(count, "float[2] q#") + ") { " + repeated(count, "q# = Neg(a)", " ") + " }> }");
        ASSERT_TRUE(run.misses.empty()) << count;
        const Ops ops = operatorsOf(run.after);
        EXPECT_EQ(std::count(ops.begin(), ops.end(), "Relu"), count);
        EXPECT_EQ(std::count(ops.begin(), ops.end(), "Neg"), count);
        const NodeId choice = *run.after.nodes(run.after.mainGraph()).begin();
        for (const GraphId body : run.after.subgraphs(choice))
            EXPECT_EQ(run.after.graphOutputs(body).size(), static_cast<std::size_t>(count));
    }
}

TEST(InlineFunctions, aFunctionMayHandManyInputsOn) {
    for (const int count : {3, 600, 1300}) { // the arena grows in the midst of some
        const Inlined run =
            inlined(std::string(kHeader) + "g (float[2] x) => (" + repeated(count, "float[2] y#") + ") { " +
                    repeated(count, "y#") + " = local.f(x, " + repeated(count, "x") +
                    ") }\n<domain: \"local\", opset_import: [\"\" : 17]>\nf (a, " + repeated(count, "p#") +
                    ") => (" + repeated(count, "p#") + ") { r = Relu(a) }");
        EXPECT_TRUE(run.misses.empty()) << count;
        EXPECT_TRUE(run.after.header().functions.empty());
        EXPECT_EQ(run.after.graphOutputs(run.after.mainGraph()).size(), static_cast<std::size_t>(count));
    }
}

/// Names of the initializers of the main graph that something reads.
std::vector<std::string> initializersOf(const Model& model) {
    std::vector<std::string> names;
    for (const ValueId value : model.graph(model.mainGraph()).initializers) {
        if (model.isAlive(value) && model.hasUses(value)) names.emplace_back(model.name(value));
    }
    return names;
}

TEST(InlineFunctions, aConstantOfAFunctionIsOneForAllCalls) {
    const Inlined run =
        inlined(std::string(kHeader) +
                "g (bool c, float[2] x) => (float[2] y) { s = local.f(c, x) t = local.f(c, s) "
                "u = If(c) <then_branch = a () => (float[2] v) { v = local.f(c, t) }, "
                "else_branch = b () => (float[2] w) { w = Neg(t) }> y = local.h(u) }\n"
                "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                "f (c, p) => (r) { k = Constant<value_float = 2.0>() l = Constant<value = float[2] {1, 5}>() "
                "q = Mul(p, k) o = Add(q, l) r = If(c) <then_branch = d () => (float[2] n) "
                "{ m = Constant<value = float[2] {3, 4}>() n = Add(o, m) }, "
                "else_branch = e () => (float[2] i) { i = Neg(o) }> }\n"
                "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                "h (p) => (r) { k = Constant<value_float = 2.0>() r = Div(p, k) }");
    EXPECT_TRUE(run.misses.empty());
    EXPECT_EQ(initializersOf(run.after).size(), 4U) << "k, l and m of f, k of h";
    const Ops ops = operatorsOf(run.after);
    EXPECT_EQ(std::count(ops.begin(), ops.end(), "Constant"), 0);
}

TEST(InlineFunctions, aConstantThatIsAResultServesAllCalls) {
    const Inlined run = inlined(
        std::string(kHeader) +
        "g (bool c, float[2] x) => (float[2] y, float[2] z, float[2] v, float[2] w) { y, v = local.f(c) "
        "z, w = local.f(c) }\n"
        "<domain: \"local\", opset_import: [\"\" : 17]>\n"
        "f (c) => (k, b) { k = Constant<value = float[2] {1, 5}>() b = If(c) <then_branch = d () => "
        "(float[2] n) { n = Constant<value = float[2] {3, 4}>() }, "
        "else_branch = e () => (float[2] i) { i = Neg(k) }> }");
    EXPECT_TRUE(run.misses.empty());
    EXPECT_EQ(initializersOf(run.after).size(), 1U);
    const Model& model = run.after;
    for (const NodeId node : model.nodes(model.mainGraph())) {
        for (const GraphId body : model.subgraphs(node))
            EXPECT_EQ(model.value(model.input(model.graph(body).exit, 0)).graph, body)
                << "runtimes refuse bodies that hand an outer value on";
    }
}

TEST(InlineFunctions, aCallThatIsTakenBackTakesItsConstantsAlong) {
    // Skipping the first call must not leave the second one with a constant that is not there.
    const std::string text = std::string(kHeader) +
                             "g (float[2] x) => (float[2] y) { s = local.f(x) y = local.f(s) }\n"
                             "<domain: \"local\", opset_import: [\"\" : 17]>\n"
                             "f (p) => (r) { k = Constant<value = float[2] {1, 5}>() r = Mul(p, k) }";
    const Inlined whole = inlined(text);
    ASSERT_EQ(whole.records.size(), 3U);
    const Inlined part = inlined(text, true, {whole.records[0].key});
    EXPECT_EQ(operatorsOf(part.after), (Ops{"f", "Mul"}));
    EXPECT_EQ(initializersOf(part.after).size(), 1U);
}

TEST(InlineFunctions, callsThatWouldStandTooDeepStay) {
    constexpr int kCount = 300;
    std::string text =
        std::string(kHeader) + "g (bool c, float[2] x) => (float[2] y) { y = local.f0(c, x) }\n";
    for (int i = 0; i < kCount; ++i) {
        const std::string next =
            i + 1 < kCount ? "local.f" + std::to_string(i + 1) + "(c, a)" : std::string("Relu(a)");
        text += "<domain: \"local\", opset_import: [\"\" : 17, \"local\" : 1]>\nf" + std::to_string(i) +
                " (c, a) => (b) { b = If(c) <then_branch = t () => (float[2] r) { r = " + next +
                " }, else_branch = e () => (float[2] q) { q = Neg(a) }> }\n";
    }
    const Inlined run = inlined(text, false);
    std::size_t deepest = 0;
    std::vector<std::size_t> depths(run.after.graphIdCount(), 0);
    for (const GraphId graph : graphsWithin(run.after, run.after.mainGraph())) {
        if (!run.after.graph(graph).parent.isNone())
            depths[graph.index] = depths[run.after.graph(graph).parent.index] + 1;
        deepest = std::max(deepest, depths[graph.index]);
    }
    EXPECT_EQ(deepest, kDeepestBodiesElsewhere);
    ASSERT_EQ(run.misses.size(), 1U);
    EXPECT_EQ(run.misses[0].reason.id, "inline-functions.miss.deep");
    EXPECT_EQ(run.after.header().functions.size(), kCount - kDeepestBodiesElsewhere);
}

TEST(InlineFunctions, functionsThatCallThemselvesStay) {
    // f and h call one another, k itself, e only f.
    std::string text =
        std::string(kHeader) +
        "g (float[2] x) => (float[2] y, float[2] z, float[2] v) { y = local.e(x) z = local.h(x) "
        "v = local.k(x) }\n";
    for (const char* calls : {"e (p) => (r) { r = local.f(p) }", "f (p) => (r) { r = local.h(p) }",
                              "h (p) => (r) { r = local.f(p) }", "k (p) => (r) { r = local.k(p) }"})
        text += std::string("<domain: \"local\", opset_import: [\"\" : 17, \"local\" : 1]>\n") + calls + "\n";
    const Inlined run = inlined(text, false);
    EXPECT_EQ(operatorsOf(run.after), (Ops{"f", "h", "k"}));
    ASSERT_EQ(run.misses.size(), 3U);
    for (const RewriteMiss& miss : run.misses)
        EXPECT_EQ(miss.reason.id, "inline-functions.miss.endless");
}

TEST(InlineFunctions, functionsThatMultiplyStopAtALimit) {
    // Each of 40 functions calls the next one twice: 2^40 nodes.
    std::string text = std::string(kHeader) + "g (float[2] x) => (float[2] y) { y = local.f0(x) }\n";
    for (int i = 0; i < 40; ++i) {
        const std::string next = i < 39 ? "local.f" + std::to_string(i + 1) : "Neg";
        text += "<domain: \"local\", opset_import: [\"\" : 17, \"local\" : 1]>\nf" + std::to_string(i) +
                " (p) => (r) { s = " + next + "(p) r = " + next + "(s) }\n";
    }
    auto loaded = parseModelText(text);
    ASSERT_TRUE(loaded.ok());
    Model& model = loaded->model;
    TypeTable table;
    table.inferAll(model);
    FollowingTypes types(std::move(table), model.journal().mark());
    PassEnvironment environment;
    const PassOptions options;
    const std::set<std::string> skipped;
    const WorkContext work;
    PassContext context(model, types, environment, options, skipped, work);
    ASSERT_TRUE(inlineFunctionsPass().run(context).ok());
    const auto misses = context.takeMisses();
    ASSERT_FALSE(misses.empty());
    EXPECT_EQ(misses.front().reason.id, "inline-functions.miss.size");
    EXPECT_TRUE(findProblems(model).empty());
}

} // namespace
} // namespace secateur
