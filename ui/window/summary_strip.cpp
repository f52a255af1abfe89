// SPDX-License-Identifier: Apache-2.0
#include "ui/window/summary_strip.h"

#include "core/support/text.h"
#include "ui/app_state/actions.h"
#include "ui/app_state/check.h"
#include "ui/app_state/document.h"
#include "ui/app_state/strings.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QTextDocumentFragment>
#include <QToolButton>

namespace secateur {

namespace {

constexpr int kHeight = 32;

struct Pair {
    std::uint64_t before = 0, after = 0;
    bool isKnown = false;
};

Pair pairOf(const Document& document, std::uint64_t Metrics::*field) {
    Pair pair;
    if (!document.original()) return pair;
    pair.before = pair.after = document.original()->metrics.*field;
    pair.isKnown = true;
    const History* history = document.history();
    if (history && history->cursor() > 0) pair.after = history->steps()[history->cursor() - 1].after.*field;
    return pair;
}

QString shown(const char* nameId, const QString& value) {
    return QStringLiteral("<span style=\"color:%1\">%2</span>&nbsp; %3")
        .arg(themeHex(ThemeRole::muted), tx(nameId), value);
}

QString muted(const char* id) {
    return QStringLiteral("<span style=\"color:%1\">%2</span>").arg(themeHex(ThemeRole::muted), tx(id));
}

QString difference(const Pair& pair, const QString& before, const QString& after) {
    if (pair.before == pair.after) return QStringLiteral("<b>%1</b>").arg(before);
    const ThemeRole role = pair.after < pair.before ? ThemeRole::less : ThemeRole::more;
    return QStringLiteral("<b>%1&nbsp;\u2192&nbsp;%2</b> <span style=\"color:%3\">(%4)</span>")
        .arg(before, after, themeHex(role), changeText(pair.before, pair.after).toHtmlEscaped());
}

/// "2.4 → 0.6 MiB": the unit once where both share it.
QString bytesPair(const Pair& pair) {
    QString before = bytesText(pair.before);
    const QString after = bytesText(pair.after);
    const QString unit = before.section(QLatin1Char(' '), -1);
    if (pair.before != pair.after && unit == after.section(QLatin1Char(' '), -1))
        before.chop(unit.size() + 1);
    return difference(pair, before, after);
}

} // namespace

SummaryStrip::SummaryStrip(Document& document, Check& check, Actions& actions, QWidget* parent)
    : QWidget(parent), m_document(document), m_checked(check) {
    setObjectName(QStringLiteral("summaryStrip"));
    setFixedHeight(kHeight);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // fitLabels() sees to the width
    auto* box = new QHBoxLayout(this);
    box->setContentsMargins(12, 0, 8, 0);
    box->setSpacing(22);
    for (QLabel** label : {&m_nodes, &m_file, &m_memory, &m_latency, &m_check}) {
        *label = new QLabel;
        (*label)->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse);
        (*label)->setFocusPolicy(Qt::NoFocus);
        (*label)->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
        box->addWidget(*label);
    }
    box->addStretch();
    m_copy = new QToolButton;
    m_copy->setDefaultAction(actions[ActionId::copySummary]);
    m_copy->setToolButtonStyle(Qt::ToolButtonIconOnly);
    m_copy->setAutoRaise(true);
    box->addWidget(m_copy);
    for (const auto signal : {&Document::phaseChanged, &Document::historyChanged, &Document::cursorChanged})
        connect(&document, signal, this, &SummaryStrip::refresh);
    connect(&check, &Check::changed, this, &SummaryStrip::refresh);
    connect(m_check, &QLabel::linkActivated, actions[ActionId::check], &QAction::trigger);
    refresh();
}

void SummaryStrip::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_check) refresh();
}

void SummaryStrip::refresh() {
    const Pair nodes = pairOf(m_document, &Metrics::nodes), file = pairOf(m_document, &Metrics::fileBytes);
    m_nodes->setText(shown("ui.summary.nodes",
                           nodes.isKnown ? difference(nodes, countText(nodes.before), countText(nodes.after))
                                         : muted("ui.summary.none")));
    m_file->setText(shown("ui.summary.file", file.isKnown ? bytesPair(file) : muted("ui.summary.none")));
    m_memory->setText(shown("ui.summary.memory", muted("ui.summary.not-computed")));
    m_latency->setText(shown("ui.summary.latency", muted("ui.summary.not-measured")));
    m_check->setText(shown("ui.summary.check", checkText()));
    m_check->setToolTip(m_checked.details());
    setAccessibleName(text());
    setToolTip(text());
    fitLabels();
}

void SummaryStrip::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitLabels();
}

/// A number that is cut is another number: what finds no room is left out, what is not known yet first. The
/// tooltip has all of it.
void SummaryStrip::fitLabels() {
    const QMargins margins = layout()->contentsMargins();
    int room = width() - margins.left() - margins.right() - m_copy->sizeHint().width();
    for (QLabel* label : {m_nodes, m_check, m_file, m_memory, m_latency}) {
        room -= label->sizeHint().width() + layout()->spacing();
        label->setVisible(room >= 0 || label == m_nodes);
    }
}

QString SummaryStrip::checkText() const {
    if (m_checked.isRunning()) return muted("ui.summary.checking");
    const auto& verdict = m_checked.verdict();
    if (!verdict) {
        if (m_document.history() == nullptr) return muted("ui.summary.not-run");
        const double seconds = m_checked.waitsForSeconds();
        const QString why =
            seconds > 0 ? tx("ui.summary.waits", {qs(formatSeconds(seconds))}) : tx("ui.summary.not-run");
        return QStringLiteral("<span style=\"color:%1\">%2</span>").arg(themeHex(ThemeRole::muted), why) +
               QStringLiteral("&nbsp; <a href=\"check\">%1</a>").arg(tx("ui.summary.run-check"));
    }
    using Status = Verification::Status;
    const ThemeRole role = verdict->status == Status::differs        ? ThemeRole::error
                           : verdict->isGood() && !verdict->isWeak() ? ThemeRole::ok
                                                                     : ThemeRole::warn;
    return QStringLiteral("<b style=\"color:%1\">%2</b>")
        .arg(themeHex(role), qs(verdict->brief()).toHtmlEscaped());
}

QString SummaryStrip::text() const {
    QStringList parts;
    for (const QLabel* label : {m_nodes, m_file, m_memory, m_latency, m_check})
        parts.append(QTextDocumentFragment::fromHtml(label->text())
                         .toPlainText()
                         .replace(QChar(0xA0), QLatin1Char(' '))
                         .simplified());
    return parts.join(QStringLiteral(" \u00B7 "));
}

} // namespace secateur
