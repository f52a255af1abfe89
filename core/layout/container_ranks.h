// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_plan.h"

namespace secateur {

/// Ranks the units of every container. Linear.
void rankContainers(layout_plan::Plan& plan);

} // namespace secateur
