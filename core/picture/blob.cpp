// SPDX-License-Identifier: Apache-2.0
#include "core/picture/blob.h"

#include "core/layout/font_metrics.h"
#include "core/layout/node_metrics.h"
#include "core/picture/card.h"

#include <algorithm>
#include <cmath>

namespace secateur {
namespace {

constexpr double kSmallestInside = 12.5; ///< height on screen of a box that takes its name inside
constexpr double kBarHeight = 8;
constexpr double kMinLabelRoom = 20;
constexpr double kBesideFate = 6;      ///< between a name and the words beside it
constexpr double kLeastNamePart = 0.4; ///< of the room, that is left to a name beside words

void drawBar(const Rect& bar, double kept, ColorRef color, DisplayList& out) {
    const double split = bar.width * kept;
    if (kept < 1) stroked(filled(out.addRect(bar.inflated(-0.5)), {ThemeRole::card, Shade::solid}), color, 1);
    if (kept > 0) filled(out.addRect({bar.x, bar.y, split, bar.height}), color);
}

class BlobPainter {
  public:
    BlobPainter(const BlobInput& blob, DisplayList& out)
        : m_blob(blob), m_box(blob.box), m_kept(blob.kept), m_color(blob.color),
          m_barColor(blob.barColor.value_or(blob.color)),
          m_radius(static_cast<float>(node_metrics::kRadius * std::min(blob.zoom, 1.5))), m_out(out) {}

    void draw() {
        if (m_blob.isHole) {
            stroked(m_out.addRect(m_box, m_radius), {ThemeRole::outline, Shade::faded}, 1, DashStyle::dotted);
        } else if (m_box.height < kSmallestInside) {
            snap();
            drawOutline();
            drawBar(m_box.inflated(-1), m_kept, m_barColor, m_out);
            drawNameBeside();
        } else {
            drawSheetBehind();
            drawOutline();
            drawInside();
        }
        drawRings(m_box, m_radius, m_blob.isSelected, m_blob.isHovered, m_blob.isInSelectedStep, m_out);
    }

  private:
    /// Whole pixels: of boxes a few pixels high some would else look filled and some hollow.
    void snap() {
        const double top = std::round(m_box.y), left = std::round(m_box.x);
        m_box = {left, top, std::round(m_box.width), std::max(5.0, std::round(m_box.height))};
    }

    /// A second sheet says that there is more inside.
    void drawSheetBehind() {
        const double shift = std::clamp(3 * m_blob.zoom, 1.5, 4.0);
        stroked(filled(m_out.addRect({m_box.x + shift, m_box.y + shift, m_box.width, m_box.height}, m_radius),
                       {ThemeRole::card, Shade::solid}),
                {ThemeRole::outline, Shade::faded}, 1);
    }

    void drawOutline() {
        stroked(filled(m_out.addRect(m_box, m_radius), {ThemeRole::card, Shade::solid}), m_color, 1.2F,
                m_blob.isHollow ? DashStyle::dashed : DashStyle::solid);
    }

    std::string cutTitle(FontFace face, double px, double room) const {
        return m_blob.siblings != nullptr ? m_blob.siblings->cut(m_blob.title, face, px, room)
                                          : elideMiddleToWidth(m_blob.title, face, px, room);
    }

    void drawNameBeside() {
        if (m_blob.labelRoom < kMinLabelRoom) return;
        const std::string name = cutTitle(FontFace::SansRegular, kFarTextPx, m_blob.labelRoom);
        const double width = textWidth(name, FontFace::SansRegular, kFarTextPx);
        const double gap = m_blob.labelGap;
        const double left = m_blob.isLabelRight ? m_box.right() + gap : m_box.x - gap - width;
        drawText(name, {left, m_box.centerY()}, m_blob.labelRoom, FontFace::SansRegular, kFarTextPx,
                 {ThemeRole::text, Shade::solid}, m_out);
    }

    /// Name, fate and bar from the top; below them, where there is room, the mixture once more as texture.
    void drawInside() {
        const double inset = std::clamp(10 * m_blob.zoom, 3.0, 14.0);
        const double barHeight = std::max(3.0, kBarHeight * std::min(m_blob.zoom, 1.5));
        const double room = m_box.width - 2 * inset;
        const double titlePx = std::clamp(node_metrics::kTitlePx * 1.1 * m_blob.zoom, kSmallestTextPx, 18.0);
        const double smallPx = std::clamp(node_metrics::kRowPx * m_blob.zoom, kSmallestTextPx, 14.0);
        const double bottomGap = std::max(1.5, 7 * m_blob.zoom);
        const double top = m_box.y + std::max(0.5, 5 * m_blob.zoom);
        const double space = m_box.bottom() - bottomGap - barHeight - top;
        const std::string& fate = m_blob.words;
        const bool isFateWhole = textWidth(fate, FontFace::SansRegular, smallPx) <= room;
        const bool isBelow = isFateWhole && space >= titlePx * 1.3 + smallPx * 1.3;
        const double textHeight = isBelow ? titlePx * 1.3 + smallPx * 1.3 : titlePx * 1.3;
        // In a box little taller than its text the bar stands at the bottom, else below the text.
        const bool isTall = space > 2 * textHeight + barHeight;
        const double textSpace = isTall ? textHeight : space;
        const double titleMiddle = isBelow ? top + titlePx * 0.65 : top + textSpace / 2;
        // Beside a long name the number stays, and the name is cut: it can be read in full elsewhere.
        const double besideFate = room - textWidth(fate, FontFace::SansRegular, smallPx) - kBesideFate;
        const bool keepsFate =
            !isBelow && m_blob.zoom >= kCardZoom && !fate.empty() && besideFate >= room * kLeastNamePart;
        const double used =
            drawNameInside({m_box.x + inset, titleMiddle}, keepsFate ? besideFate : room, titlePx);
        const ColorRef muted{ThemeRole::muted, Shade::solid};
        if (isBelow) {
            drawText(fate, {m_box.x + inset, titleMiddle + titlePx * 0.65 + smallPx * 0.7}, room + 1,
                     FontFace::SansRegular, smallPx, muted, m_out);
        } else if (textWidth(fate, FontFace::SansRegular, smallPx) <= room - used - kBesideFate) {
            // Words that do not fit are left out: a cut number would say something else.
            drawText(fate, {m_box.x + inset + used + kBesideFate, titleMiddle}, room - used - kBesideFate + 1,
                     FontFace::SansRegular, smallPx, muted, m_out);
        }
        const double barTop = isTall ? top + textHeight + 2 : m_box.bottom() - bottomGap - barHeight;
        drawBar({m_box.x + inset, barTop, room, barHeight}, m_kept, m_barColor, m_out);
        if (isTall)
            drawMixture(
                {m_box.x + inset, barTop + barHeight, room, m_box.bottom() - inset - barTop - barHeight});
    }

    /// Far away, where the box is too narrow for the name, this stands beside it if there is room, and else
    /// is cut, but not down to a letter. Returns the width that it takes inside.
    double drawNameInside(Point at, double room, double px) {
        const double width = textWidth(m_blob.title, FontFace::SansBold, px);
        const bool isFar = m_blob.zoom < kCardZoom;
        if (isFar && width > room && m_blob.labelRoom >= kMinLabelRoom) {
            drawNameBeside();
            return 0;
        }
        constexpr std::size_t kFewBytes = 5; // the dots and two letters: says nothing
        const std::string name =
            width > room ? cutTitle(FontFace::SansBold, px, room) : std::string(m_blob.title);
        if (isFar && width > room && name.size() <= kFewBytes) return 0;
        return drawText(name, at, room, FontFace::SansBold, px, {ThemeRole::text, Shade::solid}, m_out);
    }

    /// Below the bar: what stays as a tint, what goes as the hatch of removed cards.
    void drawMixture(const Rect& area) {
        if (area.height < kSmallestInside) return;
        const double split = area.width * m_kept;
        if (m_kept > 0)
            filled(m_out.addRect({area.x, area.y, split, area.height}), {m_barColor.role, Shade::tint});
        if (m_kept < 1 && m_blob.showsRemoved)
            m_out.addHatch({area.x + split, area.y, area.width - split, area.height},
                           {m_color.role, Shade::fadedHatch});
    }

    const BlobInput& m_blob;
    Rect m_box;
    double m_kept;
    ColorRef m_color, m_barColor;
    float m_radius;
    DisplayList& m_out;
};

} // namespace

void drawBlob(const BlobInput& blob, DisplayList& out) {
    BlobPainter(blob, out).draw();
}

} // namespace secateur
