// SPDX-License-Identifier: Apache-2.0
#include "core/ir/model_hash.h"
#include "core/ir/verifier.h"
#include "core/messages/messages.h"
#include "core/onnx/text.h"
#include "core/passes/simplify/rules.h"
#include "tests/core/passes/rule_cases.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace secateur {
namespace {

using testing::applyRules;
using testing::RuleCase;
using testing::RuleRun;

std::vector<RuleCase> casesOf(const Rule& rule) {
    const std::string file = "rules/" + std::string(rule.id) + ".txt";
    return testing::readCases(std::filesystem::path(SECATEUR_TEST_DATA) / file);
}

std::string stemOf(const Rule& rule) {
    return "rule." + std::string(rule.id) + ".";
}

/// The guards of a rule: each has a sentence, or is quiet and stands in its file alone.
std::vector<std::string> guardsOf(const Rule& rule) {
    const std::string stem = stemOf(rule) + "miss.", quiet = "quiet." + std::string(rule.id) + ".";
    std::vector<std::string> guards;
    for (const std::string& id : messageIds()) {
        if (id.starts_with(stem)) guards.push_back(id);
    }
    std::string file(rule.id);
    std::replace(file.begin(), file.end(), '-', '_');
    std::ifstream in(std::filesystem::path(SECATEUR_SOURCE_DIR) / "core/passes/simplify" / (file + ".cpp"));
    EXPECT_TRUE(in.is_open()) << file;
    for (std::string line; std::getline(in, line);) {
        if (const auto at = line.find(quiet); at != std::string::npos)
            guards.push_back(line.substr(at, line.find('"', at) - at));
    }
    return guards;
}

/// Is the case about this guard?
bool isAbout(const RuleCase& wanted, const std::string& guard, const Rule& rule) {
    if (guard.starts_with("quiet.")) return wanted.expectation == "silent";
    return wanted.expectation == "misses" && stemOf(rule) + "miss." + wanted.argument == guard;
}

Model parsed(const std::string& text) {
    auto loaded = parseModelText(text);
    EXPECT_TRUE(loaded.ok()) << (loaded.ok() ? "" : loaded.error().toString()) << "\n" << text;
    return loaded.ok() ? std::move(loaded->model) : Model();
}

void expectSentence(const Reason& reason, const Model& model) {
    EXPECT_TRUE(hasMessage(reason.id)) << reason.id;
    const std::string text = formatReason(reason, model);
    EXPECT_EQ(text.find('{'), std::string::npos) << reason.id << ": " << text;
}

/// The laws of every rule on every model.
RuleRun expectLaws(Model& model, const Rule& rule, const std::string& where) {
    const Rule* const rules[] = {&rule};
    const Model before = model.clone();
    const std::uint64_t hash = exactHash(model);
    const JournalMark mark = model.journal().mark();
    const bool isSound = findProblems(model).empty();
    RuleRun run = applyRules(model, rules);
    EXPECT_FALSE(run.isExhausted) << where << ": no end";
    EXPECT_TRUE(brokenInvariants(model).empty()) << where << ": " << brokenInvariants(model).front();
    if (isSound) {
        EXPECT_TRUE(findProblems(model).empty()) << where << ": " << findProblems(model).front().text;
    }
    if (run.applied() > 0) {
        EXPECT_EQ(testing::findDifference(before, model, run.loosest()), "") << where;
    }
    for (const RewriteRecord& record : run.records)
        expectSentence(record.reason, model);
    for (const RewriteMiss& miss : run.misses)
        expectSentence(miss.reason, model);
    const std::uint64_t after = exactHash(model);
    EXPECT_EQ(applyRules(model, rules).applied(), 0U) << where << ": a second run changes nothing";
    EditLog log = Journal::unwind(model, mark);
    EXPECT_EQ(exactHash(model), hash) << where << ": undo";
    Journal::reapply(model, std::move(log));
    EXPECT_EQ(exactHash(model), after) << where << ": redo";
    return run;
}

void expectAsWritten(const RuleCase& wanted, const Rule& rule, const RuleRun& run, const std::string& where) {
    if (wanted.expectation == "fires") {
        EXPECT_EQ(std::to_string(run.applied()), wanted.argument) << where;
        return;
    }
    EXPECT_EQ(run.applied(), 0U) << where;
    if (wanted.expectation == "silent") {
        EXPECT_TRUE(run.misses.empty()) << where << ": " << run.misses.front().reason.id;
        return;
    }
    if (wanted.expectation == "calls") {
        EXPECT_TRUE(run.says("rewrite.miss.call")) << where;
        return;
    }
    const std::map<std::string, std::string> kinds{
        {"misses", "miss."}, {"near", "near."}, {"refused", "refused."}};
    ASSERT_TRUE(kinds.contains(wanted.expectation)) << where << ": expects `" << wanted.expectation << "`";
    const std::string reason = stemOf(rule) + kinds.at(wanted.expectation) + wanted.argument;
    EXPECT_TRUE(run.says(reason)) << where << ": not said: " << reason;
}

class RuleTest : public ::testing::TestWithParam<const Rule*> {};

TEST_P(RuleTest, doesWhatItsCasesSay) {
    const Rule& rule = *GetParam();
    const auto cases = casesOf(rule);
    ASSERT_FALSE(cases.empty());
    std::size_t fired = 0;
    for (const RuleCase& wanted : cases) {
        const std::string where = std::string(rule.id) + ", " + wanted.title;
        Model model = parsed(wanted.text);
        const RuleRun run = expectLaws(model, rule, where);
        expectAsWritten(wanted, rule, run, where);
        fired += run.applied();
    }
    EXPECT_GT(fired, 0U) << "no case shows what the rule is for";
}

TEST_P(RuleTest, respectsWhatStandsAround) {
    const Rule& rule = *GetParam();
    for (const RuleCase& wanted : casesOf(rule)) {
        for (const testing::Variant variant : testing::kVariants) {
            const std::string where = std::string(rule.id) + ", " + wanted.title + ", variant " +
                                      std::to_string(static_cast<int>(variant));
            Model model = parsed(wanted.text);
            testing::makeVariant(model, variant);
            expectLaws(model, rule, where);
        }
    }
}

TEST_P(RuleTest, needsEachOfItsGuards) {
    const Rule& rule = *GetParam();
    const Rule* const rules[] = {&rule};
    const auto guards = guardsOf(rule);
    std::size_t missed = 0;
    for (const std::string& guard : guards) {
        bool isNeeded = false;
        for (const RuleCase& wanted : casesOf(rule)) {
            if (!isAbout(wanted, guard, rule)) continue;
            Model model = parsed(wanted.text);
            isNeeded |= applyRules(model, rules, guard).applied() > 0;
        }
        missed += isNeeded ? 0U : 1U;
        EXPECT_TRUE(isNeeded) << guard << ": no case misses it when it is off";
    }
    RecordProperty("guards", static_cast<int>(guards.size()));
    std::printf("%s: %zu of %zu guards are needed by a case\n", std::string(rule.id).c_str(),
                guards.size() - missed, guards.size());
}

TEST_P(RuleTest, isExplained) {
    for (const char* text : {"title", "before-after", "gain", "cost", "when"}) {
        EXPECT_TRUE(hasMessage(stemOf(*GetParam()) + text)) << stemOf(*GetParam()) + text;
    }
}

std::string testName(const ::testing::TestParamInfo<const Rule*>& info) {
    std::string name(info.param->id);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(All, RuleTest, ::testing::ValuesIn(allRules().begin(), allRules().end()), testName);

} // namespace
} // namespace secateur
