// SPDX-License-Identifier: Apache-2.0
#include "ui/steps/steps_delegate.h"

#include "ui/fonts/bundled_fonts.h"
#include "ui/steps/steps_model.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace secateur {

namespace {

constexpr int kRowHeight = 44, kTick = 16, kLeft = 6, kChip = 20;
constexpr int kMark = 12, kGap = 6, kLineHeight = 18;

/// What the check found of a step, in words; empty where nothing was found yet.
QString verdictOf(const QModelIndex& index) {
    return index.data(StepsModel::verdictRole).toString().remove(QLatin1Char('`'));
}

ThemeRole roleOf(StepsModel::Mark mark) {
    switch (mark) {
    case StepsModel::Mark::same:
    case StepsModel::Mark::within: return ThemeRole::ok;
    case StepsModel::Mark::differs: return ThemeRole::error;
    case StepsModel::Mark::unknown:
    case StepsModel::Mark::none: return ThemeRole::warn;
    }
    return ThemeRole::muted;
}

/// A tick, two waves, a cross or a question mark: told apart without colour.
void paintMark(QPainter& painter, const QRectF& box, StepsModel::Mark mark) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(themeColorOf(roleOf(mark)), 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const auto at = [&](double x, double y) {
        return QPointF(box.x() + x * box.width(), box.y() + y * box.height());
    };
    QPainterPath path;
    switch (mark) {
    case StepsModel::Mark::same:
        path.moveTo(at(0.1, 0.55));
        path.lineTo(at(0.4, 0.85));
        path.lineTo(at(0.9, 0.2));
        break;
    case StepsModel::Mark::within:
        for (const double y : {0.35, 0.7}) {
            path.moveTo(at(0.05, y));
            path.cubicTo(at(0.35, y - 0.3), at(0.65, y + 0.3), at(0.95, y));
        }
        break;
    case StepsModel::Mark::differs:
        path.moveTo(at(0.15, 0.15));
        path.lineTo(at(0.85, 0.85));
        path.moveTo(at(0.85, 0.15));
        path.lineTo(at(0.15, 0.85));
        break;
    case StepsModel::Mark::unknown:
        path.moveTo(at(0.25, 0.3));
        path.cubicTo(at(0.25, -0.05), at(0.85, 0.0), at(0.75, 0.35));
        path.cubicTo(at(0.7, 0.5), at(0.5, 0.45), at(0.5, 0.68));
        path.moveTo(at(0.5, 0.95));
        path.lineTo(at(0.5, 0.96));
        break;
    case StepsModel::Mark::none: break;
    }
    painter.drawPath(path);
    painter.restore();
}

/// The mark and the words of the check, on a line of their own: nothing that a step did has to give way.
void paintVerdict(QPainter& painter, const QRect& line, const QFont& font, const QModelIndex& index) {
    const QString words = verdictOf(index);
    if (words.isEmpty()) return;
    const auto mark = static_cast<StepsModel::Mark>(index.data(StepsModel::verdictMarkRole).toInt());
    paintMark(painter, QRectF(line.x(), line.y() + (line.height() - kMark) / 2.0, kMark, kMark), mark);
    const QRect area = line.adjusted(kMark + kGap, 0, 0, 0);
    painter.setFont(font);
    painter.setPen(themeColorOf(roleOf(mark)));
    painter.drawText(area, Qt::AlignVCenter,
                     QFontMetrics(font).elidedText(words, Qt::ElideRight, area.width()));
}

} // namespace

QSize StepsDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    return {120, verdictOf(index).isEmpty() ? kRowHeight : kRowHeight + kLineHeight};
}

QRect StepsDelegate::tickRect(const QStyleOptionViewItem& option) {
    return {option.rect.x() + kLeft, option.rect.y() + 5, kTick, kTick};
}

void StepsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    painter->save();
    const QRect row = option.rect;
    const bool isSelected = option.state & QStyle::State_Selected;
    const bool isAhead = index.data(StepsModel::isAheadRole).toBool();
    if (isSelected) {
        painter->fillRect(row, themeColorOf(ThemeRole::accent, Shade::tint));
        painter->fillRect(QRect(0, row.y(), 3, row.height()), themeColorOf(ThemeRole::accent));
    } else if (option.state & QStyle::State_MouseOver) {
        painter->fillRect(row, option.palette.color(QPalette::AlternateBase));
    }
    int left = row.x() + kLeft;
    if (index.flags() & Qt::ItemIsUserCheckable) {
        QStyleOptionButton tick;
        tick.rect = tickRect(option);
        tick.palette = option.palette;
        tick.state =
            QStyle::State_Enabled |
            (index.data(Qt::CheckStateRole).toInt() == Qt::Checked ? QStyle::State_On : QStyle::State_Off);
        QApplication::style()->drawPrimitive(QStyle::PE_IndicatorCheckBox, &tick, painter);
        left += kTick + 8;
    }
    int right = row.right() - 8;
    const QString chip = index.data(StepsModel::chipRole).toString();
    if (!chip.isEmpty()) {
        const QRectF box(right - kChip, row.y() + 5, kChip, 16);
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(themeColorOf(ThemeRole::outline), 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        painter->setFont(fontOf(FontFace::SansBold, 11));
        painter->setPen(themeColorOf(ThemeRole::muted));
        painter->drawText(box, Qt::AlignCenter, chip);
        right -= kChip + 8;
    }
    const bool isStep = !index.parent().isValid();
    const QFont title = fontOf(isStep ? FontFace::SansBold : FontFace::SansRegular, 13),
                facts = fontOf(FontFace::SansRegular, 12);
    const auto line = [&](const QFont& font, const QColor& color, int y, const QString& text, int end) {
        painter->setFont(font);
        painter->setPen(color);
        const QRect area(left, row.y() + y, end - left, 20);
        painter->drawText(area, Qt::AlignVCenter,
                          QFontMetrics(font).elidedText(text, Qt::ElideRight, area.width()));
    };
    const QColor strong = themeColorOf(isAhead ? ThemeRole::muted : ThemeRole::text);
    const bool isFailed = index.data(StepsModel::isFailedRole).toBool();
    line(title, strong, 3, index.data(Qt::DisplayRole).toString().remove(QLatin1Char('`')), right);
    line(facts, themeColorOf(isFailed ? ThemeRole::warn : ThemeRole::muted), 21,
         index.data(StepsModel::subtitleRole).toString().remove(QLatin1Char('`')), row.right() - 8);
    paintVerdict(*painter, QRect(left, row.y() + 21 + kLineHeight, row.right() - 8 - left, 20), facts, index);
    if (option.state & QStyle::State_HasFocus) {
        painter->setRenderHint(QPainter::Antialiasing, false);
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(themeColorOf(ThemeRole::accent), 1));
        painter->drawRect(row.adjusted(0, 0, -1, -1));
    }
    painter->restore();
}

bool StepsDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                                const QModelIndex& index) {
    if (!(index.flags() & Qt::ItemIsUserCheckable)) return false;
    bool isToggle = false;
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        // A target of at least 24 px around the box.
        isToggle = mouse->button() == Qt::LeftButton &&
                   tickRect(option).adjusted(-6, -6, 6, 6).contains(mouse->position().toPoint());
    } else if (event->type() == QEvent::KeyPress) {
        isToggle = static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
    }
    if (!isToggle) return false;
    const bool isOn = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    return model->setData(index, isOn ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
}

} // namespace secateur
