// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_plan.h"

namespace secateur {

/// Draws the edges of a plan whose boxes have their places: fills the points of the layout's edges, which run
/// parallel to the visible edges of the plan.
void drawEdges(const layout_plan::Plan& plan, Layout& layout);

} // namespace secateur
