// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QHBoxLayout;

namespace secateur {

class Document;

/// The way from the main graph to the body that is drawn, above the panes: a click on a part goes back to it.
/// Hidden while the main graph is drawn.
class CrumbBar : public QWidget {
    Q_OBJECT
  public:
    explicit CrumbBar(Document& document, QWidget* parent = nullptr);

  private:
    void rebuild();

    Document& m_document;
    QHBoxLayout* m_row = nullptr;
};

} // namespace secateur
