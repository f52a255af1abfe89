// SPDX-License-Identifier: Apache-2.0
#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"
#include "core/picture/blob_text.h"
#include "core/picture/card.h"

#include <algorithm>

namespace secateur {
namespace {

constexpr double kSmallestInside = 12.5; ///< height on screen of a box that takes its name inside
constexpr double kBarHeight = 8;
constexpr double kFarTextPx = 9;
constexpr double kMinLabelRoom = 20;

/// What is left of the group in the pane, 0..1.
double keptPart(const GroupTally& tally) {
    if (tally.total == 0) return 1;
    return 1.0 - static_cast<double>(tally.removed) / static_cast<double>(tally.total);
}

void drawBar(const Rect& bar, double kept, ColorRef color, DisplayList& out) {
    const double split = bar.width * kept;
    if (kept < 1) stroked(filled(out.addRect(bar.inflated(-0.5)), {ThemeRole::card, Shade::solid}), color, 1);
    if (kept > 0) filled(out.addRect({bar.x, bar.y, split, bar.height}), color);
}

} // namespace

void drawBlob(const BlobInput& blob, DisplayList& out) {
    const Rect& box = blob.box;
    const GroupTally& tally = blob.tally;
    const double kept = keptPart(tally);
    const ColorRef color{blob.showRole ? themeRoleOf(blob.role) : ThemeRole::kindLayer, Shade::solid};
    const float radius = static_cast<float>(node_metrics::kRadius * std::min(blob.zoom, 1.5));
    if (blob.pane == Pane::after && kept == 0 && tally.added == 0 && tally.total > 0) {
        stroked(out.addRect(box, radius), {ThemeRole::outline, Shade::faded}, 1, DashStyle::dotted);
        drawRings(box, radius, tally.selected > 0, blob.isHovered, false, out);
        return;
    }
    const ColorRef card{ThemeRole::card, Shade::solid};
    const bool isGone = kept == 0 && tally.total > 0;
    if (box.height >= kSmallestInside) { // a second sheet behind it says that there is more inside
        const double shift = std::clamp(3 * blob.zoom, 1.5, 4.0);
        stroked(filled(out.addRect({box.x + shift, box.y + shift, box.width, box.height}, radius), card),
                {ThemeRole::outline, Shade::faded}, 1);
    }
    stroked(filled(out.addRect(box, radius), card), color, 1.2F,
            isGone ? DashStyle::dashed : DashStyle::solid);
    if (box.height < kSmallestInside) {
        drawBar(box.inflated(-1), kept, color, out);
        if (blob.labelRoom >= kMinLabelRoom) {
            const std::string name =
                elideMiddleToWidth(blob.title, FontFace::SansRegular, kFarTextPx, blob.labelRoom);
            const double width = textWidth(name, FontFace::SansRegular, kFarTextPx);
            drawText(name, {box.x - 5 - width, box.centerY()}, blob.labelRoom, FontFace::SansRegular,
                     kFarTextPx, {ThemeRole::text, Shade::solid}, out);
        }
        drawRings(box, radius, tally.selected > 0, blob.isHovered, tally.inSelectedStep > 0, out);
        return;
    }
    const double inset = std::clamp(10 * blob.zoom, 3.0, 14.0);
    const double barHeight = std::max(3.0, kBarHeight * std::min(blob.zoom, 1.5));
    const Rect bar{box.x + inset, box.bottom() - barHeight - std::max(1.5, 7 * blob.zoom),
                   box.width - 2 * inset, barHeight};
    drawBar(bar, kept, color, out);
    const double titlePx = std::clamp(node_metrics::kTitlePx * 1.1 * blob.zoom, kSmallestTextPx, 18.0);
    const double textTop = box.y + std::max(0.5, 5 * blob.zoom);
    const double textSpace = bar.y - textTop;
    const double smallPx = node_metrics::kRowPx * blob.zoom;
    const std::string fate = blobText(tally, blob.pane);
    const bool hasSmall = smallPx >= kSmallestTextPx && textSpace > titlePx * 1.3 + smallPx * 1.2;
    const double titleMiddle = hasSmall ? textTop + titlePx * 0.65 : textTop + textSpace / 2;
    const double used = drawText(blob.title, {box.x + inset, titleMiddle}, box.width - 2 * inset,
                                 FontFace::SansBold, titlePx, {ThemeRole::text, Shade::solid}, out);
    // Words that do not fit are left out: a cut number would say something else.
    const auto fits = [&](double px, double room) {
        return textWidth(fate, FontFace::SansRegular, px) <= room;
    };
    const double besidePx = std::max(kSmallestTextPx, titlePx - 1);
    if (hasSmall && fits(smallPx, box.width - 2 * inset)) {
        drawText(fate, {box.x + inset, titleMiddle + titlePx * 0.65 + smallPx * 0.7}, box.width - 2 * inset,
                 FontFace::SansRegular, smallPx, {ThemeRole::muted, Shade::solid}, out);
    } else if (textSpace >= kSmallestTextPx && fits(besidePx, box.width - 2 * inset - used - 6)) {
        drawText(fate, {box.x + inset + used + 6, titleMiddle}, box.width - 2 * inset - used - 6,
                 FontFace::SansRegular, besidePx, {ThemeRole::muted, Shade::solid}, out);
    }
    drawRings(box, radius, tally.selected > 0, blob.isHovered, tally.inSelectedStep > 0, out);
}

} // namespace secateur
