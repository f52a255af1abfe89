// SPDX-License-Identifier: Apache-2.0
#include "core/session/history_runner.h"

#include "core/ir/model_hash.h"
#include "tests/core/session/session_fixture.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace secateur {
namespace {

using secateur::testing::openModel;
using secateur::testing::ownModel;
using ::testing::HasSubstr;

/// Renames the first node, then does what the test says.
class FaultyPass final : public Pass {
  public:
    explicit FaultyPass(std::function<Result<void>()> ending) : m_ending(std::move(ending)) {
        m_info.id = "faulty";
        m_info.titleId = "text.more";
    }
    [[nodiscard]] const PassInfo& info() const override { return m_info; }
    Result<void> run(PassContext& context) const override {
        RewriteRecord request;
        request.rule = "faulty";
        request.root = context.model().graph(context.model().mainGraph()).head;
        request.reason = Reason("text.more", {std::int64_t{1}});
        context.rewrite(request, [&](Editor& editor, RewriteRecord&) {
            editor.setNodeName(request.root, "renamed");
            return kDone;
        });
        return m_ending();
    }

  private:
    PassInfo m_info;
    std::function<Result<void>()> m_ending;
};

History runWith(const FaultyPass& faulty) {
    Recipe recipe;
    for (const char* pass : {"bypass-dropout", "faulty", "drop-training-state"})
        recipe.steps.push_back({pass, {}, {}, true, {}});
    const auto lookup = [&](std::string_view id) { return id == "faulty" ? &faulty : findPass(id); };
    auto history = HistoryRunner(openModel(ownModel("classifier.training")), recipe, {}, {}, lookup).run();
    if (!history) throw std::runtime_error(history.error().toString());
    return std::move(*history);
}

void expectTakenBack(const History& history, const char* message) {
    const Step& step = history.steps()[1];
    ASSERT_TRUE(step.failure);
    EXPECT_THAT(step.failure->toString(), HasSubstr(message));
    EXPECT_TRUE(step.records.empty());
    EXPECT_EQ(step.begin, step.end);
    EXPECT_EQ(step.hashBefore, step.hashAfter);
    EXPECT_EQ(step.before, step.after);
    EXPECT_FALSE(history.steps()[0].records.empty());
    EXPECT_FALSE(history.steps()[2].failure) << "the others go on";
    for (const NodeId node : history.model().nodes(history.model().mainGraph()))
        EXPECT_NE(history.model().name(node), "renamed");
}

TEST(HistoryFailure, aPassThatFailsIsTakenBack) {
    expectTakenBack(runWith(FaultyPass([]() -> Result<void> { return missingHere("no such thing here"); })),
                    "no such thing here");
}

TEST(HistoryFailure, aPassThatThrowsIsTakenBack) {
    expectTakenBack(runWith(FaultyPass([]() -> Result<void> { throw std::runtime_error("out of luck"); })),
                    "out of luck");
}

TEST(HistoryFailure, aPassThatEndsWellKeepsItsEdits) {
    const History history = runWith(FaultyPass([]() -> Result<void> { return {}; }));
    EXPECT_FALSE(history.steps()[1].failure);
    EXPECT_NE(history.steps()[1].hashBefore, history.steps()[1].hashAfter);
    EXPECT_EQ(history.steps().back().hashAfter, exactHash(history.model()));
}

} // namespace
} // namespace secateur
