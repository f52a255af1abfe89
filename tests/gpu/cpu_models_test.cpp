// SPDX-License-Identifier: Apache-2.0
//
// Real models and samples on the CPU backend.
#include "core/exec/execution_plan.h"
#include "core/onnx/load.h"
#include "core/session/history.h"
#include "tests/gpu/two_backends.h"
#include "tests/support/models.h"
#include "tests/support/stored_model.h"

#include <algorithm>
#include <filesystem>
#include <string>

namespace secateur {
namespace {

namespace fs = std::filesystem;
using testing::CpuRun;
using testing::Values;

/// What was planned is what was taken, to the byte: of the allocator, and up to where results reach.
void expectArenaAsPlanned(const Model& model, const CpuRun& run, const std::string& name) {
    const RunReport& report = run.report;
    const std::uint64_t reached =
        (report.arenaReachedBytes + kPlanAlignment - 1) / kPlanAlignment * kPlanAlignment;
    EXPECT_EQ(reached, report.arenaBytes) << name;
    EXPECT_GE(report.arenaHighWaterBytes, report.arenaBytes) << name;
    bool hasBodies = false;
    for (const NodeId node : model.nodes(model.mainGraph()))
        hasBodies = hasBodies || !model.subgraphs(node).empty();
    if (!hasBodies) {
        EXPECT_EQ(report.arenaHighWaterBytes, report.arenaBytes) << name;
    }
}

TEST(CpuModels, inferenceModelsGiveTheStoredOutputsInTheArenaOfTheirPlan) {
    if (!fs::is_directory(testing::modelsFolder() / "inference"))
        GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    std::size_t seen = 0;
    for (const fs::path& folder : testing::inferenceFolders()) {
        const testing::StoredModel stored(folder);
        ++seen;
        const CpuRun plain = testing::runOnCpu(stored.model(), stored.inputs, false, {}, 1);
        const CpuRun poisoned = testing::runOnCpu(stored.model(), stored.inputs, true, {}, 1);
        EXPECT_TRUE(plain.isDone && poisoned.isDone) << stored.name << ": " << plain.error << poisoned.error;
        if (!plain.isDone || !poisoned.isDone) continue;
        EXPECT_TRUE(testing::farthest(poisoned.outputs, plain.outputs).isSameBits)
            << stored.name << " changes when freed memory is poisoned";
        expectArenaAsPlanned(stored.model(), plain, stored.name);
        testing::expectAsExactAsOnnxRuntime(stored, plain.outputs);
    }
    EXPECT_GT(seen, 10U);
}

/// The recipe that people start with; where a choice is open, as the test of verified models chooses.
Model pruned(const fs::path& file) {
    auto original = openOriginal(file);
    if (!original) throw std::runtime_error(original.error().toString());
    Recipe recipe = conversionRecipe();
    if ((*original)->targets.clear.empty())
        recipe.targets = {
            std::string((*original)->file.model.name((*original)->targets.candidates.front().value))};
    for (RecipeStep& step : recipe.steps)
        if (step.pass == "freeze-batch-norm") step.options["batch-norm"] = "running";
    if (const fs::path weights = file.parent_path() / "checkpoint"; fs::exists(weights))
        recipe.weightsPath = weights.string();
    const auto history = History::run(*original, recipe);
    if (!history) throw std::runtime_error(history.error().toString());
    return history->model().clone();
}

TEST(CpuModels, trainingGraphsRunAsOnTheReferenceBeforeAndAfterPruning) {
    const fs::path folder = testing::modelsFolder() / "training";
    if (!fs::is_directory(folder)) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    std::size_t seen = 0;
    const auto check = [&](const Model& model, const std::string& name, const Tolerance& tolerance) {
        const auto inputs = testing::randomInputs(model);
        ASSERT_TRUE(inputs.ok()) << name << ": " << inputs.error().toString();
        expectArenaAsPlanned(model, testing::expectLaws(model, *inputs, name, tolerance, 1), name);
    };
    for (const fs::path& file : testing::filesBelow(folder, ".onnx")) {
        const std::string name = file.parent_path().filename().string();
        if (file.filename() != "model.onnx") continue;
        const auto loaded = loadModel(file);
        ASSERT_TRUE(loaded.ok()) << file;
        ++seen;
        check(loaded->model, name, {1e-3, 1e-4});
        check(pruned(file), name + ", pruned", testing::kTolerance);
    }
    EXPECT_GT(seen, 30U);
}

TEST(CpuModels, samplesOfTheTestsRunAsOnTheReference) {
    std::size_t seen = 0;
    for (const fs::path& file : testing::filesBelow(SECATEUR_TEST_DATA, ".onnx")) {
        const auto loaded = loadModel(file);
        if (!loaded || loaded->model.graphIdCount() == 0) continue;
        const auto inputs = testing::randomInputs(loaded->model);
        if (!inputs) continue;
        ++seen;
        testing::expectLaws(loaded->model, *inputs, file.filename().string());
    }
    EXPECT_GT(seen, 0U);
}

} // namespace
} // namespace secateur
