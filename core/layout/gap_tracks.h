// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_plan.h"

namespace secateur {

/// Gives the edges that change their x between two ranks of a container their tracks, and every gap the
/// height that tracks, labels and the tags of portals need.
void assignGaps(layout_plan::Plan& plan, std::uint32_t container);

constexpr double kLabelZone = 17; ///< under a rank for the labels of what leaves it
constexpr double kTagZone = 16;   ///< beside a rank for the tags of portals
constexpr std::uint32_t kMostGapTracks = 40;

} // namespace secateur
