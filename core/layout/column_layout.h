// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layer_order.h"
#include "core/layout/layout_plan.h"

namespace secateur {

/// Orders one column of a container and gives its units, ports and lanes their x, all in the column's own
/// coordinates; the parts of child containers must have their extents already. Also finds the column's spine.
/// `memo`: orders of the blocks before.
void layoutColumn(layout_plan::Plan& plan, std::uint32_t container, std::uint8_t column, OrderMemo& memo);

constexpr double kFramePadding = 12; ///< between the frame of a container and what stands in it

} // namespace secateur
