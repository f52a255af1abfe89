// SPDX-License-Identifier: Apache-2.0
#include "core/session/training_mode.h"

#include "core/onnx/text.h"
#include "tests/core/session/session_fixture.h"
#include "tests/support/models.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

using secateur::testing::openModel;
using secateur::testing::ownModel;

std::string trainingModeOf(const std::filesystem::path& path) {
    return joinCounts(countTrainingMode(*openModel(path)));
}

TEST(TrainingMode, namesTheOperatorsThatTrain) {
    EXPECT_EQ(trainingModeOf(ownModel("exported.training")), "2 Dropout and 1 BatchNormalization");
    EXPECT_EQ(trainingModeOf(ownModel("classifier.training")), "1 Dropout");
    EXPECT_EQ(trainingModeOf(ownModel("inference")), "");
}

TEST(TrainingMode, ofModelsExportedInTrainingMode) {
    const auto cnn = testing::trainingModel("cnn.exported");
    const auto unet = testing::trainingModel("unet.exported.dynamo");
    if (cnn.empty() || unet.empty()) GTEST_SKIP() << "no folder of models: set SECATEUR_MODELS";
    EXPECT_EQ(trainingModeOf(cnn), "3 BatchNormalization and 2 Dropout");
    EXPECT_EQ(trainingModeOf(unet), "5 Dropout") << "its BatchNormalization does not train";
}

TEST(TrainingMode, insideOfFunctionsAndBodiesItCounts) {
    auto parsed = parseModelText(R"(<ir_version: 10, opset_import: ["" : 18, "local" : 1]>
        main (float[2] x, bool c) => (float[2] y) {
            a = local.Drop(x)
            b = local.Drop(a)
            y = If (c) <then_branch = yes () => (float[2] t) {
                           on = Constant <value = bool {1}> ()
                           t = Dropout (b, , on)
                       },
                       else_branch = no () => (float[2] e) { e = Neg (b) }>
        }
        <domain: "local", opset_import: ["" : 18]>
        Drop (p) => (q) {
            on = Constant <value = bool {1}> ()
            q = Dropout (p, , on)
        }
        <domain: "local", opset_import: ["" : 18]>
        Unused (p) => (q) {
            on = Constant <value = bool {1}> ()
            q = Dropout (p, , on)
        })");
    ASSERT_TRUE(parsed) << parsed.error().toString();
    EXPECT_EQ(joinCounts(countTrainingMode(*makeOriginal(std::move(*parsed)))), "3 Dropout");
}

TEST(TrainingMode, countsJoinLikeAList) {
    EXPECT_EQ(joinCounts({{"A", 1200}, {"B", 2}, {"C", 1}}), "1,200 A, 2 B and 1 C");
    EXPECT_EQ(joinCounts({}), "");
}

} // namespace
} // namespace secateur
