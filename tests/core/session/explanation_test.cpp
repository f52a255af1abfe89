// SPDX-License-Identifier: Apache-2.0
#include "core/session/explanation.h"

#include "core/messages/messages.h"
#include "core/passes/registry.h"
#include "tests/core/session/session_fixture.h"
#include "tests/support/built_model.h"
#include "tests/support/models.h"

#include <gmock/gmock.h>

namespace secateur {
namespace {

using testing::BuiltModel;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::nodeCalled;

/// x, x -> join (ConcatTraining) -> relu -> drop (Dropout) -> exp -> y
struct Told {
    std::shared_ptr<const Original> original;
    std::unique_ptr<History> history;
    std::unique_ptr<Storyteller> stories;

    Told() {
        BuiltModel b;
        const ValueId x = b.input("x", {2, 3});
        const ValueId joined = b.node("join", "ConcatTraining", {x, x}, 1,
                                      {Attribute::of("axis", std::int64_t{1})}, "com.microsoft");
        const ValueId ratio = b.initializer("ratio", makeFloatTensor({}, {0.5F}));
        const ValueId mode = b.initializer("mode", makeTensor(ElementType::boolean, {}, {std::byte{1}}));
        const ValueId dropped = b.node("drop", "Dropout", {b.node("relu", "Relu", {joined}), ratio, mode});
        b.output(b.node("exp", "Exp", {dropped}));
        original = b.open();
        Recipe recipe = conversionRecipe();
        recipe.targets = {"exp.0"};
        history = std::make_unique<History>(testing::convert(original, recipe));
        stories = std::make_unique<Storyteller>(*history);
    }
    [[nodiscard]] NodeId was(std::string_view name) const { return nodeCalled(original->file.model, name); }
    [[nodiscard]] NodeId now(std::string_view name) const { return nodeCalled(history->model(), name); }
    [[nodiscard]] NodeStory story(NodeId node) const { return stories->tell(node); }
};

TEST(Story, aReplacedNodeSaysWhyAndByWhat) {
    const Told t;
    const NodeStory story = t.story(t.was("join"));
    EXPECT_FALSE(story.why.isKept);
    ASSERT_TRUE(story.erasedBy);
    EXPECT_EQ(t.history->steps()[*story.erasedBy].pass, "standard-operators");
    EXPECT_THAT(story.replacements, ElementsAre(t.now("join")));
    EXPECT_THAT(formatReason(story.why.reason, *story.model),
                HasSubstr("ConcatTraining `join` of domain `com.microsoft`"));
    EXPECT_THAT(formatReason(story.why.reason, *story.model), HasSubstr("`Concat`"));
}

TEST(Story, aNodeThatAStepMadeSaysInWhosePlaceItStands) {
    const Told t;
    const NodeStory story = t.story(t.now("join"));
    EXPECT_TRUE(story.why.isKept);
    ASSERT_TRUE(story.madeBy);
    EXPECT_EQ(t.history->steps()[*story.madeBy].pass, "standard-operators");
    EXPECT_THAT(story.replaced, ElementsAre(t.was("join")));
    EXPECT_EQ(story.why.reason.id, "standard-operators.convert");
}

TEST(Story, aBypassedNodeIsReplacedByNothing) {
    const Told t;
    const NodeStory story = t.story(t.was("drop"));
    EXPECT_TRUE(story.erasedBy);
    EXPECT_TRUE(story.replacements.empty());
    EXPECT_EQ(story.why.reason.id, "bypass-dropout.training");
}

TEST(Story, aBypassedNodeStoodOnItsPathAndSaysWhatFeedsWhomNow) {
    const Told t;
    const NodeStory story = t.story(t.was("drop"));
    EXPECT_THAT(story.why.path, ElementsAre(t.was("drop"), t.was("exp")));
    EXPECT_EQ(story.why.end.id, "end.stood-before");
    const Model& now = t.history->model();
    const Feed expected{now.output(t.was("relu"), 0), t.was("exp")};
    EXPECT_THAT(story.nowFeeds, ElementsAre(expected));
    EXPECT_TRUE(t.story(t.was("relu")).nowFeeds.empty()) << "it is still there";
}

TEST(Story, aNodeFedThroughSeveralBypassedOnesIsFound) {
    BuiltModel b;
    const ValueId x = b.input("x", {2, 3});
    const ValueId ratio = b.initializer("ratio", makeFloatTensor({}, {0.5F}));
    const ValueId mode = b.initializer("mode", makeTensor(ElementType::boolean, {}, {std::byte{1}}));
    const ValueId first = b.node("first", "Dropout", {b.node("relu", "Relu", {x}), ratio, mode});
    b.output(b.node("exp", "Exp", {b.node("second", "Dropout", {first, ratio, mode})}));
    const auto original = b.open();
    Recipe recipe = conversionRecipe();
    recipe.targets = {"exp.0"};
    const History history = testing::convert(original, recipe);
    const Storyteller stories(history);
    const NodeId relu = nodeCalled(original->file.model, "relu"),
                 exp = nodeCalled(original->file.model, "exp");
    const Feed expected{history.model().output(relu, 0), exp};
    for (const char* name : {"first", "second"})
        EXPECT_THAT(stories.tell(nodeCalled(original->file.model, name)).nowFeeds, ElementsAre(expected))
            << name;
}

TEST(Story, whatStandsForResultsIsToldAsItIsAtTheCursor) {
    const Told t;
    const std::size_t end = t.history->steps().size();
    for (std::size_t cursor = 0; cursor <= end; ++cursor) {
        t.history->moveCursor(cursor);
        const NodeStory story = t.story(t.was("drop"));
        ASSERT_TRUE(story.erasedBy);
        if (cursor <= *story.erasedBy) {
            EXPECT_TRUE(story.nowFeeds.empty()) << "it is still there at step " << cursor;
            continue;
        }
        const Feed expected{t.history->model().output(t.was("relu"), 0), t.was("exp")};
        EXPECT_THAT(story.nowFeeds, ElementsAre(expected)) << "at step " << cursor;
    }
}

/// One rewrite about 100,000 nodes: a list that is searched for each of them would take 10^10 steps.
TEST(Story, aRewriteOfVeryManyNodesIsToldInLinearTime) {
    RewriteRecord record;
    for (std::uint32_t i = 0; i < 100'000; ++i) {
        record.matched.emplace_back(i);
        record.erased.emplace_back(i + 50'000);
    }
    record.created.emplace_back(300'000U);
    EXPECT_EQ(replacedBy(record).size(), 50'000U);
}

TEST(Story, theWayOfAKeptNodeLeadsThroughNodesThatAreThere) {
    const Told t;
    const NodeStory end = t.story(t.was("relu"));
    EXPECT_TRUE(end.why.isKept);
    EXPECT_THAT(end.why.path, ElementsAre(t.was("relu"), t.was("exp"))) << "not through the Dropout";
    EXPECT_EQ(formatReason(end.why.reason, *end.model),
              "Exp `exp` reads what Relu `relu` makes, and makes the target `exp.0`");
    t.history->moveCursor(0);
    EXPECT_THAT(t.story(t.was("relu")).why.path, ElementsAre(t.was("relu"), t.was("drop"), t.was("exp")));
}

TEST(Story, theDistanceIsThatOfTheWay) {
    const Told t;
    for (const std::size_t cursor : {t.history->steps().size(), std::size_t{0}}) {
        t.history->moveCursor(cursor);
        const auto need = t.stories->need(t.was("relu"));
        ASSERT_TRUE(need);
        EXPECT_EQ(need->distance + 1, t.story(t.was("relu")).why.path.size()) << "at step " << cursor;
        EXPECT_EQ(valueText(*need->model, need->target), "`exp.0`");
    }
    EXPECT_FALSE(t.stories->need(t.was("drop"))) << "it goes";
}

TEST(Story, aNodeThatAStepMadeHasAWayToo) {
    const Told t;
    const NodeStory story = t.story(t.now("join"));
    EXPECT_THAT(story.why.path, ElementsAre(t.now("join"), t.was("relu"), t.was("exp")));
    EXPECT_EQ(story.why.end.id, "end.target");
    EXPECT_EQ(t.stories->need(t.now("join"))->distance, 2U);
}

TEST(Story, theNearestReaderOfAValueIsOneThatIsThere) {
    const Told t;
    const ValueId x = t.original->file.model.graphInputs(t.original->file.model.mainGraph())[0];
    EXPECT_EQ(t.stories->nearestReader(x), t.now("join"));
    t.history->moveCursor(0);
    EXPECT_EQ(t.stories->nearestReader(x), t.was("join"));
}

TEST(Story, everyWayOfAKeptNodeExistsInTheModelThatItIsToldOf) {
    for (const char* name : {"transformer", "unet.exported.dynamo", "lstm"}) {
        const auto path = testing::trainingModel(name);
        if (path.empty() && !testing::modelsFolder().empty()) ADD_FAILURE() << name << " is missing";
        if (path.empty()) GTEST_SKIP() << "no model folder: set SECATEUR_MODELS";
        const auto original = testing::openModel(path);
        const History history = testing::convert(original);
        const Storyteller stories(history);
        for (const NodeId node : nodesWithin(history.model(), history.model().mainGraph())) {
            const NodeStory story = stories.tell(node);
            EXPECT_TRUE(story.why.isKept) << name << " " << history.model().name(node);
            for (const NodeId one : story.why.path)
                EXPECT_TRUE(history.model().isAlive(one)) << name << " " << history.model().name(node);
            const auto need = stories.need(node);
            ASSERT_TRUE(need) << name << " " << history.model().name(node);
            EXPECT_EQ(need->distance + 1U, story.why.path.size())
                << name << " " << history.model().name(node);
        }
    }
}

} // namespace
} // namespace secateur
