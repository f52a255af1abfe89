// SPDX-License-Identifier: Apache-2.0
#include "core/picture/display_list.h"

namespace secateur {
namespace {

std::uint32_t sizeOf(const auto& list) {
    return static_cast<std::uint32_t>(list.size());
}

} // namespace

DashPattern dashPattern(DashStyle style) {
    switch (style) {
    case DashStyle::solid: return {{0, 0, 0, 0}, 0};
    case DashStyle::dashed: return {{4, 3, 0, 0}, 2};
    case DashStyle::stash: return {{6, 3, 0, 0}, 2};
    case DashStyle::dotted: return {{1, 3, 0, 0}, 2};
    case DashStyle::dashDot: return {{6, 3, 1, 3}, 4};
    }
    return {{0, 0, 0, 0}, 0};
}

void DisplayList::clear() {
    items.clear();
    points.clear();
    rects.clear();
    strings.clear();
    width = 0;
    height = 0;
    counters = {};
}

DrawItem& DisplayList::addRect(const Rect& rect, float radius) {
    DrawItem& item = items.emplace_back();
    item.op = DrawOp::rect;
    item.rect = rect;
    item.radius = radius;
    return item;
}

DrawItem& DisplayList::addEllipse(const Rect& rect) {
    DrawItem& item = items.emplace_back();
    item.op = DrawOp::ellipse;
    item.rect = rect;
    return item;
}

DrawItem& DisplayList::addPath(const Point* from, std::size_t count) {
    DrawItem& item = items.emplace_back();
    item.op = DrawOp::path;
    item.first = sizeOf(points);
    item.count = static_cast<std::uint32_t>(count);
    points.insert(points.end(), from, from + count);
    return item;
}

DrawItem& DisplayList::addPolyline(const Point* from, std::size_t count) {
    DrawItem& item = addPath(from, count);
    item.op = DrawOp::polyline;
    return item;
}

DrawItem& DisplayList::addText(std::string_view text, const Rect& rect, double baselineY, FontFace face,
                               double px, ColorRef color, TextAlign align) {
    DrawItem& item = items.emplace_back();
    item.op = DrawOp::text;
    item.rect = rect;
    item.baselineY = baselineY;
    item.face = face;
    item.textPx = static_cast<float>(px);
    item.stroke = color;
    item.align = align;
    item.first = sizeOf(strings);
    item.count = static_cast<std::uint32_t>(text.size());
    strings.append(text);
    return item;
}

DrawItem& DisplayList::addHatch(const Rect& rect, ColorRef color, float gap) {
    DrawItem& item = items.emplace_back();
    item.op = DrawOp::hatch;
    item.rect = rect;
    item.hatchGap = gap;
    return stroked(item, color, 1);
}

DrawItem& DisplayList::addRectBatch(const std::vector<Rect>& batch, ColorRef fill) {
    DrawItem& item = items.emplace_back();
    item.op = DrawOp::rectBatch;
    item.first = sizeOf(rects);
    item.count = sizeOf(batch);
    rects.insert(rects.end(), batch.begin(), batch.end());
    return filled(item, fill);
}

DrawItem& DisplayList::addLineBatch(const std::vector<Point>& batch, ColorRef stroke) {
    DrawItem& item = items.emplace_back();
    item.op = DrawOp::lineBatch;
    item.first = sizeOf(points);
    item.count = sizeOf(batch);
    points.insert(points.end(), batch.begin(), batch.end());
    return stroked(item, stroke, 1);
}

DrawItem& filled(DrawItem& item, ColorRef color) {
    item.hasFill = true;
    item.fill = color;
    return item;
}

DrawItem& stroked(DrawItem& item, ColorRef color, float width, DashStyle dash) {
    item.hasStroke = true;
    item.stroke = color;
    item.strokeWidth = width;
    item.dash = dash;
    return item;
}

} // namespace secateur
