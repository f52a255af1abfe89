// SPDX-License-Identifier: Apache-2.0
#include "core/session/session.h"

#include "tests/core/session/session_fixture.h"

namespace secateur {
namespace {

using secateur::testing::openModel;
using secateur::testing::ownModel;

struct SessionTest : ::testing::Test {
    SessionTest() : session(openModel(ownModel("classifier.training"))) {}
    void choose(const std::string& target) {
        session.edit("choose", [&](Recipe& recipe) { recipe.targets = {target}; });
    }
    void run() {
        auto history = History::run(session.original(), session.recipe());
        ASSERT_TRUE(history) << history.error().toString();
        session.setHistory(std::make_unique<History>(std::move(*history)));
    }
    Session session;
};

TEST_F(SessionTest, undoAndRedoWalkThroughTheEdits) {
    choose("hidden");
    choose("logits");
    EXPECT_EQ(session.undoText(), "choose");
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.recipe().targets, std::vector<std::string>{"hidden"});
    ASSERT_TRUE(session.undo());
    EXPECT_TRUE(session.recipe().targets.empty());
    EXPECT_FALSE(session.undo());
    ASSERT_TRUE(session.redo());
    ASSERT_TRUE(session.redo());
    EXPECT_EQ(session.recipe().targets, std::vector<std::string>{"logits"});
    EXPECT_FALSE(session.redo());
}

TEST_F(SessionTest, anEditThatChangesNothingIsNoEdit) {
    EXPECT_FALSE(session.edit("nothing", [](Recipe& recipe) { recipe.targets.clear(); }));
    EXPECT_FALSE(session.canUndo());
}

TEST_F(SessionTest, aNewEditDropsWhatWasUndone) {
    choose("hidden");
    session.undo();
    choose("logits");
    EXPECT_FALSE(session.canRedo());
}

TEST_F(SessionTest, isModifiedComparesWithWhatWasSaved) {
    EXPECT_FALSE(session.isModified());
    choose("logits");
    EXPECT_TRUE(session.isModified());
    session.markSaved();
    EXPECT_FALSE(session.isModified());
    session.undo();
    EXPECT_TRUE(session.isModified());
    session.redo();
    EXPECT_FALSE(session.isModified());
}

TEST_F(SessionTest, movingTheCursorIsNotAnEdit) {
    run();
    session.history()->moveCursor(0);
    EXPECT_FALSE(session.isModified());
    EXPECT_FALSE(session.canUndo());
    EXPECT_TRUE(session.isCurrent());
}

TEST_F(SessionTest, aHistoryIsCurrentWhileTheRecipeIsTheOneItRan) {
    EXPECT_FALSE(session.isCurrent());
    run();
    EXPECT_TRUE(session.isCurrent());
    choose("hidden");
    EXPECT_FALSE(session.isCurrent());
    session.undo();
    EXPECT_TRUE(session.isCurrent());
}

} // namespace
} // namespace secateur
