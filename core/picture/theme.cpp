// SPDX-License-Identifier: Apache-2.0
#include "core/picture/theme.h"

#include <array>
#include <cmath>

namespace secateur {
namespace {

struct Pair {
    std::uint32_t light;
    std::uint32_t dark;
};

/// One row per ThemeRole, in its order. Kinds are the same in both themes: white text stands on all of them.
constexpr std::array<Pair, kThemeRoleCount> kColors{{
    {0xF6F7F9, 0x16191D}, // canvas
    {0xFFFFFF, 0x22272E}, // card
    {0xECEEF1, 0x1C2026}, // panel
    {0x1B1F24, 0xE6EAF0}, // text
    {0x57606A, 0x9AA5B1}, // muted
    {0x7A8490, 0x7C8794}, // outline
    {0x0B57D0, 0x8AB4F8}, // accent
    {0x8A5300, 0xF5C26B}, // warn
    {0xB3261E, 0xFF9C94}, // error
    {0x1A6B3C, 0x7BD8A1}, // ok
    {0x5F6873, 0x8C97A3}, // placeholder
    {0xFFFFFF, 0xFFFFFF}, // onFill
    {0x2166AC, 0x6BAED6}, // less
    {0xB35806, 0xF1A340}, // more
    {0x1C56B6, 0x63A9FB}, // forward
    {0xB38100, 0xF9CF17}, // loss
    {0xAB340E, 0xF75015}, // backward
    {0x5D1954, 0xD131AE}, // accumulator
    {0x038B63, 0x21F4B1}, // optimizer
    {0x3D2079, 0x835AFD}, // recompute
    {0x5B6470, 0xA7B0BB}, // metric
    {0x335588, 0x335588}, // layer
    {0x702921, 0x702921}, // activation
    {0x335533, 0x335533}, // pool
    {0x335544, 0x335544}, // normalization
    {0x6C4F47, 0x6C4F47}, // shape
    {0x59423B, 0x59423B}, // tensor
    {0x335544, 0x335544}, // transform
    {0x502800, 0x502800}, // quantization
    {0x783C00, 0x783C00}, // attention
    {0x454770, 0x454770}, // dropout
    {0x7A3E6E, 0x7A3E6E}, // control
    {0x66707C, 0x66707C}, // constant
    {0x1F6F78, 0x1F6F78}, // input: no third grey beside those of constants and of all else
    {0x1F6F78, 0x1F6F78}, // output
    {0x3F4A57, 0x3F4A57}, // generic
    {0x9B1C1C, 0x9B1C1C}, // unknown
    {0xFDF0C4, 0x3B2A4A}, // heat: even steps of lightness, away from the canvas
    {0xFBDA8A, 0x5A2F63}, //
    {0xF8BE5B, 0x7C336B}, //
    {0xF09C42, 0x9F3B68}, //
    {0xDF7836, 0xBF4A5C}, //
    {0xC55434, 0xD9634A}, //
    {0xA23638, 0xEB8439}, //
    {0x77223D, 0xF5AB3F}, //
    {0x4A163C, 0xFAD66B}, //
}};

constexpr Rgb fromHex(std::uint32_t hex) {
    return {static_cast<std::uint8_t>(hex >> 16), static_cast<std::uint8_t>(hex >> 8 & 0xFF),
            static_cast<std::uint8_t>(hex & 0xFF)};
}

constexpr Rgb solidColor(ThemeKind theme, ThemeRole role) {
    const Pair pair = kColors[static_cast<std::size_t>(role)];
    return fromHex(theme == ThemeKind::light ? pair.light : pair.dark);
}

Rgb blend(Rgb over, Rgb under, double amount) {
    const auto mix = [amount](std::uint8_t a, std::uint8_t b) {
        return static_cast<std::uint8_t>(std::lround(a * amount + b * (1 - amount)));
    };
    return {mix(over.red, under.red), mix(over.green, under.green), mix(over.blue, under.blue)};
}

double luminance(Rgb color) {
    const auto linear = [](std::uint8_t channel) {
        const double c = channel / 255.0;
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
}

} // namespace

Rgb themeColor(ThemeKind theme, ColorRef color) {
    const Rgb solid = solidColor(theme, color.role);
    const Rgb canvas = solidColor(theme, ThemeRole::canvas);
    const Rgb card = solidColor(theme, ThemeRole::card);
    const double tintAmount = theme == ThemeKind::light ? 0.14 : 0.22;
    switch (color.shade) {
    case Shade::solid: return solid;
    case Shade::faded: return blend(solid, canvas, 0.35);
    case Shade::tint: return blend(solid, card, tintAmount);
    case Shade::fadedTint: return blend(blend(solid, card, tintAmount), canvas, 0.35);
    case Shade::hatch: return blend(solid, card, 0.55);
    case Shade::fadedHatch: return blend(blend(solid, card, 0.55), canvas, 0.35);
    case Shade::hairline: return blend(solid, canvas, 0.55);
    case Shade::textOn: {
        const Rgb white{255, 255, 255};
        const Rgb black{0, 0, 0}; // one of the two always has 4.5:1 or more
        return contrastRatio(white, solid) >= contrastRatio(black, solid) ? white : black;
    }
    }
    return solid;
}

std::string toHex(Rgb color) {
    constexpr char kDigits[] = "0123456789abcdef";
    std::string text = "#";
    for (const std::uint8_t channel : {color.red, color.green, color.blue}) {
        text += kDigits[channel >> 4];
        text += kDigits[channel & 15];
    }
    return text;
}

double contrastRatio(Rgb a, Rgb b) {
    const double x = luminance(a) + 0.05;
    const double y = luminance(b) + 0.05;
    return x > y ? x / y : y / x;
}

int greyOf(Rgb color) {
    return static_cast<int>(std::lround(0.2126 * color.red + 0.7152 * color.green + 0.0722 * color.blue));
}

ThemeRole themeRoleOf(NodeRole role) {
    switch (role) {
    case NodeRole::forward: return ThemeRole::roleForward;
    case NodeRole::loss: return ThemeRole::roleLoss;
    case NodeRole::backward: return ThemeRole::roleBackward;
    case NodeRole::accumulator: return ThemeRole::roleAccumulator;
    case NodeRole::optimizer: return ThemeRole::roleOptimizer;
    case NodeRole::recompute: return ThemeRole::roleRecompute;
    case NodeRole::metric: return ThemeRole::roleMetric;
    }
    return ThemeRole::roleMetric;
}

ThemeRole themeRoleOf(OperatorKind kind) {
    return static_cast<ThemeRole>(static_cast<int>(ThemeRole::kindLayer) + static_cast<int>(kind));
}

char roleLetter(NodeRole role) {
    constexpr std::array<char, kNodeRoleCount> kLetters{'F', 'L', 'B', 'A', 'O', 'R', 'M'};
    return kLetters[static_cast<std::size_t>(role)];
}

} // namespace secateur
