// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line.h"

#include <filesystem>

namespace secateur::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// The classifier whose parameters are inputs, and files of weights for it.
struct WeightsTest : CliTest {
    [[nodiscard]] Ran prune(const std::string& weights, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words{
            "prune", dataModel("artifact.training"), "-o", in("out.onnx"), "--weights", weights};
        words.insert(words.end(), more.begin(), more.end());
        return runCli(words);
    }
    /// Prunes with the right weights, which lie beside the recipe r.json.
    void saveRecipe() const {
        const std::string weights = folder.put("checkpoint", readAll(dataModel("artifact.weights"))).string();
        const Ran run = prune(weights, {"--recipe-out", in("r.json")});
        ASSERT_EQ(run.exit, 0) << run.err;
    }
    [[nodiscard]] Ran apply(const std::string& model, const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words{"apply", in("r.json"), model, "-o", in("again.onnx")};
        words.insert(words.end(), more.begin(), more.end());
        return runCli(words);
    }
};

TEST_F(WeightsTest, pruneSaysHowManyFit) {
    const Ran whole = prune(dataModel("artifact.weights"));
    EXPECT_EQ(whole.exit, 0) << whole.err;
    EXPECT_THAT(whole.out, HasSubstr("(from --weights), 4 of 4 tensors fit"));
    EXPECT_THAT(whole.err, IsEmpty());
    const Ran partial = prune(dataModel("partial.weights"), {"--json"});
    EXPECT_EQ(partial.exit, 0) << partial.err;
    EXPECT_THAT(partial.err, AllOf(HasSubstr("only 2 of 4 tensors fit"), HasSubstr("`fc2.weight`"),
                                   HasSubstr("`head.bias`"), HasSubstr("`fc2.bias`")));
    const auto json = partial.json();
    EXPECT_EQ(json["weights_file"]["fit"], 2);
    EXPECT_EQ(json["weights_file"]["tensors"], 4);
    EXPECT_THAT(json["weights_file"]["misfits"], ElementsAre("fc2.weight"));
    EXPECT_THAT(json["weights_file"]["foreign"], ElementsAre("head.bias"));
    EXPECT_THAT(json["weights_file"]["missing"], ElementsAre("fc2.bias"));
}

TEST_F(WeightsTest, sizesWithAndWithoutWeightsAreCalledSo) {
    EXPECT_THAT(prune(dataModel("artifact.weights")).out,
                AllOf(HasSubstr(" without its weights -> "), HasSubstr(" with them")));
    const Ran bare = runCli({"prune", dataModel("artifact.training"), "-o", in("bare.onnx")});
    EXPECT_THAT(bare.out, Not(HasSubstr("without its weights")));
}

TEST_F(WeightsTest, whereNothingFitsNothingIsWritten) {
    for (const char* weights : {"foreign.weights", "other_shapes.weights"}) {
        const Ran run = prune(dataModel(weights), {"--force", "--recipe-out", in("r.json")});
        EXPECT_EQ(run.exit, 3) << weights;
        EXPECT_THAT(run.err, AllOf(HasSubstr(weights), HasSubstr("none of the"), HasSubstr("fits the model"),
                                   HasSubstr("Give the checkpoint that was trained with this model")));
        EXPECT_EQ(files(), 0U) << weights;
    }
}

TEST_F(WeightsTest, aRecipeFindsItsWeightsWhereverBothAreMoved) {
    saveRecipe();
    const TemporaryFolder elsewhere;
    std::filesystem::create_directory(elsewhere / "moved");
    for (const char* name : {"r.json", "checkpoint"})
        std::filesystem::rename(folder / name, elsewhere / "moved" / name);
    const Ran run = runCli({"apply", (elsewhere / "moved" / "r.json").string(),
                            dataModel("artifact.training"), "-o", in("again.onnx"), "--strict"});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("weights: " + (elsewhere / "moved" / "checkpoint").string() +
                                   " (from the recipe), 4 of 4"));
    EXPECT_EQ(readAll(folder / "again.onnx"), readAll(folder / "out.onnx"));
}

TEST_F(WeightsTest, applyWithoutWeightsSaysSo) {
    ASSERT_EQ(runCli({"prune", dataModel("classifier.training"), "-o", in("out.onnx"), "--recipe-out",
                      in("r.json")})
                  .exit,
              0);
    EXPECT_THAT(apply(dataModel("classifier.training")).out, HasSubstr("weights: none"));
}

TEST_F(WeightsTest, weightsWithOtherContentsAreNoticed) {
    saveRecipe();
    std::string bytes = readAll(folder / "checkpoint");
    const std::size_t at = bytes.find("fc1.weight") + 100;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    folder.put("checkpoint", bytes);
    const Ran run = apply(dataModel("artifact.training"), {"--json"});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("are not those that the recipe was saved with"));
    EXPECT_EQ(run.json()["weights_file"]["as_saved"], false);
    EXPECT_THAT(run.json()["differences"], ElementsAre("weights_contents"));
    std::filesystem::remove(folder / "again.onnx");
    EXPECT_EQ(apply(dataModel("artifact.training"), {"--strict"}).exit, 1);
    EXPECT_FALSE(exists("again.onnx"));
    // Other weights that were asked for are no surprise.
    const Ran asked = apply(dataModel("artifact.training"), {"--strict", "--weights", in("checkpoint")});
    EXPECT_EQ(asked.exit, 0) << asked.err;
    EXPECT_THAT(asked.err, IsEmpty());
}

TEST_F(WeightsTest, weightsThatAreGoneAreNamedWithTheWayOut) {
    saveRecipe();
    std::filesystem::remove(folder / "checkpoint");
    const Ran run = apply(dataModel("artifact.training"));
    EXPECT_EQ(run.exit, 3);
    EXPECT_THAT(run.err, AllOf(HasSubstr(in("checkpoint")), HasSubstr("r.json takes its weights"),
                               HasSubstr("--weights")));
    EXPECT_FALSE(exists("again.onnx"));
}

TEST_F(WeightsTest, onAnotherModelHalfOfTheWeightsIsSaidAndStrictlyRefused) {
    saveRecipe();
    folder.put("checkpoint", readAll(dataModel("partial.weights")));
    const Ran run = apply(dataModel("artifact.training"));
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("only 2 of 4 tensors fit"));
    EXPECT_THAT(run.out, HasSubstr("2 of 4 tensors fit"));
    std::filesystem::remove(folder / "again.onnx");
    const Ran strict = apply(dataModel("artifact.training"), {"--strict", "--json"});
    EXPECT_EQ(strict.exit, 1);
    EXPECT_FALSE(exists("again.onnx"));
    folder.put("checkpoint", readAll(dataModel("foreign.weights")));
    EXPECT_EQ(apply(dataModel("artifact.training"), {"--force"}).exit, 3);
    EXPECT_FALSE(exists("again.onnx"));
}

TEST_F(WeightsTest, aPinnedTargetThatIsGoneIsSaidAndStrictlyRefused) {
    ASSERT_EQ(runCli({"prune", dataModel("classifier.training"), "-o", in("out.onnx"), "--recipe-out",
                      in("r.json")})
                  .exit,
              0);
    EXPECT_THAT(readAll(folder / "r.json"), HasSubstr("\"pinned_targets\": [\n    \"logits\"\n  ]"));
    const Ran run = apply(dataModel("two_losses.training"), {"--json"});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("no value called `logits`, which the recipe was saved for"));
    EXPECT_THAT(run.json()["differences"], ElementsAre("targets"));
    std::filesystem::remove(folder / "again.onnx");
    EXPECT_EQ(apply(dataModel("two_losses.training"), {"--strict"}).exit, 1);
    EXPECT_FALSE(exists("again.onnx"));
}

} // namespace
} // namespace secateur::testing
