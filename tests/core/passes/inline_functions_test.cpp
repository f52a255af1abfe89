// SPDX-License-Identifier: Apache-2.0
#include "core/ir/model_hash.h"
#include "core/ir/verifier.h"
#include "core/ir/walk.h"
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

/// Runs the pass; checks what holds whatever it does.
Inlined inlined(const std::string& text) {
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
    const std::set<std::string> skipped;
    const WorkContext work;
    PassContext context(model, types, environment, options, skipped, work);
    EXPECT_TRUE(inlineFunctionsPass().run(context).ok());
    result.records = context.takeRecords();
    result.misses = context.takeMisses();
    EXPECT_TRUE(findProblems(model).empty()) << findProblems(model).front().text;
    EXPECT_TRUE(brokenInvariants(model).empty()) << brokenInvariants(model).front();
    EXPECT_EQ(testing::findDifference(result.before, model, Exactness::exact), "");
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
