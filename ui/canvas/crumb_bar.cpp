// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/crumb_bar.h"

#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace secateur {

CrumbBar::CrumbBar(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
    setObjectName(QStringLiteral("crumbs"));
    setAccessibleName(tx("ui.crumbs.name"));
    m_row = new QHBoxLayout(this);
    m_row->setContentsMargins(8, 2, 8, 2);
    m_row->setSpacing(2);
    connect(&document, &Document::graphChanged, this, &CrumbBar::rebuild);
    connect(&document, &Document::historyChanged, this, &CrumbBar::rebuild);
    rebuild();
}

void CrumbBar::rebuild() {
    while (QLayoutItem* item = m_row->takeAt(0)) {
        // A click on one of them may have led here.
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    const std::vector<Crumb> way = m_document.crumbs();
    for (std::size_t i = 0; i < way.size(); ++i) {
        if (i > 0) m_row->addWidget(new QLabel(QStringLiteral("\u203A")));
        auto* part = new QToolButton;
        part->setAutoRaise(true);
        part->setMinimumHeight(24);
        part->setText(QString::fromStdString(way[i].text).remove(QLatin1Char('`')));
        const bool isHere = i + 1 == way.size();
        QFont font = part->font();
        font.setBold(isHere);
        part->setFont(font);
        // Going back selects the node that leads here.
        std::vector<std::uint32_t> leads;
        if (!isHere && !way[i + 1].holder.isNone()) leads.push_back(way[i + 1].holder.index);
        connect(part, &QToolButton::clicked, this,
                [this, graph = way[i].graph, leads] { m_document.showGraph(graph, leads); });
        m_row->addWidget(part);
    }
    m_row->addStretch(1);
    // Shown now and not when the event loop turns: the panes below are fitted next.
    for (QWidget* part : findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
        if (m_row->indexOf(part) >= 0) part->show();
    setVisible(way.size() > 1);
    if (parentWidget() && parentWidget()->layout()) parentWidget()->layout()->activate();
}

} // namespace secateur
