// SPDX-License-Identifier: Apache-2.0
#include "ui/report/problems_panel.h"

#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"
#include "ui/report/problems_model.h"

#include <QLabel>
#include <QListView>
#include <QVBoxLayout>

namespace secateur {

ProblemsPanel::ProblemsPanel(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
    m_model = new ProblemsModel(document, this);
    m_view = new QListView;
    m_view->setModel(m_model);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setWordWrap(true);
    m_view->setResizeMode(QListView::Adjust);
    m_view->setAccessibleName(tx("ui.dock.problems"));
    m_none = new QLabel;
    m_none->setAlignment(Qt::AlignCenter);
    m_none->setForegroundRole(QPalette::PlaceholderText);
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(m_view, 1);
    box->addWidget(m_none, 1);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& current) {
                const QVariant key = current.data(ProblemsModel::kKeyRole);
                if (key.isValid()) m_document.select({key.toUInt()});
            });
    connect(m_model, &QAbstractItemModel::modelReset, this, &ProblemsPanel::refresh);
    refresh();
}

void ProblemsPanel::refresh() {
    const bool hasRows = m_model->rowCount() > 0;
    m_view->setVisible(hasRows);
    m_none->setVisible(!hasRows);
    m_none->setText(m_document.original()
                        ? tx("ui.problems.none", {countText(m_document.original()->metrics.nodes)})
                        : tx("ui.problems.closed"));
}

} // namespace secateur
