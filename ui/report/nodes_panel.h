// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
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
    [[nodiscard]] QLineEdit& filter() { return *m_filter; }

  signals:
    /// Enter or a double click on a row: it is to be shown in the graph.
    void showRequested();

  protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void buildView();
    void selectRows();
    void followSelection();
    void updateCount();

    Document& m_document;
    NodesModel* m_model = nullptr;
    QTableView* m_view = nullptr;
    QLineEdit* m_filter = nullptr;
    QLabel* m_count = nullptr;
    bool m_isFollowing = false;
};

} // namespace secateur
