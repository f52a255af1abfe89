// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTextBrowser>

namespace secateur {

class Document;

/// The Inspector dock: what the selected thing is, why it stays or goes, and what it is connected to.
class InspectorPanel : public QTextBrowser {
    Q_OBJECT
  public:
    explicit InspectorPanel(Document& document, QWidget* parent = nullptr);

  signals:
    void pathRequested();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void refresh();
    void follow(const QUrl& link);

    Document& m_document;
    QString m_shown; ///< as HTML
};

} // namespace secateur
