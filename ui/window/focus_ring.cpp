// SPDX-License-Identifier: Apache-2.0
#include "ui/window/focus_ring.h"

#include "ui/theme/theme.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QFocusEvent>
#include <QPainter>

namespace secateur {

namespace {

constexpr int kWidth = 2;

bool isByKey(Qt::FocusReason reason) {
    return reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason ||
           reason == Qt::ShortcutFocusReason;
}

/// The pane that a widget is, or lies in; null for buttons and fields, whose style shows their focus.
QWidget* paneOf(QWidget* widget) {
    return qobject_cast<QAbstractScrollArea*>(widget);
}

} // namespace

FocusRing::FocusRing(QWidget* window) : QWidget(window), m_window(window) {
    setObjectName(QStringLiteral("focusRing"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    qApp->installEventFilter(this);
    hide();
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
    case QEvent::FocusIn:
        if (auto* widget = qobject_cast<QWidget*>(watched))
            onFocus(widget, static_cast<QFocusEvent*>(event)->reason());
        break;
    case QEvent::Move:
    case QEvent::Resize:
    case QEvent::Show:
        // The pane moves with any of the widgets that it lies in.
        if (m_pane && watched->isWidgetType() &&
            (watched == m_pane || static_cast<QWidget*>(watched)->isAncestorOf(m_pane)))
            place();
        break;
    case QEvent::Hide:
        if (watched == m_pane) standAround(nullptr);
        break;
    default: break;
    }
    return QWidget::eventFilter(watched, event);
}

void FocusRing::onFocus(QWidget* widget, Qt::FocusReason reason) {
    const bool isOurs = widget == m_window || m_window->isAncestorOf(widget);
    if (!isOurs || reason == Qt::ActiveWindowFocusReason || reason == Qt::PopupFocusReason ||
        reason == Qt::MenuBarFocusReason)
        return;
    standAround(isByKey(reason) ? paneOf(widget) : nullptr);
}

void FocusRing::standAround(QWidget* pane) {
    m_pane = pane;
    setVisible(pane != nullptr);
    if (pane) place();
}

void FocusRing::place() {
    QWidget* window = m_pane->window();
    if (parentWidget() != window) {
        setParent(window); // a floating dock
        show();
    }
    setGeometry(QRect(m_pane->mapTo(window, QPoint()), m_pane->size()));
    // Nothing but the frame: what lies inside is painted as if the ring were not there.
    setMask(QRegion(rect()) - QRegion(rect().adjusted(kWidth, kWidth, -kWidth, -kWidth)));
    raise();
}

void FocusRing::paintEvent(QPaintEvent*) {
    QPainter(this).fillRect(rect(), themeColorOf(ThemeRole::accent));
}

} // namespace secateur
