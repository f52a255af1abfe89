// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/path_boxes.h"

namespace secateur {

/// Draws the edges of a path in the accent colour; below the boxes, whose texts can be read then.
void drawPathLines(const Scene& scene, const ViewRequest& request, const std::vector<PathBox>& path,
                   DisplayList& out);
/// Numbers its boxes in order, clear of the texts in `out` where a corner is, and marks the end: a bull's eye
/// for a target or a bar where the results are read by nobody.
void drawPathMarks(const Scene& scene, const ViewRequest& request, const std::vector<PathBox>& path,
                   DisplayList& out);

} // namespace secateur
