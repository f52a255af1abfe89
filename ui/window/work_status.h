// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace secateur {

class Document;

/// What runs beside the window: phase, elapsed time, share done and [Cancel]. Shown once it takes over 100
/// ms.
class WorkStatus : public QWidget {
    Q_OBJECT
  public:
    explicit WorkStatus(Document& document, QWidget* parent = nullptr);

  private:
    void refresh();

    Document& m_document;
    QLabel* m_text = nullptr;
    QProgressBar* m_share = nullptr;
    QToolButton* m_cancel = nullptr;
    QTimer m_timer;
};

} // namespace secateur
