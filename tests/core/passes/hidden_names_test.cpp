// SPDX-License-Identifier: Apache-2.0
// A body may have a name of its own for what has the same name outside. What is read from outside must not
// come under such a name, for a file knows names alone.
#include "core/ir/hidden_names.h"

#include "core/ir/walk.h"
#include "core/onnx/save.h"
#include "core/onnx/text.h"
#include "core/session/history.h"
#include "tests/core/passes/rule_cases.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace secateur {
namespace {

namespace fs = std::filesystem;

const std::string kHead = "<ir_version: 8, opset_import: [\"\" : 17]>\n";

/// The model after `recipe`, written and read again.
Model writtenAfter(const std::string& text, const Recipe& recipe) {
    const fs::path folder = fs::temp_directory_path() / "secateur_hidden_names";
    fs::create_directories(folder);
    const fs::path before = folder / "before.onnx", after = folder / "after.onnx";
    auto loaded = parseModelText(text);
    EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().toString());
    EXPECT_TRUE(saveModel(loaded->model, before).ok());
    const auto original = openOriginal(before);
    EXPECT_TRUE(original.ok());
    const auto history = History::run(*original, recipe);
    EXPECT_TRUE(history.ok());
    EXPECT_TRUE(saveModel(history->model(), after).ok());
    auto again = openOriginal(after);
    EXPECT_TRUE(again.ok());
    Model model = (*again)->file.model.clone();
    fs::remove_all(folder);
    return model;
}

void expectSameAfter(const std::string& text, const Recipe& recipe) {
    auto loaded = parseModelText(text);
    ASSERT_TRUE(loaded.ok()) << loaded.error().toString();
    const Model after = writtenAfter(text, recipe);
    EXPECT_EQ(testing::findDifference(loaded->model, after, Exactness::exact), "") << text;
    EXPECT_LT(countNodes(after), countNodes(loaded->model)) << "nothing was simplified: " << text;
}

const char* const kInput =
    "g (float[2,4] x) => (float[2,4] y) { a = Exp(x)  s = Identity(a)  n = Constant<value_int=3>()  "
    "t = Constant<value = bool {1}>()  y = Loop(n, t, x) <body = b (int64 i, bool c, float[2,4] a) "
    "=> (bool co, float[2,4] ao) { co = Identity(c)  ao = Add(a, s) }> }";
const char* const kOutput =
    "g (float[2,4] x) => (float[2,4] y) { a = Exp(x)  b = Relu(a)  d = Relu(b)  n = Constant<value_int=3>()  "
    "t = Constant<value = bool {1}>()  y = Loop(n, t, x) <body = q (int64 i, bool c, float[2,4] b) "
    "=> (bool co, float[2,4] o) { co = Identity(c)  o = Add(b, d) }> }";
const char* const kTwice =
    "g (float[2,4] x) => (float[2,4] y) { w = Exp(x)  n = Constant<value_int=2>()  "
    "t = Constant<value = bool {1}>()  z = Loop(n, t, x) <body = q (int64 i, bool c, float[2,4] w) "
    "=> (bool co, float[2,4] o) { co = Identity(c)  e = Exp(x)  o = Add(w, e) }>  y = Add(z, w) }";
const char* const kRenamed =
    "g (float[2,4] x) => (float[2,4] v, float[2,4] y) { a = Exp(x)  v = Identity(a)  n = "
    "Constant<value_int=2>()  "
    "t = Constant<value = bool {1}>()  y = Loop(n, t, x) <body = q (int64 i, bool c, float[2,4] v) "
    "=> (bool co, float[2,4] o) { co = Identity(c)  o = Add(v, a) }> }";

TEST(HiddenNames, rulesBringNothingUnderAnotherName) {
    for (const char* graph : {kInput, kOutput, kTwice, kRenamed})
        expectSameAfter(kHead + graph, optimizationRecipe(false));
}

TEST(HiddenNames, conversionsDoNotEither) {
    const std::string text =
        kHead + "g (float[2,4] x) => (float[2,4] y) { a = Exp(x)  r = Constant<value_float=0.5>()  "
                "t = Constant<value = bool {1}>()  s = Dropout(a, r, t)  n = Constant<value_int=3>()  "
                "y = Loop(n, t, x) <body = b (int64 i, bool c, float[2,4] a) => (bool co, float[2,4] ao) "
                "{ co = Identity(c)  ao = Add(a, s) }> }";
    const Model after = writtenAfter(text, conversionRecipe());
    const auto evaluated = parseModelText(
        kHead +
        "g (float[2,4] x) => (float[2,4] y) { s = Exp(x)  n = Constant<value_int=3>()  "
        "t = Constant<value = bool {1}>()  y = Loop(n, t, x) <body = b (int64 i, bool c, float[2,4] a) => "
        "(bool co, float[2,4] ao) { co = Identity(c)  ao = Add(a, s) }> }");
    ASSERT_TRUE(evaluated.ok()) << evaluated.error().toString();
    EXPECT_EQ(testing::findDifference(evaluated->model, after, Exactness::exact), "");
}

TEST(HiddenNames, whatABodyDoesNotReadMayBeHidden) {
    const auto loaded = parseModelText(
        kHead + "g (float[2,4] x, bool c) => (float[2,4] y) { a = Exp(x)  z = If(c) <then_branch = t () => "
                "(float[2,4] o) { a = Neg(x)  o = Abs(a) }, else_branch = e () => (float[2,4] o) "
                "{ o = Neg(x) }>  y = Add(z, a) }");
    ASSERT_TRUE(loaded.ok()) << loaded.error().toString();
    EXPECT_TRUE(valuesThatHideReads(loaded->model).empty());
}

} // namespace
} // namespace secateur
