// SPDX-License-Identifier: Apache-2.0
//
// A number for each node as the fill of its title: bytes, floating-point operations, time. What was not
// measured stays blank; it is never shown as zero.
#pragma once

#include "core/layout/layered.h"
#include "core/picture/theme.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace secateur {

enum class HeatKind : std::uint8_t { time, bytes, flops };

/// What a scale goes over: the lowest and the highest number above zero. Equal: there is one, or none.
struct HeatRange {
    double lowest = 0, highest = 0;

    void add(double value) {
        if (value <= 0) return;
        lowest = lowest == 0 ? value : std::min(lowest, value);
        highest = std::max(highest, value);
    }
};

struct Heat {
    static constexpr double kNotMeasured = -1;
    HeatKind kind = HeatKind::bytes;
    std::vector<double> values; ///< by node index: seconds, bytes or operations; below 0: not measured
    std::string note;           ///< what the numbers hold for ("batch = 1"), or why there are none

    // Set by finishHeat().
    HeatRange range;         ///< of single nodes
    bool isMeasured = false; ///< any node is

    [[nodiscard]] double valueOf(std::uint32_t node) const {
        return node < values.size() ? values[node] : kNotMeasured;
    }
};

/// Sets the range from the values.
void finishHeat(Heat& heat);

constexpr int kHeatSteps = 9;
/// The colour of a value on a logarithmic scale over the range; grey: zero; the card's own (blank): nothing
/// was measured.
[[nodiscard]] ColorRef heatColor(const HeatRange& range, double value);
/// "1.5 KiB", "3.2 GFLOP", "85 ms"; "not measured". Of a sum that leaves out nodes of which nothing is known:
/// "at least 3.1 MiB, 4 unknown".
[[nodiscard]] std::string heatText(const Heat& heat, double value, std::uint32_t unknown = 0);

/// What a legend shows: the steps from low to high and the values at both ends.
struct HeatLegend {
    std::string title;           ///< "Bytes: results and weights"
    std::string low, high;       ///< empty when nothing is measured
    std::string note;            ///< "batch = 1"; "not measured yet"
    std::vector<ColorRef> steps; ///< empty when nothing is measured
    std::string blank;           ///< what a blank title means
};
/// The legend of a scale over `range`, see scaleOf().
[[nodiscard]] HeatLegend heatLegend(const Heat& heat, const HeatRange& range);

/// One of each for the columns forward, backward, update: a frame may go round all three.
template <class T> using ByColumn = std::array<T, 3>;

/// Sums of the measured values in each box; kNotMeasured where no node is. Linear.
struct HeatSums {
    std::vector<double> items;            ///< by item of the layout
    std::vector<ByColumn<double>> frames; ///< by frame of the layout; filled for outermost frames
    /// Nodes whose number is not known, which the sums leave out.
    std::vector<std::uint32_t> unknownInItems;
    std::vector<ByColumn<std::uint32_t>> unknownInFrames;
    HeatRange range; ///< of cards and closed groups; open ones are boxes only from far away
};
[[nodiscard]] HeatSums sumHeat(const Heat& heat, const Layout& layout);

/// What the colours of a picture with these sums go over: the boxes that it shows, not single nodes alone.
[[nodiscard]] inline const HeatRange& scaleOf(const Heat& heat, const HeatSums& sums) {
    return sums.items.empty() ? heat.range : sums.range;
}

} // namespace secateur
