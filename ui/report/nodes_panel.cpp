// SPDX-License-Identifier: Apache-2.0
#include "ui/report/nodes_panel.h"

#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"
#include "ui/report/nodes_model.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>

namespace secateur {

NodesPanel::NodesPanel(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
    m_model = new NodesModel(document, this);
    m_sorted = new QSortFilterProxyModel(this);
    m_sorted->setSourceModel(m_model);
    m_sorted->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_sorted->setFilterKeyColumn(-1);
    m_view = new QTableView;
    m_view->setModel(m_sorted);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setShowGrid(false);
    m_view->setAlternatingRowColors(true);
    m_view->setWordWrap(false);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setDefaultSectionSize(24);
    m_view->horizontalHeader()->setStretchLastSection(true);
    m_view->horizontalHeader()->setHighlightSections(false);
    m_view->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_view->setAccessibleName(tx("ui.dock.nodes"));
    constexpr int kWidths[] = {220, 130, 90, 220, 150};
    for (int column = 0; column < 5; ++column)
        m_view->setColumnWidth(column, kWidths[column]);
    m_filter = new QLineEdit;
    m_filter->setPlaceholderText(tx("ui.nodes.filter"));
    m_filter->setClearButtonEnabled(true);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    box->addWidget(m_filter);
    box->addWidget(m_view, 1);

    // Filtering reads every row's words: wait until typing pauses.
    auto* pause = new QTimer(this);
    pause->setSingleShot(true);
    pause->setInterval(150);
    connect(m_filter, &QLineEdit::textChanged, pause, qOverload<>(&QTimer::start));
    connect(pause, &QTimer::timeout, this, [this] { m_sorted->setFilterFixedString(m_filter->text()); });
    connect(m_view->horizontalHeader(), &QHeaderView::sectionClicked, this, [this](int column) {
        m_view->setSortingEnabled(true);
        m_view->sortByColumn(column, m_view->horizontalHeader()->sortIndicatorOrder());
    });
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        if (m_isFollowing) return;
        std::vector<std::uint32_t> keys;
        for (const QModelIndex& row : m_view->selectionModel()->selectedRows())
            keys.push_back(row.data(NodesModel::kKeyRole).toUInt());
        m_document.select(std::move(keys), this);
    });
    connect(&document, &Document::selectionChanged, this, [this](const QObject* origin) {
        if (origin != this) followSelection();
    });
}

void NodesPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    followSelection();
}

void NodesPanel::followSelection() {
    if (!isVisible()) return;
    m_isFollowing = true;
    m_view->clearSelection();
    // A whole step of thousands of nodes is not worth a selected row each.
    if (m_document.selection().size() <= 200)
        for (const std::uint32_t key : m_document.selection()) {
            const int row = m_model->rowOf(key);
            if (row < 0) continue;
            const QModelIndex index = m_sorted->mapFromSource(m_model->index(row, 0));
            m_view->selectionModel()->select(index, QItemSelectionModel::Select | QItemSelectionModel::Rows);
            m_view->scrollTo(index);
        }
    m_isFollowing = false;
}

} // namespace secateur
