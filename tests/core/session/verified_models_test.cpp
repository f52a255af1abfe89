// SPDX-License-Identifier: Apache-2.0
//
// Training graphs run as they are, and what is cut from them gives the same bits as they do in evaluation
// mode.
#include "core/session/verification.h"
#include "tests/support/models.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <vector>

namespace secateur {
namespace {

namespace fs = std::filesystem;

History converted(const fs::path& path) {
    auto original = openOriginal(path);
    if (!original) throw std::runtime_error(original.error().toString());
    Recipe recipe = conversionRecipe();
    if ((*original)->targets.clear.empty())
        recipe.targets = {
            std::string((*original)->file.model.name((*original)->targets.candidates.front().value))};
    for (RecipeStep& step : recipe.steps)
        if (step.pass == "freeze-batch-norm") step.options["batch-norm"] = "running";
    auto history = History::run(*original, recipe);
    if (!history) throw std::runtime_error(history.error().toString());
    return std::move(*history);
}

void runBeforeAndAfter(const fs::path& path) {
    SCOPED_TRACE(path.string());
    Job whole;
    whole.paths = {path};
    const auto ran = runJob(whole);
    EXPECT_TRUE(ran.ok()) << ran.error().toString();
    const testing::TemporaryFolder folder;
    History history = converted(path);
    auto plan = planVerification(history, folder.path());
    ASSERT_TRUE(plan.ok()) << plan.error().toString();
    plan->job.count = 1;
    plan->job.hasEdgeInputs = false;
    const auto answer = runJob(plan->job);
    ASSERT_TRUE(answer.ok()) << answer.error().toString();
    EXPECT_EQ(verificationOf(*plan, answer).text(), "Same bits on 1 input");
}

TEST(VerifiedModels, ownTrainingGraphsGiveTheSameBits) {
    for (const char* name : {"classifier", "autoencoder", "artifact", "exported", "batch_norm"})
        runBeforeAndAfter(fs::path(SECATEUR_TEST_DATA) / "cli" / (std::string(name) + ".training.onnx"));
}

TEST(VerifiedModels, trainingGraphsOfTheCollectionGiveTheSameBits) {
    const fs::path folder = testing::modelsFolder() / "training";
    if (!fs::is_directory(folder)) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    std::size_t seen = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (!fs::exists(entry.path() / "model.onnx")) continue;
        ++seen;
        runBeforeAndAfter(entry.path() / "model.onnx");
    }
    EXPECT_GT(seen, 30U);
}

} // namespace
} // namespace secateur
