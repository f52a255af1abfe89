// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/cpu/body_model.h"
#include "gpu/cpu/planned_run.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace secateur {

/// A body of a node of the plan, or a function, with plans of its own.
struct PlannedRun::Body {
    std::vector<ValueId> captured;
    Runner runner;
    std::vector<std::uint32_t> forms; ///< of what is captured, in the plan around; found when first asked for

    explicit Body(BodyModel body)
        : captured(std::move(body.captured)), runner(std::move(body.model), std::move(body.origins)) {}
};

/// Bodies of functions by what they are and where in the file they are called from, so that there are no more
/// than calls in the file, however often functions that call functions make them run. No function is inside
/// itself, so no body is ever asked for while it runs.
struct FunctionBodies {
    struct Called {
        AttributeList given; ///< by the call; the body has them in place of references
        std::unique_ptr<PlannedRun::Body> body;
    };
    std::map<std::string, std::vector<Called>> byCall;
};

} // namespace secateur
