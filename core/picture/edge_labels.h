// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// Draws the types beside the edges of the viewport, and the bytes on the stashes, whole or not at all: a
/// label that would lie on a card, a tag, another label, a line or the border of a group is left out. Which
/// ones are drawn does not change while the picture is panned. The label of the hovered edge is always drawn.
void drawEdgeLabels(const Scene& scene, const ViewRequest& request, DisplayList& out);

} // namespace secateur
