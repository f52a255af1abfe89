// SPDX-License-Identifier: Apache-2.0
#include "ui/window/keys_panel.h"

#include "ui/app_state/actions.h"
#include "ui/app_state/strings.h"

#include <QKeySequence>

namespace secateur {

KeysPanel::KeysPanel(QWidget* parent) : QTextBrowser(parent) {
    setFrameShape(QFrame::NoFrame);
    document()->setDocumentMargin(12);
    QString html = QStringLiteral("<p><b>%1</b></p><p>%2</p><table cellpadding=\"2\">")
                       .arg(tx("ui.keys.title"),
                            tx("ui.keys.canvas").replace(QStringLiteral(" \u00B7 "), QStringLiteral("<br>")));
    for (const ActionInfo& info : actionTable()) {
        if (!*info.shortcut) continue;
        const QKeySequence key(QString::fromLatin1(info.shortcut).section(QStringLiteral("; "), 0, 0),
                               QKeySequence::PortableText);
        html +=
            QStringLiteral("<tr><td style=\"padding-right:12px\">%1</td><td>%2</td></tr>")
                .arg(key.toString(QKeySequence::NativeText).toHtmlEscaped(),
                     tx(info.textId).remove(QLatin1Char('&')).remove(QStringLiteral("…")).toHtmlEscaped());
    }
    setHtml(html + QStringLiteral("</table>"));
}

} // namespace secateur
