// SPDX-License-Identifier: Apache-2.0
//
// A model on the CPU backend, on the same with freed memory poisoned, and on the reference kernels.
#pragma once

#include "core/exec/compare.h"
#include "core/exec/input_values.h"
#include "core/onnx/type_inference.h"
#include "gpu/cpu/cpu_backend.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace secateur::testing {

using Values = std::vector<RuntimeValue>;

struct CpuRun {
    bool isDone = false;
    std::string error;
    Values outputs;
    RunReport report;
};

/// Runs `runs` times and gives the last run: of the second on, the plan is there already.
inline CpuRun runOnCpu(const Model& model, const Values& inputs, bool poisons, BackendOptions options = {},
                       std::size_t runs = 2) {
    CpuRun result;
    if (options.threads == 0) options.threads = 2;
    auto backend = openCpuBackend(model, std::move(options), {poisons});
    if (!backend) {
        result.error = backend.error().toString();
        return result;
    }
    auto done = (*backend)->run(std::vector<Values>(runs, inputs), {});
    if (!done) {
        result.error = done.error().toString();
        return result;
    }
    result.isDone = true;
    result.outputs = std::move(done->back().outputs);
    result.report = (*backend)->report().value_or(RunReport{});
    return result;
}

inline Result<Values> runOnReference(const Model& model, const Values& inputs, BackendOptions options = {}) {
    const auto backend = Backend::open(model, {}, Device::reference, std::move(options));
    if (!backend) return backend.error();
    auto runs = (*backend)->run({inputs}, {});
    if (!runs) return runs.error();
    return std::move(runs->front().outputs);
}

/// The laws that every model keeps: the results of the reference kernels within a tolerance, the same bytes
/// with freed memory poisoned, and an arena that is not below what lives at once.
inline CpuRun expectLaws(const Model& model, const Values& inputs, const std::string& name,
                         Tolerance tolerance = {1e-4, 1e-5}, std::size_t runs = 2) {
    const CpuRun plain = runOnCpu(model, inputs, false, {}, runs),
                 poisoned = runOnCpu(model, inputs, true, {}, runs);
    const auto expected = runOnReference(model, inputs);
    EXPECT_EQ(plain.isDone, expected.ok())
        << name << ": " << plain.error << (expected ? "" : expected.error().toString());
    EXPECT_EQ(poisoned.isDone, plain.isDone) << name << ": " << poisoned.error;
    if (!plain.isDone || !poisoned.isDone || !expected) return plain;
    EXPECT_EQ(plain.outputs.size(), expected->size()) << name;
    for (std::size_t i = 0; i < expected->size() && i < plain.outputs.size(); ++i) {
        const ValueDifference found = compareValues(plain.outputs[i], (*expected)[i], tolerance);
        EXPECT_TRUE(found.fits && found.isWithin)
            << name << ", output " << i << ": off by " << found.maxAbsolute << ", " << found.differing
            << " of " << found.elements << " differ, most at " << found.worstAt << " " << found.misfit;
        const ValueDifference same = compareValues(poisoned.outputs[i], plain.outputs[i], tolerance);
        EXPECT_TRUE(same.isSameBits) << name << ", output " << i << " changes when freed memory is poisoned";
    }
    EXPECT_GE(plain.report.arenaBytes, plain.report.lowerBoundBytes) << name;
    return plain;
}

/// Random inputs that the model allows.
inline Result<Values> randomInputs(const Model& model, std::uint64_t seed = 1) {
    static MemoryPool pool;
    TypeTable types;
    types.inferAll(model);
    InputRequest request;
    request.seed = seed;
    return makeInputs(model, inputDomains(model, types), request, pool);
}

} // namespace secateur::testing
