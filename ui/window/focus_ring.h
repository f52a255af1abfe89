// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointer>
#include <QWidget>

namespace secateur {

/// Says which pane the keys go to: a frame in the accent colour around the list, table, text or graph that
/// got the focus by key. A click says so itself.
class FocusRing : public QWidget {
    Q_OBJECT
  public:
    /// Follows the focus within `window` and its floating docks.
    explicit FocusRing(QWidget* window);
    /// What it stands around now; null while it is hidden.
    [[nodiscard]] QWidget* pane() const { return m_pane; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    void onFocus(QWidget* widget, Qt::FocusReason reason);
    void standAround(QWidget* pane);
    void place();

    QWidget* m_window;
    QPointer<QWidget> m_pane;
};

} // namespace secateur
