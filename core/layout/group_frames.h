// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_plan.h"

namespace secateur {

/// The frames of open groups, and where every group is drawn. Needs the index of boxes.
void placeFrames(const layout_plan::Plan& plan, Layout& layout);

} // namespace secateur
