// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/picture/theme.h"

#include <QColor>
#include <QPalette>
#include <QString>

class QApplication;

namespace secateur {

/// What a person chose in View > Theme.
enum class ThemeChoice { system, light, dark };

/// The theme that the window is drawn with now.
[[nodiscard]] ThemeKind currentTheme();
[[nodiscard]] ThemeChoice currentThemeChoice();
/// Light or dark, as the desktop says (portal over D-Bus within 200 ms, else the luminance of its palette).
[[nodiscard]] ThemeKind systemTheme();
/// Fusion style, font and palette of a theme for the whole program. Widgets hear of it by
/// QEvent::PaletteChange.
void applyTheme(QApplication& application, ThemeChoice choice);

/// The palette of a theme, with Link, LinkVisited, PlaceholderText, ToolTip and Disabled colours set.
[[nodiscard]] QPalette paletteOf(ThemeKind theme);
[[nodiscard]] QColor themeColorOf(ThemeKind theme, ColorRef color);
/// In the current theme.
[[nodiscard]] QColor themeColorOf(ThemeRole role, Shade shade = Shade::solid);
[[nodiscard]] QString themeHex(ThemeRole role, Shade shade = Shade::solid);

[[nodiscard]] ThemeChoice themeChoiceFromName(const QString& name);
[[nodiscard]] QString themeChoiceName(ThemeChoice choice);

} // namespace secateur
