// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/cpu/body_model.h"
#include "gpu/cpu/planned_run.h"

namespace secateur {

/// A body of a node of the plan, with plans of its own.
struct PlannedRun::Body {
    std::vector<ValueId> captured;
    Runner runner;
    std::vector<std::uint32_t> forms; ///< of what is captured, in the plan around; found when first asked for

    explicit Body(BodyModel body)
        : captured(std::move(body.captured)), runner(std::move(body.model), std::move(body.origins)) {}
};

} // namespace secateur
