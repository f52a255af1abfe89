// SPDX-License-Identifier: Apache-2.0
#include "core/picture/theme.h"

#include <gtest/gtest.h>

namespace secateur {
namespace {

constexpr ThemeKind kThemes[] = {ThemeKind::light, ThemeKind::dark};
constexpr ThemeRole kGrounds[] = {ThemeRole::canvas, ThemeRole::card};

Rgb solid(ThemeKind theme, ThemeRole role) {
    return themeColor(theme, {role, Shade::solid});
}

TEST(Theme, textReadsOnEveryGround) {
    for (const ThemeKind theme : kThemes) {
        for (const ThemeRole ground : {ThemeRole::canvas, ThemeRole::card, ThemeRole::panel}) {
            for (const ThemeRole text :
                 {ThemeRole::text, ThemeRole::muted, ThemeRole::accent, ThemeRole::warn, ThemeRole::error,
                  ThemeRole::ok, ThemeRole::placeholder}) {
                EXPECT_GE(contrastRatio(solid(theme, text), solid(theme, ground)), 4.5)
                    << static_cast<int>(theme) << ' ' << static_cast<int>(text) << ' '
                    << static_cast<int>(ground);
            }
        }
    }
}

TEST(Theme, marksStandOutFromCanvasAndCard) {
    for (const ThemeKind theme : kThemes) {
        for (const ThemeRole ground : kGrounds) {
            for (int r = 0; r < kNodeRoleCount; ++r) {
                const ThemeRole role = themeRoleOf(static_cast<NodeRole>(r));
                EXPECT_GE(contrastRatio(solid(theme, role), solid(theme, ground)), 3.0) << r;
            }
            EXPECT_GE(contrastRatio(solid(theme, ThemeRole::outline), solid(theme, ground)), 3.0);
        }
    }
}

TEST(Theme, titlesReadOnEveryKindAndRole) {
    for (const ThemeKind theme : kThemes) {
        for (int k = 0; k < kOperatorKindCount; ++k) {
            const ThemeRole kind = themeRoleOf(static_cast<OperatorKind>(k));
            const Rgb text = themeColor(theme, {kind, Shade::textOn});
            EXPECT_EQ(text, (Rgb{255, 255, 255})) << "white text on kind " << k;
            EXPECT_GE(contrastRatio(text, solid(theme, kind)), 4.5) << k;
        }
        for (int r = 0; r < kNodeRoleCount; ++r) {
            const ThemeRole role = themeRoleOf(static_cast<NodeRole>(r));
            EXPECT_GE(contrastRatio(themeColor(theme, {role, Shade::textOn}), solid(theme, role)), 4.5) << r;
        }
    }
}

TEST(Theme, shadesOfARoleAreDifferentOpaqueColours) {
    for (const ThemeKind theme : kThemes) {
        for (int r = 0; r < kNodeRoleCount; ++r) {
            const ThemeRole role = themeRoleOf(static_cast<NodeRole>(r));
            const Rgb faded = themeColor(theme, {role, Shade::faded});
            const Rgb tint = themeColor(theme, {role, Shade::tint});
            EXPECT_GT(std::abs(greyOf(solid(theme, role)) - greyOf(faded)), 12) << r;
            EXPECT_NE(tint, faded);
            EXPECT_NE(tint, solid(theme, ThemeRole::card));
        }
    }
}

TEST(Theme, namesOfColours) {
    EXPECT_EQ(toHex(solid(ThemeKind::light, ThemeRole::accent)), "#0b57d0");
    EXPECT_EQ(toHex(solid(ThemeKind::dark, ThemeRole::roleBackward)), "#f75015");
    EXPECT_EQ(roleLetter(NodeRole::optimizer), 'O');
    EXPECT_NEAR(contrastRatio({0, 0, 0}, {255, 255, 255}), 21, 0.01);
}

} // namespace
} // namespace secateur
