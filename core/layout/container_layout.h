// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_plan.h"

namespace secateur {

/// Lays out the containers of a plan whose ways are chosen, from the innermost to the whole, and then gives
/// everything its place in the picture. Linear. Stops early when the options say so.
void layoutContainers(layout_plan::Plan& plan);

} // namespace secateur
