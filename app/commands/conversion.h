// SPDX-License-Identifier: Apache-2.0
//
// What the verbs that convert a model share: their options, the recipe these make, running it, and what must
// be asked.
#pragma once

#include "app/commands/console.h"
#include "core/session/history.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace secateur::cli {

/// The options that say how to simplify.
struct OptimizationOptions {
    bool isToInference = false; ///< convert first; so do a target and weights
    bool inlinesFunctions = false;
    std::string level = "exact";
    std::vector<std::string> rules, skipped, kept;
    std::optional<std::uint64_t> sizeLimit;    ///< else the larger of 64 KiB and 1 % of the file
    std::optional<std::uint64_t> rewriteLimit; ///< of all steps together
    bool printsRewrites = false;               ///< each one to standard error as it is made
    std::string reproducer;                    ///< file for the model in front of a pass that fails; "": none
};

/// The options that say how to convert.
struct ConversionOptions {
    std::string model;
    std::vector<std::string> targets;
    std::string weights;
    std::string batchNorm = "ask";
    std::string runtime = "onnx";
    bool stripsTraces = false;
    std::string recipe;      ///< given instead of the others
    bool makesModel = false; ///< what leaves open what the opened model means is refused then
    bool mentionsCheckpoint =
        false; ///< one line about a checkpoint that lies beside the model and is not used
    std::optional<OptimizationOptions> optimization; ///< of the verb that simplifies

    /// Does the model become an inference model?
    [[nodiscard]] bool isConverted() const {
        return !optimization || optimization->isToInference || !targets.empty() || !weights.empty();
    }
};

/// Adds MODEL.
void addModelOption(CLI::App& verb, std::string& model);
/// Adds --target and --weights, with words about what they do for this verb.
void addTargetOption(CLI::App& verb, ConversionOptions& options, const std::string& words);
void addWeightsOption(CLI::App& verb, ConversionOptions& options, const std::string& words);
/// Adds MODEL, --target, --weights, --batch-norm, --for and --strip-traces.
void addConversionOptions(CLI::App& verb, ConversionOptions& options);
/// Adds --to-inference, --inline-functions, --level, --passes, --skip, --keep, --size-limit and
/// --rewrite-limit.
void addOptimizationOptions(CLI::App& verb, ConversionOptions& options);
/// Adds --recipe, which excludes what it settles itself.
void addRecipeOption(CLI::App& verb, ConversionOptions& options, const std::string& words);
/// A check for options that are names: an empty one is a mistake, usually of a script.
[[nodiscard]] CLI::Validator notEmpty();

class Stopwatch {
  public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }

  private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

struct Seconds {
    double load = 0, passes = 0, save = 0;
};

/// The recipe that the options make, or the one that they name.
Result<Recipe> recipeOf(const ConversionOptions& options);

/// A model that was opened and converted, or the exit code of what went wrong, which the console has told.
struct Converted {
    std::shared_ptr<const Original> original;
    std::optional<History> history;
    Seconds seconds;
    int exit = 0;
};
[[nodiscard]] Converted convert(const ConversionOptions& options, const RunOptions& run, Console& console);

/// A step that could not run, or a decision that is left to a person, as an Error; none when all went well.
[[nodiscard]] std::optional<Error> whatIsOpen(const History& history);

/// Candidates for --json where the target is in doubt.
[[nodiscard]] nlohmann::ordered_json candidatesJson(const Original& original);

/// The command that does the same again, for a shell in the same folder: paths as they were given.
/// `bindings` are those of a check, which is made where `isVerified`.
[[nodiscard]] std::string commandFor(const ConversionOptions& options, bool isVerified,
                                     const std::vector<std::string>& bindings);

} // namespace secateur::cli
