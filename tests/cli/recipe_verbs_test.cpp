// SPDX-License-Identifier: Apache-2.0
#include "tests/cli/command_line.h"

#include <filesystem>
#include <functional>

namespace secateur::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct RecipeTest : CliTest {
    void SetUp() override {
        const Ran run = runCli({"prune", dataModel("classifier.training"), "-o", in("pruned.onnx"),
                                "--recipe-out", in("r.json")});
        ASSERT_EQ(run.exit, 0) << run.err;
    }
    void rewriteRecipe(const std::function<void(nlohmann::json&)>& change) {
        auto recipe = nlohmann::json::parse(readAll(folder / "r.json"));
        change(recipe);
        folder.put("r.json", recipe.dump());
    }
};

TEST_F(RecipeTest, applyingTheRecipeGivesTheSameBytes) {
    const Ran run = runCli({"apply", in("r.json"), dataModel("classifier.training"), "-o", in("again.onnx"),
                            "--strict", "--json"});
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(readAll(folder / "again.onnx"), readAll(folder / "pruned.onnx"));
    const auto json = run.json();
    for (const auto& match : json["matches"])
        EXPECT_TRUE(match["matches"].get<bool>()) << match;
}

TEST_F(RecipeTest, aResultThatStillDrawsMasksFailsItsCheck) {
    rewriteRecipe([](nlohmann::json& recipe) {
        for (auto& step : recipe["steps"])
            if (step["pass"] == "bypass-dropout") step["on"] = false;
    });
    std::vector<std::string> words{"apply", in("r.json"),     dataModel("classifier.training"),
                                   "-o",    in("again.onnx"), "--verify"};
    const Ran refused = runCli(words);
    EXPECT_EQ(refused.exit, 1);
    EXPECT_THAT(refused.err, HasSubstr("Differs at `"));
    EXPECT_THAT(refused.err, HasSubstr("Nothing was written"));
    EXPECT_FALSE(exists("again.onnx"));
    words.emplace_back("--force");
    const Ran forced = runCli(words);
    EXPECT_EQ(forced.exit, 0);
    EXPECT_THAT(forced.out, HasSubstr("Differs at `"));
    EXPECT_TRUE(exists("again.onnx"));
}

TEST_F(RecipeTest, onAnotherModelTheDifferencesAreListed) {
    const Ran run = runCli({"apply", in("r.json"), dataModel("inference"), "-o", in("again.onnx")});
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_THAT(
        run.err,
        HasSubstr("step `bypass-dropout` did 1 rewrite when the recipe was saved and found nothing here"));
    EXPECT_TRUE(exists("again.onnx"));
}

TEST_F(RecipeTest, whereNothingMatchesNothingIsWritten) {
    const std::vector<std::string> words{"apply", in("r.json"), in("bare.onnx"), "-o", in("again.onnx")};
    // What the recipe made needs nothing of it any more.
    std::filesystem::rename(folder / "pruned.onnx", folder / "bare.onnx");
    const Ran run = runCli(words);
    EXPECT_EQ(run.exit, 1) << run.err;
    EXPECT_THAT(run.err, HasSubstr("no step of the recipe found anything to do in this model"));
    EXPECT_FALSE(exists("again.onnx"));
    auto more = words;
    more.emplace_back("--json");
    const auto json = runCli(more).json();
    EXPECT_EQ(json["error"]["exit"], 1);
    EXPECT_FALSE(json["matches"].empty());
    more.back() = "--force";
    EXPECT_EQ(runCli(more).exit, 0);
    EXPECT_TRUE(exists("again.onnx"));
}

TEST_F(RecipeTest, aRecipeThatNeverFoundAnythingFitsWhereItFindsNothing) {
    ASSERT_EQ(
        runCli({"prune", in("pruned.onnx"), "-o", in("twice.onnx"), "--recipe-out", in("none.json")}).exit,
        0);
    const Ran run = runCli({"apply", in("none.json"), in("pruned.onnx"), "-o", in("again.onnx"), "--strict"});
    EXPECT_EQ(run.exit, 0) << run.err;
}

TEST_F(RecipeTest, anotherTargetIsToldAlsoWhereQuietIsAsked) {
    rewriteRecipe([](nlohmann::json& recipe) { recipe["pinned_targets"] = {"gone"}; });
    const Ran run =
        runCli({"apply", in("r.json"), dataModel("classifier.training"), "-o", in("again.onnx"), "--quiet"});
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr("no value called `gone`"));
}

TEST_F(RecipeTest, aRecipeOfNothingIsRefused) {
    rewriteRecipe([](nlohmann::json& recipe) { recipe["steps"] = nlohmann::json::array(); });
    const Ran run =
        runCli({"apply", in("r.json"), dataModel("classifier.training"), "-o", in("again.onnx"), "--strict"});
    EXPECT_EQ(run.exit, 3);
    EXPECT_THAT(run.err, HasSubstr("has no steps"));
    EXPECT_FALSE(exists("again.onnx"));
}

TEST_F(RecipeTest, exportAimsAtATargetAsPruneDoes) {
    const std::string model = dataModel("classifier.training");
    ASSERT_EQ(runCli({"export", model, "--target", "hidden", "-o", in("t.txt")}).exit, 0);
    const std::string cut = readAll(folder / "t.txt");
    EXPECT_THAT(cut, Not(HasSubstr("SoftmaxCrossEntropyLoss")));
    EXPECT_THAT(cut, HasSubstr("hidden"));
    const Ran mistyped = runCli({"export", model, "--target", "hiden", "-o", in("t.txt")});
    EXPECT_EQ(mistyped.exit, 2);
    EXPECT_THAT(mistyped.err, HasSubstr("`hidden`"));
    const std::string artifact = dataModel("artifact.training"), weights = dataModel("artifact.weights");
    ASSERT_EQ(runCli({"export", artifact, "--weights", weights, "-o", in("w.txt")}).exit, 0);
    ASSERT_EQ(runCli({"export", artifact, "--pane", "after", "-o", in("v.txt")}).exit, 0);
    EXPECT_NE(readAll(folder / "w.txt"), readAll(folder / "v.txt"));
}

TEST_F(RecipeTest, strictRefusesDifferences) {
    const Ran run =
        runCli({"apply", in("r.json"), dataModel("inference"), "-o", in("again.onnx"), "--strict", "--json"});
    EXPECT_EQ(run.exit, 1);
    EXPECT_FALSE(exists("again.onnx"));
    EXPECT_FALSE(run.json()["matches"].empty());
}

TEST_F(RecipeTest, aSkippedRewriteIsSkippedAndAnUnknownOneListed) {
    rewriteRecipe([](nlohmann::json& recipe) {
        for (auto& step : recipe["steps"])
            if (step["pass"] == "bypass-dropout")
                step["skipped"] = {"bypass-dropout@dropped", "bypass-dropout@nowhere"};
    });
    const Ran run =
        runCli({"apply", in("r.json"), dataModel("classifier.training"), "-o", in("again.onnx"), "--json"});
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(run.json()["after"]["nodes"], 4);
    EXPECT_THAT(run.err, HasSubstr("was to skip `bypass-dropout@nowhere`"));
}

TEST_F(RecipeTest, aStepThatIsOffIsNotRun) {
    rewriteRecipe([](nlohmann::json& recipe) {
        for (auto& step : recipe["steps"])
            if (step["pass"] == "bypass-dropout") step["on"] = false;
    });
    const auto json =
        runCli({"apply", in("r.json"), dataModel("classifier.training"), "-o", in("again.onnx"), "--json"})
            .json();
    EXPECT_EQ(json["after"]["nodes"], 4);
}

TEST_F(RecipeTest, aRecipeOfANewerVersionIsExplained) {
    rewriteRecipe([](nlohmann::json& recipe) { recipe["secateur_recipe"] = 9; });
    const Ran run = runCli({"apply", in("r.json"), dataModel("classifier.training"), "-o", in("again.onnx")});
    EXPECT_EQ(run.exit, 3);
    EXPECT_THAT(run.err, HasSubstr("written by a newer Secateur"));
}

TEST_F(RecipeTest, aFieldThatIsUnknownIsRefused) {
    rewriteRecipe([](nlohmann::json& recipe) { recipe["tragets"] = nlohmann::json::array(); });
    const Ran run = runCli({"apply", in("r.json"), dataModel("classifier.training"), "-o", in("again.onnx")});
    EXPECT_EQ(run.exit, 3);
    EXPECT_THAT(run.err, HasSubstr("field `tragets` of the recipe is unknown (did you mean `targets`?)"));
}

TEST_F(RecipeTest, reportsAreTheSameForTheSameInput) {
    for (const char* kind : {"html", "md", "json"}) {
        const std::string a = std::string("a.") + kind, b = std::string("b.") + kind;
        EXPECT_EQ(runCli({"report", dataModel("classifier.training"), "-o", in(a)}).exit, 0) << kind;
        EXPECT_EQ(runCli({"report", dataModel("classifier.training"), "-o", in(b)}).exit, 0) << kind;
        EXPECT_EQ(readAll(folder / a), readAll(folder / b)) << kind;
        EXPECT_THAT(readAll(folder / a), HasSubstr("prune " + dataModel("classifier.training") +
                                                   " -o classifier.training.inference.onnx"))
            << kind;
    }
}

TEST_F(RecipeTest, aReportOfTheRecipeNamesIt) {
    EXPECT_EQ(
        runCli({"report", dataModel("classifier.training"), "--recipe", in("r.json"), "-o", in("r.md")}).exit,
        0);
    EXPECT_THAT(readAll(folder / "r.md"),
                HasSubstr("secateur-cli apply " + in("r.json") + " " + dataModel("classifier.training")));
}

TEST_F(RecipeTest, whatARecipeSettlesCannotBeGivenBesideIt) {
    for (const std::vector<std::string>& flag : {std::vector<std::string>{"--for", "onnxruntime"},
                                                 {"--batch-norm", "running"},
                                                 {"--strip-traces"}}) {
        for (const char* verb : {"report", "explain"}) {
            std::vector<std::string> words{verb, dataModel("classifier.training"), "--recipe", in("r.json")};
            if (std::string(verb) == "report") words.insert(words.end(), {"-o", in("r.md")});
            words.insert(words.end(), flag.begin(), flag.end());
            const Ran run = runCli(words);
            EXPECT_EQ(run.exit, 2) << verb << " " << flag[0];
            EXPECT_THAT(run.err, HasSubstr(flag[0])) << verb;
        }
    }
}

TEST_F(RecipeTest, kindsThatNeedTheWindowSaySo) {
    const Ran run = runCli({"report", dataModel("inference"), "-o", in("r.pdf")});
    EXPECT_EQ(run.exit, 4);
    EXPECT_THAT(run.err, HasSubstr("print it to PDF"));
    EXPECT_EQ(runCli({"report", dataModel("inference"), "-o", in("r.doc")}).exit, 2);
    EXPECT_EQ(runCli({"export", dataModel("inference"), "-o", in("g.gif")}).exit, 2);
}

TEST_F(RecipeTest, theGraphIsExportedAsPictureAndText) {
    EXPECT_EQ(runCli({"export", dataModel("classifier.training"), "-o", in("g.svg")}).exit, 0);
    EXPECT_THAT(readAll(folder / "g.svg"), HasSubstr("SoftmaxCrossEntropyLossGrad"));
    EXPECT_EQ(runCli({"export", dataModel("classifier.training"), "-o", in("g.dot")}).exit, 0);
    EXPECT_THAT(readAll(folder / "g.dot"), HasSubstr("digraph"));
    EXPECT_EQ(runCli({"export", dataModel("classifier.training"), "-o", in("g.txt")}).exit, 0);
    EXPECT_THAT(readAll(folder / "g.txt"), HasSubstr("loss, log_prob = SoftmaxCrossEntropyLoss"));
    EXPECT_THAT(readAll(folder / "g.txt"), HasSubstr("\"left out\": \"128 elements\""));
}

TEST_F(RecipeTest, withARecipeTheExportShowsWhatIsLeftUnlessAPaneIsNamed) {
    const auto exported = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"export", dataModel("classifier.training"), "-o", in("p.svg")};
        words.insert(words.end(), more.begin(), more.end());
        EXPECT_EQ(runCli(words).exit, 0);
        return readAll(folder / "p.svg");
    };
    const std::string recipe = in("r.json");
    const auto gone = HasSubstr(">SoftmaxCrossEntropyLoss</text>");
    EXPECT_THAT(exported({"--recipe", recipe}), Not(gone));
    EXPECT_THAT(exported({"--recipe", recipe}), Not(HasSubstr("stroke-dasharray:1 3"))) << "no holes";
    EXPECT_THAT(exported({"--recipe", recipe, "--rows", "locked"}), HasSubstr("stroke-dasharray:1 3"));
    EXPECT_THAT(exported({"--recipe", recipe, "--pane", "before"}), gone);
    EXPECT_THAT(exported({"--recipe", recipe, "--pane", "overlay"}), gone);
    EXPECT_THAT(exported({"--pane", "after"}), Not(gone)) << "without a recipe: the conversion of prune";
    EXPECT_THAT(exported({"--recipe", recipe, "--theme", "dark"}), HasSubstr("#16191d"));
    EXPECT_EQ(runCli({"export", dataModel("inference"), "--pane", "both", "-o", in("p.svg")}).exit, 2);
}

} // namespace
} // namespace secateur::testing
