// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTreeView>
#include <QWidget>

class QLabel;

namespace secateur {

class Check;
class Document;
class StepsModel;

/// The Steps dock: a click on a step looks at the model after it, a tick keeps or skips it.
class StepsPanel : public QWidget {
    Q_OBJECT
  public:
    explicit StepsPanel(Document& document, QWidget* parent = nullptr);
    [[nodiscard]] QTreeView& view() { return *m_view; }
    [[nodiscard]] StepsModel& model() { return *m_model; }
    /// Shows the verdicts of this check.
    void follow(const Check& check);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void tintSelection();
    void onActivated(const QModelIndex& index);
    void followCursor();
    void showOptions(const QPoint& at);

    Document& m_document;
    StepsModel* m_model = nullptr;
    QTreeView* m_view = nullptr;
    QLabel* m_empty = nullptr;
    QList<int> m_unfolded;
    bool m_isFollowing = false;
};

} // namespace secateur
