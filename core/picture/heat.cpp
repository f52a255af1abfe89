// SPDX-License-Identifier: Apache-2.0
#include "core/picture/heat.h"

#include "core/messages/sentences.h"
#include "core/picture/model_text.h"
#include "core/support/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace secateur {
namespace {

/// "3.2 GFLOP": thousands, as people count operations.
std::string flopText(double count) {
    static constexpr std::array<const char*, 6> kUnits{"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"};
    std::size_t unit = 0;
    while (count >= 999.95 && unit + 1 < kUnits.size()) {
        count /= 1000;
        ++unit;
    }
    const double shown = unit == 0 ? std::round(count) : std::round(count * 10) / 10;
    return numberText(shown) + ' ' + kUnits[unit];
}

const char* idOf(HeatKind kind, const char* time, const char* bytes, const char* flops) {
    switch (kind) {
    case HeatKind::time: return time;
    case HeatKind::bytes: return bytes;
    case HeatKind::flops: return flops;
    }
    return bytes;
}

} // namespace

void finishHeat(Heat& heat) {
    heat.range = {};
    heat.isMeasured = false;
    for (const double value : heat.values) {
        heat.isMeasured = heat.isMeasured || value >= 0;
        heat.range.add(value);
    }
}

ColorRef heatColor(const HeatRange& range, double value) {
    if (value < 0) return {ThemeRole::card, Shade::solid};
    if (value == 0) return {ThemeRole::outline, Shade::solid};
    const auto at = [](int step) {
        return ColorRef{static_cast<ThemeRole>(static_cast<int>(ThemeRole::heat0) + step), Shade::solid};
    };
    if (value <= range.lowest || range.highest <= range.lowest)
        return at(value > range.lowest ? kHeatSteps - 1 : 0);
    const double part = std::log(value / range.lowest) / std::log(range.highest / range.lowest);
    return at(std::clamp(static_cast<int>(part * kHeatSteps), 0, kHeatSteps - 1));
}

std::string heatText(const Heat& heat, double value, std::uint32_t unknown) {
    if (value >= 0 && unknown > 0)
        return formatMessage("picture.heat-partial", {heatText(heat, value), formatCount(unknown)});
    if (value < 0)
        return std::string(
            message(heat.kind == HeatKind::time ? "picture.heat-not-measured" : "picture.heat-unknown"));
    switch (heat.kind) {
    case HeatKind::time: return formatSeconds(value);
    case HeatKind::bytes: return sizeText({value, {}});
    case HeatKind::flops: return flopText(value);
    }
    return {};
}

HeatLegend heatLegend(const Heat& heat, const HeatRange& range) {
    HeatLegend legend;
    legend.title = std::string(
        message(idOf(heat.kind, "picture.heat-time", "picture.heat-bytes", "picture.heat-flops")));
    legend.note = heat.note;
    legend.blank = std::string(message(
        idOf(heat.kind, "picture.heat-blank-time", "picture.heat-blank-bytes", "picture.heat-blank-flops")));
    if (!heat.isMeasured) return legend;
    legend.low = heatText(heat, range.lowest);
    const bool isOne = range.highest <= range.lowest;
    if (!isOne) legend.high = heatText(heat, range.highest);
    if (range.highest <= 0) {
        legend.steps.push_back(heatColor(range, 0));
        return legend;
    }
    for (int step = 0; step < (isOne ? 1 : kHeatSteps); ++step)
        legend.steps.push_back(
            {static_cast<ThemeRole>(static_cast<int>(ThemeRole::heat0) + step), Shade::solid});
    return legend;
}

namespace {

/// Adds a number to each box that a node is part of: its item, and what of the frames around it stands in its
/// column.
template <class Number, class Add>
void addToBoxes(const Layout& layout, std::uint32_t node, std::vector<Number>& items,
                std::vector<ByColumn<Number>>& frames, const Add& add) {
    add(items[layout.itemOfNode[node]]);
    layout.eachFrameAround(layout.itemOfNode[node],
                           [&](std::uint32_t frame, std::uint8_t column) { add(frames[frame][column]); });
}

} // namespace

HeatSums sumHeat(const Heat& heat, const Layout& layout) {
    constexpr double kNone = Heat::kNotMeasured;
    HeatSums sums;
    sums.items.assign(layout.items.size(), kNone);
    sums.frames.assign(layout.frames.size(), {kNone, kNone, kNone});
    sums.unknownInItems.assign(layout.items.size(), 0);
    sums.unknownInFrames.assign(layout.frames.size(), {0, 0, 0});
    for (std::uint32_t n = 0; n < layout.itemOfNode.size(); ++n) {
        const double value = heat.valueOf(n);
        if (value < 0)
            addToBoxes(layout, n, sums.unknownInItems, sums.unknownInFrames, [](auto& count) { ++count; });
        else if (value > 0)
            addToBoxes(layout, n, sums.items, sums.frames,
                       [value](double& sum) { sum = std::max(sum, 0.0) + value; });
    }
    // Boxes whose measured nodes are all zero sum up to zero, but not where another one is unknown: that may
    // be most of the box.
    const auto finish = [](double& sum, std::uint32_t unknown) {
        if (sum < 0 && unknown == 0) sum = 0;
    };
    // An open group is a frame, whose sum no box shows: the scale would reach up to what nobody sees. Where
    // it is a box, from far away, it has the colour of the highest.
    for (std::size_t i = 0; i < sums.items.size(); ++i) {
        finish(sums.items[i], sums.unknownInItems[i]);
        sums.range.add(sums.items[i]);
    }
    for (std::size_t f = 0; f < sums.frames.size(); ++f)
        for (std::size_t column = 0; column < sums.frames[f].size(); ++column)
            finish(sums.frames[f][column], sums.unknownInFrames[f][column]);
    return sums;
}

} // namespace secateur
