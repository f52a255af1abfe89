// SPDX-License-Identifier: Apache-2.0
//
// What the verbs that convert a model share: their options, the recipe these make, running it, and what must
// be asked.
#pragma once

#include "app/commands/console.h"
#include "core/session/history.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace secateur::cli {

/// The options that say how to convert.
struct ConversionOptions {
    std::string model;
    std::vector<std::string> targets;
    std::string weights;
    std::string batchNorm = "ask";
    std::string runtime = "onnx";
    bool stripsTraces = false;
    std::string recipe; ///< given instead of the others
};

/// Adds MODEL, --target, --weights, --batch-norm, --for and --strip-traces.
void addConversionOptions(CLI::App& verb, ConversionOptions& options);

/// The recipe that the options make, or the one that they name.
Result<Recipe> recipeOf(const ConversionOptions& options);

/// Opens the model; a sibling checkpoint that the options do not use gets one line.
Result<std::shared_ptr<const Original>> open(const ConversionOptions& options, Console& console);

/// A step that could not run, or a decision that is left to a person, as an Error; none when all went well.
[[nodiscard]] std::optional<Error> whatIsOpen(const History& history);

/// Candidates for --json where the target is in doubt.
[[nodiscard]] nlohmann::ordered_json candidatesJson(const Original& original);

/// Can `out` be written, and is it none of the files that are read?
Result<void> checkOutput(const std::filesystem::path& out, const std::vector<std::filesystem::path>& inputs);

/// The command that does the same again, with file names instead of paths.
[[nodiscard]] std::string commandFor(const ConversionOptions& options);

/// "output: 1,523 -> 350 nodes (-77 %), 2.4 MiB -> 0.6 MiB" and one line for each step that did something.
/// Without the size of the result only nodes are told.
void printSteps(const History& history, Console& console, std::optional<std::uint64_t> resultBytes = {});

} // namespace secateur::cli
