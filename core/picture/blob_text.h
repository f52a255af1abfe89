// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/picture_state.h"

#include <string>

namespace secateur {

/// "412 of 655 removed", or "655 nodes" when nothing is.
std::string blobText(const GroupTally& tally, Pane pane);

} // namespace secateur
