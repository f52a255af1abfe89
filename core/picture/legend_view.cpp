// SPDX-License-Identifier: Apache-2.0
#include "core/picture/legend_view.h"

#include "core/layout/font_metrics.h"
#include "core/picture/card.h"

#include <algorithm>

namespace secateur {
namespace {

constexpr double kTitlePx = 12, kTextPx = 11;
constexpr double kLine = 18; ///< height of each of the two lines
constexpr double kStep = 18, kStepHeight = 11;
constexpr double kGap = 6;
constexpr ColorRef kInk{ThemeRole::text, Shade::solid}, kQuiet{ThemeRole::muted, Shade::solid};

double widthOf(const std::string& text, FontFace face, double px) {
    return text.empty() ? 0 : textWidth(text, face, px) + kGap;
}

/// What stands behind the title and behind the steps.
std::string quietText(const HeatLegend& legend) {
    if (legend.note.empty()) return legend.blank;
    return legend.blank.empty() ? legend.note : legend.note + "; " + legend.blank;
}

} // namespace

double legendWidth(const HeatLegend& legend) {
    const double first = widthOf(legend.title, FontFace::SansBold, kTitlePx);
    const double scale = widthOf(legend.low, FontFace::SansRegular, kTextPx) +
                         kStep * static_cast<double>(legend.steps.size()) + kGap +
                         widthOf(legend.high, FontFace::SansRegular, kTextPx);
    return std::max(first, scale + kGap + widthOf(quietText(legend), FontFace::SansRegular, kTextPx));
}

void drawLegend(const HeatLegend& legend, Point at, DisplayList& out) {
    constexpr double kAll = 1e5; // texts are not cut: the page is made wide enough
    drawText(legend.title, {at.x, at.y + kLine / 2}, kAll, FontFace::SansBold, kTitlePx, kInk, out);
    const double middle = at.y + kLine * 1.5;
    double x = at.x;
    const auto put = [&](const std::string& text, ColorRef color) {
        if (text.empty()) return;
        drawText(text, {x, middle}, kAll, FontFace::SansRegular, kTextPx, color, out);
        x += widthOf(text, FontFace::SansRegular, kTextPx);
    };
    put(legend.low, kInk);
    for (const ColorRef& step : legend.steps) {
        filled(out.addRect({x, middle - kStepHeight / 2, kStep, kStepHeight}), step);
        x += kStep;
    }
    if (!legend.steps.empty()) {
        const double width = kStep * static_cast<double>(legend.steps.size());
        stroked(out.addRect({x - width, middle - kStepHeight / 2, width, kStepHeight}),
                {ThemeRole::outline, Shade::solid}, 1);
        x += kGap;
    }
    put(legend.high, kInk);
    if (x > at.x) x += kGap;
    put(quietText(legend), kQuiet);
}

} // namespace secateur
