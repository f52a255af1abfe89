// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"

namespace secateur {

/// Draws the edges of request.path in the accent colour. Nothing where the pane does not show the nodes.
void drawPathLines(const Scene& scene, const ViewRequest& request, DisplayList& out);
/// Numbers its nodes in order, clear of the texts in `out` where a corner is, and marks the end: a bull's eye
/// for a target or a bar where the results are read by nobody.
void drawPathMarks(const Scene& scene, const ViewRequest& request, DisplayList& out);

} // namespace secateur
