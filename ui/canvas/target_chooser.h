// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace secateur {

class Document;

/// The values that pruning could aim at, each with its evidence, shape and what it keeps. Pointing at one
/// previews it; [Use] edits the recipe. Several may be ticked: a model may predict more than one thing.
class TargetChooser : public QWidget {
    Q_OBJECT
  public:
    explicit TargetChooser(Document& document, QWidget* parent = nullptr);

  signals:
    void chosen();
    void cancelled();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    void rebuild();
    QWidget* makeRow(std::size_t candidate);
    void updateUse();
    void use();

    Document& m_document;
    QLabel* m_title = nullptr;
    QVBoxLayout* m_rows = nullptr;
    QPushButton* m_use = nullptr;
    QPushButton* m_cancel = nullptr;
    QLineEdit* m_other = nullptr;
    QLabel* m_otherNote = nullptr;
    std::vector<QCheckBox*> m_ticks;
    bool m_isStale = false; ///< the rows are those of a moment before
};

} // namespace secateur
