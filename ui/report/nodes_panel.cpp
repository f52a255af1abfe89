// SPDX-License-Identifier: Apache-2.0
#include "ui/report/nodes_panel.h"

#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"
#include "ui/report/nodes_model.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>

namespace secateur {

namespace {

/// Selected rows that are shown as such; a whole step of thousands is not worth a mark each.
constexpr std::size_t kMostFollowed = 500;
constexpr int kTypingPauseMs = 120;
/// Of all columns but the last, which takes the rest.
constexpr int kWidths[] = {160, 110, 84, 262, 130};

} // namespace

NodesPanel::NodesPanel(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
    m_model = new NodesModel(document, this);
    buildView();
    m_filter = new QLineEdit;
    m_filter->setPlaceholderText(tx("ui.nodes.filter"));
    m_filter->setAccessibleName(tx("ui.nodes.filter"));
    m_filter->setClearButtonEnabled(true);
    m_filter->installEventFilter(this);
    m_count = new QLabel;
    m_count->setForegroundRole(QPalette::PlaceholderText);
    m_count->setContentsMargins(8, 0, 8, 0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(4, 4, 4, 4);
    row->setSpacing(0);
    row->addWidget(m_filter, 1);
    row->addWidget(m_count);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(0);
    box->addLayout(row);
    box->addWidget(m_view, 1);

    auto* pause = new QTimer(this);
    pause->setSingleShot(true);
    pause->setInterval(kTypingPauseMs);
    connect(m_filter, &QLineEdit::textChanged, pause, qOverload<>(&QTimer::start));
    connect(pause, &QTimer::timeout, this, [this] { m_model->setFilter(m_filter->text()); });
    connect(m_model, &NodesModel::arranged, this, [this] {
        updateCount();
        followSelection();
    });
    connect(m_model, &QAbstractItemModel::modelReset, this, &NodesPanel::updateCount);
    connect(m_view->selectionModel(), &QItemSelectionModel::selectionChanged, this, &NodesPanel::selectRows);
    connect(m_view, &QTableView::activated, this, &NodesPanel::showRequested);
    connect(&document, &Document::selectionChanged, this, [this](const QObject* origin) {
        if (origin != this) followSelection();
    });
    updateCount();
}

void NodesPanel::buildView() {
    m_view = new QTableView;
    m_view->setModel(m_model);
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setTextElideMode(Qt::ElideMiddle);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setShowGrid(false);
    m_view->setAlternatingRowColors(true);
    m_view->setWordWrap(false);
    m_view->setTabKeyNavigation(false);
    m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->verticalHeader()->hide();
    m_view->verticalHeader()->setDefaultSectionSize(24);
    m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    QHeaderView* header = m_view->horizontalHeader();
    header->setStretchLastSection(true);
    header->setHighlightSections(false);
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_view->setSortingEnabled(true);
    m_view->setAccessibleName(tx("ui.dock.nodes"));
    for (int column = 0; column < NodesModel::reasonColumn; ++column)
        m_view->setColumnWidth(column, kWidths[column]);
}

void NodesPanel::selectRows() {
    if (m_isFollowing) return;
    std::vector<std::uint32_t> keys;
    for (const QItemSelectionRange& range : m_view->selectionModel()->selection())
        for (int row = range.top(); row <= range.bottom(); ++row)
            keys.push_back(m_model->keyOf(row));
    m_document.select(std::move(keys), this);
}

void NodesPanel::updateCount() {
    const auto shown = static_cast<std::uint64_t>(m_model->rowCount()),
               all = static_cast<std::uint64_t>(m_model->totalRows());
    QString text = shown == all ? tx("ui.nodes.count", {countText(all)})
                                : tx("ui.nodes.count-filtered", {countText(shown), countText(all)});
    const NodesModel::Reckoning is = m_model->reckoning();
    // The strip counts nodes of the model: what of these is no row is said beside the number of rows.
    if (is.model > is.listed)
        text = tx("ui.nodes.not-listed", {text, countText(is.model - is.listed), countText(is.model)});
    m_count->setText(text);
    m_count->setToolTip(is.model == 0 ? QString()
                                      : tx("ui.nodes.count-tip",
                                           {countText(is.model), countText(is.listed), countText(is.made),
                                            countText(is.inputs), countText(is.outputs), countText(is.lines),
                                            countText(is.model - is.listed - is.lines)}));
}

bool NodesPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_filter && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Return || key == Qt::Key_Enter) {
            m_view->setFocus(Qt::TabFocusReason);
            if (m_model->rowCount() > 0 && !m_view->currentIndex().isValid())
                m_view->setCurrentIndex(m_model->index(0, 0));
            return true;
        }
        if (key == Qt::Key_Escape && !m_filter->text().isEmpty()) {
            m_filter->clear();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void NodesPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    followSelection();
}

void NodesPanel::followSelection() {
    if (!isVisible()) return;
    std::vector<int> rows;
    if (m_document.selection().size() <= kMostFollowed)
        for (const std::uint32_t key : m_document.selection())
            if (const int row = m_model->rowOf(key); row >= 0) rows.push_back(row);
    QItemSelection selection;
    for (const int row : rows)
        selection.select(m_model->index(row, 0), m_model->index(row, NodesModel::columnCountOf - 1));
    m_isFollowing = true;
    m_view->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    if (!rows.empty()) {
        const QModelIndex first = m_model->index(rows.front(), 0);
        m_view->selectionModel()->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
        m_view->scrollTo(first);
    }
    m_isFollowing = false;
}

} // namespace secateur
