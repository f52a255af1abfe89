// SPDX-License-Identifier: Apache-2.0
#include "tests/core/passes/random_models.h"

#include "core/ir/model_hash.h"
#include "core/ir/verifier.h"
#include "core/onnx/onnx_text.h"
#include "core/passes/simplify/rules.h"
#include "tests/core/passes/rule_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace secateur {
namespace {

using testing::applyRules;
using testing::findDifference;
using testing::randomModel;
using testing::RuleRun;

constexpr std::uint64_t kModels = 2000;

std::string textOf(const Model& model) {
    const auto text = onnxText(model);
    return text ? text->text : text.error().toString();
}

constexpr const char* kNeverRuns = "the model itself never runs";

/// What is wrong after rules of a level ran on a model; empty where nothing is.
std::string whatBreaks(const Model& original, std::span<const Rule* const> rules,
                       Exactness level = Exactness::approximate, bool* neverRuns = nullptr) {
    Model model = original.clone();
    const RuleRun run = applyRules(model, rules, {}, level);
    if (run.isExhausted) return "no end";
    if (const auto broken = brokenInvariants(model); !broken.empty()) return broken.front();
    // Some are made with impossible shapes, and keep them.
    const auto problems = findProblems(model);
    if (!problems.empty() && findProblems(original).empty()) return problems.front().text;
    const std::string difference = findDifference(original, model, run.loosest());
    if (!difference.starts_with(kNeverRuns)) return difference;
    if (neverRuns != nullptr) *neverRuns = true;
    return {};
}

/// Fewer and fewer rules while it still breaks: the ones to blame.
std::vector<const Rule*> reducedRules(const Model& model, std::vector<const Rule*> rules) {
    for (std::size_t i = 0; i < rules.size();) {
        std::vector<const Rule*> fewer = rules;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (whatBreaks(model, fewer).empty())
            ++i;
        else
            rules = std::move(fewer);
    }
    return rules;
}

/// The model with outputs taken away, and what only they needed, while it still breaks.
Model reducedModel(const Model& original, std::span<const Rule* const> rules) {
    const Rule* const unused[] = {findRule("remove-unused")};
    Model model = original.clone();
    for (bool isSmaller = true; isSmaller;) {
        isSmaller = false;
        const std::size_t count = model.graphOutputs(model.mainGraph()).size();
        for (std::size_t out = 0; out < count && count > 1; ++out) {
            Model fewer = model.clone();
            std::vector<ValueId> values;
            std::vector<OutputSlot> slots;
            for (std::size_t i = 0; i < count; ++i) {
                if (i == out) continue;
                values.push_back(fewer.graphOutputs(fewer.mainGraph())[i]);
                slots.push_back((*fewer.graph(fewer.mainGraph()).outputs)[i]);
            }
            Editor(fewer).setGraphOutputs(fewer.mainGraph(), values, slots);
            applyRules(fewer, unused);
            if (whatBreaks(fewer, rules).empty()) continue;
            model = fewer.clone();
            isSmaller = true;
            break;
        }
    }
    return model;
}

TEST(RandomModels, keepWhatTheyComputeUnderAllRules) {
    std::map<std::string, std::size_t> fired;
    for (std::uint64_t seed = 0; seed < kModels; ++seed) {
        const Model original = randomModel(seed);
        const std::string wrong = whatBreaks(original, allRules());
        Model model = original.clone();
        for (const RewriteRecord& record : applyRules(model, allRules()).records)
            ++fired[record.rule];
        if (wrong.empty()) continue;
        const auto rules = reducedRules(original, {allRules().begin(), allRules().end()});
        const Model small = reducedModel(original, rules);
        std::string names;
        for (const Rule* rule : rules)
            names += " " + std::string(rule->id);
        ADD_FAILURE() << "seed " << seed << ":" << names << ": " << wrong << "\n" << textOf(small);
    }
    std::size_t rewrites = 0;
    for (const auto& [rule, count] : fired) {
        std::printf("%6zu %s\n", count, rule.c_str());
        rewrites += count;
    }
    EXPECT_GT(rewrites, kModels);
}

/// Approximate rewrites are compared with a tolerance, and hide what exact ones do beside them.
TEST(RandomModels, keepEachBitAtTheStricterLevels) {
    constexpr std::uint64_t kFirst = 5000;
    std::size_t idle = 0;
    for (std::uint64_t seed = kFirst; seed < kFirst + kModels; ++seed) {
        const Model original = randomModel(seed);
        const Exactness level = seed % 3 == 0 ? Exactness::value : Exactness::exact;
        bool neverRuns = false;
        const std::string wrong = whatBreaks(original, allRules(), level, &neverRuns);
        EXPECT_EQ(wrong, "") << "seed " << seed << "\n" << textOf(original);
        idle += neverRuns ? 1U : 0U;
    }
    EXPECT_LT(idle * 5, kModels) << "too many models never run, and show nothing";
}

TEST(RandomModels, giveTheSameInEveryOrderOfRules) {
    for (std::uint64_t seed = 1000; seed < 1000 + kModels / 3; ++seed) {
        const Model original = randomModel(seed);
        std::vector<const Rule*> rules(allRules().begin(), allRules().end());
        std::mt19937_64 random(seed);
        std::shuffle(rules.begin(), rules.end(), random);
        EXPECT_EQ(whatBreaks(original, rules), "") << "seed " << seed << "\n" << textOf(original);
    }
}

TEST(RandomModels, areLeftAloneByASecondRun) {
    for (std::uint64_t seed = 2000; seed < 2000 + kModels; ++seed) {
        Model model = randomModel(seed);
        const std::uint64_t before = exactHash(model);
        const JournalMark mark = model.journal().mark();
        applyRules(model, allRules());
        const RuleRun second = applyRules(model, allRules());
        EXPECT_TRUE(second.records.empty()) << "seed " << seed << ": " << second.records.front().rule << "\n"
                                            << textOf(randomModel(seed)) << textOf(model);
        Journal::unwind(model, mark);
        EXPECT_EQ(exactHash(model), before) << "seed " << seed << ": undo";
    }
}

TEST(RandomModels, areTheSameForTheSameSeed) {
    EXPECT_EQ(exactHash(randomModel(7)), exactHash(randomModel(7)));
    EXPECT_NE(exactHash(randomModel(7)), exactHash(randomModel(8)));
}

} // namespace
} // namespace secateur
