// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/text.h"

#include "core/ir/walk.h"
#include "core/onnx/onnx_text.h"
#include "core/onnx/save.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

constexpr const char* kModel = R"(<ir_version: 8, opset_import: ["" : 17]>
example (float[N, 4] x, bool c) => (float[N, 3] y)
<float[4, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}>
{
   a = MatMul (x, w)
   y = If (c) <then_branch = yes () => (float[N, 3] t) { t = Relu (a) },
               else_branch = no () => (float[N, 3] e) { e = Neg (a) }>
})";

TEST(ModelText, textBecomesAModelAndTextAgain) {
    auto parsed = parseModelText(kModel);
    ASSERT_TRUE(parsed) << parsed.error().toString();
    const Model& model = parsed->model;
    EXPECT_EQ(nodesWithin(model, model.mainGraph()).size(), 4U);
    const auto printed = onnxText(model, UINT64_MAX);
    ASSERT_TRUE(printed) << printed.error().toString();
    auto again = parseModelText(printed->text);
    ASSERT_TRUE(again) << again.error().toString() << printed->text;
    EXPECT_EQ(*serializeModel(model), *serializeModel(again->model));
}

TEST(ModelText, aFaultIsToldWithItsPlace) {
    auto parsed = parseModelText("<ir_version: 8>\nbroken (float[2] x) => { }", "broken.txt");
    ASSERT_FALSE(parsed);
    EXPECT_EQ(parsed.error().where, "broken.txt");
    EXPECT_NE(parsed.error().message.find("line: 2"), std::string::npos) << parsed.error().message;
    EXPECT_FALSE(parseModelText(""));
}

TEST(NodesText, areWrittenInProgramOrderAndReadBack) {
    auto parsed = parseModelText(kModel);
    ASSERT_TRUE(parsed) << parsed.error().toString();
    const Model& model = parsed->model;
    std::vector<NodeId> nodes;
    for (const NodeId node : model.nodes(model.mainGraph()))
        nodes.insert(nodes.begin(), node); // last first
    const auto text = nodesText(model, nodes);
    ASSERT_TRUE(text) << text.error().toString();
    std::size_t at = 0, lines = 0;
    for (const NodeId node : model.nodes(model.mainGraph())) {
        const std::size_t found = text->find(std::string(model.op(node)), at);
        ASSERT_NE(found, std::string::npos) << model.op(node);
        at = found;
        ++lines;
    }
    EXPECT_EQ(lines, nodes.size());
    EXPECT_EQ(*nodesText(model, nodes), *text);
}

TEST(ModelText, whatIsLeftOutIsSaidAtItsTop) {
    auto parsed = parseModelText(kModel);
    ASSERT_TRUE(parsed);
    const auto cut = onnxText(parsed->model, 4);
    ASSERT_TRUE(cut) << cut.error().toString();
    EXPECT_EQ(cut->leftOut, 1U);
    EXPECT_TRUE(cut->text.starts_with("# 1 tensor of more than 4 elements is named without its elements"))
        << cut->text;
    EXPECT_TRUE(parseModelText(cut->text)) << "a note is no fault of the syntax";
    const auto whole = onnxText(parsed->model, 64);
    EXPECT_EQ(whole->leftOut, 0U);
    EXPECT_FALSE(whole->text.starts_with("#"));
}

TEST(NodesText, ofNothingIsEmpty) {
    auto parsed = parseModelText(kModel);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(*nodesText(parsed->model, {}), "");
    EXPECT_EQ(*nodesText(parsed->model, {parsed->model.graph(parsed->model.mainGraph()).entry}), "");
}

TEST(NodesText, longConstantsAreLeftOutByTheirNumberOfElements) {
    auto parsed = parseModelText(R"(<ir_version: 8, opset_import: ["": 17]>
g (float[2] x) => (float[8] y) {
  [big] c = Constant <value = float[8] {1,2,3,4,5,6,7,8}> ()
  y = Identity (c)
})");
    ASSERT_TRUE(parsed) << parsed.error().toString();
    const NodeId big = *parsed->model.nodes(parsed->model.mainGraph()).begin();
    EXPECT_NE(nodesText(parsed->model, {big})->find("8}"), std::string::npos);
    EXPECT_NE(nodesText(parsed->model, {big}, 4)->find("8 elements"), std::string::npos);
}

} // namespace
} // namespace secateur
