// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QLineEdit;
class QSortFilterProxyModel;
class QTableView;

namespace secateur {

class Document;
class NodesModel;

/// The Nodes dock: a table of all nodes with a filter; its selection is the selection of the window.
class NodesPanel : public QWidget {
    Q_OBJECT
  public:
    explicit NodesPanel(Document& document, QWidget* parent = nullptr);
    [[nodiscard]] NodesModel& model() { return *m_model; }
    [[nodiscard]] QTableView& view() { return *m_view; }

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void followSelection();

    Document& m_document;
    NodesModel* m_model = nullptr;
    QSortFilterProxyModel* m_sorted = nullptr;
    QTableView* m_view = nullptr;
    QLineEdit* m_filter = nullptr;
    bool m_isFollowing = false;
};

} // namespace secateur
