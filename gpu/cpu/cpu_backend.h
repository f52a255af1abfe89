// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/backend.h"

namespace secateur {

/// How the CPU backend runs, beside what every backend is told.
struct CpuBackendOptions {
    /// Memory that nobody needs any more is filled with 0xA5 at once, and the arena before each run: a plan
    /// that reuses memory too early gives other results. For tests.
    bool poisonsFreedMemory = false;
};

/// Runs a model on all cores: oneDNN for convolutions, matrix products and pooling, own loops for much of the
/// rest, the reference kernels for what remains and for what a fast kernel says it cannot do. The main graph
/// runs in one arena by a plan for each tuple of input shapes (core/exec/execution_plan.h); bodies of If,
/// Loop and Scan have plans and arenas of their own, made when they first run. `threads` of the options: 0
/// for all.
Result<std::unique_ptr<Backend>> openCpuBackend(const Model& model, BackendOptions options,
                                                const CpuBackendOptions& own);

/// Lets Device::cpu be this backend in this process.
void installCpuBackend();

} // namespace secateur
