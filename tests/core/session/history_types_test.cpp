// SPDX-License-Identifier: Apache-2.0
// Types follow a model only when somebody asks; nobody may notice.
#include "core/ir/model_hash.h"
#include "core/messages/messages.h"
#include "core/onnx/save.h"
#include "core/session/history_runner.h"
#include "tests/core/session/session_fixture.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

namespace secateur {
namespace {

namespace fs = std::filesystem;
using secateur::testing::openModel;
using secateur::testing::ownModel;

/// Asks for the types before the pass begins, as if they were kept up to date after every step.
class EagerPass final : public Pass {
  public:
    explicit EagerPass(const Pass& inner) : m_inner(inner) {}
    [[nodiscard]] const PassInfo& info() const override { return m_inner.info(); }
    Result<void> run(PassContext& context) const override {
        (void)context.types();
        return m_inner.run(context);
    }

  private:
    const Pass& m_inner;
};

Result<History> runEagerly(const std::shared_ptr<const Original>& original, const Recipe& recipe) {
    std::map<std::string, std::unique_ptr<EagerPass>, std::less<>> passes;
    for (const Pass* pass : allPasses())
        passes.emplace(pass->info().id, std::make_unique<EagerPass>(*pass));
    const auto lookup = [&](std::string_view id) -> const Pass* { return passes.find(id)->second.get(); };
    return HistoryRunner(original, recipe, {}, {}, lookup).run();
}

/// Where the types of the values that are left differ.
std::vector<std::string> differences(const History& a, const TypeTable& b) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < a.model().valueIdCount(); ++i) {
        const ValueId value(i);
        if (a.model().isAlive(value) && a.types().type(value).text() != b.type(value).text())
            out.push_back(valueText(a.model(), value) + ": " + a.types().type(value).text() + " and " +
                          b.type(value).text());
    }
    return out;
}

void expectSame(const fs::path& path) {
    SCOPED_TRACE(path.string());
    auto original = openOriginal(path);
    if (!original) return; // a model that is there to be refused
    Recipe recipe = conversionRecipe();
    if (const fs::path weights = path.parent_path() / "checkpoint"; fs::exists(weights))
        recipe.weightsPath = weights.string();
    for (RecipeStep& step : recipe.steps)
        step.isOn = true;
    auto lazy = History::run(*original, recipe);
    auto eager = runEagerly(*original, recipe);
    ASSERT_EQ(lazy.ok(), eager.ok());
    if (!lazy) {
        EXPECT_EQ(lazy.error().toString(), eager.error().toString());
        return;
    }
    EXPECT_EQ(*serializeModel(lazy->model()), *serializeModel(eager->model()));
    for (std::size_t i = 0; i < lazy->steps().size(); ++i) {
        const Step &a = lazy->steps()[i], &b = eager->steps()[i];
        SCOPED_TRACE(a.pass);
        EXPECT_EQ(a.after, b.after);
        EXPECT_FALSE(a.failure);
        ASSERT_EQ(a.records.size(), b.records.size());
        for (std::size_t r = 0; r < a.records.size(); ++r) {
            EXPECT_EQ(a.records[r].key, b.records[r].key);
            EXPECT_EQ(a.records[r].reason, b.records[r].reason);
        }
        ASSERT_EQ(a.misses.size(), b.misses.size());
        for (std::size_t m = 0; m < a.misses.size(); ++m)
            EXPECT_EQ(a.misses[m].reason, b.misses[m].reason);
    }
    EXPECT_TRUE(differences(*lazy, eager->types()).empty()) << differences(*lazy, eager->types()).front();
    TypeTable fresh;
    fresh.inferAll(lazy->model());
    EXPECT_TRUE(differences(*lazy, fresh).empty()) << "anew: " << differences(*lazy, fresh).front();
}

TEST(HistoryTypes, lazyTypesGiveWhatEagerOnesGiveOnOurModels) {
    for (const char* name :
         {"classifier.training", "batch_norm.training", "two_losses.training", "inference"})
        expectSame(ownModel(name));
}

TEST(HistoryTypes, lazyTypesGiveWhatEagerOnesGiveOnRealModels) {
    const fs::path folder = secateur::testing::modelsFolder();
    if (folder.empty()) GTEST_SKIP() << "no model folder: set SECATEUR_MODELS";
    const auto models = secateur::testing::filesBelow(folder, ".onnx");
    EXPECT_GE(models.size(), 30U);
    for (const fs::path& path : models)
        expectSame(path);
}

/// Rewrites that ask for types in their midst, and the last of which is refused; the pass then fails or not.
class AskingPass final : public Pass {
  public:
    explicit AskingPass(bool isFailing) : m_isFailing(isFailing) {
        m_info.id = "asking";
        m_info.titleId = "text.more";
    }
    [[nodiscard]] const PassInfo& info() const override { return m_info; }
    Result<void> run(PassContext& context) const override {
        const NodeId root = context.model().graph(context.model().mainGraph()).head;
        for (const bool isRefused : {false, true, false}) {
            RewriteRecord request;
            request.rule = "asking";
            request.root = root;
            request.reason = Reason("text.more", {std::int64_t{1}});
            context.rewrite(std::move(request), [&](Editor& editor, RewriteRecord&) -> Refusal {
                const GraphId main = context.model().mainGraph();
                const ValueId x = context.model().graphInputs(main)[0];
                editor.createNode(main, {"Shape", "", "", {x}, {editor.freshName("asked")}, {}}, root);
                if (!isRefused) return kDone;
                EXPECT_TRUE(context.types().type(x).isTensor());
                return Reason("text.more", {std::int64_t{2}});
            });
        }
        if (m_isFailing) return missingHere("no such thing here");
        return {};
    }

  private:
    PassInfo m_info;
    bool m_isFailing;
};

TEST(HistoryTypes, stepsThatSawTypesAndWereTakenBackLeaveNoneBehind) {
    for (const bool isFailing : {false, true}) {
        const AskingPass asking(isFailing);
        Recipe recipe;
        for (const char* pass : {"asking", "bypass-dropout", "asking", "standard-operators"})
            recipe.steps.push_back({pass, {}, {}, true, {}});
        const auto lookup = [&](std::string_view id) { return id == "asking" ? &asking : findPass(id); };
        auto history =
            HistoryRunner(openModel(ownModel("classifier.training")), recipe, {}, {}, lookup).run();
        ASSERT_TRUE(history.ok()) << history.error().toString();
        EXPECT_EQ(history->steps()[0].failure.has_value(), isFailing);
        EXPECT_EQ(history->steps()[0].misses.size(), 1U) << "the refused one";
        TypeTable fresh;
        fresh.inferAll(history->model());
        EXPECT_TRUE(differences(*history, fresh).empty()) << differences(*history, fresh).front();
        const std::uint64_t end = exactHash(history->model());
        history->moveCursor(0);
        history->moveCursor(4);
        EXPECT_EQ(exactHash(history->model()), end);
        EXPECT_TRUE(differences(*history, fresh).empty()) << "looking around leaves them alone";
    }
}

} // namespace
} // namespace secateur
