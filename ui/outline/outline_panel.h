// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QLabel;
class QTreeView;

namespace secateur {

class Document;
class OutlineModel;

/// The Outline dock: parts of the network and their nodes as a tree; its selection is the selection of the
/// window.
class OutlinePanel : public QWidget {
    Q_OBJECT
  public:
    explicit OutlinePanel(Document& document, QWidget* parent = nullptr);
    [[nodiscard]] OutlineModel& model() { return *m_model; }
    [[nodiscard]] QTreeView& view() { return *m_view; }

  signals:
    /// Enter or a double click on a row: it is to be shown in the graph.
    void showRequested();

  protected:
    void showEvent(QShowEvent* event) override;

  private:
    void onReset();
    void selectRows();
    void followSelection();

    Document& m_document;
    OutlineModel* m_model = nullptr;
    QTreeView* m_view = nullptr;
    QLabel* m_empty = nullptr;
    bool m_isFollowing = false;
};

} // namespace secateur
