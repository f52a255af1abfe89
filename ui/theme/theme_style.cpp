// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/theme_style.h"

#include "ui/theme/theme.h"

#include <QGuiApplication>
#include <QPainter>
#include <QPalette>
#include <QStyleOption>

namespace secateur {

namespace {

constexpr qreal kRadius = 3;

} // namespace

ThemeStyle::ThemeStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

void ThemeStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                               const QWidget* widget) const {
    if (element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck)
        return drawTick(*option, *painter);
    if (element == PE_PanelLineEdit) {
        const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
        // Fields inside of other widgets have no frame of their own.
        if (frame && frame->lineWidth > 0) return drawField(*option, *painter);
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void ThemeStyle::drawTick(const QStyleOption& option, QPainter& painter) {
    const bool isOn = option.state & State_On, isEnabled = option.state & State_Enabled;
    const QColor accent = themeColorOf(isEnabled ? ThemeRole::accent : ThemeRole::muted);
    const bool isPointedAt = option.state & State_MouseOver && isEnabled;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(QPen(isOn || isPointedAt ? accent : themeColorOf(ThemeRole::outline), 1));
    painter.setBrush(isOn ? accent : option.palette.color(QPalette::Base));
    painter.drawRoundedRect(box, kRadius, kRadius);
    if (isOn) {
        const qreal w = box.width(), h = box.height();
        const QPointF tick[] = {box.topLeft() + QPointF(w * 0.23, h * 0.52),
                                box.topLeft() + QPointF(w * 0.42, h * 0.72),
                                box.topLeft() + QPointF(w * 0.78, h * 0.28)};
        // Of the program, not of a list that marks its rows in another way.
        painter.setPen(QPen(QGuiApplication::palette().color(QPalette::HighlightedText), w / 8 + 0.4,
                            Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPolyline(tick, 3);
    } else if (option.state & State_NoChange) {
        painter.fillRect(box.adjusted(3, box.height() / 2 - 1, -3, 1 - box.height() / 2), accent);
    }
    painter.restore();
}

void ThemeStyle::drawField(const QStyleOption& option, QPainter& painter) {
    const bool hasFocus = option.state & State_HasFocus;
    const qreal width = hasFocus ? 2 : 1;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(themeColorOf(hasFocus ? ThemeRole::accent : ThemeRole::outline), width));
    painter.setBrush(option.palette.color(QPalette::Base));
    const qreal inset = width / 2;
    painter.drawRoundedRect(QRectF(option.rect).adjusted(inset, inset, -inset, -inset), kRadius, kRadius);
    painter.restore();
}

} // namespace secateur
