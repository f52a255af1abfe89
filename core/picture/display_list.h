// SPDX-License-Identifier: Apache-2.0
//
// What is to be drawn, back to front, in view pixels (device independent, origin at the viewport's top left).
// Painted by the window and written as SVG by core: one picture, two pens. A list keeps its buffers between
// frames.
#pragma once

#include "core/layout/font_metrics.h"
#include "core/layout/geometry.h"
#include "core/picture/theme.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace secateur {

enum class DrawOp : std::uint8_t {
    rect,      ///< `rect`, fill and/or stroke, corner `radius` (0: sharp)
    ellipse,   ///< inscribed in `rect`
    path,      ///< cubic Beziers: points[first, +count) = start, then triples; stroke only
    polyline,  ///< points[first, +count); stroke, and filled as a polygon when hasFill
    text,      ///< string at `rect`: left/centre aligned in it, baseline at baselineY, already elided
    hatch,     ///< 45 degree lines, `hatchGap` apart, 1 px, clipped to `rect`; stroke colour
    rectBatch, ///< rects[first, +count), fill only, no antialiasing
    lineBatch, ///< points in pairs, 1 px opaque lines, no antialiasing
};

enum class DashStyle : std::uint8_t {
    solid,
    dashed,  ///< 4-3: removed, will go
    stash,   ///< 6-3
    dotted,  ///< 1-3: holes, captures
    dashDot, ///< 6-3-1-3: changed, replaced
};

enum class TextAlign : std::uint8_t { left, center, right };

struct DrawItem {
    DrawOp op = DrawOp::rect;
    DashStyle dash = DashStyle::solid;
    FontFace face = FontFace::SansRegular;
    TextAlign align = TextAlign::left;
    bool hasFill = false;
    bool hasStroke = false;
    ColorRef fill;
    ColorRef stroke; ///< also the colour of text
    float strokeWidth = 1;
    float radius = 0;
    float textPx = 0; ///< font size in view pixels, never below kSmallestTextPx
    float hatchGap = 6;
    double baselineY = 0;
    Rect rect;
    std::uint32_t first = 0; ///< into points, rects, or (text) the string buffer
    std::uint32_t count = 0; ///< points, rects, or bytes
};

/// Text smaller than this on screen is left out.
constexpr double kSmallestTextPx = 8;

/// Lengths of dashes and gaps in view pixels; empty for solid. At most four entries.
struct DashPattern {
    float lengths[4];
    int count;
};
DashPattern dashPattern(DashStyle style);

/// What a frame was composed of: the work that must follow what is visible, not the size of the graph.
struct ComposeCounters {
    std::uint32_t items = 0;  ///< boxes of the layout that were looked at
    std::uint32_t edges = 0;  ///< edges that were looked at
    std::uint32_t cards = 0;  ///< nodes drawn as cards
    std::uint32_t groups = 0; ///< closed groups, and open ones drawn as blobs
    std::uint32_t frames = 0;
    std::uint32_t labels = 0; ///< edge labels drawn
};

class DisplayList {
  public:
    std::vector<DrawItem> items;
    std::vector<Point> points;
    std::vector<Rect> rects;
    std::string strings;
    double width = 0; ///< size of the view
    double height = 0;
    ComposeCounters counters;

    /// Empties the list and keeps the memory.
    void clear();

    std::string_view textOf(const DrawItem& item) const {
        return std::string_view(strings).substr(item.first, item.count);
    }

    DrawItem& addRect(const Rect& rect, float radius = 0);
    DrawItem& addEllipse(const Rect& rect);
    DrawItem& addPath(const Point* points, std::size_t count);
    DrawItem& addPolyline(const Point* points, std::size_t count);
    DrawItem& addText(std::string_view text, const Rect& rect, double baselineY, FontFace face, double px,
                      ColorRef color, TextAlign align = TextAlign::left);
    DrawItem& addHatch(const Rect& rect, ColorRef color, float gap = 6);
    DrawItem& addRectBatch(const std::vector<Rect>& batch, ColorRef fill);
    DrawItem& addLineBatch(const std::vector<Point>& batch, ColorRef stroke);
};

/// Sets the fill and returns the item, so that calls chain.
DrawItem& filled(DrawItem& item, ColorRef color);
/// Sets the stroke and returns the item.
DrawItem& stroked(DrawItem& item, ColorRef color, float width = 1, DashStyle dash = DashStyle::solid);

} // namespace secateur
