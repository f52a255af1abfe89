// SPDX-License-Identifier: Apache-2.0
//
// What the verbs that execute models share: their options, the job these make, and the child process.
#pragma once

#include "app/commands/console.h"
#include "core/exec/job.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace secateur::cli {

struct ExecutionOptions {
    std::string folder;                ///< --inputs
    bool isRandom = false;             ///< --random; random inputs are the default
    std::vector<std::string> inputs;   ///< --input NAME=lo:hi|FILE
    std::vector<std::string> bindings; ///< --bind NAME=N
    std::string device = "cpu";        ///< verbs that judge set another default
    std::string memoryLimit;           ///< bytes, with K, M or G
    double timeLimit = 0;              ///< seconds, 0: none
    std::uint64_t loopLimit = 0;       ///< iterations, 0: as RunLimits says
};

/// Adds --bind, "NAME=N".
CLI::Option* addBindOption(CLI::App& verb, std::vector<std::string>& bindings, const std::string& words);
/// The sizes that --bind gives. Fails with `usage`.
Result<std::map<std::string, std::int64_t>> bindingsOf(const std::vector<std::string>& texts);

/// Adds --memory-limit, --time-limit and --loop-limit.
std::vector<CLI::Option*> addLimitOptions(CLI::App& verb, ExecutionOptions& options);
/// Takes what these say into the job. Fails with `usage` on limits that are none.
Result<void> setLimits(const ExecutionOptions& options, Job& job);
/// Adds --device and the limits.
void addDeviceOptions(CLI::App& verb, ExecutionOptions& options);
/// Adds --inputs, --random, --input and --bind as well.
void addExecutionOptions(CLI::App& verb, ExecutionOptions& options);

/// A check for tolerances: finite and not below zero.
[[nodiscard]] CLI::Validator tolerance();
/// The job without its paths. Fails with `usage` on options that contradict each other.
Result<Job> jobOf(const ExecutionOptions& options, const Console& console);

/// Executes the job in a child process; Ctrl+C ends it.
Result<JobAnswer> execute(const Job& job, const ExecutionOptions& options, Console& console);

/// The middle one of a list; 0 of an empty one.
[[nodiscard]] double median(std::vector<double> numbers);
/// "Secateur reference kernels: 1.2 ms, at most 3.1 MiB of tensors at once".
[[nodiscard]] std::string runLine(const RunFacts& run);
[[nodiscard]] nlohmann::ordered_json runJson(const RunFacts& run);

} // namespace secateur::cli
