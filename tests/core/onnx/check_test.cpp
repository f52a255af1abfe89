// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/check.h"

#include "core/ir/editor.h"
#include "core/onnx/onnx_text.h"
#include "core/onnx/text.h"
#include "tests/core/onnx/proto_models.h"

#include <algorithm>

namespace secateur {
namespace {

using testing::addNode;
using testing::addWeight;
using testing::loadProto;

TEST(WhyNotConverted, isTheFirstFaultThatLeavesTheMeaningOpen) {
    onnx::ModelProto proto = testing::smallModel();
    EXPECT_FALSE(whyNotConverted(loadProto(proto)));
    proto.mutable_graph()->mutable_initializer(0)->set_raw_data("short");
    EXPECT_FALSE(whyNotConverted(loadProto(proto))) << "damage in one place leaves the rest as it is";
    addNode(proto.mutable_graph(), "Neg", {"X"}, {"sum"});
    const auto one = whyNotConverted(loadProto(proto));
    ASSERT_TRUE(one);
    EXPECT_EQ(one->code, ErrorCode::invalidInput);
    EXPECT_NE(one->message.find("`sum` is defined twice"), std::string::npos) << one->message;
    EXPECT_EQ(one->message.find("of this kind"), std::string::npos) << one->message;
    addNode(proto.mutable_graph(), "Neg", {"X"}, {"Y"});
    EXPECT_NE(whyNotConverted(loadProto(proto))->message.find("(1 more defect of this kind)"),
              std::string::npos);
}

TEST(InheritedDefects, countOnlyWhatIsPartOfTheResult) {
    onnx::ModelProto proto = testing::smallModel();
    addWeight(proto.mutable_graph(), "damaged", {1, 2, 3})->set_raw_data("short");
    addNode(proto.mutable_graph(), "Neg", {"damaged"}, {"unread"});
    LoadedModel loaded = loadProto(proto);
    const auto defects = inheritedDefects(loaded, loaded.model);
    ASSERT_EQ(defects.size(), 1U);
    EXPECT_NE(defects[0].find("`damaged`"), std::string::npos) << defects[0];
    Model made = loaded.model.clone();
    Editor editor(made);
    editor.eraseNode(made.producer(made.findValue("unread")));
    editor.eraseValue(made.findValue("damaged"));
    EXPECT_TRUE(inheritedDefects(loaded, made).empty());
}

TEST(InheritedDefects, areLookedForOnlyInFilesThatHaveSome) {
    LoadedModel loaded = loadProto(testing::smallModel());
    Model made = loaded.model.clone();
    Editor(made).createInitializer(made.mainGraph(), "sum", makeFloatTensor({1}, {1}));
    EXPECT_TRUE(inheritedDefects(loaded, made).empty()) << "a fault of ours is no fault of the file";
}

/// If inside of If, `depth` times.
std::string nestedBodies(int depth) {
    std::string inner = "y = Neg(x)", name = "y";
    for (int level = 0; level < depth; ++level) {
        const std::string outer = level + 1 == depth ? "out" : "v" + std::to_string(level);
        inner = outer + " = If (c) <then_branch = t" + std::to_string(level) + " () => (float[2] " + name +
                ") { " + inner + " }, else_branch = e" + std::to_string(level) + " () => (float[2] z" +
                std::to_string(level) + ") { z" + std::to_string(level) + " = Abs(x) }>";
        name = outer;
    }
    return "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x, bool c) => (float[2] out) { " + inner +
           " }";
}

TEST(DeepBodies, areReadAndWrittenAndSaidToBeRefusedElsewhere) {
    const auto deep = parseModelText(nestedBodies(60));
    ASSERT_TRUE(deep.ok()) << deep.error().toString();
    const auto warned =
        std::find_if(deep->problems.begin(), deep->problems.end(),
                     [](const Problem& problem) { return problem.id == "problem.deep-bodies"; });
    ASSERT_NE(warned, deep->problems.end());
    EXPECT_NE(warned->text.find("60 deep"), std::string::npos) << warned->text;
    const auto checked = checkModel(deep->model);
    ASSERT_FALSE(checked.ok());
    EXPECT_NE(checked.error().message.find("deeper in one another"), std::string::npos)
        << checked.error().message;
    const auto text = onnxText(deep->model);
    ASSERT_TRUE(text.ok()) << text.error().toString();
    EXPECT_TRUE(parseModelText(text->text).ok());
}

TEST(DeepBodies, upToWhatOthersReadAreFine) {
    const auto loaded = parseModelText(nestedBodies(31));
    ASSERT_TRUE(loaded.ok()) << loaded.error().toString();
    EXPECT_TRUE(loaded->problems.empty());
    const auto checked = checkModel(loaded->model);
    EXPECT_TRUE(checked.ok()) << checked.error().message;
}

} // namespace
} // namespace secateur
