// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layout/layout_plan.h"

namespace secateur {

/// Decides for every visible edge of a ranked plan whether it is drawn whole and which way it takes: along
/// the trunks of its value through the containers, through the gap between two ranks, or sideways to the next
/// column. Linear in edges and in the lanes that are affordable.
void chooseWays(layout_plan::Plan& plan);

} // namespace secateur
