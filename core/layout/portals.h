// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_plan.h"

namespace secateur {

/// The tags for the ends of edges that are not drawn whole, and the room that they take at their boxes. Their
/// places follow when the boxes have theirs.
void collectPortals(layout_plan::Plan& plan, Layout& layout);
void placePortals(Layout& layout);

} // namespace secateur
