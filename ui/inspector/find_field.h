// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef Q_MOC_RUN // moc of Qt 6.4 cannot read <concepts>
#include "ui/inspector/find_index.h"
#endif

#include <QLineEdit>

#include <vector>

class QListWidget;
class QLabel;

namespace secateur {

class Document;

/// What a hit is, in a word: "node", "weight".
[[nodiscard]] QString findKindWord(FindHit::Kind kind);

/// Find nodes, values and weights while typing; Enter and Shift+Enter walk the hits, Escape goes back to the
/// graph.
class FindField : public QLineEdit {
    Q_OBJECT
  public:
    explicit FindField(Document& document, QWidget* parent = nullptr);
    void walk(bool forward);

  signals:
    void left();

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void search();
    void showHits();
    void select(std::size_t hit);
    void updateCount();

    Document& m_document;
    std::vector<FindHit> m_hits;
    std::size_t m_total = 0;
    std::size_t m_current = 0;
    bool m_hasCurrent = false;
    QListWidget* m_list = nullptr;
    QLabel* m_count = nullptr;
};

} // namespace secateur
