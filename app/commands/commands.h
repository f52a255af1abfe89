// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/commands/console.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace secateur::cli {

/// What the parsed command line asks for: set by the verb that was named, run once parsing is done.
using Action = std::function<int(Console&)>;

// Each adds a verb with its options to the program.
void addInfo(CLI::App& program, Action& action);
void addPrune(CLI::App& program, Action& action);
void addOptimize(CLI::App& program, Action& action);
void addApply(CLI::App& program, Action& action);
void addPasses(CLI::App& program, Action& action);
void addExplain(CLI::App& program, Action& action);
void addReport(CLI::App& program, Action& action);
void addExport(CLI::App& program, Action& action);
void addRun(CLI::App& program, Action& action);
void addTest(CLI::App& program, Action& action);
void addCompare(CLI::App& program, Action& action);
void addProfile(CLI::App& program, Action& action);
void addWorker(CLI::App& program, Action& action);

/// Why there is no verb of this name: one that a later version will have, or the nearest ones.
[[nodiscard]] Error unknownVerb(const std::string& name);

} // namespace secateur::cli
