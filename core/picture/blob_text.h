// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/picture_state.h"

#include <string>

namespace secateur {

/// What happened to its nodes: "412 of 655 removed", "3 of 8 replaced", or "655 nodes" when nothing did. The
/// After pane says what is there now: "243 nodes, 655 before". Empty where no node is in
/// it, but inputs or outputs of the graph.
std::string blobText(const GroupTally& tally, Pane pane);

/// The part of the bar that is filled, 0 to 1: what stays of the original; in the After pane what is there
/// now, where that is less than before.
double blobShare(const GroupTally& tally, Pane pane);

} // namespace secateur
