// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/theme.h"

#include "ui/fonts/bundled_fonts.h"
#include "ui/theme/desktop_theme.h"
#include "ui/theme/theme_style.h"

#include <QApplication>
#include <QToolTip>

namespace secateur {

namespace {

ThemeChoice g_choice = ThemeChoice::system;
ThemeKind g_theme = ThemeKind::light;
/// The palette of the desktop, kept from before the first one of ours.
QPalette g_desktopPalette;
bool g_hasDesktopPalette = false;

QColor mixed(const QColor& a, const QColor& b, double share) {
    const auto part = [share](int from, int to) {
        return static_cast<int>(from + (to - from) * share + 0.5);
    };
    return {part(a.red(), b.red()), part(a.green(), b.green()), part(a.blue(), b.blue())};
}

void setDisabled(QPalette& palette, const QColor& text, const QColor& panel) {
    const QColor grey = mixed(text, panel, 0.5);
    for (const auto role :
         {QPalette::Text, QPalette::WindowText, QPalette::ButtonText, QPalette::HighlightedText})
        palette.setColor(QPalette::Disabled, role, grey);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, mixed(text, panel, 0.8));
}

} // namespace

ThemeKind currentTheme() {
    return g_theme;
}

ThemeChoice currentThemeChoice() {
    return g_choice;
}

ThemeKind systemTheme() {
    if (const auto asked = desktopPrefersDark()) return *asked ? ThemeKind::dark : ThemeKind::light;
    const QColor window = g_hasDesktopPalette ? g_desktopPalette.color(QPalette::Window)
                                              : QApplication::palette().color(QPalette::Window);
    return window.lightnessF() < 0.5 ? ThemeKind::dark : ThemeKind::light;
}

void applyTheme(QApplication& application, ThemeChoice choice) {
    if (!g_hasDesktopPalette) {
        g_desktopPalette = QApplication::palette();
        g_hasDesktopPalette = true;
        QApplication::setStyle(new ThemeStyle);
        loadBundledFonts();
        QApplication::setFont(fontOf(FontFace::SansRegular, 13));
    }
    g_choice = choice;
    g_theme = choice == ThemeChoice::system ? systemTheme()
              : choice == ThemeChoice::dark ? ThemeKind::dark
                                            : ThemeKind::light;
    const QPalette palette = paletteOf(g_theme);
    application.setPalette(palette);
    QToolTip::setPalette(palette);
}

QPalette paletteOf(ThemeKind theme) {
    const auto color = [theme](ThemeRole role) { return themeColorOf(theme, {role, Shade::solid}); };
    const QColor panel = color(ThemeRole::panel), card = color(ThemeRole::card),
                 text = color(ThemeRole::text);
    const QColor canvas = color(ThemeRole::canvas), accent = color(ThemeRole::accent);
    QPalette palette;
    palette.setColor(QPalette::Window, panel);
    palette.setColor(QPalette::WindowText, text);
    palette.setColor(QPalette::Base, card);
    palette.setColor(QPalette::AlternateBase, canvas);
    palette.setColor(QPalette::Text, text);
    palette.setColor(QPalette::Button, theme == ThemeKind::dark ? mixed(panel, text, 0.08) : panel);
    palette.setColor(QPalette::ButtonText, text);
    palette.setColor(QPalette::BrightText, color(ThemeRole::error));
    palette.setColor(QPalette::Highlight, accent);
    palette.setColor(QPalette::HighlightedText, theme == ThemeKind::dark ? canvas : card);
    palette.setColor(QPalette::Link, accent);
    palette.setColor(QPalette::LinkVisited, accent);
    palette.setColor(QPalette::PlaceholderText, color(ThemeRole::placeholder));
    palette.setColor(QPalette::ToolTipBase, card);
    palette.setColor(QPalette::ToolTipText, text);
    palette.setColor(QPalette::Light, mixed(panel, theme == ThemeKind::dark ? text : card, 0.25));
    palette.setColor(QPalette::Midlight, mixed(panel, text, 0.06));
    palette.setColor(QPalette::Mid, mixed(panel, text, 0.25));
    palette.setColor(QPalette::Dark, mixed(panel, text, theme == ThemeKind::dark ? 0.35 : 0.3));
    palette.setColor(QPalette::Shadow,
                     theme == ThemeKind::dark ? QColor(Qt::black) : mixed(panel, text, 0.5));
    setDisabled(palette, text, panel);
    return palette;
}

QColor themeColorOf(ThemeKind theme, ColorRef color) {
    const Rgb rgb = themeColor(theme, color);
    return {rgb.red, rgb.green, rgb.blue};
}

QColor themeColorOf(ThemeRole role, Shade shade) {
    return themeColorOf(g_theme, {role, shade});
}

QString themeHex(ThemeRole role, Shade shade) {
    return QString::fromStdString(toHex(themeColor(g_theme, {role, shade})));
}

ThemeChoice themeChoiceFromName(const QString& name) {
    if (name == QLatin1String("light")) return ThemeChoice::light;
    if (name == QLatin1String("dark")) return ThemeChoice::dark;
    return ThemeChoice::system;
}

QString themeChoiceName(ThemeChoice choice) {
    switch (choice) {
    case ThemeChoice::system: return QStringLiteral("system");
    case ThemeChoice::light: return QStringLiteral("light");
    case ThemeChoice::dark: return QStringLiteral("dark");
    }
    return QStringLiteral("system");
}

} // namespace secateur
