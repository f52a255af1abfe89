// SPDX-License-Identifier: Apache-2.0
//
// Colours by what they mean. The display list names a ColorRef; the theme turns it into an opaque RGB, with
// tints and faded strengths already blended, since blending thousands of hairlines a frame is what makes
// drawing slow.
#pragma once

#include "core/layout/layout_graph.h"

#include <cstdint>
#include <string>

namespace secateur {

enum class ThemeRole : std::uint8_t {
    canvas,
    card,
    panel,
    text,
    muted,
    outline,
    accent,
    warn,
    error,
    ok,
    placeholder,
    onFill, ///< white, for text on a title fill
    less,   ///< a delta downwards
    more,   ///< a delta upwards
    roleForward,
    roleLoss,
    roleBackward,
    roleAccumulator,
    roleOptimizer,
    roleRecompute,
    roleMetric,
    kindLayer,
    kindActivation,
    kindPool,
    kindNormalization,
    kindShape,
    kindTensor,
    kindTransform,
    kindQuantization,
    kindAttention,
    kindDropout,
    kindControl,
    kindConstant,
    kindInput,
    kindOutput,
    kindGeneric,
    kindUnknown,
    heat0, ///< nine steps of a heat map, least to most
    heat1,
    heat2,
    heat3,
    heat4,
    heat5,
    heat6,
    heat7,
    heat8,
};
constexpr int kThemeRoleCount = static_cast<int>(ThemeRole::heat8) + 1;

/// How strong a colour is drawn; every strength is opaque.
enum class Shade : std::uint8_t {
    solid,
    faded,     ///< 35 % over the canvas
    tint,      ///< 14 % (dark 22 %) over the card
    fadedTint, ///< the tint at 35 % over the canvas
    hatch,     ///< 55 % over the card: the lines of the removed-texture
    fadedHatch,
    hairline, ///< 55 % over the canvas: edges at the far zoom
    textOn,   ///< black or white, whichever reads better on the role's solid colour
};
constexpr int kShadeCount = static_cast<int>(Shade::textOn) + 1;

struct ColorRef {
    ThemeRole role = ThemeRole::text;
    Shade shade = Shade::solid;
    friend bool operator==(const ColorRef&, const ColorRef&) = default;
};

struct Rgb {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;
    friend bool operator==(const Rgb&, const Rgb&) = default;
};

enum class ThemeKind : std::uint8_t { light, dark };

/// The opaque colour of a reference.
Rgb themeColor(ThemeKind theme, ColorRef color);

/// `#1c56b6`
std::string toHex(Rgb color);

/// Contrast of WCAG 2: 1 (equal) to 21 (black on white).
double contrastRatio(Rgb a, Rgb b);

/// Grey value 0..255 that a colour turns into when all colour is taken away (Rec. 709 luma).
int greyOf(Rgb color);

ThemeRole themeRoleOf(NodeRole role);
ThemeRole themeRoleOf(OperatorKind kind);

/// `F`, `L`, `B`, `A`, `O`, `R`, `M`.
char roleLetter(NodeRole role);

} // namespace secateur
