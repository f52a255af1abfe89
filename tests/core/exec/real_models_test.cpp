// SPDX-License-Identifier: Apache-2.0
//
// Real models with stored inputs and outputs.
#include "tests/support/stored_model.h"

namespace secateur {
namespace {

TEST(RealModels, inferenceModelsGiveTheStoredOutputs) {
    if (!std::filesystem::is_directory(testing::modelsFolder() / "inference"))
        GTEST_SKIP() << "no folder of real models: set SECATEUR_MODELS";
    std::size_t seen = 0;
    for (const std::filesystem::path& folder : testing::inferenceFolders()) {
        const testing::StoredModel stored(folder);
        ++seen;
        const auto backend = Backend::open(stored.model(), {}, Device::reference, {});
        ASSERT_TRUE(backend.ok()) << stored.name << ": " << backend.error().toString();
        const auto runs = (*backend)->run({stored.inputs}, {});
        ASSERT_TRUE(runs.ok()) << stored.name << ": " << runs.error().toString();
        testing::expectAsExactAsOnnxRuntime(stored, runs->front().outputs);
    }
    EXPECT_GT(seen, 10U);
}

} // namespace
} // namespace secateur
