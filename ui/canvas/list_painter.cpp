// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/list_painter.h"

#include "ui/fonts/bundled_fonts.h"
#include "ui/theme/theme.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <QPen>
#include <QVarLengthArray>

#include <algorithm>
#include <cmath>

namespace secateur {

namespace {

constexpr int kCachedTexts = 6000;

QRectF toQt(const Rect& r) {
    return {r.x, r.y, r.width, r.height};
}

QPen penOf(const DrawItem& item, ThemeKind theme) {
    QPen pen(themeColorOf(theme, item.stroke), static_cast<qreal>(item.strokeWidth));
    pen.setCapStyle(Qt::FlatCap);
    const DashPattern dashes = dashPattern(item.dash);
    if (dashes.count == 0) return pen;
    QList<qreal> pattern;
    // Qt counts dashes in pen widths.
    for (int i = 0; i < dashes.count; ++i)
        pattern.append(static_cast<qreal>(dashes.lengths[i]) / static_cast<qreal>(item.strokeWidth));
    pen.setDashPattern(pattern);
    return pen;
}

/// Rounder corners are seen.
constexpr float kSharpRadius = 1.5F;

/// Pieces of [0, length) that a dash pattern covers.
template <class Visit> void visitDashes(const DashPattern& dashes, double length, const Visit& visit) {
    if (dashes.count == 0) return visit(0.0, length);
    double at = 0;
    for (int i = 0; at < length; i = (i + 1) % dashes.count) {
        const double end = std::min(length, at + static_cast<double>(dashes.lengths[i]));
        if (i % 2 == 0) visit(at, end);
        at = end;
    }
}

/// The outline of a rectangle with sharp corners, on whole pixels: a tenth of what stroking a path costs.
void paintSharpOutline(QPainter& painter, const DrawItem& item, const QColor& color) {
    const double line = std::max(1.0, std::round(static_cast<double>(item.strokeWidth)));
    const Rect& r = item.rect;
    const double left = std::floor(r.x), top = std::floor(r.y), right = std::floor(r.right()),
                 bottom = std::floor(r.bottom());
    const DashPattern dashes = dashPattern(item.dash);
    visitDashes(dashes, right - left, [&](double from, double to) {
        painter.fillRect(QRectF(left + from, top, to - from, line), color);
        painter.fillRect(QRectF(left + from, bottom - line, to - from, line), color);
    });
    visitDashes(dashes, bottom - top, [&](double from, double to) {
        painter.fillRect(QRectF(left, top + from, line, to - from), color);
        painter.fillRect(QRectF(right - line, top + from, line, to - from), color);
    });
}

QPainterPath pathOf(const DisplayList& list, const DrawItem& item) {
    QPainterPath path;
    if (item.count == 0) return path;
    const Point* p = list.points.data() + item.first;
    path.moveTo(p[0].x, p[0].y);
    for (std::uint32_t i = 1; i + 2 < item.count; i += 3)
        path.cubicTo(p[i].x, p[i].y, p[i + 1].x, p[i + 1].y, p[i + 2].x, p[i + 2].y);
    return path;
}

} // namespace

ListPainter::ListPainter() : m_texts(kCachedTexts) {}

void ListPainter::paint(QPainter& painter, const DisplayList& list, ThemeKind theme) {
    painter.setRenderHint(QPainter::TextAntialiasing);
    for (const DrawItem& item : list.items)
        paintItem(painter, list, item, theme);
}

void ListPainter::paintItem(QPainter& painter, const DisplayList& list, const DrawItem& item,
                            ThemeKind theme) {
    switch (item.op) {
    case DrawOp::text: return paintText(painter, list, item, theme);
    case DrawOp::hatch: return paintHatch(painter, item, theme);
    case DrawOp::rectBatch: return paintRectBatch(painter, list, item, theme);
    case DrawOp::lineBatch: return paintLineBatch(painter, list, item, theme);
    case DrawOp::rect:
    case DrawOp::ellipse:
    case DrawOp::path:
    case DrawOp::polyline: break;
    }
    if (item.op == DrawOp::rect && (item.hasStroke ? item.radius < kSharpRadius : item.radius <= 0)) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        if (item.hasFill) painter.fillRect(toQt(item.rect), themeColorOf(theme, item.fill));
        if (item.hasStroke) paintSharpOutline(painter, item, themeColorOf(theme, item.stroke));
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(item.hasStroke ? penOf(item, theme) : QPen(Qt::NoPen));
    painter.setBrush(item.hasFill ? QBrush(themeColorOf(theme, item.fill)) : QBrush(Qt::NoBrush));
    if (item.op == DrawOp::rect) {
        const auto radius = static_cast<qreal>(item.radius);
        painter.drawRoundedRect(toQt(item.rect), radius, radius);
    } else if (item.op == DrawOp::ellipse) {
        painter.drawEllipse(toQt(item.rect));
    } else if (item.op == DrawOp::path) {
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(pathOf(list, item));
    } else {
        QList<QPointF> points;
        points.reserve(static_cast<qsizetype>(item.count));
        for (std::uint32_t i = 0; i < item.count; ++i)
            points.append({list.points[item.first + i].x, list.points[item.first + i].y});
        if (item.hasFill)
            painter.drawPolygon(points.constData(), static_cast<int>(points.size()));
        else
            painter.drawPolyline(points.constData(), static_cast<int>(points.size()));
    }
}

void ListPainter::paintText(QPainter& painter, const DisplayList& list, const DrawItem& item,
                            ThemeKind theme) {
    const std::string_view text = list.textOf(item);
    const int px = std::max(1, static_cast<int>(std::lround(item.textPx)));
    QString key = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    key.append(QChar(static_cast<char16_t>(0xE000 + px * 8 + static_cast<int>(item.face))));
    Laid* laid = m_texts.object(key);
    if (!laid) {
        laid = new Laid;
        laid->font = fontOf(item.face, px);
        laid->ascent = QFontMetricsF(laid->font).ascent();
        laid->text = QStaticText(key.chopped(1));
        laid->text.setTextFormat(Qt::PlainText);
        laid->text.setPerformanceHint(QStaticText::AggressiveCaching);
        laid->text.prepare({}, laid->font);
        m_texts.insert(key, laid);
    }
    double x = item.rect.x;
    if (item.align != TextAlign::left) {
        const double free = item.rect.width - laid->text.size().width();
        x += item.align == TextAlign::center ? free / 2 : free;
    }
    painter.setFont(laid->font);
    painter.setPen(themeColorOf(theme, item.stroke));
    painter.drawStaticText(QPointF(x, item.baselineY - laid->ascent), laid->text);
}

void ListPainter::paintHatch(QPainter& painter, const DrawItem& item, ThemeKind theme) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(themeColorOf(theme, item.stroke), 1));
    const Rect& r = item.rect;
    // Rising lines x + y = c, cut to the rectangle by arithmetic: clipping costs more than drawing.
    QVarLengthArray<QLineF, 128> lines;
    for (double c = r.x + r.y + static_cast<double>(item.hatchGap); c < r.right() + r.bottom();
         c += static_cast<double>(item.hatchGap)) {
        const double left = std::max(r.x, c - r.bottom()), right = std::min(r.right(), c - r.y);
        if (left < right) lines.append(QLineF(left, c - left, right, c - right));
    }
    painter.drawLines(lines.constData(), static_cast<int>(lines.size()));
}

void ListPainter::paintRectBatch(QPainter& painter, const DisplayList& list, const DrawItem& item,
                                 ThemeKind theme) {
    m_rects.clear();
    for (std::uint32_t i = 0; i < item.count; ++i) {
        const Rect& r = list.rects[item.first + i];
        const int x = static_cast<int>(std::floor(r.x)), y = static_cast<int>(std::floor(r.y));
        m_rects.emplace_back(x, y, std::max(1, static_cast<int>(std::floor(r.right())) - x),
                             std::max(1, static_cast<int>(std::floor(r.bottom())) - y));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    painter.setBrush(themeColorOf(theme, item.fill));
    painter.drawRects(m_rects.data(), static_cast<int>(m_rects.size()));
}

void ListPainter::paintLineBatch(QPainter& painter, const DisplayList& list, const DrawItem& item,
                                 ThemeKind theme) {
    m_lines.clear();
    for (std::uint32_t i = 0; i + 1 < item.count; i += 2) {
        const Point a = list.points[item.first + i], b = list.points[item.first + i + 1];
        m_lines.emplace_back(static_cast<int>(a.x), static_cast<int>(a.y), static_cast<int>(b.x),
                             static_cast<int>(b.y));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(QPen(themeColorOf(theme, item.stroke), 0));
    painter.drawLines(m_lines.data(), static_cast<int>(m_lines.size()));
}

} // namespace secateur
