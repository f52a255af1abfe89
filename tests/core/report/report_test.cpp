// SPDX-License-Identifier: Apache-2.0
#include "core/report/report.h"

#include "core/passes/registry.h"
#include "core/report/html_page.h"
#include "core/session/weight_fit.h"
#include "core/support/text.h"
#include "tests/core/session/session_fixture.h"
#include "tests/support/models.h"
#include "tests/temporary_folder.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <map>
#include <regex>

namespace secateur {
namespace {

using secateur::testing::convert;
using secateur::testing::openModel;
using secateur::testing::ownModel;
using secateur::testing::TemporaryFolder;
using ::testing::HasSubstr;
using ::testing::Not;

Report reportOn(const std::filesystem::path& model, bool hasPictures = true) {
    History history = convert(openModel(model));
    ReportOptions options;
    options.command = "secateur-cli prune m.onnx -o m.inference.onnx";
    options.hasPictures = hasPictures;
    return makeReport(history, options);
}

TEST(Report, gathersTheStory) {
    const Report report = reportOn(ownModel("classifier.training"));
    EXPECT_EQ(report.before.nodes, 17U);
    EXPECT_EQ(report.after.nodes, 3U);
    EXPECT_EQ(report.removed.size(), 14U);
    ASSERT_EQ(report.targets.size(), 1U);
    EXPECT_EQ(report.targets[0].name, "logits");
    EXPECT_FALSE(report.targets[0].evidence.empty());
    EXPECT_EQ(report.steps.size(), conversionPipeline().size());
    EXPECT_EQ(report.weights.size(), 4U);
    EXPECT_GT(report.weights[0].bytes, report.weights[3].bytes);
    EXPECT_FALSE(report.stashes.empty());
    std::uint64_t before = 0, after = 0;
    for (const ReportRole& role : report.roles) {
        before += role.before;
        after += role.after;
    }
    EXPECT_EQ(before, report.before.nodes);
    EXPECT_EQ(after, report.after.nodes);
}

TEST(Report, lookingForTheStoryLeavesTheCursor) {
    History history = convert(openModel(ownModel("classifier.training")));
    history.moveCursor(2);
    const Report report = makeReport(history);
    EXPECT_EQ(history.cursor(), 2U);
    EXPECT_EQ(report.after.nodes, 3U) << "the end is told, wherever the cursor stands";
}

TEST(Report, groupsOfReasonsCountWhatTheStepDid) {
    for (const ReportStep& step : reportOn(ownModel("classifier.training"), false).steps) {
        std::uint64_t count = 0;
        for (const ReasonGroup& group : step.reasons) {
            count += group.count;
            EXPECT_THAT(group.example, Not(HasSubstr("{"))) << step.pass << ": a place was not filled";
            EXPECT_THAT(group.example, Not(::testing::StartsWith("["))) << step.pass << ": no sentence";
        }
        EXPECT_GE(count, step.rewrites) << step.pass;
    }
}

TEST(Report, thePageIsSelfContained) {
    const std::string page = reportToHtml(reportOn(ownModel("classifier.training")));
    static const std::regex kOutside(R"((src|href|srcset|url)\s*[=(]\s*["']?(https?:|//|file:|\.\./|/))");
    EXPECT_FALSE(std::regex_search(page, kOutside));
    EXPECT_THAT(page, Not(HasSubstr("<script")));
    EXPECT_THAT(page, Not(HasSubstr("@import")));
    EXPECT_THAT(page, HasSubstr("prefers-color-scheme:dark"));
    EXPECT_THAT(page, HasSubstr("@media print"));
    EXPECT_THAT(page, HasSubstr("src=\"data:image/svg+xml;base64,"));
    EXPECT_THAT(page, HasSubstr("secateur-cli prune m.onnx -o m.inference.onnx"));
}

TEST(Report, everyElementOfThePageIsClosed) {
    const std::string page = reportToHtml(reportOn(ownModel("classifier.training"), false));
    for (const char* tag :
         {"div", "section", "table", "tbody", "thead", "tr",     "td", "th", "details", "summary", "ol",
          "ul",  "li",      "span",  "code",  "pre",   "figure", "h2", "p",  "main",    "header",  "nav"}) {
        const auto count = [&](const std::string& start) {
            const std::regex tagStart(start + "[ >]");
            return std::distance(std::sregex_iterator(page.begin(), page.end(), tagStart),
                                 std::sregex_iterator());
        };
        EXPECT_EQ(count(std::string("<") + tag), count(std::string("</") + tag)) << tag;
    }
}

/// Group 1 of every match.
std::vector<std::string> allOf(const std::string& text, const char* pattern) {
    const std::regex expression(pattern);
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at)
        found.push_back((*at)[1].str());
    return found;
}

TEST(Report, theNavigationLeadsToEverySectionAndNowhereElse) {
    for (const char* model : {"classifier.training", "inference", "exported.training"}) {
        const std::string page = reportToHtml(reportOn(ownModel(model)));
        const auto links = allOf(page, "href=\"#([^\"]*)\"");
        auto headings = allOf(page, "<h2 id=\"([^\"]*)\"");
        ASSERT_FALSE(headings.empty());
        EXPECT_EQ(headings.front(), "summary") << "stands right below the navigation";
        headings.erase(headings.begin());
        EXPECT_EQ(links, headings) << model;
        EXPECT_EQ(allOf(page, "<section aria-labelledby=\"([^\"]*)\"").size(), headings.size() + 1);
    }
}

TEST(Report, noSectionOfThePageIsEmpty) {
    for (const char* model : {"classifier.training", "inference"}) {
        const std::string page = reportToHtml(reportOn(ownModel(model), false));
        EXPECT_THAT(allOf(page, "(</h2>\\s*</section>)"), ::testing::IsEmpty()) << model;
        EXPECT_THAT(allOf(page, "(<tbody>\\s*</tbody>)"), ::testing::IsEmpty()) << model;
        EXPECT_THAT(page, Not(HasSubstr("<img")));
    }
}

TEST(Report, aReportOnThirtyThousandNodesStaysReadable) {
    const auto path = secateur::testing::trainingModel("transformer48.adamw.step");
    if (path.empty()) GTEST_SKIP() << "no folder of models: set SECATEUR_MODELS";
    const std::string page = reportToHtml(reportOn(path));
    EXPECT_LT(page.size(), std::size_t{10} << 20);
    EXPECT_THAT(allOf(page, "(<tbody>\\s*</tbody>)"), ::testing::IsEmpty()) << "every step shows some";
    EXPECT_THAT(page, HasSubstr("nodes are not listed here"));
}

TEST(Report, pagesStopAtAStatedNumberOfRowsUnlessAllAreAskedFor) {
    Report report = reportOn(ownModel("classifier.training"), false);
    const RemovedNode row = report.removed.front();
    report.removed.assign(2'345, row);
    const auto rowsOf = [](const std::string& text, const char* sign) { return allOf(text, sign).size(); };
    EXPECT_EQ(rowsOf(reportToHtml(report), "<td class=\"(path)\">"), 1000U);
    EXPECT_THAT(reportToHtml(report), HasSubstr("1,345 of these 2,345 nodes are not listed here"));
    const std::string text = reportToMarkdown(report);
    EXPECT_THAT(text, HasSubstr("<summary>The first 150 of 2,345 nodes, each with its reason</summary>"));
    EXPECT_THAT(text, HasSubstr("\n2,195 of these 2,345 nodes are not listed here: `report --all`"));
    const std::string sign = "\\| (" + row.role + ") \\|";
    EXPECT_EQ(rowsOf(text, sign.c_str()), 150U);
    report.listsAll = true;
    EXPECT_EQ(rowsOf(reportToHtml(report), "<td class=\"(path)\">"), 2345U);
    EXPECT_THAT(reportToHtml(report), Not(HasSubstr("not listed here")));
    EXPECT_EQ(rowsOf(reportToMarkdown(report), sign.c_str()), 2345U);
    EXPECT_THAT(reportToMarkdown(report), Not(HasSubstr("not listed here")));
}

TEST(Report, headingsOfThePageSkipNoLevel) {
    const auto levels = allOf(reportToHtml(reportOn(ownModel("classifier.training"))), "<h([1-6])[ >]");
    ASSERT_FALSE(levels.empty());
    EXPECT_EQ(levels.front(), "1");
    EXPECT_EQ(std::count(levels.begin(), levels.end(), "1"), 1);
    for (std::size_t i = 1; i < levels.size(); ++i)
        EXPECT_LE(levels[i][0] - levels[i - 1][0], 1) << "heading " << i;
}

TEST(Report, theThreeWritersTellTheSameNumbers) {
    const Report report = reportOn(ownModel("classifier.training"), false);
    const auto json = nlohmann::json::parse(reportToJson(report));
    const std::string page = reportToHtml(report), text = reportToMarkdown(report);
    const auto number = [&](const char* side, const char* field) {
        return json[side][field].get<std::uint64_t>();
    };
    const auto told = [&](const char* name, const std::string& before, const std::string& after) {
        EXPECT_THAT(page, HasSubstr("<h3>" + std::string(name) + "</h3><div class=\"was\">" + before +
                                    " →</div><div class=\"now\">" + after + "</div>"));
        EXPECT_THAT(text, HasSubstr("| " + std::string(name) + " | " + before + " | " + after + " |"));
    };
    told("Nodes", formatCount(number("before", "nodes")), formatCount(number("after", "nodes")));
    told("File", formatBytes(number("before", "bytes")), formatBytes(number("after", "bytes")));
    told("Weights in the file", formatBytes(number("before", "weight_bytes")),
         formatBytes(number("after", "weight_bytes")));
    told("Inputs of known size", formatBytes(number("before", "parameter_input_bytes")),
         formatBytes(number("after", "parameter_input_bytes")));
    EXPECT_EQ(allOf(page, "<td class=\"(path)\">").size(), json["removed"].size());
    EXPECT_EQ(allOf(page, "<div class=\"(dot)\">").size(), json["steps"].size());
    for (const auto& weight : json["weights"]) {
        EXPECT_THAT(page, HasSubstr("<code>" + weight["name"].get<std::string>() + "</code>"));
        EXPECT_THAT(text, HasSubstr("| `" + weight["name"].get<std::string>() + "` |"));
    }
    for (const auto& stash : json["stashes"])
        EXPECT_THAT(text, HasSubstr("| `" + stash["value"].get<std::string>() + "` |"));
    EXPECT_THAT(page, HasSubstr(json["opsets"].get<std::string>()));
    EXPECT_THAT(text, HasSubstr(json["opsets"].get<std::string>()));
    EXPECT_THAT(page, HasSubstr(htmlText(json["targets"][0]["evidence"].get<std::string>())));
    EXPECT_THAT(text, HasSubstr(json["targets"][0]["evidence"].get<std::string>()));
}

TEST(Report, aNameThatSaysNothingGoesWithItsFolder) {
    const TemporaryFolder folder;
    folder.put("model.onnx", secateur::testing::readAll(ownModel("inference")));
    const Report report = reportOn(folder / "model.onnx", false);
    EXPECT_EQ(report.model, "model.onnx");
    EXPECT_EQ(report.title, folder.path().filename().string() + "/model.onnx");
    EXPECT_EQ(reportOn(ownModel("inference"), false).title, "inference.onnx");
}

TEST(Report, namesCannotBreakThePage) {
    EXPECT_EQ(htmlText("a <b> & `c<d>` \"e\""), "a &lt;b&gt; &amp; <code>c&lt;d&gt;</code> &quot;e&quot;");
    EXPECT_EQ(htmlText("one ` alone"), "one ` alone");
    EXPECT_EQ(svgDataUri("abcd"), "data:image/svg+xml;base64,YWJjZA==");
}

TEST(Report, changesAreToldAsPercentOrFactor) {
    EXPECT_EQ(changeText(100, 23), "−77 %");
    EXPECT_EQ(changeText(100, 112), "+12 %");
    EXPECT_EQ(changeText(34, 104448), "3,072 ×");
    EXPECT_EQ(changeText(100'000, 99'999), formatPercent(1, 100'000)) << "no sign before <";
    EXPECT_EQ(changeText(5, 5), "");
    EXPECT_EQ(changeText(0, 5), "");
}

TEST(Report, theSameInputGivesTheSameBytes) {
    const Report a = reportOn(ownModel("classifier.training")), b = reportOn(ownModel("classifier.training"));
    EXPECT_EQ(reportToHtml(a), reportToHtml(b));
    EXPECT_EQ(reportToMarkdown(a), reportToMarkdown(b));
    EXPECT_EQ(reportToJson(a), reportToJson(b));
}

TEST(Report, jsonHoldsEveryRemovedNode) {
    const auto json = nlohmann::json::parse(reportToJson(reportOn(ownModel("classifier.training"), false)));
    EXPECT_EQ(json["schema"], 1);
    ASSERT_EQ(json["removed"].size(), 14U);
    for (const auto& node : json["removed"]) {
        for (const char* field : {"node", "op", "role", "reason", "path"})
            EXPECT_TRUE(node.contains(field)) << field;
        EXPECT_FALSE(node["end"].get<std::string>().empty()) << node["node"];
    }
    EXPECT_TRUE(json["recipe"].is_object());
    EXPECT_TRUE(json["before"]["memory"].is_null());
    for (const auto& step : json["steps"])
        EXPECT_FALSE(step.contains("seconds")) << "times differ from run to run";
}

TEST(Report, markdownTellsStepsAndReasons) {
    const std::string text = reportToMarkdown(reportOn(ownModel("classifier.training"), false));
    EXPECT_THAT(text, ::testing::StartsWith("# classifier.training.onnx"));
    EXPECT_THAT(text, HasSubstr("| Nodes | 17 | 3 | −82 % |"));
    EXPECT_THAT(text, HasSubstr("## Steps"));
    EXPECT_THAT(text, HasSubstr("```sh\nsecateur-cli prune"));
}

TEST(Report, everyRowSaysInASentenceWhereItEnds) {
    const Report report = reportOn(ownModel("classifier.training"), false);
    const std::string page = reportToHtml(report), text = reportToMarkdown(report);
    for (const RemovedNode& node : report.removed) {
        ASSERT_FALSE(node.end.empty()) << node.name;
        EXPECT_THAT(page, HasSubstr("<span class=\"end\">" + htmlText(node.end) + "</span>"));
        EXPECT_THAT(text, HasSubstr(node.end + " |\n"));
    }
}

TEST(Report, whatLostNothingIsNotCalledAConversion) {
    const Report unchanged = reportOn(ownModel("unknown_operator"), false);
    ASSERT_TRUE(unchanged.removed.empty());
    for (const std::string& text : {reportToHtml(unchanged), reportToMarkdown(unchanged)}) {
        EXPECT_THAT(text, HasSubstr("unknown_operator.onnx: nothing to remove"));
        EXPECT_THAT(text, Not(HasSubstr("onnx: from training to inference")));
        EXPECT_THAT(text, Not(HasSubstr("Removed nodes")));
    }
}

TEST(Report, replacedNodesAreCountedApart) {
    const Report report = reportOn(ownModel("twin.training"), false);
    ASSERT_GT(report.replacedNodes, 0U);
    EXPECT_LE(report.replacedNodes, report.removed.size());
    const auto json = nlohmann::json::parse(reportToJson(report));
    EXPECT_EQ(json["counts"]["replaced"], report.replacedNodes);
    EXPECT_EQ(json["counts"]["removed"], report.removed.size() - report.replacedNodes);
    std::uint64_t replaced = 0;
    for (const auto& node : json["removed"])
        replaced += node["replaced"].get<bool>() ? 1 : 0;
    EXPECT_EQ(replaced, report.replacedNodes);
    EXPECT_THAT(reportToHtml(report), HasSubstr(removedText(report)));
    EXPECT_THAT(reportToMarkdown(report), HasSubstr(removedText(report)));
}

TEST(Report, itsRecipeKnowsTheWeightsAgain) {
    Recipe recipe = conversionRecipe();
    recipe.weightsPath = ownModel("artifact.weights").string();
    auto history = History::run(openModel(ownModel("artifact.training")), recipe);
    ASSERT_TRUE(history) << history.error().toString();
    const auto told = recipeFromJson(makeReport(*history, {}).recipe, "report");
    ASSERT_TRUE(told) << told.error().toString();
    EXPECT_EQ(told->weightsHash, *hashWeights(recipe.weightsPath));
}

TEST(Report, noSingleReasonCoversHalfOfARealModel) {
    const auto path = secateur::testing::trainingModel("transformer");
    if (path.empty()) GTEST_SKIP() << "no folder of models: set SECATEUR_MODELS";
    const Report report = reportOn(path, false);
    std::map<std::string, std::size_t> counts;
    for (const RemovedNode& node : report.removed) {
        ++counts[node.reason];
        EXPECT_FALSE(node.path.empty());
    }
    for (const auto& [reason, count] : counts)
        EXPECT_LT(count * 2, report.removed.size()) << reason;
}

} // namespace
} // namespace secateur
