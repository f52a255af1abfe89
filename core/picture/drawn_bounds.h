// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"

namespace secateur {

/// World bounds of all that a pane shows: cards and closed groups, the frames of open ones, tags, and edges
/// on the whole of their way. Holes and what leads to them alone do not count, labels beside edges neither.
/// Linear in boxes and edges.
[[nodiscard]] Rect drawnBounds(const Scene& scene, Pane pane);

/// The same with the labels beside the edges as they stand at this zoom.
[[nodiscard]] Rect drawnBoundsWithLabels(const Scene& scene, Pane pane, double zoom);

} // namespace secateur
