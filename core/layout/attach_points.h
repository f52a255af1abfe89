// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_plan.h"

namespace secateur {

/// Where edges leave and enter the boxes of a container whose x are known: an edge that comes from right
/// above enters straight, edges of one box keep apart, and where very many meet they share one point.
void placeAttachPoints(layout_plan::Plan& plan, std::uint32_t container);

/// x of a unit's port in the coordinates of the container that the unit stands in.
[[nodiscard]] double portXAt(const layout_plan::Plan& plan, const layout_plan::End& end);

/// Entries at one side of a box that are more than this share one point.
constexpr std::size_t kMostEntries = 12;

} // namespace secateur
