// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QWidget>

class QHBoxLayout;
class QToolButton;

namespace secateur {

class Document;

/// The way from the main graph to the body that is drawn, above the panes: a click on a part goes back to it.
/// Long names are cut in the middle, so that all parts find room. Hidden while the main graph is drawn.
class CrumbBar : public QWidget {
    Q_OBJECT
  public:
    explicit CrumbBar(Document& document, QWidget* parent = nullptr);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void rebuild();
    void shareRoom();

    struct Part {
        QToolButton* button;
        QString text;
    };
    Document& m_document;
    QHBoxLayout* m_row = nullptr;
    QList<Part> m_parts;
};

} // namespace secateur
