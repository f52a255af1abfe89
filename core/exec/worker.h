// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/job.h"

#include <chrono>
#include <filesystem>

namespace secateur {

/// How long and with what a worker may run.
struct WorkerOptions {
    std::filesystem::path program; ///< secateur-cli
    std::chrono::milliseconds deadline{std::chrono::hours(24)};
};

/// Runs a job in a child process, `secateur-cli worker`: what crashes, asks for too much memory or never ends
/// is an error here. Blocks; cancelling kills the child.
Result<JobAnswer> runInWorker(const Job& job, const WorkerOptions& options, const CancelToken& cancel = {});

/// The other end: reads a job from `input`, executes it and gives the answer as text.
[[nodiscard]] std::string workerAnswer(std::string_view input);

} // namespace secateur
