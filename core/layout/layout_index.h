// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layered.h"

namespace secateur {

/// Fills the spatial indexes of a layout from the places that its items, portals and edges have now.
void indexLayout(Layout& layout);

} // namespace secateur
