// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"

namespace secateur {

/// Draws request.path over the picture: its edges in the accent colour, its nodes numbered in order, and at
/// the end a bull's eye for a target or a bar where the results are read by nobody. Nothing where the pane
/// does not show the nodes.
void drawPath(const Scene& scene, const ViewRequest& request, DisplayList& out);

} // namespace secateur
