// SPDX-License-Identifier: Apache-2.0
#include "ui/inspector/inspector_panel.h"

#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"
#include "ui/fonts/bundled_fonts.h"
#include "ui/inspector/inspector_html.h"

#include <QEvent>
#include <QScrollBar>
#include <QTextDocument>

#include <utility>

namespace secateur {

InspectorPanel::InspectorPanel(Document& document, QWidget* parent)
    : QTextBrowser(parent), m_document(document) {
    setObjectName(QStringLiteral("inspector"));
    setAccessibleName(tx("ui.dock.inspector"));
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    QTextBrowser::document()->setDocumentMargin(12);
    QTextBrowser::document()->setDefaultFont(fontOf(FontFace::SansRegular, 13));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(this, &QTextBrowser::anchorClicked, this, &InspectorPanel::follow);
    for (const auto signal : {&Document::historyChanged, &Document::cursorChanged, &Document::phaseChanged})
        connect(&document, signal, this, &InspectorPanel::refresh);
    connect(&document, &Document::selectionChanged, this, &InspectorPanel::refresh);
    refresh();
}

void InspectorPanel::changeEvent(QEvent* event) {
    QTextBrowser::changeEvent(event);
    if (event->type() != QEvent::PaletteChange) return;
    m_shown.clear(); // text in the colours of the palette
    refresh();
}

void InspectorPanel::refresh() {
    // Several signals may tell of one change: only what is new is laid out.
    QString html = inspectorHtml(m_document);
    if (html != m_shown) {
        m_shown = std::move(html);
        setHtml(m_shown);
    }
    verticalScrollBar()->setValue(0);
}

void InspectorPanel::follow(const QUrl& link) {
    if (link.scheme() == QLatin1String("path")) {
        emit pathRequested();
    } else if (link.scheme() == QLatin1String("body")) {
        m_document.showGraph(GraphId(link.path().toUInt()));
    } else if (link.scheme() == QLatin1String("node")) {
        m_document.select({link.path().toUInt()});
    }
}

} // namespace secateur
