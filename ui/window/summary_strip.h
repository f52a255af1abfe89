// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QLabel;
class QToolButton;

namespace secateur {

class Actions;
class Check;
class Document;

/// One line of numbers, before -> after: nodes, file, memory, latency, check.
class SummaryStrip : public QWidget {
    Q_OBJECT
  public:
    SummaryStrip(Document& document, Check& check, Actions& actions, QWidget* parent = nullptr);
    /// The same in plain text, for the clipboard and tests.
    [[nodiscard]] QString text() const;

  protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void refresh();
    void fitLabels();

    [[nodiscard]] QString checkText() const;

    Document& m_document;
    Check& m_checked;
    QLabel* m_nodes = nullptr;
    QLabel* m_file = nullptr;
    QLabel* m_memory = nullptr;
    QLabel* m_latency = nullptr;
    QLabel* m_check = nullptr;
    QToolButton* m_copy = nullptr;
};

} // namespace secateur
