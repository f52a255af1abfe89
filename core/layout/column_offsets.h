// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_plan.h"

namespace secateur {

/// Puts the columns of a container side by side: from the columns' own coordinates to those of the container.
/// In a stack of blocks the second column of a narrow stretch does not stand as far out as that of a wide
/// one. Also finds which sideways edges leave or enter through the gaps between ranks, and where they change
/// their height.
void placeColumns(layout_plan::Plan& plan, std::uint32_t container);

} // namespace secateur
