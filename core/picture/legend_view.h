// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/display_list.h"
#include "core/picture/heat.h"

namespace secateur {

/// Room that a legend takes, in view pixels.
constexpr double kLegendHeight = 40;

/// Width of the legend: its texts and the steps.
[[nodiscard]] double legendWidth(const HeatLegend& legend);
/// Draws a legend of a heat map with its top left corner at `at`: title and what blank means above, the steps
/// between the lowest and the highest value below.
void drawLegend(const HeatLegend& legend, Point at, DisplayList& out);

} // namespace secateur
