// SPDX-License-Identifier: Apache-2.0
#include "core/onnx/load.h"

#include "core/ir/journal.h"
#include "tests/core/onnx/model_files.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

namespace fs = std::filesystem;

TEST(Load, everyModelOpensWithSoundArenas) {
    const auto models = testing::everyModel();
    if (models.empty()) GTEST_SKIP() << "no models at hand";
    for (const fs::path& path : models) {
        auto loaded = loadModel(path);
        ASSERT_TRUE(loaded) << loaded.error().toString();
        EXPECT_TRUE(brokenInvariants(loaded->model).empty())
            << path << ": " << brokenInvariants(loaded->model).front();
        EXPECT_TRUE(loaded->model.journal().edits().empty());
        EXPECT_TRUE(loaded->problems.empty()) << path << ": " << loaded->problems.front().text;
    }
}

} // namespace
} // namespace secateur
