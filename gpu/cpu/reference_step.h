// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/cpu/planned_run.h"

namespace secateur {

/// Runs one step by the reference kernel of its node, in the memory that is planned for it: the pool hands
/// the planned places out for results of that size, and what lands elsewhere is copied. Bodies and functions
/// run by plans of their own.
class ReferenceStep {
  public:
    ReferenceStep(PlannedRun& run, const PlanStep& step, RunState& state)
        : m_run(run), m_step(step), m_state(state), m_model(run.m_source.model) {}

    Result<void> run();

  private:
    Result<void> call(std::span<const RuntimeValue> inputs, std::vector<RuntimeValue>& outputs);
    Result<std::vector<RuntimeValue>> runBody(GraphId body, std::vector<RuntimeValue> inputs);
    Result<void> runFunction(GraphId function, std::span<const RuntimeValue> inputs,
                             std::vector<RuntimeValue>& outputs);
    /// Values captured by a body, behind its own inputs.
    void addCaptured(PlannedRun::Body& body, std::vector<RuntimeValue>& inputs) const;
    Result<void> put(std::vector<RuntimeValue>& outputs);
    Result<RuntimeValue> detached(RuntimeValue value);

    PlannedRun& m_run;
    const PlanStep& m_step;
    RunState& m_state;
    const Model& m_model;
    std::vector<const std::byte*> m_offered; ///< places of results, which are written again after this step
};

} // namespace secateur
