// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/support/cancel.h"
#include "core/support/result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace secateur {

/// A program to run beside this one: it gets bytes, gives bytes, and is ended when it takes too long.
struct ChildRequest {
    std::vector<std::string> arguments; ///< the program first, looked for in PATH unless it has a slash
    /// Variables that it gets where this process does not have them: "NAME=value".
    std::vector<std::string> environment;
    std::string input; ///< written to its standard input, which is closed then
    std::chrono::milliseconds deadline{2000};
    std::uint64_t memoryLimit = 0;        ///< bytes of address space, 0: no limit
    std::size_t mostOutput = 256U << 20U; ///< bytes of each output; more ends it
};

struct ChildOutput {
    enum class End : std::uint8_t {
        exited,        ///< by itself, with `exitCode`
        signalled,     ///< a signal ended it, such as a crash
        timedOut,      ///< ended by us at the deadline
        tooMuchOutput, ///< ended by us
    };
    End end = End::exited;
    int exitCode = 0; ///< of an `exited` child; the number of the signal of a `signalled` one
    std::string output;
    std::string errors; ///< what it wrote to its standard error
    std::chrono::milliseconds elapsed{0};

    [[nodiscard]] bool isFine() const { return end == End::exited && exitCode == 0; }
};

/// Runs a program and waits for its end, at most until the deadline; then it is killed with all processes
/// that it started. Fails with `missing` when there is no such program, and with `cancelled` (the child is
/// killed) when `cancel` is raised. Blocks the calling thread; any thread may call it. Not affected by
/// SIGPIPE.
[[nodiscard]] Result<ChildOutput> runChild(const ChildRequest& request, const CancelToken& cancel = {});

/// The full path of a program in PATH; empty when there is none.
[[nodiscard]] std::string findProgram(const std::string& name);

} // namespace secateur
