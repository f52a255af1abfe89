// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

namespace secateur {

class Document;
class ViewLink;

/// What the fills mean while the graph is coloured by role: a swatch and a word for each role that occurs.
class RoleLegend : public QWidget {
    Q_OBJECT
  public:
    RoleLegend(Document& document, ViewLink& link, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    void refresh();

    Document& m_document;
    ViewLink& m_link;
    QList<int> m_roles; ///< NodeRole numbers that occur
};

} // namespace secateur
