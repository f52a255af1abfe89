// SPDX-License-Identifier: Apache-2.0
//
// Cases of rewrite rules: tests/data/rules/<rule>.txt holds small models in ONNX text, each behind a line
// "# case: what it shows | expectation":
//   fires N         the rule is applied N times
//   misses GUARD    the rule is not applied, and says rule.<id>.miss.GUARD
//   near PIECE      the same for rule.<id>.near.PIECE
//   refused WHY     an edit is begun and taken back, with rule.<id>.refused.WHY
//   calls           nothing is applied, as each call of the function gives the attributes
//   silent          nothing is applied and nothing is said
#pragma once

#include "core/onnx/load.h"
#include "core/rewrite/record.h"
#include "core/rewrite/rule_driver.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace secateur::testing {

struct RuleCase {
    std::string title, expectation, argument; ///< "fires", "2"
    std::string text;                         ///< the model
};

/// The cases of one file; a failure of the test where it is malformed.
[[nodiscard]] std::vector<RuleCase> readCases(const std::filesystem::path& file);

/// What one run of rules did to a model.
struct RuleRun {
    std::vector<RewriteRecord> records;
    std::vector<RewriteMiss> misses;
    RuleCounters counters;
    bool isExhausted = false;

    [[nodiscard]] std::size_t applied() const { return records.size(); }
    [[nodiscard]] bool says(std::string_view reasonId) const;
    [[nodiscard]] Exactness loosest() const;
};

/// Applies rules of at most the class `loosest` to the fix point, with one guard switched off where `off`
/// names it.
RuleRun applyRules(Model& model, std::span<const Rule* const> rules, std::string_view off = {},
                   Exactness loosest = Exactness::approximate);

/// Runs both models on random inputs and on inputs at the edges of floating point, and compares as the class
/// promises. A sentence about the first difference; empty where there is none.
[[nodiscard]] std::string findDifference(const Model& before, const Model& after, Exactness exactness);

/// The model with something around it that a rule must respect.
enum class Variant {
    everyValueIsOutput,
    everyValueIsCaptured,
    initializersAreInputs,
    initializersAreInputsOfIr3
};
inline constexpr std::array kVariants{Variant::everyValueIsOutput, Variant::everyValueIsCaptured,
                                      Variant::initializersAreInputs, Variant::initializersAreInputsOfIr3};
void makeVariant(Model& model, Variant variant);

} // namespace secateur::testing
