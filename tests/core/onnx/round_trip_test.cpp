// SPDX-License-Identifier: Apache-2.0
// The law: what is saved equals, byte for byte, what protobuf writes after parsing the same file.
#include "core/onnx/load.h"
#include "core/onnx/save.h"
#include "tests/core/onnx/model_files.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

namespace secateur {
namespace {

namespace fs = std::filesystem;

void expectLaw(const fs::path& path) {
    auto loaded = loadModel(path);
    ASSERT_TRUE(loaded) << loaded.error().toString();
    auto ours = serializeModel(loaded->model);
    ASSERT_TRUE(ours) << path << ": " << ours.error().toString();
    onnx::ModelProto reference;
    ASSERT_TRUE(reference.ParseFromString(testing::readAll(path))) << path;
    EXPECT_TRUE(*ours == reference.SerializeAsString()) << path << ": bytes differ";
    EXPECT_EQ(*serializedSize(loaded->model), ours->size()) << path;
}

TEST(RoundTrip, everyModelOfTheWheelIsWrittenByteForByte) {
    const auto models = testing::filesBelow(SECATEUR_ONNX_TEST_DATA, ".onnx");
    if (models.empty()) GTEST_SKIP() << "an installed ONNX brings no test data";
    for (const fs::path& path : models)
        expectLaw(path);
}

TEST(RoundTrip, everyRealModelIsWrittenByteForByte) {
    const auto models = testing::realModels();
    if (models.empty()) GTEST_SKIP() << "no folder of real models; name one in SECATEUR_MODELS";
    for (const fs::path& path : models)
        expectLaw(path);
}

} // namespace
} // namespace secateur
