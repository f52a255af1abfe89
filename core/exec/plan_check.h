// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/exec/execution_plan.h"

namespace secateur {

/// Looks at a finished plan without knowing how it was made, by walking its steps and noting what lies in
/// each storage: whatever is read was written before and not overwritten since, no step writes into external
/// memory or over an operand that is read later, live ranges cover all uses, sizes fit, no two storages of
/// the arena that live together share a byte, and the arena is not below the lower bound. An error names the
/// step.
Result<void> checkPlan(const SpecializedModel& model, const ExecutionPlan& plan);

} // namespace secateur
