// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/commands/console.h"
#include "app/commands/execution.h"
#include "core/report/verified.h"
#include "core/session/history.h"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace secateur::cli {

/// What --verify asks for, and what --force makes of it.
struct VerifyOptions {
    bool isVerified = false;
    bool isForced = false;
    bool mayLeaveOut = true;           ///< rewrites that make a difference; else they are only named
    std::vector<std::string> folders;  ///< --inputs DIR: the person's own
    std::vector<std::string> bindings; ///< --bind NAME=N
    std::vector<std::string> inputs;   ///< --input NAME=lo:hi|FILE
    ExecutionOptions limits; ///< --memory-limit, --time-limit and --loop-limit, the rest is not used
};

/// Adds --verify, --bind, --inputs, --input, the limits and --force.
void addVerifyOptions(CLI::App& verb, VerifyOptions& options);

/// Where --verify asks for it: asks the checker of ONNX, and runs the result beside the original in a child
/// process. Where the two differ, the rewrites to blame are looked for and left out: `history`, which stems
/// from `original`, is then that of the recipe without them. The exit code where what they say, or cannot
/// say, ends the verb: `out` is then not to be written.
std::optional<int> verify(History& history, const std::shared_ptr<const Original>& original,
                          const std::string& out, const VerifyOptions& options, Verified& verified,
                          Console& console);

} // namespace secateur::cli
