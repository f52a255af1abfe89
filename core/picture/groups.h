// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// Draws the closed groups among `items`, and with `withFrames` the outermost open groups in view as well:
/// one blob each, with what is kept and what is removed (in a walk: what is reached; in a heat map: the sum).
void drawGroups(const Scene& scene, const ViewRequest& request, const std::vector<std::uint32_t>& items,
                bool withFrames, DisplayList& out);

} // namespace secateur
