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
    heat.lowest = heat.highest = 0;
    heat.isMeasured = false;
    for (const double value : heat.values) {
        if (value < 0) continue;
        heat.isMeasured = true;
        if (value == 0) continue;
        heat.lowest = heat.lowest == 0 ? value : std::min(heat.lowest, value);
        heat.highest = std::max(heat.highest, value);
    }
}

ColorRef heatColor(const Heat& heat, double value) {
    if (value < 0) return {ThemeRole::card, Shade::solid};
    const auto at = [](int step) {
        return ColorRef{static_cast<ThemeRole>(static_cast<int>(ThemeRole::heat0) + step), Shade::solid};
    };
    if (value <= heat.lowest || heat.highest <= heat.lowest)
        return at(value > heat.lowest ? kHeatSteps - 1 : 0);
    const double part = std::log(value / heat.lowest) / std::log(heat.highest / heat.lowest);
    return at(std::clamp(static_cast<int>(part * kHeatSteps), 0, kHeatSteps - 1));
}

std::string heatText(const Heat& heat, double value) {
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

HeatLegend heatLegend(const Heat& heat) {
    HeatLegend legend;
    legend.title = std::string(
        message(idOf(heat.kind, "picture.heat-time", "picture.heat-bytes", "picture.heat-flops")));
    legend.note = heat.note;
    legend.blank = std::string(message(
        idOf(heat.kind, "picture.heat-blank-time", "picture.heat-blank-bytes", "picture.heat-blank-flops")));
    if (!heat.isMeasured) return legend;
    legend.low = heatText(heat, heat.lowest);
    legend.high = heatText(heat, heat.highest);
    for (int step = 0; step < kHeatSteps; ++step)
        legend.steps.push_back(
            {static_cast<ThemeRole>(static_cast<int>(ThemeRole::heat0) + step), Shade::solid});
    return legend;
}

namespace {

/// Boxes whose measured nodes are all zero sum up to zero, but not where another one is unknown: that may be
/// most of the box.
void addZeros(const Heat& heat, const Layout& layout, HeatSums& sums) {
    HeatSums unknown{std::vector<double>(sums.items.size(), 0), {}};
    unknown.frames.assign(sums.frames.size(), {0, 0, 0});
    const auto eachBox = [&](std::uint32_t n, HeatSums& of, auto visit) {
        visit(of.items[layout.itemOfNode[n]]);
        layout.eachFrameAround(layout.itemOfNode[n], [&](std::uint32_t frame, std::uint8_t column) {
            visit(of.frames[frame][column]);
        });
    };
    for (std::uint32_t n = 0; n < layout.itemOfNode.size(); ++n)
        if (heat.valueOf(n) < 0) eachBox(n, unknown, [](double& count) { ++count; });
    const auto setZero = [](double& sum, double count) {
        if (sum < 0 && count == 0) sum = 0;
    };
    for (std::size_t i = 0; i < sums.items.size(); ++i)
        setZero(sums.items[i], unknown.items[i]);
    for (std::size_t f = 0; f < sums.frames.size(); ++f)
        for (std::size_t column = 0; column < sums.frames[f].size(); ++column)
            setZero(sums.frames[f][column], unknown.frames[f][column]);
}

} // namespace

HeatSums sumHeat(const Heat& heat, const Layout& layout) {
    HeatSums sums;
    sums.items.assign(layout.items.size(), Heat::kNotMeasured);
    constexpr double kNone = Heat::kNotMeasured;
    sums.frames.assign(layout.frames.size(), {kNone, kNone, kNone});
    const auto add = [](double& sum, double value) { sum = std::max(sum, 0.0) + value; };
    for (std::uint32_t n = 0; n < layout.itemOfNode.size(); ++n) {
        const double value = heat.valueOf(n);
        if (value <= 0) continue;
        add(sums.items[layout.itemOfNode[n]], value);
        layout.eachFrameAround(layout.itemOfNode[n], [&](std::uint32_t frame, std::uint8_t column) {
            add(sums.frames[frame][column], value);
        });
    }
    addZeros(heat, layout, sums);
    return sums;
}

} // namespace secateur
