// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/picture_state.h"

namespace secateur {

/// Sums of the measured values in each box of what a pane shows: of Before its nodes, of After those that are
/// left or new. Overlay, which stands for both, counts what was replaced and not again what replaces it.
/// Linear.
[[nodiscard]] HeatSums sumHeatOf(const Heat& heat, const LayoutGraph& graph, const Layout& layout,
                                 const PictureState& state, Pane pane);

} // namespace secateur
