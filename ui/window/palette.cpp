// SPDX-License-Identifier: Apache-2.0
#include "ui/window/palette.h"

#include "ui/app_state/strings.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace secateur {

namespace {

constexpr int kWidth = 640, kRow = 26, kMostRows = 14, kTop = 72, kEdge = 20, kPadding = 8, kTick = 18;
constexpr int kDetailRole = Qt::UserRole + 1, kReasonRole = Qt::UserRole + 2, kTickRole = Qt::UserRole + 3;

/// Text at the left, with the reason behind it where there is one; the detail at the right.
class EntryDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {option.rect.width(), std::max(kRow, option.fontMetrics.height() + kPadding)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const bool isCurrent = option.state.testFlag(QStyle::State_Selected);
        const QPalette& palette = option.palette;
        if (isCurrent) painter->fillRect(option.rect, palette.color(QPalette::Highlight));
        const QString reason = index.data(kReasonRole).toString();
        const QColor ink = palette.color(isCurrent ? QPalette::HighlightedText : QPalette::Text),
                     quiet = isCurrent ? ink : palette.color(QPalette::PlaceholderText);
        QRect room = option.rect.adjusted(kPadding, 0, -kPadding, 0);
        const auto draw = [&](const QColor& color, const QString& text, Qt::Alignment side) {
            painter->setPen(color);
            painter->drawText(room, static_cast<int>(side | Qt::AlignVCenter),
                              option.fontMetrics.elidedText(text, Qt::ElideMiddle, room.width()));
            const int width = std::min(option.fontMetrics.horizontalAdvance(text), room.width()) + kPadding;
            side == Qt::AlignRight ? room.setRight(room.right() - width) : room.setLeft(room.left() + width);
        };
        painter->setFont(option.font);
        if (index.data(kTickRole).toBool()) draw(ink, QStringLiteral("\u2713"), Qt::AlignLeft);
        room.setLeft(option.rect.left() + kPadding + kTick);
        draw(quiet, index.data(kDetailRole).toString(), Qt::AlignRight);
        draw(reason.isEmpty() ? ink : quiet, index.data(Qt::DisplayRole).toString(), Qt::AlignLeft);
        if (!reason.isEmpty() && room.width() > 2 * kPadding) draw(quiet, reason, Qt::AlignLeft);
    }
};

/// What a screen reader says of a line.
QString spoken(const PaletteEntry& entry) {
    QStringList parts{entry.text};
    if (!entry.detail.isEmpty()) parts.append(entry.detail);
    if (!entry.reason.isEmpty()) parts.append(tx("ui.palette.unavailable", {entry.reason}));
    return parts.join(QStringLiteral(", "));
}

} // namespace

Palette::Palette(QWidget* window) : QFrame(window) {
    setObjectName(QStringLiteral("palette"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    m_field = new QLineEdit;
    m_list = new QListWidget;
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setFocusPolicy(Qt::NoFocus); // the field keeps the keys
    m_list->setItemDelegate(new EntryDelegate(m_list));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setUniformItemSizes(true);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(kPadding, kPadding, kPadding, kPadding);
    box->setSpacing(kPadding);
    box->addWidget(m_field);
    box->addWidget(m_list);
    m_field->installEventFilter(this);
    window->installEventFilter(this);
    connect(m_field, &QLineEdit::textEdited, this, &Palette::fill);
    connect(m_list, &QListWidget::itemClicked, this, [this] { choose(); });
    hide();
}

void Palette::open(const QString& hint, Source source) {
    if (!isVisible()) m_before = QApplication::focusWidget();
    m_source = std::move(source);
    m_field->setPlaceholderText(hint);
    m_field->setAccessibleName(hint);
    m_list->setAccessibleName(hint);
    m_field->clear();
    fill();
    show();
    raise();
    m_field->setFocus(Qt::ShortcutFocusReason);
}

void Palette::fill() {
    m_entries = m_source(m_field->text().trimmed());
    m_list->clear();
    for (const PaletteEntry& entry : m_entries) {
        auto* item = new QListWidgetItem(entry.text);
        item->setData(kDetailRole, entry.detail);
        item->setData(kReasonRole, entry.reason);
        item->setData(kTickRole, entry.isChecked);
        item->setData(Qt::AccessibleTextRole, spoken(entry));
        item->setToolTip(entry.reason);
        m_list->addItem(item);
    }
    m_list->setCurrentRow(0);
    place();
}

/// In the middle of the window's upper part, as high as its lines need and the window allows.
void Palette::place() {
    const QWidget& window = *parentWidget();
    const int row = std::max(m_list->sizeHintForRow(0), kRow);
    const int bare = m_field->sizeHint().height() + 2 * kPadding + 2 * frameWidth();
    const int room = std::max(1, (window.height() - kTop - kEdge - bare - kPadding) / row);
    const int rows = std::min({static_cast<int>(m_entries.size()), kMostRows, room});
    m_list->setFixedHeight(rows * row);
    m_list->setVisible(rows > 0);
    const int width = std::min(kWidth, window.width() - 2 * kEdge);
    setGeometry((window.width() - width) / 2, kTop, width, bare + (rows > 0 ? rows * row + kPadding : 0));
}

bool Palette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget()) {
        if (event->type() == QEvent::Resize && isVisible()) place();
        return false;
    }
    if (event->type() == QEvent::FocusOut && isVisible()) {
        hide(); // the focus went where a person put it
        return false;
    }
    // Keys that are shortcuts of the window elsewhere belong to the field while it is open.
    if (event->type() == QEvent::ShortcutOverride) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape || key == Qt::Key_Return) event->accept();
        return false;
    }
    if (event->type() != QEvent::KeyPress) return false;
    switch (static_cast<QKeyEvent*>(event)->key()) {
    case Qt::Key_Down: walk(1); return true;
    case Qt::Key_Up: walk(-1); return true;
    case Qt::Key_PageDown: walk(kMostRows - 1); return true;
    case Qt::Key_PageUp: walk(1 - kMostRows); return true;
    case Qt::Key_Return:
    case Qt::Key_Enter: choose(); return true;
    case Qt::Key_Escape: leave(); return true;
    case Qt::Key_Tab:
    case Qt::Key_Backtab: return true; // there is nothing else to go to
    default: return false;
    }
}

void Palette::walk(int lines) {
    const int last = m_list->count() - 1;
    if (last < 0) return;
    m_list->setCurrentRow(std::clamp(m_list->currentRow() + lines, 0, last));
}

void Palette::choose() {
    const int row = m_list->currentRow();
    if (row < 0 || static_cast<std::size_t>(row) >= m_entries.size()) return;
    const PaletteEntry entry = m_entries[static_cast<std::size_t>(row)];
    if (!entry.reason.isEmpty()) return; // it stands beside the text
    leave();
    entry.run();
}

void Palette::leave() {
    hide();
    if (m_before) m_before->setFocus(Qt::OtherFocusReason);
}

} // namespace secateur
