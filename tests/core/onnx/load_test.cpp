// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/load.h"

#include "core/ir/journal.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> everyModel() {
    auto out = testing::filesBelow(SECATEUR_ONNX_TEST_DATA, ".onnx");
    const fs::path models = testing::modelsFolder();
    if (models.empty()) return out;
    for (const fs::path& folder : {models, models.parent_path() / "cases"}) {
        const auto more = testing::filesBelow(folder, ".onnx");
        out.insert(out.end(), more.begin(), more.end());
    }
    return out;
}

TEST(Load, everyModelOpensWithSoundArenas) {
    const auto models = everyModel();
    ASSERT_FALSE(models.empty());
    for (const fs::path& path : models) {
        auto loaded = loadModel(path);
        ASSERT_TRUE(loaded) << loaded.error().toString();
        EXPECT_TRUE(brokenInvariants(loaded->model).empty()) << path << ": " << brokenInvariants(loaded->model).front();
        EXPECT_TRUE(loaded->model.journal().edits().empty());
        EXPECT_TRUE(loaded->problems.empty()) << path << ": " << loaded->problems.front().text;
    }
}

} // namespace
} // namespace secateur
