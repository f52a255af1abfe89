// SPDX-License-Identifier: Apache-2.0
#include "ui/inspector/find_field.h"

#include "ui/app_state/document.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"
#include "ui/fonts/bundled_fonts.h"
#include "ui/theme/icons.h"

#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>

#include <algorithm>

namespace secateur {

namespace {

constexpr std::size_t kMostHits = 1000;
constexpr int kShownRows = 12, kRow = 22, kListWidth = 420;

} // namespace

FindField::FindField(Document& document, QWidget* parent) : QLineEdit(parent), m_document(document) {
    setObjectName(QStringLiteral("findField"));
    setPlaceholderText(tx("ui.find.placeholder"));
    setAccessibleName(tx("ui.find.placeholder"));
    setMinimumWidth(120);
    setMaximumWidth(260);
    addAction(icon(QStringLiteral("find")), QLineEdit::LeadingPosition);
    m_count = new QLabel(this);
    m_count->setForegroundRole(QPalette::PlaceholderText);
    m_count->setFont(fontOf(FontFace::SansRegular, 11));
    connect(this, &QLineEdit::textEdited, this, [this] {
        search();
        showHits();
    });
    // In a turn of the event loop of its own: the others have enough to do in this one.
    connect(&document, &Document::historyChanged, this, &FindField::search, Qt::QueuedConnection);
}

void FindField::search() {
    m_hits.clear();
    m_total = 0;
    m_hasCurrent = false;
    if (m_document.original() && !text().trimmed().isEmpty())
        m_hits = findInModel(m_document.original()->file.model, utf8(text().trimmed()), kMostHits, m_total);
    updateCount();
}

void FindField::updateCount() {
    QString words;
    if (!text().trimmed().isEmpty())
        words = m_hasCurrent ? tx("ui.find.place", {countText(m_current + 1), countText(m_total)})
                             : (m_total == 0 ? tx("ui.find.none") : countText(m_total));
    m_count->setText(words);
    m_count->adjustSize();
    setTextMargins(0, 0, words.isEmpty() ? 0 : m_count->width() + 8, 0);
    m_count->move(width() - m_count->width() - 8, (height() - m_count->height()) / 2);
}

void FindField::resizeEvent(QResizeEvent* event) {
    QLineEdit::resizeEvent(event);
    updateCount();
}

void FindField::showHits() {
    if (!m_list) {
        // A child of the window, not a popup: typing goes on while it is shown.
        m_list = new QListWidget(window());
        m_list->setObjectName(QStringLiteral("findHits"));
        m_list->setFocusPolicy(Qt::NoFocus);
        m_list->setUniformItemSizes(true);
        m_list->setTextElideMode(Qt::ElideMiddle);
        m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        connect(m_list, &QListWidget::itemClicked, this, [this](QListWidgetItem* item) {
            select(static_cast<std::size_t>(m_list->row(item)));
            m_list->hide();
        });
    }
    m_list->clear();
    for (const FindHit& hit : m_hits)
        m_list->addItem(findKindWord(hit.kind) + QStringLiteral("   ") + nameText(hit.text));
    const int rows = std::min<int>(kShownRows, static_cast<int>(m_hits.size()));
    m_list->setVisible(rows > 0);
    const QPoint below = mapTo(window(), QPoint(width() - kListWidth, height() + 2));
    m_list->setGeometry(std::max(0, below.x()), below.y(), kListWidth, rows * kRow + 6);
    m_list->raise();
}

void FindField::select(std::size_t hit) {
    if (hit >= m_hits.size()) return;
    m_current = hit;
    m_hasCurrent = true;
    if (m_list) m_list->setCurrentRow(static_cast<int>(hit));
    if (m_document.picture())
        m_document.select({m_hits[hit].drawnKey(m_document.mainPicture()->unionGraph.graph)});
    updateCount();
}

void FindField::walk(bool forward) {
    if (m_hits.empty()) return;
    const std::size_t count = m_hits.size();
    select(!m_hasCurrent ? (forward ? 0 : count - 1)
                         : (forward ? (m_current + 1) % count : (m_current + count - 1) % count));
}

void FindField::keyPressEvent(QKeyEvent* event) {
    const int key = event->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        walk(!(event->modifiers() & Qt::ShiftModifier));
    } else if (key == Qt::Key_Down) {
        walk(true);
    } else if (key == Qt::Key_Up) {
        walk(false);
    } else if (key == Qt::Key_Escape) {
        if (m_list) m_list->hide();
        emit left();
    } else {
        QLineEdit::keyPressEvent(event);
    }
}

void FindField::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    if (m_list) m_list->hide();
}

QString findKindWord(FindHit::Kind kind) {
    switch (kind) {
    case FindHit::Kind::node: return tx("ui.find.node");
    case FindHit::Kind::value: return tx("ui.find.value");
    case FindHit::Kind::weight: return tx("ui.find.weight");
    case FindHit::Kind::terminal: return tx("ui.find.input");
    }
    return {};
}

} // namespace secateur
