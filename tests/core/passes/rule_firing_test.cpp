// SPDX-License-Identifier: Apache-2.0
// Which rules apply to models that others wrote: each does somewhere, or `passes` says why it seldom does.
#include "core/messages/messages.h"
#include "core/passes/simplify/rules.h"
#include "core/session/history.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>

namespace secateur {
namespace {

constexpr std::uintmax_t kMostBytes = 32U << 20U;

Recipe simplification(const char* level) {
    Recipe recipe = optimizationRecipe(false);
    for (RecipeStep& step : recipe.steps) {
        if (step.pass == "simplify") step.options["level"] = level;
    }
    return recipe;
}

void countRewrites(const std::filesystem::path& file, std::map<std::string, std::size_t>& fired) {
    const auto original = openOriginal(file);
    if (!original.ok()) return; // among the cases are files that are none
    RunOptions sparing;
    sparing.hasHashes = sparing.hasSizes = sparing.hasTypes = false;
    // What one level folds away leaves others nothing to do.
    for (const char* level : {"exact", "approximate"}) {
        const auto history = History::run(*original, simplification(level), {}, sparing);
        if (!history.ok()) continue;
        for (const Step& step : history->steps()) {
            for (const RewriteRecord& record : step.records)
                ++fired[record.rule];
        }
    }
}

TEST(RuleFiring, everyRuleAppliesSomewhereOrSaysWhyItSeldomDoes) {
    const std::filesystem::path models = testing::modelsFolder();
    const bool hasCases = std::filesystem::is_directory(models.parent_path() / "cases");
    if (models.empty() || !hasCases) GTEST_SKIP() << "no folder of models with one of cases beside it";
    std::map<std::string, std::size_t> fired;
    std::size_t files = 0;
    for (const auto& folder : {models, models.parent_path() / "cases"}) {
        for (const auto& file : testing::filesBelow(folder, ".onnx")) {
            if (std::filesystem::file_size(file) > kMostBytes) continue;
            countRewrites(file, fired);
            ++files;
        }
    }
    ASSERT_GT(files, 40U);
    for (const Rule* rule : allRules()) {
        const std::string id(rule->id);
        const bool isRare = hasMessage("rule." + id + ".rare");
        std::printf("%7zu %s%s\n", fired[id], id.c_str(), isRare ? " (rare)" : "");
        EXPECT_NE(fired[id] > 0, isRare) << id << " was applied " << fired[id] << " times";
    }
}

} // namespace
} // namespace secateur
