// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/picture_state.h"

namespace secateur {

/// What a pane does not show at the moment that `state` belongs to: with it compactLayout closes the holes
/// that steps leave in that pane.
[[nodiscard]] LeftOut leftOutOf(const LayoutGraph& graph, const PictureState& state, Pane pane);

} // namespace secateur
