// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QLabel;
class QListView;

namespace secateur {

class Document;
class ProblemsModel;

/// The Problems dock: what is wrong with the file; a click selects the node it is about.
class ProblemsPanel : public QWidget {
    Q_OBJECT
  public:
    explicit ProblemsPanel(Document& document, QWidget* parent = nullptr);
    [[nodiscard]] ProblemsModel& model() { return *m_model; }
    [[nodiscard]] QListView& view() { return *m_view; }

  private:
    void refresh();

    Document& m_document;
    ProblemsModel* m_model = nullptr;
    QListView* m_view = nullptr;
    QLabel* m_none = nullptr;
};

} // namespace secateur
