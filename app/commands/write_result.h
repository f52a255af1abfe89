// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/commands/conversion.h"
#include "app/commands/verify.h"
#include "app/commands/weights.h"

#include <optional>
#include <string>

namespace secateur::cli {

/// Where the result goes, and what is asked of it before.
struct WriteOptions {
    std::string out;
    std::string recipeOut;
    VerifyOptions check;
};

/// Adds -o, --verify, --recipe-out and --force.
void addWriteOptions(CLI::App& verb, WriteOptions& options);

/// Can the files be written that the options name? Asked before anything long is done.
Result<void> checkOutputs(const ConversionOptions& options, const WriteOptions& writing);

/// Tells a decision that is left to a person, or a step that failed. The exit code where that ends the verb:
/// always, but for --force.
[[nodiscard]] std::optional<int> stopAtOpenEnds(const History& history, const WriteOptions& writing,
                                                Console& console);

/// Checks what --verify asks for, writes the model and the recipe, tells the story. `more` is
/// added to the object of --json. Returns the exit code.
int writeResult(History& history, const ConversionOptions& options, const WriteOptions& writing,
                const WeightsUsed& weights, const Converted& converted, Console& console,
                const nlohmann::ordered_json& more = nlohmann::ordered_json::object());

} // namespace secateur::cli
