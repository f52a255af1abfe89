// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// Draws the closed groups among `items` and the open groups in view that are blobs at this zoom
/// (isFrameBlob()): one blob each, with what is kept and what is removed (in a walk: what is reached; in a
/// heat map: the sum).
void drawGroups(const Scene& scene, const ViewRequest& request, const std::vector<std::uint32_t>& items,
                DisplayList& out);

} // namespace secateur
