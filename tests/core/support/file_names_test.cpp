// SPDX-License-Identifier: Apache-2.0
#include "core/support/file_names.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

TEST(ModelTitle, isTheNameOfTheFile) {
    EXPECT_EQ(modelTitle("/a/resnet/resnet50.onnx"), "resnet50.onnx");
    EXPECT_EQ(modelTitle("resnet50.onnx"), "resnet50.onnx");
}

TEST(ModelTitle, hasTheFolderWhereAllFilesAreCalledSo) {
    EXPECT_EQ(modelTitle("/a/resnet/model.onnx"), "resnet/model.onnx");
    EXPECT_EQ(modelTitle("/a/resnet/x/../training_model.onnx"), "resnet/training_model.onnx");
    EXPECT_EQ(modelTitle("/model.onnx"), "model.onnx") << "there is no folder's name";
    const std::string here = std::filesystem::current_path().filename().string();
    EXPECT_EQ(modelTitle("model.onnx"), here + "/model.onnx");
}

TEST(ModelTitle, commonNamesAreThoseOfTools) {
    EXPECT_TRUE(isCommonModelName("training_model.onnx"));
    EXPECT_FALSE(isCommonModelName("model.training.onnx"));
    EXPECT_FALSE(isCommonModelName("eval_model.onnx"));
}

TEST(FileNames, endingsAreTheSameInCapitals) {
    EXPECT_EQ(endingOf("a/B.ONNX"), ".onnx");
    EXPECT_EQ(endingOf("b.training.Svg"), ".svg");
    EXPECT_EQ(endingOf("b"), "");
}

} // namespace
} // namespace secateur
