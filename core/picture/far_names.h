// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/compose.h"

#include <cstdint>
#include <vector>

namespace secateur {

/// Names of the largest boxes of a far view, beside them where there is free room: a picture without a word
/// says nothing. None where groups and frames already carry enough names. `items`: the nodes that are drawn
/// as plain rectangles. Call last: no name lies on a box, or on another text of the list.
void drawFarNames(const Scene& scene, const ViewRequest& request, const std::vector<std::uint32_t>& items,
                  DisplayList& out);

} // namespace secateur
