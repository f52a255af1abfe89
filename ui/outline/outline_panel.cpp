// SPDX-License-Identifier: Apache-2.0
#include "ui/outline/outline_panel.h"

#include "ui/app_state/document.h"
#include "ui/app_state/node_words.h"
#include "ui/app_state/strings.h"
#include "ui/outline/outline_model.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeView>
#include <QVBoxLayout>

namespace secateur {

namespace {

/// Selected rows that are unfolded and marked; a whole step of thousands is not worth that.
constexpr std::size_t kMostFollowed = 200;
constexpr int kFateWidth = 96;

} // namespace

OutlinePanel::OutlinePanel(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
    m_model = new OutlineModel(document, this);
    m_view = new QTreeView;
    m_view->setModel(m_model);
    m_view->setUniformRowHeights(true);
    m_view->setIndentation(14);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setAllColumnsShowFocus(true);
    m_view->setTextElideMode(Qt::ElideMiddle);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setAccessibleName(tx("ui.dock.outline"));
    m_view->header()->setStretchLastSection(false);
    m_view->header()->setSectionResizeMode(OutlineModel::nameColumn, QHeaderView::Stretch);
    m_view->header()->setSectionResizeMode(OutlineModel::fateColumn, QHeaderView::Fixed);
    m_view->header()->resizeSection(OutlineModel::fateColumn, kFateWidth);
    m_empty = new QLabel(tx("ui.outline.empty"));
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignTop);
    m_empty->setContentsMargins(12, 12, 12, 12);
    m_empty->setAutoFillBackground(true);
    m_empty->setBackgroundRole(QPalette::Base);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(m_view, 1);
    box->addWidget(m_empty, 1);
    connect(m_model, &QAbstractItemModel::modelReset, this, &OutlinePanel::onReset);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &OutlinePanel::selectRows);
    connect(m_view, &QTreeView::activated, this, &OutlinePanel::showRequested);
    // What is below the top draws itself anew when the cursor moves.
    connect(&document, &Document::cursorChanged, m_view->viewport(), qOverload<>(&QWidget::update));
    connect(&document, &Document::selectionChanged, this, [this](const QObject* origin) {
        if (origin != this) followSelection();
    });
    onReset();
}

void OutlinePanel::onReset() {
    const bool hasRows = m_model->rowCount() > 0;
    m_view->setVisible(hasRows);
    m_empty->setVisible(!hasRows);
    // A single part that holds everything says nothing closed.
    if (m_model->rowCount() <= 3)
        for (int row = 0; row < m_model->rowCount(); ++row)
            m_view->expand(m_model->index(row, 0));
    followSelection();
}

void OutlinePanel::selectRows() {
    if (m_isFollowing) return;
    std::vector<std::uint32_t> keys;
    for (const QItemSelectionRange& range : m_view->selectionModel()->selection())
        for (int row = range.top(); row <= range.bottom(); ++row)
            keys.push_back(m_model->keyOf(m_model->index(row, 0, range.parent())));
    // Groups are those of the graph that is listed; a node may lie in a body and leads there by itself.
    const bool isElsewhere = m_model->picture() != m_document.picture();
    if (isElsewhere && !keys.empty() && isGroupKey(keys.front()))
        return m_document.showGraph(GraphId(0U), std::move(keys));
    m_document.select(std::move(keys), this);
}

void OutlinePanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    followSelection();
}

void OutlinePanel::followSelection() {
    if (!isVisible()) return;
    QItemSelection selection;
    QModelIndex first;
    if (m_document.selection().size() <= kMostFollowed)
        for (const std::uint32_t key : m_document.selection()) {
            if (isGroupKey(key) && m_model->picture() != m_document.picture()) continue;
            const QModelIndex row = m_model->indexOf(key);
            if (!row.isValid()) continue;
            if (!first.isValid()) first = row;
            selection.select(row, row.siblingAtColumn(OutlineModel::columnCountOf - 1));
        }
    m_isFollowing = true;
    m_view->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    if (first.isValid()) {
        m_view->selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
        m_view->scrollTo(first); // unfolds what it stands in
    }
    m_isFollowing = false;
}

} // namespace secateur
