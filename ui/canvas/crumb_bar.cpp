// SPDX-License-Identifier: Apache-2.0
#include "ui/canvas/crumb_bar.h"

#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>

namespace secateur {

namespace {

constexpr int kBetween = 16;    ///< the sign between two parts, with its distances
constexpr int kAroundText = 16; ///< of a button
constexpr int kSmallestPart = 36;

} // namespace

CrumbBar::CrumbBar(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
    setObjectName(QStringLiteral("crumbs"));
    setAccessibleName(tx("ui.crumbs.name"));
    m_row = new QHBoxLayout(this);
    m_row->setContentsMargins(8, 2, 8, 2);
    m_row->setSpacing(2);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // never widens the window
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
    m_parts.clear();
    const std::vector<Crumb> way = m_document.crumbs();
    for (std::size_t i = 0; i < way.size(); ++i) {
        if (i > 0) m_row->addWidget(new QLabel(QStringLiteral("\u203A")));
        auto* part = new QToolButton;
        part->setAutoRaise(true);
        part->setMinimumHeight(24);
        const QString text = nameText(way[i].text).remove(QLatin1Char('`'));
        part->setToolTip(text);
        part->setAccessibleName(text);
        m_parts.append({part, text});
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
    shareRoom();
    // Shown now and not when the event loop turns: the panes below are fitted next.
    for (QWidget* part : findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
        if (m_row->indexOf(part) >= 0) part->show();
    setVisible(way.size() > 1);
    if (parentWidget() && parentWidget()->layout()) parentWidget()->layout()->activate();
}

void CrumbBar::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    shareRoom();
}

void CrumbBar::shareRoom() {
    int room = width() - 2 * kBetween - kBetween * static_cast<int>(m_parts.size());
    QList<qsizetype> byWidth;
    QList<int> wanted;
    for (qsizetype i = 0; i < m_parts.size(); ++i) {
        byWidth.append(i);
        wanted.append(QFontMetrics(m_parts[i].button->font()).horizontalAdvance(m_parts[i].text) +
                      kAroundText);
    }
    std::sort(byWidth.begin(), byWidth.end(),
              [&](qsizetype a, qsizetype b) { return wanted[a] < wanted[b]; });
    // The short ones get what they want, the long ones share what is left.
    auto others = static_cast<int>(m_parts.size());
    for (const qsizetype i : byWidth) {
        const int width = std::max(kSmallestPart, std::min(wanted[i], room / others--));
        room -= width;
        QToolButton* button = m_parts[i].button;
        button->setText(QFontMetrics(button->font())
                            .elidedText(m_parts[i].text, Qt::ElideMiddle, width - kAroundText + 2));
        button->setFixedWidth(width);
    }
}

} // namespace secateur
