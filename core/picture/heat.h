// SPDX-License-Identifier: Apache-2.0
//
// A number for each node as the fill of its title: bytes, floating-point operations, time. What was not
// measured stays blank; it is never shown as zero.
#pragma once

#include "core/layout/layered.h"
#include "core/picture/theme.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace secateur {

enum class HeatKind : std::uint8_t { time, bytes, flops };

struct Heat {
    static constexpr double kNotMeasured = -1;
    HeatKind kind = HeatKind::bytes;
    std::vector<double> values; ///< by node index: seconds, bytes or operations; below 0: not measured
    std::string note;           ///< what the numbers hold for ("batch = 1"), or why there are none

    // Set by finishHeat().
    double lowest = 0, highest = 0; ///< of what is measured and above zero
    bool isMeasured = false;        ///< any node is

    [[nodiscard]] double valueOf(std::uint32_t node) const {
        return node < values.size() ? values[node] : kNotMeasured;
    }
};

/// Sets the range from the values.
void finishHeat(Heat& heat);

constexpr int kHeatSteps = 9;
/// The colour of a value on a logarithmic scale over the range; the card's own colour (blank) where nothing
/// was measured. Sums of groups may lie above the highest value and take the last colour.
[[nodiscard]] ColorRef heatColor(const Heat& heat, double value);
/// "1.5 KiB", "3.2 GFLOP", "85 ms"; "not measured".
[[nodiscard]] std::string heatText(const Heat& heat, double value);

/// What a legend shows: the steps from low to high and the values at both ends.
struct HeatLegend {
    std::string title;           ///< "Bytes: results and weights"
    std::string low, high;       ///< empty when nothing is measured
    std::string note;            ///< "batch = 1"; "not measured yet"
    std::vector<ColorRef> steps; ///< empty when nothing is measured
    std::string blank;           ///< what a blank title means
};
[[nodiscard]] HeatLegend heatLegend(const Heat& heat);

/// One of each for the columns forward, backward, update: a frame may go round all three.
template <class T> using ByColumn = std::array<T, 3>;

/// Sums of the measured values in each box; kNotMeasured where no node is. Linear.
struct HeatSums {
    std::vector<double> items;            ///< by item of the layout
    std::vector<ByColumn<double>> frames; ///< by frame of the layout; filled for outermost frames
};
[[nodiscard]] HeatSums sumHeat(const Heat& heat, const Layout& layout);

} // namespace secateur
