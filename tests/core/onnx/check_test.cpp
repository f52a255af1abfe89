// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/check.h"

#include "core/ir/editor.h"
#include "tests/core/onnx/proto_models.h"

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

} // namespace
} // namespace secateur
