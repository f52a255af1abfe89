// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/analysis/reachability.h"

namespace secateur {

/// The target that sentences name; none where there is none.
[[nodiscard]] inline ValueId firstTarget(const Reachability& reach) {
    return reach.targets.empty() ? ValueId() : reach.targets.front();
}

} // namespace secateur
